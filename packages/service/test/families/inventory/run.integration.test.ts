import { execFile } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { type RunManifest, readRunManifest } from '../../../src/families/inventory/run/manifest.ts';
import { lookForDates, planDate } from '../../../src/families/inventory/run/plan.ts';
import { findDate, unitsOf } from '../../../src/families/inventory/run/state.ts';
import { type Server, startServer } from '../../http/harness.ts';
import { forgetComputed, importTraffic, openInventory, type TrialInventory } from './support.ts';

const { python, missing } = readTools();
const DATE = '2024-02-29';
const START_MS = Date.parse(DATE);

let trial: TrialInventory;
let server: Server;
let key: string;

beforeAll(async () => {
  trial = await openInventory();
  // What is in the air at midnight belongs to two dates.
  await importTraffic(trial, START_MS - 4 * HOUR_MS, START_MS + DAY_MS + 4 * HOUR_MS);
  server = await startServer({ families: familyRoutes(trial.services, trial.config) });
  key = await server.newKey({ scopes: ['inventory', 'inventory:segments'] });
}, 300_000);
afterAll(() => trial.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  server.send({ method: 'GET', url: `/v1/inventory/${path}`, headers: { 'x-api-key': key, ...headers } });

async function currentRun(): Promise<RunManifest> {
  const manifest = await readRunManifest(trial.services.store, DATE);
  if (manifest === undefined) throw new Error('no run is published');
  return manifest;
}

async function bytesOf(objectKey: string): Promise<Buffer> {
  const opened = await trial.services.store.read(objectKey);
  if (opened === undefined) throw new Error(`${objectKey} is not stored`);
  return buffer(opened.body);
}

async function compute(jobs: number): Promise<RunManifest> {
  await planDate(trial.services, trial.config, DATE, true);
  await trial.work(jobs);
  return currentRun();
}

describe('a day of the inventory', () => {
  test('is not served before it is computed', async () => {
    const answer = await ask(`summary?date=${DATE}`);
    expect(answer.status).toBe(404);
    expect(answer.problem().detail).toMatch(/2024-02-29 is not in the inventory; no date is served yet/);
  });

  test('is computed from telemetry to tables, and its minutes add up', async () => {
    expect((await planDate(trial.services, trial.config, DATE)).state).toBe('computing');
    await trial.work();
    const manifest = await currentRun();
    const { legs, minutes, flights } = manifest.completeness;
    expect(flights.computed).toBeGreaterThan(20);
    expect(manifest.summary.rows).toBe(flights.computed);
    expect(legs.total).toBe(manifest.legs.rows);
    const rejected = Object.values(minutes.rejected).reduce((a, b) => a + b, 0);
    expect(minutes.in_telemetry + minutes.added_at_airports).toBe(
      minutes.computed + minutes.imputed + rejected,
    );
    expect(await findDate(trial.services.database, DATE)).toMatchObject({
      state: 'published',
      runId: manifest.run_id,
    });
  });

  test('stays as it is while its inputs are the same', async () => {
    const before = await currentRun();
    await lookForDates(trial.services, trial.config, START_MS + 2 * DAY_MS);
    await trial.work();
    expect(await currentRun()).toEqual(before);
  });

  test('has the same bytes for one, two and three jobs at once', async () => {
    const before = await currentRun();
    const files = [before.summary, before.legs, ...Object.values(before.segments)];
    const stored = await Promise.all(files.map(({ key: objectKey }) => bytesOf(objectKey)));
    for (const jobs of [1, 3]) {
      await forgetComputed(trial);
      const again = await compute(jobs);
      expect(again).toEqual(before);
      const bytes = await Promise.all(files.map(({ key: objectKey }) => bytesOf(objectKey)));
      bytes.forEach((one, k) => void expect(one.equals(stored[k] as Buffer), files[k]?.key).toBe(true));
    }
  });

  test('reuses the rows of flights whose reports and aircraft are the same', async () => {
    const { database } = trial.services;
    const before = await findDate(database, DATE);
    // Another airframe table makes every day another one, but changes no aircraft of these flights.
    await database.execute(
      `INSERT INTO inventory_airframe_tables (sha256, name, airframes, imported_ms) VALUES ('other', 'test', 0, 0)`,
    );
    const manifest = await compute(2);
    expect((await findDate(database, DATE))?.dayKey).not.toBe(before?.dayKey);
    const jobs = await trial.services.jobs.list({ kind: 'inventory.model', limit: 3 });
    const results = jobs.jobs.map(({ result }) => result as { computed: number; reused: number });
    expect(results.reduce((sum, { computed }) => sum + computed, 0)).toBe(0);
    expect(results.reduce((sum, { reused }) => sum + reused, 0)).toBeGreaterThan(0);
    expect(manifest.completeness.flights.computed).toBeGreaterThan(20);
  });

  test('goes back to an earlier run when its inputs do', async () => {
    const { database } = trial.services;
    const other = await currentRun();
    await database.execute('DELETE FROM inventory_airframe_tables');
    const first = await compute(2);
    expect(first.run_id).not.toBe(other.run_id);
    expect(first.generation).toBeLessThan(other.generation);
    expect(await findDate(database, DATE)).toMatchObject({ state: 'published', runId: first.run_id });
    expect(await readRunManifest(trial.services.store, DATE, other.run_id)).toEqual(other);
  });

  test('is served whole, in ranges and once', async () => {
    const manifest = await currentRun();
    const whole = await ask(`summary?date=${DATE}`);
    expect(whole.status).toBe(200);
    expect(whole.headers['content-type']).toBe('application/vnd.apache.parquet');
    expect(whole.bytes.equals(await bytesOf(manifest.summary.key))).toBe(true);
    const range = await ask(`summary?date=${DATE}`, { range: 'bytes=0-3' });
    expect([range.status, range.bytes.toString()]).toEqual([206, 'PAR1']);
    const again = await ask(`summary?date=${DATE}`, { 'if-none-match': String(whole.headers.etag) });
    expect(again.status).toBe(304);
    const segments = await ask(`segments?date=${DATE}T12`);
    expect(segments.bytes.equals(await bytesOf(manifest.segments['12']?.key ?? ''))).toBe(true);
    expect((await ask(`rejections?date=${DATE}`)).status).toBe(200);
    expect((await ask(`rejections?date=${DATE}&outcome=too_short`)).status).toBe(200);
    expect((await ask(`summary?date=${DATE}&run=${manifest.run_id}`)).bytes.equals(whole.bytes)).toBe(true);
  });

  test('is filtered by aircraft type and columns', async () => {
    const answer = await ask(`summary?date=${DATE}&aircraft_type_icao=B77W,A359&columns=flight_id,sum_ef_mj`);
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBeLessThan((await currentRun()).summary.bytes);
    const wrong = await ask(`summary?date=${DATE}&columns=nonsense`);
    expect(wrong.status).toBe(400);
  });

  test.skipIf(python === null)(
    `is read by pyarrow, pandas, polars and DuckDB over ranges, and its tables agree${python === null ? ` (skipped: ${missing.python})` : ''}`,
    async () => {
      const script = fileURLToPath(new URL('programs/clients.py', import.meta.url));
      const { stdout } = await promisify(execFile)(python ?? '', [script, await server.address(), key, DATE]);
      const found = JSON.parse(stdout);
      const manifest = await currentRun();
      expect(found).toMatchObject({
        rows: manifest.summary.rows,
        unique: manifest.summary.rows,
        columns_of_part: true,
        pandas: true,
        polars: manifest.legs.rows,
        sorted: true,
        types: {
          flight_id: 'string',
          time_start: 'timestamp[us]',
          sum_ef_mj: 'double',
          altitude_ft: 'float',
          sac: 'int8',
          persistent: 'bool',
        },
      });
      expect(found.footer).toEqual(expect.arrayContaining(['agwp', 'completeness', 'run_id', 'status']));
      expect(found.whole).toBeGreaterThan(10);
      expect(found.fuel).toBeLessThan(1e-6);
      expect(found.ef).toBeLessThan(1e-6);
    },
  );

  test('needs the scope of segments for what is derived from single reports', async () => {
    const ordinary = await server.newKey({ scopes: ['inventory'] });
    for (const path of ['segments', 'rejections']) {
      const answer = await ask(`${path}?date=${DATE}`, { 'x-api-key': ordinary });
      expect(answer.status).toBe(403);
    }
    expect((await ask(`completeness?date=${DATE}`, { 'x-api-key': ordinary })).status).toBe(200);
  });

  test('is provisional while units are parked, and complete when they are retried', async () => {
    const { database, jobs, met } = trial.services;
    await forgetComputed(trial);
    await planDate(trial.services, trial.config, DATE, true);
    const real = met.open;
    Object.assign(met, { open: () => Promise.reject(new TypeError('made to fail')) });
    await trial.work();
    Object.assign(met, { open: real });
    const parked = await currentRun();
    const unitsOfDate = 3;
    const count = parked.completeness.parked.length;
    expect(parked.status).toBe('provisional');
    // Those of the evening before that have flights are parked too.
    expect(count).toBeGreaterThan(unitsOfDate);
    expect(parked.completeness.parked[0]).toMatchObject({ stage: 'model', error: 'made to fail' });
    expect(await jobs.retryFailed('inventory.model')).toBe(count);
    await trial.work();
    const complete = await currentRun();
    expect(complete.completeness.parked).toEqual([]);
    expect(complete.run_id).not.toBe(parked.run_id);
    const day = await findDate(database, DATE);
    expect((await unitsOf(database, day?.dayKey ?? '')).every(({ state }) => state === 'done')).toBe(true);
  });
});

test('a day without telemetry says what is missing and what happens next', async () => {
  const date = '2024-01-01';
  expect(await planDate(trial.services, trial.config, date)).toMatchObject({
    state: 'waiting',
    message: expect.stringMatching(/no telemetry of 2024-01-01; import it/),
  });
  const answer = await ask(`summary?date=${date}`);
  expect(answer.problem()).toMatchObject({ status: 404, reason: 'waiting' });
  expect((await ask(`completeness?date=${date}`)).json()).toMatchObject({ completeness: null });
});
