import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FlightResult } from '@contrails/engine/attribution/results';
import { newRollState } from '@contrails/engine/attribution/roll-frames';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PostgresDatabases } from '../../../../../test/support/postgres.ts';
import { usePostgres } from '../../../../../test/support/shared-server.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { writeState } from '../../../src/families/observations/attribution/stored-state.ts';
import { putFlight, recordRoll } from '../../../src/families/observations/attribution/table.ts';
import type { FrameSource } from '../../../src/families/observations/config.ts';
import { observationsFamily } from '../../../src/families/observations/family.ts';
import { publishFrame } from '../../../src/families/observations/frames/publish.ts';
import { findFrame, framesIn, quarantineFrame } from '../../../src/families/observations/frames/table.ts';
import { forgetAttributions, removeStates } from '../../../src/families/observations/maintenance.ts';
import { noteFiles } from '../../../src/families/observations/sources/inputs.ts';
import { noteLook } from '../../../src/families/observations/sources/sources.ts';
import { abiName, writeImage } from './support/imagery.ts';
import { openTrial, type Trial } from './support/trial.ts';

const START_MS = Date.UTC(2024, 0, 1);
/** A year in steps of twelve days. */
const STEP_MS = 12 * DAY_MS;
const STEPS = 30;
const TABLES = ['inputs', 'frames', 'attribution', 'designators', 'indexed_hours'];

let postgres: PostgresDatabases;
beforeAll(async () => {
  postgres = await usePostgres();
});
afterAll(() => postgres.close());

describe.each(['SQLite', 'PostgreSQL'])('maintenance of observations on %s', (kind) => {
  let trial: Trial;
  let folder: string;
  let kept: string;

  beforeAll(async () => {
    folder = await temporaryDirectory();
    kept = join(folder, abiName(START_MS));
    trial = await openTrial({
      environment: kind === 'SQLite' ? {} : { CONTRAILS_DATABASE: await postgres.createDatabase() },
      observations: {
        sources: [
          { name: 'dish', kind: 'folder', satellite: 'goes-east', path: folder },
          {
            name: 'archive',
            kind: 'bucket',
            satellite: 'goes-west',
            bucket: 'some-bucket',
            prefix: '{year}/',
          },
        ],
        keep_l1_days: 2,
        keep_l2_days: 20,
      },
    });
  });
  afterAll(() => trial.close());

  const source = (name: string) => trial.rules.sources.find((one) => one.name === name) as FrameSource;
  const westName = (timeMs: number) => abiName(timeMs).replace('_G16_', '_G18_');

  /** A frame that is seen, processed and published, or set aside, at a time. */
  async function deliver(name: string, path: string, nowMs: number): Promise<void> {
    const { database } = trial.services;
    const file = { path, bytes: 1, signature: '1', checksum: '1' };
    expect(await noteFiles(database, source(name), [file], 'ridge', nowMs)).toBe(1);
    const [frame] = await framesIn(database, 'queued', 1);
    if (frame === undefined) throw new Error('a frame is queued');
    if (nowMs % (5 * STEP_MS) < STEP_MS) {
      await quarantineFrame(database, frame, 'no-valid-pixels', 'it is empty', nowMs);
      return;
    }
    const facts = {
      ...{ instrument: 'ABI', fallback: null, max_vza: 70, crs: '', valid_pixels: 1, inputs: [] },
      ...{ detector: { name: 'ridge', version: '1', weights: '' }, is_synthetic: false },
      grid: {} as never,
    };
    const { edition } = frame;
    const picture = { png: Buffer.from('1'), bounds: [0, 0, 1, 1] as const };
    const product = { l1: [Buffer.from('1')], l1Name: 'l1.nc', picture, segments: [], edition, facts };
    expect(await publishFrame(trial.services, frame, product, AbortSignal.timeout(60_000))).toBeDefined();
    await database.execute('UPDATE observation_frames SET changed_ms = $1 WHERE changed_ms > $1', [nowMs]);
  }

  /** What the hourly job does, at a time. */
  async function maintain(nowMs: number): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
    try {
      const tasks = observationsFamily.maintenance(trial.services, trial.config);
      for (const task of Object.values(tasks)) await task(AbortSignal.timeout(60_000));
    } finally {
      vi.useRealTimers();
    }
  }

  async function rowCounts(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const [row] = await trial.services.database.query<{ count: number }>(
        `SELECT COUNT(*) AS count FROM observation_${table}`,
      );
      counts[table] = Number(row?.count);
    }
    return counts;
  }

  test('keeps as many rows and objects after a year as after some months', async () => {
    const { database, store } = trial.services;
    await writeImage(kept, { timeMs: START_MS });
    const counted: Record<string, number>[] = [];
    const objects: number[] = [];
    for (let step = 0; step <= STEPS; step++) {
      const timeMs = START_MS + step * STEP_MS;
      const nowMs = timeMs + HOUR_MS;
      // Files leave the folder when they are processed, but for the first.
      await deliver('dish', join(folder, abiName(timeMs)), nowMs);
      await deliver('archive', westName(timeMs), nowMs + 1);
      await noteLook(database, 'archive', nowMs);
      await database.execute(
        `INSERT INTO telemetry_hours (hour_ms, state, generation, allocated, changed_ms, reports, aircraft, bytes, sources, refused)
         VALUES ($1, 'closed', 1, 1, $1, 0, 0, 0, '{}', '{}')`,
        [timeMs],
      );
      await database.execute(`UPDATE telemetry_hours SET state = 'removed' WHERE hour_ms < $1`, [
        timeMs - 30 * DAY_MS,
      ]);
      await database.execute('INSERT INTO observation_indexed_hours (hour_ms, generation) VALUES ($1, 1)', [
        timeMs,
      ]);
      await database.execute(
        `INSERT INTO observation_designators (carrier, flight_number, day_ms, address) VALUES ('XA', '1', $1, 'ABCDEF')`,
        [timeMs],
      );
      await maintain(nowMs + 2);
      counted.push(await rowCounts());
      objects.push((await Array.fromAsync(store.list('observations/frames/'))).length);
    }
    const [half, end] = [counted[STEPS / 2], counted.at(-1)];
    for (const table of TABLES) expect([table, end?.[table]]).toEqual([table, half?.[table]]);
    expect(end?.frames).toBeLessThan(10);
    expect(end?.inputs).toBeLessThan(10);
    expect(end?.designators).toBeLessThan(10);
    expect(objects.at(-1)).toBe(objects[STEPS / 2]);
    // What is still in its source is not taken for new.
    expect(await findFrame(database, 'goes-east', START_MS)).toBeDefined();
    expect(
      await noteFiles(
        database,
        source('dish'),
        [{ path: kept, bytes: 1, signature: '2', checksum: '1' }],
        'ridge',
        1,
      ),
    ).toBe(0);
    await rm(kept);
    await maintain(START_MS + (STEPS + 1) * STEP_MS);
    expect(await findFrame(database, 'goes-east', START_MS)).toBeUndefined();
  });

  test('keeps an old attribution that was computed again for a day', async () => {
    const { database } = trial.services;
    const nowMs = START_MS + 100 * DAY_MS;
    const details = { callsign: null };
    const result = {
      satellite: 'goes-east',
      firstMs: START_MS,
      lastMs: START_MS,
      chunks: [],
      details,
    } as unknown;
    const flight = { id: 'again', name: null, cruisePoints: 1, result: result as FlightResult };
    const forget = (atMs: number) =>
      forgetAttributions({ database }, { keepMs: { l1: 0, l2: 0, l4: 10 * DAY_MS } }, atMs);
    await putFlight(database, flight, nowMs);
    expect(await forget(nowMs + HOUR_MS)).toBe(0);
    expect(await forget(nowMs + 2 * DAY_MS)).toBe(1);
  });

  test('removes states of attribution that nothing refers to', async () => {
    const { database, store } = trial.services;
    const write = (timeMs: number) =>
      writeState(trial.services, 'goes-east', timeMs, newRollState('goes-east'));
    const [used, left] = [await write(START_MS), await write(START_MS + HOUR_MS)];
    const after = { satellite: 'goes-east', timeMs: START_MS, edition: '', stateKey: used };
    expect(await recordRoll(database, undefined, [after], [], Date.now())).toBe(true);
    expect(await removeStates({ database, store }, Date.now())).toBe(0);
    expect(await removeStates({ database, store }, Date.now() + 2 * DAY_MS)).toBe(1);
    expect(await store.head(used)).toBeDefined();
    expect(await store.head(left)).toBeUndefined();
  });
});
