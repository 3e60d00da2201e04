import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Segment } from '@contrails/observations/segments';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { checkObservations } from '../../../src/families/observations/doctor.ts';
import { planFrames } from '../../../src/families/observations/frames/jobs.ts';
import { findFrame, framesIn } from '../../../src/families/observations/frames/table.ts';
import { removeFiles, removeOrphans } from '../../../src/families/observations/maintenance.ts';
import { observationMetrics } from '../../../src/families/observations/metrics.ts';
import { type Server, startServer } from '../../support/server.ts';
import { abiBytes, abiName, type Image, writeImage } from './support/imagery.ts';
import { openTrial, type Trial } from './support/trial.ts';

const START_MS = Date.UTC(2024, 2, 7, 15);
const STEP_MS = 600_000;
const LINES = [
  [0.5, 30],
  [-0.3, 120],
] as const;

let folder: string;
let trial: Trial;
let server: Server;
let key: string;

beforeAll(async () => {
  folder = await temporaryDirectory();
  trial = await openTrial({
    observations: {
      sources: [{ name: 'dish', kind: 'folder', satellite: 'goes-east', path: folder }],
      paths: [{ path: 'noaa/goes-east', satellite: 'goes-east' }],
    },
  });
  server = await startServer({ families: familyRoutes(trial.services, trial.config) });
  key = await server.newKey({ scopes: ['observations'] });
});
afterAll(() => trial.close());

/** Puts a file into the folder as if it had been there for a while. */
async function deliver(
  image: Image,
  name = abiName(image.timeMs),
  bands?: readonly number[],
): Promise<string> {
  const path = join(folder, name);
  await writeImage(path, image, bands);
  return path;
}

async function settle(nowMs?: number): Promise<void> {
  // Files count as finished when they have not been written to for a while.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  await trial.look().finally(() => vi.useRealTimers());
  await trial.work(nowMs);
}

const frameAt = (timeMs: number) => findFrame(trial.services.database, 'goes-east', timeMs);

const ask = (path: string, headers: Record<string, string> = {}) =>
  server.send({ method: 'GET', url: `/v1/observations/${path}`, headers: { 'x-api-key': key, ...headers } });

describe('a folder of imagery', () => {
  test('is processed frame by frame, and its files stay', async () => {
    await deliver({ timeMs: START_MS, lines: LINES });
    await deliver({ timeMs: START_MS + STEP_MS });
    await settle();
    const [first, second] = [await frameAt(START_MS), await frameAt(START_MS + STEP_MS)];
    expect(first).toMatchObject({ state: 'done', reason: null });
    expect(first?.manifest?.l2?.segments).toBeGreaterThanOrEqual(2);
    expect(second?.manifest?.l2?.segments).toBe(0);
    expect(await readdir(folder)).toHaveLength(2);
    const stored = await Array.fromAsync(
      trial.services.store.list('observations/frames/goes-east/2024-03-07/1500/'),
      (object) => object.key.split('/').at(-1),
    );
    expect(stored).toEqual([
      'goes-east_L1_20240307T1500Z.nc',
      'goes-east_L2_20240307T1500Z.json',
      'manifest.json',
      'picture.png',
    ]);
  });

  test('waits for the second band of a frame', async () => {
    const timeMs = START_MS + 2 * STEP_MS;
    await deliver({ timeMs, lines: LINES }, abiName(timeMs, 14), [14]);
    await settle();
    expect(await frameAt(timeMs)).toMatchObject({ state: 'collecting' });
    const waiting = await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:20');
    expect(waiting.status).toBe(404);
    expect(waiting.problem()).toMatchObject({ reason: 'in_processing' });
    expect(waiting.headers['retry-after']).toBe('60');
    await deliver({ timeMs, lines: LINES }, abiName(timeMs, 15), [15]);
    await settle();
    expect(await frameAt(timeMs)).toMatchObject({ state: 'done' });
    expect((await frameAt(timeMs))?.inputs).toHaveLength(2);
  });

  test('is listed with what is served of every frame', async () => {
    const { satellite, frames } = (await ask('frames?from=2024-03-07T15&to=2024-03-07T15:30')).json() as {
      satellite: string;
      frames: Record<string, unknown>[];
    };
    expect(satellite).toBe('goes-east');
    expect(frames.map(({ time, state, levels }) => [time, state, levels])).toEqual(
      ['15:00', '15:10', '15:20'].map((at) => [`2024-03-07T${at}:00Z`, 'done', ['L1', 'L2']]),
    );
    expect(frames[0]?.segments).toBeGreaterThanOrEqual(2);
    expect(frames[1]).toMatchObject({ segments: 0, segment_length_m: 0, is_synthetic: false, reason: null });
    const empty = await ask('frames?from=2024-03-07T14&to=2024-03-07T15');
    expect(empty.json()).toMatchObject({ frames: [] });
    expect((await ask('frames?satellite=himawari')).json()).toMatchObject({
      satellite: 'himawari',
      frames: [],
    });
    for (const range of [
      'from=2024-03-07&to=2024-03-07',
      'from=2024-03-01&to=2024-03-12',
      'from=2124-01-01',
    ]) {
      const refused = await ask(`frames?${range}`);
      expect(refused.status).toBe(400);
      expect(refused.problem().detail).toMatch(/is not a range of up to 10 days/);
    }
  });

  test('is not processed again while nothing changes', async () => {
    const before = await trial.services.jobs.list({ kind: 'observations.frame' });
    await settle();
    expect((await trial.services.jobs.list({ kind: 'observations.frame' })).jobs).toHaveLength(
      before.jobs.length,
    );
  });

  test('a file that is replaced makes another edition of its frame', async () => {
    const timeMs = START_MS + STEP_MS;
    const before = await frameAt(timeMs);
    await deliver({ timeMs, lines: LINES });
    await settle();
    const after = await frameAt(timeMs);
    expect(after?.manifest?.edition).not.toBe(before?.manifest?.edition);
    expect(after?.manifest?.l2?.segments).toBeGreaterThanOrEqual(2);
  });
});

describe('imagery that cannot be used', () => {
  const at = (k: number) => START_MS + (10 + k) * STEP_MS;

  test('is quarantined with a reason, and the frames after it are processed', async () => {
    // A share of the file, or so many bytes.
    const cuts = [0, 1, 7, 8, 100, 2000, 0.5, -1];
    for (const [k, length] of cuts.entries()) {
      const bytes = await abiBytes({ timeMs: at(k), lines: LINES });
      await writeFile(
        join(folder, abiName(at(k))),
        bytes.subarray(0, length === 0.5 ? bytes.length / 2 : length),
      );
    }
    await deliver({ timeMs: at(20) }, abiName(at(20), 14), [14]);
    await deliver({ timeMs: at(20), statedMs: at(21) }, abiName(at(20), 15), [15]);
    await deliver({ timeMs: at(22), isEmpty: true });
    await deliver({ timeMs: at(23), longitude: -60 });
    await deliver({ timeMs: at(25), sweep: 'y' });
    await deliver({ timeMs: at(26), mapping: 'mercator' });
    // The place of another satellite that is known, under the name of this one.
    await deliver({ timeMs: at(27), longitude: -137 });
    // The second band is from the spacecraft that takes over a year later, under the name of this one.
    await deliver({ timeMs: at(28) }, abiName(at(28), 14), [14]);
    await deliver({ timeMs: at(28), platform: 'G19' }, abiName(at(28), 15), [15]);
    const futureMs = Math.floor(Date.now() / STEP_MS) * STEP_MS + 6 * HOUR_MS;
    await deliver({ timeMs: futureMs });
    await deliver({ timeMs: at(24), lines: LINES });
    await settle();
    // An empty file is one that is still being written.
    expect(await frameAt(at(0))).toBeUndefined();
    for (const k of cuts.keys()) {
      if (k === 0) continue;
      expect(await frameAt(at(k)), `cut at ${cuts[k]}`).toMatchObject({
        state: 'quarantined',
        reason: 'unreadable',
      });
    }
    expect(await frameAt(at(20))).toMatchObject({ state: 'quarantined', reason: 'mixed-times' });
    expect(await frameAt(at(22))).toMatchObject({ state: 'quarantined', reason: 'no-valid-pixels' });
    expect(await frameAt(at(23))).toMatchObject({ state: 'quarantined', reason: 'satellite-moved' });
    for (const k of [25, 26]) {
      expect(await frameAt(at(k))).toMatchObject({ state: 'quarantined', reason: 'wrong-projection' });
    }
    expect(await frameAt(at(27))).toMatchObject({ state: 'quarantined', reason: 'satellite-moved' });
    expect(await frameAt(at(28))).toMatchObject({
      state: 'quarantined',
      reason: 'mixed-satellites',
      message: expect.stringMatching(/differ in satellite: G16 and G19; give the files of one frame/),
    });
    expect(await frameAt(futureMs)).toMatchObject({ state: 'quarantined', reason: 'from-the-future' });
    expect(await frameAt(at(24))).toMatchObject({ state: 'done' });
    await rm(join(folder, abiName(futureMs)));
  });

  test('shows in the doctor, in metrics and in the answer', async () => {
    const { database } = trial.services;
    const findings = await checkObservations(database, Date.now());
    expect(findings.filter(({ state }) => state === 'warn').map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\d+ frames are quarantined as unreadable, the last is /),
      ]),
    );
    const metric = observationMetrics(database).find(({ name }) => name.endsWith('_quarantined'));
    expect(await metric?.read()).toMatchObject({ 'no-valid-pixels': 1, 'satellite-moved': 2 });
    const answer = await ask(`provider-a/source-a/L1/detections?time=${new Date(at(22)).toISOString()}`);
    expect(answer.status).toBe(404);
    expect(answer.problem()).toMatchObject({ reason: 'quarantined' });
  });

  test('is processed when its file is replaced by a whole one', async () => {
    await deliver({ timeMs: at(3), lines: LINES });
    await settle();
    expect(await frameAt(at(3))).toMatchObject({ state: 'done', reason: null });
  });

  test('a frame whose files do not come is quarantined in the end', async () => {
    const timeMs = at(30);
    const path = await deliver({ timeMs }, abiName(timeMs, 14), [14]);
    await settle();
    expect(await frameAt(timeMs)).toMatchObject({ state: 'collecting' });
    await planFrames(trial.services, trial.rules, Date.now() + HOUR_MS);
    expect(await frameAt(timeMs)).toMatchObject({ state: 'quarantined', reason: 'incomplete' });
    await rm(path);
  });

  test('a frame that needs more memory than it may is quarantined', async () => {
    const small = await openTrial({
      observations: {
        memory_mib: 1,
        sources: [{ name: 'dish', kind: 'folder', satellite: 'goes-east', path: folder }],
      },
    });
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
      await small.look().finally(() => vi.useRealTimers());
      await small.work();
      expect(await findFrame(small.services.database, 'goes-east', START_MS)).toMatchObject({
        state: 'quarantined',
        reason: 'too-large',
      });
    } finally {
      await small.close();
    }
  });
});

describe('L1 and L2 over HTTP', () => {
  test('detections are a netCDF file with a tag and ranges, floored to ten minutes', async () => {
    const answer = await ask('provider-a/source-a/L1/detections?time=2024-03-07T15:09:59');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-netcdf',
      'content-disposition': 'attachment; filename="goes-east_L1_20240307T1500Z.nc"',
    });
    expect(answer.bytes.subarray(1, 4).toString()).toBe('HDF');
    const etag = String(answer.headers.etag);
    expect(
      (await ask('provider-a/source-a/L1/detections?time=2024-03-07T15:00', { 'if-none-match': etag }))
        .status,
    ).toBe(304);
    const part = await ask('provider-a/source-a/L1/detections?time=2024-03-07T15:00Z', {
      range: 'bytes=1-3',
    });
    expect([part.status, part.text]).toEqual([206, 'HDF']);
    const offset = await ask('noaa/goes-east/L1/detections?time=2024-03-07T17:00:00%2B02:00');
    expect(offset.bytes.equals(answer.bytes)).toBe(true);
  });

  test('segments are a list, empty where nothing was found', async () => {
    const answer = await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:00:00&satellite=goes-east');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const segments = answer.json<Segment[]>();
    expect(segments[0]).toMatchObject({ satellite: 'goes-east', time: '2024-03-07T15:00:00Z' });
    const scores = segments.map(({ confidence, length_px }) => confidence * length_px);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    await deliver({ timeMs: START_MS + 3 * STEP_MS });
    await settle();
    expect((await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:30')).json()).toEqual([]);
  });

  test.each([
    ['L1/detections', 'missing'],
    ['L1/detections?time=', 'time'],
    ['L2/segments?time=noon', 'time'],
    ['L2/segments?time=2024-02-30', 'time'],
  ])('%s is refused with a 400', async (path, type) => {
    const answer = await ask(`provider-a/source-a/${path}`);
    expect(answer.status).toBe(400);
    expect(answer.problem().errors?.[0]?.type).toBe(type);
  });

  test('a satellite that does not exist is a 400, one without frames a 404', async () => {
    const wrong = await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:00&satellite=sputnik');
    expect(wrong.status).toBe(400);
    const none = await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:00&satellite=himawari');
    expect(none.problem()).toMatchObject({ status: 404, reason: 'outside_archive' });
  });

  test('what is missing says why: outside the archive, or never received', async () => {
    const outside = await ask('provider-a/source-a/L2/segments?time=2020-01-01');
    expect(outside.problem()).toMatchObject({ status: 404, reason: 'outside_archive' });
    expect(outside.problem().detail).toMatch(
      /2020-01-01T00:00:00Z is outside the archive; frames of goes-east are served from 2024-03-07T15:00:00Z/,
    );
    const never = await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:40');
    expect(never.problem()).toMatchObject({ status: 404, reason: 'not_received' });
    expect(never.headers['retry-after']).toBeUndefined();
    const soon = await ask(
      `provider-a/source-a/L2/segments?time=${new Date(Date.now() - 300_000).toISOString()}`,
    );
    expect(soon.problem()).toMatchObject({ status: 404, reason: 'not_received' });
    expect(soon.headers['retry-after']).toBe('60');
  });

  test('needs the scope observations', async () => {
    const other = await server.newKey({ scopes: ['forecast'] });
    for (const path of [
      'provider-a/source-a/L1/detections?time=2024-03-07',
      'verification?date=2024-03-07',
      'google/geostationary/L4/attributions?flight=LX~1~2024-03-07~ZRH',
    ]) {
      expect((await ask(path, { 'x-api-key': other })).status).toBe(403);
      expect((await ask(path, { 'x-api-key': '' })).status).toBe(401);
    }
  });
});

describe('another detector', () => {
  test('processes the frames again whose files are still there; the others keep what they have', async () => {
    const { services, rules } = trial;
    await rm(join(folder, abiName(START_MS + STEP_MS)));
    const gone = await frameAt(START_MS + STEP_MS);
    const kept = await frameAt(START_MS);
    await services.database.execute(
      `UPDATE observation_frames SET detector = 'ridge 0.9', edition = 'earlier' WHERE satellite = 'goes-east' AND state = 'done'`,
    );
    const planned = await planFrames(services, rules, Date.now());
    expect(planned.again).toBeGreaterThanOrEqual(4);
    // What was published stays in service meanwhile.
    expect((await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:00')).status).toBe(200);
    await trial.work();
    expect((await framesIn(services.database, 'queued', 10)).length).toBe(0);
    expect((await frameAt(START_MS))?.publishedMs).toBeGreaterThan(kept?.publishedMs ?? 0);
    expect(await frameAt(START_MS + STEP_MS)).toMatchObject({ state: 'done', inputs: [] });
    expect((await frameAt(START_MS + STEP_MS))?.manifest).toEqual(gone?.manifest);
    expect((await planFrames(services, rules, Date.now())).again).toBe(0);
  });
});

describe('maintenance', () => {
  test('removes files that no frame serves, after a day', async () => {
    const { store } = trial.services;
    const key =
      'observations/frames/goes-east/2024-03-07/1500/0123456789abcdef/goes-east_L1_20240307T1500Z.nc';
    await store.put(key, Buffer.from('left behind'));
    expect(await removeOrphans(trial.services, Date.now())).toBe(0);
    expect(await removeOrphans(trial.services, Date.now() + 2 * DAY_MS)).toBeGreaterThanOrEqual(1);
    expect(await store.head(key)).toBeUndefined();
    expect((await ask('provider-a/source-a/L1/detections?time=2024-03-07T15:00')).status).toBe(200);
  });

  test('removes detections that were kept long enough, and keeps their segments', async () => {
    const keepMs = { l1: DAY_MS, l2: Number.POSITIVE_INFINITY, l4: Number.POSITIVE_INFINITY };
    expect(await removeFiles(trial.services, { keepMs }, Date.now())).toBeGreaterThan(3);
    const answer = await ask('provider-a/source-a/L1/detections?time=2024-03-07T15:00');
    expect(answer.problem()).toMatchObject({ status: 404, reason: 'removed' });
    expect((await ask('provider-a/source-a/L2/segments?time=2024-03-07T15:00')).status).toBe(200);
  });
});
