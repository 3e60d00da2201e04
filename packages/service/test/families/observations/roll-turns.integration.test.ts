import { join } from 'node:path';
import { createLog } from '@contrails/platform/log';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { attributionHandlers, enqueueRolls } from '../../../src/families/observations/attribution/jobs.ts';
import { advanceOnce } from '../../../src/families/observations/attribution/roll.ts';
import { listRolls } from '../../../src/families/observations/attribution/table.ts';
import { importLines, trafficLines } from '../inventory/support.ts';
import { abiName, writeImage } from './support/imagery.ts';
import { openTrial, type Trial } from './support/trial.ts';

const START_MS = Date.UTC(2024, 1, 29, 15);
const STEP_MS = 10 * MINUTE_MS;
const FRAMES = 4;

/** Reports of aircraft that come near the images: the others take time and are in no result. */
function seen(lines: readonly string[]): string[] {
  // Some lines are broken, as those of receivers are.
  const field = (line: string, name: string) => new RegExp(`"${name}": ?"?([-.\\w]+)`).exec(line)?.[1];
  const near = new Set(
    lines.flatMap((line) => {
      const [latitude, longitude] = [Number(field(line, 'latitude')), Number(field(line, 'longitude'))];
      const isNear = latitude > 30 && latitude < 46 && longitude > -90 && longitude < -60;
      return isNear ? (field(line, 'icao_address') ?? []) : [];
    }),
  );
  return lines.filter((line) => near.has(field(line, 'icao_address') ?? ''));
}

describe('turns of attribution', () => {
  let trial: Trial;
  let manifests: { readonly time: number; readonly manifest: string }[];
  let expected: Record<string, unknown>;

  beforeAll(async () => {
    const folder = await temporaryDirectory();
    trial = await openTrial({
      observations: {
        sources: [
          { name: 'dish', kind: 'folder', satellite: 'goes-east', path: folder },
          { name: 'other', kind: 'folder', satellite: 'goes-west', path: folder },
        ],
      },
      met: { name: 'demo', kind: 'synthetic', resolution: 5, seed: 1 },
    });
    await importLines(trial, seen(trafficLines(START_MS - 3 * HOUR_MS, START_MS + HOUR_MS, 400)));
    for (let k = 0; k < FRAMES; k++) {
      const timeMs = START_MS + k * STEP_MS;
      await writeImage(join(folder, abiName(timeMs)), { timeMs, lines: [[0.5, 30]] });
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + MINUTE_MS });
    await trial.look().finally(() => vi.useRealTimers());
    await trial.work();
    manifests = await trial.services.database.query(
      'SELECT time_ms AS time, manifest FROM observation_frames ORDER BY time_ms',
    );
    expect(manifests.map(({ time }) => time)).toEqual(
      Array.from({ length: FRAMES }, (_, k) => START_MS + k * STEP_MS),
    );
    await forget();
    await publish(0, 1, 2, 3);
    await roll();
    expected = await results();
  }, 300_000);
  afterAll(() => trial.close());

  async function forget(): Promise<void> {
    const { database } = trial.services;
    await database.execute(`DELETE FROM observation_frames WHERE satellite = 'goes-west'`);
    await database.execute('DELETE FROM observation_attribution');
    await database.execute('DELETE FROM observation_flights');
    await database.execute(`UPDATE observation_frames SET manifest = NULL, state = 'queued'`);
  }

  async function publish(...frames: readonly number[]): Promise<void> {
    for (const k of frames) {
      await trial.services.database.execute(
        `UPDATE observation_frames SET manifest = $2, state = 'done' WHERE time_ms = $1`,
        [START_MS + k * STEP_MS, manifests[k]?.manifest ?? null],
      );
    }
  }

  /** A frame that cannot be used is not waited for. */
  async function quarantine(k: number): Promise<void> {
    await trial.services.database.execute(
      `UPDATE observation_frames SET manifest = NULL, state = 'quarantined' WHERE time_ms = $1`,
      [START_MS + k * STEP_MS],
    );
  }

  async function roll(): Promise<void> {
    const signal = AbortSignal.timeout(120_000);
    const outcome = await advanceOnce(trial.services, trial.config, 'goes-east', signal);
    expect(outcome).toHaveProperty('frames');
  }

  async function results(): Promise<Record<string, unknown>> {
    const rows = await trial.services.database.query<{ id: string; result: string }>(
      'SELECT flight_id AS id, result FROM observation_flights',
    );
    return Object.fromEntries(rows.map(({ id, result }) => [id, JSON.parse(result)]));
  }

  test('see some of the flights', () => {
    expect(JSON.stringify(expected)).toContain('"isCovered":true');
  });

  test.each([
    [[[0], [1], [2], [3]]],
    [
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [[[0, 1, 2], [3]]],
  ])('of the frames %j end with the same results', async (turns) => {
    await forget();
    for (const frames of turns) {
      await publish(...frames);
      await roll();
    }
    expect(await results()).toEqual(expected);
  });

  test.each([0, 2])('take frame %i into account when it comes after the others', async (late) => {
    await forget();
    await quarantine(late);
    await publish(...[0, 1, 2, 3].filter((k) => k !== late));
    await roll();
    expect(await results()).not.toEqual(expected);
    await publish(late);
    await roll();
    expect(await results()).toEqual(expected);
  });

  test('go on from an earlier state when the last one is gone', async () => {
    const { database, store } = trial.services;
    await forget();
    await publish(0);
    await roll();
    await publish(1, 2);
    await roll();
    const last = (await listRolls(database, 'goes-east')).at(-1);
    expect(await store.remove(last?.stateKey ?? '')).toBe(true);
    await publish(3);
    await roll();
    expect(await results()).toEqual(expected);
  });

  test('that are repeated without anything new do nothing', async () => {
    const before = await listRolls(trial.services.database, 'goes-east');
    const signal = AbortSignal.timeout(120_000);
    expect(await advanceOnce(trial.services, trial.config, 'goes-east', signal)).toHaveProperty('waiting');
    expect(await listRolls(trial.services.database, 'goes-east')).toEqual(before);
  });

  describe('of two satellites', () => {
    beforeEach(async () => {
      await forget();
      await publish(0, 1, 2, 3);
      await trial.services.database.execute(
        `INSERT INTO observation_frames SELECT 'goes-west', time_ms, 'other', state, inputs, detector, edition, failures, reason,
           message, seen_ms, changed_ms, published_ms, manifest FROM observation_frames WHERE satellite = 'goes-east'`,
      );
    });

    const rolled = async (satellite: string) =>
      (await listRolls(trial.services.database, satellite)).map(({ timeMs }) => timeMs);
    const context = {
      ...{ id: '', owner: null, attempt: 1, signal: AbortSignal.timeout(120_000), progress() {} },
      log: createLog({ level: 'error', format: 'json' }),
      enqueueAll: async () => [],
    };
    const all = Array.from({ length: FRAMES }, (_, k) => START_MS + k * STEP_MS);

    test('take the frames of both, whether jobs run in turn or at once', async () => {
      for (const hour of [1, 2]) {
        await trial.work(Date.now() + hour * HOUR_MS);
        expect(await rolled('goes-east')).toEqual(all);
        expect(await rolled('goes-west')).toEqual(all);
        await trial.services.database.execute('DELETE FROM observation_attribution');
        // Two jobs that are due at once.
        await enqueueRolls(trial.services.jobs, trial.rules, Date.now() + 10 * hour * HOUR_MS);
      }
    });

    test('go on with the second one when the first one fails', async () => {
      const { database } = trial.services;
      await database.execute(
        `UPDATE observation_frames SET manifest = '{"edition":"broken","l2":{}}' WHERE satellite = 'goes-east'`,
      );
      const [takeFrames] = attributionHandlers(trial.services, trial.config, trial.rules);
      await expect(takeFrames?.run({ turn: 1 }, context)).rejects.toThrow();
      expect(await rolled('goes-east')).toEqual([]);
      expect(await rolled('goes-west')).toEqual(all);
    });

    test('leave a satellite to the process that holds its lease, and take over when the lease is over', async () => {
      const { database } = trial.services;
      const lease = (untilMs: number) =>
        database.execute(
          `UPDATE observation_satellites SET lease_owner = 'other process', lease_until_ms = $1 WHERE name = 'goes-east'`,
          [untilMs],
        );
      await lease(Date.now() + HOUR_MS);
      await trial.work(Date.now() + 200 * HOUR_MS);
      expect(await rolled('goes-east')).toEqual([]);
      expect(await rolled('goes-west')).toEqual(all);
      await lease(Date.now() - 1);
      await trial.work(Date.now() + 201 * HOUR_MS);
      expect(await rolled('goes-east')).toEqual(all);
    });
  });
});
