/** The forecast that workers score on a schedule: against observations of others, and against what the service saw itself. */
import type { FlightResult } from '@contrails/engine/attribution/results';
import { readObserved } from '@contrails/engine/skill/files';
import { openObservations } from '@contrails/engine/skill/observations';
import { scoreForecast } from '@contrails/engine/skill/run';
import { NAMED_REGIONS, SCORED_GRID } from '@contrails/engine/skill/score';
import { scoreRecord } from '@contrails/engine/skill/table';
import type { JobContext } from '@contrails/platform/jobs/jobs';
import { createLog } from '@contrails/platform/log';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import { forecastMetrics } from '../../../src/families/forecast/metrics.ts';
import { scheduleScore, scoreHandler, scoreKind } from '../../../src/families/forecast/score/job.ts';
import { ownObservations } from '../../../src/families/forecast/score/own-observations.ts';
import { readStoredRegion } from '../../../src/families/forecast/score/stored-regions.ts';
import { putFlight } from '../../../src/families/observations/attribution/table.ts';
import {
  latestScores,
  putScoredDay,
  readScoredDay,
  scoredDays,
} from '../../../src/forecast-products/scores.ts';
import { openServices } from '../../../src/open.ts';
import { importTraffic, openInventory } from '../inventory/support.ts';
import { startForecastServer } from './support/forecast-server.ts';
import { writeObservations } from './support/observations.ts';

const log = createLog({ level: 'error', format: 'json' });
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const NOONS = [3, 2, 1].map((days) => TODAY - days * DAY_MS + DAY_MS / 2);

interface Skill {
  readonly scored: string;
  readonly notes: string[];
  readonly rows: Record<string, string | number>[];
}

const contextOf = (id: string, signal = new AbortController().signal, onProgress = () => {}): JobContext => ({
  ...{ id, owner: null, attempt: 1, signal, log },
  progress: onProgress,
  enqueueAll: async () => [],
});

test('stored contrail grids are scored on a schedule, and status, metrics, jobs and an endpoint show it', async () => {
  const folder = await temporaryDirectory();
  const forecast = await startForecastServer({
    CONTRAILS_FORECAST__SCORE__OBSERVATIONS: folder,
    CONTRAILS_FORECAST__SCORE__DAYS: '3',
  });
  const { services, config, get } = forecast;
  const { tasks } = await forecast.publish({}, 330);
  const timeMs = tasks[0]?.task.validTimeMs ?? 0;
  await writeObservations(folder, [
    { timeMs, flightLevel: 330 },
    { timeMs, flightLevel: 260 },
  ]);
  expect((await get('/v1/forecast/skill')).json()).toMatchObject({ scored: null, rows: [] });
  expect((await get('/v0/status')).json<{ skill: unknown }>().skill).toBeNull();

  // Workers that start together share the first score.
  await Promise.all([1, 2].map(() => scheduleScore(services, config, Date.now())));
  const worker = services.jobs.work([scoreHandler(services, config)], { concurrency: 2, log });
  await until('the forecast is scored', async () => (await latestScores(services.database)) !== undefined);
  await worker.stop();
  const { jobs } = await services.jobs.list({ kind: scoreKind.name });
  expect(jobs.map(({ state, result }) => ({ state, result }))).toEqual([
    { state: 'done', result: { days: 3, shards: 1 } },
  ]);

  const skill = (await get('/v1/forecast/skill')).json<Skill>();
  expect(skill).toMatchObject({
    forecasts: ['forecast'],
    ...{ shards: 1, shards_without_forecast: 1, is_synthetic: true },
    observations: { adsb: { files: 1, cells: 1400 }, iagos: { files: 1, cells: 200 }, gruan: { files: 0 } },
  });
  expect(skill.notes.join(' ')).toMatch(/same times and levels.*2024.*Humidity scaling: exponential_boost/);
  const ours = skill.rows.filter(({ region, season }) => region === 'global' && season === 'annual');
  const { rows } = await scoreForecast({
    forecasts: [
      {
        name: 'forecast',
        read: (shard) =>
          readStoredRegion(services, 'default', shard, { source: 'trial', referenceTimeMs: undefined }),
      },
    ],
    shards: [{ timeMs, flightLevel: 330 }],
    observe: (db, shard) => readObserved(db, openObservations(folder, folder), shard),
    settings: Array.from({ length: 11 }, (_, buffer) => ({ buffer, threshold: undefined })),
    regions: { global: NAMED_REGIONS.global as never },
    ...{ seasons: ['annual'], resamples: 10, seed: 0, temporaryDirectory: folder },
  });
  expect(ours).toEqual(rows.map((row) => scoreRecord(row, 'rhi_threshold')));
  expect(ours[0]?.penalty).toBeGreaterThan(0);
  expect(ours[10]?.iagos_hit_rate).toBeGreaterThanOrEqual(ours[0]?.iagos_hit_rate as number);

  expect((await get('/v0/status')).json<{ skill: unknown }>().skill).toMatchObject({
    scored: skill.scored,
    days: 1,
    shards: 1,
  });
  const metric = (name: string) =>
    forecastMetrics(services.database)
      .find((one) => one.name === `contrails_forecast_${name}`)
      ?.read();
  expect(await metric('score_time_seconds')).toBeGreaterThan(0);
  expect(await metric('score')).toEqual({
    penalty: ours[0]?.penalty,
    iagos_hit_rate: ours[0]?.iagos_hit_rate,
  });
  expect((await get('/v1/forecast/score')).status).toBe(404);
});

test('cells of a coarse grid stand for the scored cells around them', async () => {
  const forecast = await startForecastServer();
  const { tasks } = await forecast.publish({}, 330);
  const timeMs = tasks[0]?.task.validTimeMs ?? 0;
  const run = { source: 'trial', referenceTimeMs: undefined };
  const shard = await readStoredRegion(forecast.services, 'default', { timeMs, flightLevel: 330 }, run);
  const region = shard?.regionAbove(undefined);
  const at = (lon: number, lat: number) =>
    region?.[
      ((lon - SCORED_GRID.west) / SCORED_GRID.step) * SCORED_GRID.rows +
        (lat - SCORED_GRID.south) / SCORED_GRID.step
    ];
  // Cells of 4° around −180, −176, … and −90, −86, …: those within 2° are alike.
  for (const lon of [-176, 0, 120])
    for (const lat of [-50, -2, 46]) {
      expect(at(lon + 1.75, lat)).toBe(at(lon, lat));
      expect(at(lon - 1.75, lat + 1.75)).toBe(at(lon, lat));
    }
  const other = { source: 'other', referenceTimeMs: undefined };
  expect(
    await readStoredRegion(forecast.services, 'default', { timeMs, flightLevel: 330 }, other),
  ).toBeUndefined();
});

test('a score that is interrupted goes on with the next day, and two at once do the work once', async () => {
  const folder = await temporaryDirectory();
  const forecast = await startForecastServer({
    CONTRAILS_FORECAST__SCORE__OBSERVATIONS: folder,
    CONTRAILS_FORECAST__SCORE__DAYS: '5',
    CONTRAILS_FORECAST__SCORE__RHI: '0.9',
  });
  const { services, config } = forecast;
  const { database } = services;
  await writeObservations(
    folder,
    NOONS.map((timeMs) => ({ timeMs, flightLevel: 330 })),
  );
  const handler = scoreHandler(services, config);
  const stopped = new AbortController();
  const stopAfterFirst = (fraction = 0) => {
    if (fraction >= 2 / 5) stopped.abort(new Error('the worker stops'));
  };
  await expect(handler.run({}, contextOf('job-a', stopped.signal, stopAfterFirst))).rejects.toThrow(
    'the worker stops',
  );
  const [{ name } = { name: '' }] = await database.query<{ name: string }>(
    'SELECT name FROM forecast_scores',
  );
  expect([...(await scoredDays(database, name)).keys()]).toEqual([(NOONS[0] as number) - DAY_MS / 2]);
  expect(await latestScores(database)).toBeUndefined();

  // What was scored is not scored again by the same job: a mark on it stays.
  const firstDay = (NOONS[0] as number) - DAY_MS / 2;
  const first = await readScoredDay(database, name, firstDay);
  if (first === undefined) throw new Error('the first day is not there');
  await putScoredDay(database, name, firstDay, 'job-a', { ...first, withoutForecast: 77 });
  expect(await handler.run({}, contextOf('job-a'))).toEqual({ days: 5, shards: 3 });
  const resumed = (await latestScores(database))?.result;
  expect(resumed).toMatchObject({ withoutForecast: 77, shards: 3, humidityScaling: 'none' });
  expect(resumed?.rows[0]).toMatchObject({ days: 3, rhi_threshold: 0.9 });
  expect(resumed?.rows[0]?.penalty_lo).not.toBeNull();

  // Two processes with a job each: one scores, the other leaves it alone.
  const others = await openServices(config, log);
  try {
    const both = await Promise.all([
      handler.run({}, contextOf('job-b')),
      scoreHandler({ ...others, met: services.met }, config).run({}, contextOf('job-c')),
    ]);
    expect(both).toHaveLength(2);
    expect(both).toContainEqual({ state: 'busy' });
    expect(both).toContainEqual({ days: 5, shards: 3 });
    const again = (await latestScores(database))?.result;
    expect(again).toEqual({ ...resumed, withoutForecast: 0 });
  } finally {
    await others.close();
  }
});

test('flights of the telemetry and contrails that satellites showed are observations of their own', async () => {
  const trial = await openInventory();
  try {
    const noonMs = Date.UTC(2024, 1, 29, 12);
    await importTraffic(trial, noonMs - 2 * HOUR_MS, noonMs + HOUR_MS);
    const own = ownObservations(trial.services, 200);
    const shards = await own.list(noonMs - HOUR_MS, noonMs);
    expect(new Set(shards.map(({ timeMs }) => timeMs))).toEqual(new Set([noonMs - HOUR_MS, noonMs]));
    const db = undefined as never;
    const distances = await Promise.all(
      shards.filter(({ timeMs }) => timeMs === noonMs).map((shard) => own.observe(db, shard)),
    );
    const flownKm =
      distances.reduce(
        (sum, observed) => sum + (observed.get('adsb')?.weights.reduce((a, b) => a + b, 0) ?? 0),
        0,
      ) / 1000;
    // Legs of some 2,500 km at 850 km/h: of 45 a day about 5 are in cruise at a time.
    expect(flownKm).toBeGreaterThan(500);
    expect(flownKm).toBeLessThan(45 * 900);
    expect(distances.every((observed) => !observed.has('contrailwatch'))).toBe(true);

    const { database } = trial.services;
    await database.execute(
      `INSERT INTO observation_frames (satellite, time_ms, source, state, inputs, detector, edition, failures, message, seen_ms, changed_ms, published_ms)
       VALUES ('goes-east', $1, 'trial', 'published', '[]', '{}', '', 0, '', 0, 0, 1)`,
      [noonMs + HOUR_MS / 2],
    );
    const chunk = {
      ...{ startMs: noonMs, endMs: noonMs + 600_000, length_m: 50_000, isCovered: true, isAttributed: true },
      line: [
        [-80, 40, 10_058],
        [-79.5, 40, 10_058],
      ],
    };
    await putFlight(
      database,
      {
        ...{ id: 'one', name: null, cruisePoints: 30 },
        result: {
          satellite: 'goes-east',
          details: { callsign: null },
          ...{ firstMs: noonMs, lastMs: noonMs + 600_000, isFinal: true, reason: null },
          chunks: [
            chunk,
            {
              ...chunk,
              isAttributed: false,
              line: [
                [0, 0, 10_058],
                [1, 0, 10_058],
              ],
            },
          ],
        } as unknown as FlightResult,
      },
      0,
    );
    const again = ownObservations(trial.services, 200);
    const seen = (await again.observe(db, { timeMs: noonMs, flightLevel: 330 })).get('contrailwatch');
    const columns = [...(seen?.cells ?? [])].map(
      (cell) => SCORED_GRID.west + SCORED_GRID.step * Math.floor(cell / SCORED_GRID.rows),
    );
    expect(columns.sort((a, b) => a - b)).toEqual([-80, -79.75, -79.5]);
    expect(seen?.weights[0]).toBeCloseTo(Math.cos((40 * Math.PI) / 180), 12);
    const above = await again.observe(db, { timeMs: noonMs, flightLevel: 350 });
    expect(above.get('contrailwatch')?.cells).toHaveLength(0);
  } finally {
    await trial.close();
  }
});
