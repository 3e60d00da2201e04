/** The forecast scored again and again: day by day, each kept as soon as it is there. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { readObserved } from '@contrails/engine/skill/files';
import { openObservations } from '@contrails/engine/skill/observations';
import {
  addShards,
  forecastsByAge,
  hourlyShards,
  noObservations,
  type ScoreRequest,
} from '@contrails/engine/skill/run';
import {
  ForecastScore,
  NAMED_REGIONS,
  OBSERVATION_SOURCES,
  type ScoreOptions,
  SEASONS,
} from '@contrails/engine/skill/score';
import { readScoreCsv, type ScoreRecord, scoreRecord } from '@contrails/engine/skill/table';
import { readWeather } from '@contrails/engine/skill/weather-forecast';
import { chooseScaling } from '@contrails/engine/weather/humidity-scaling';
import { leaseSource, releaseSource, whileLeased } from '@contrails/platform/feeds/leases';
import { defineJob, handleJob, type JobHandler, type Jobs } from '@contrails/platform/jobs';
import type { JobContext } from '@contrails/platform/jobs/jobs';
import { DAY_MS, HOUR_MS, isoDate, MINUTE_MS, makeTemporaryFolder } from '@contrails/runtime';
import { Type } from 'typebox';
import type { ForecastConfig } from '../../../forecast-products/config.ts';
import {
  knowScores,
  latestScores,
  putScoredDay,
  putScores,
  readScoredDay,
  SCORES_TABLE,
  type ScoredDay,
  type ScoreResult,
  scoredDays,
} from '../../../forecast-products/scores.ts';
import type { Services } from '../../../services.ts';
import type { TelemetryConfig } from '../../../telemetry-store/config.ts';
import { ownObservations } from './own-observations.ts';
import { readStoredRegion } from './stored-regions.ts';

export type ScoreConfig = ForecastConfig & Pick<TelemetryConfig, 'telemetry'>;
type ScoreServices = Pick<Services, 'database' | 'store' | 'met'>;

/** It takes minutes, and would never come after all types of aircraft where those fill the time. */
export const scoreKind = defineJob({
  name: 'forecast.score',
  payload: Type.Object({}),
  attempts: 5,
  priority: -75,
});

const SCHEDULE = 'forecast.score';
const LEASE_MS = MINUTE_MS;
/** Observations and forecasts of these days may still be complete only now: they are scored by every run. */
const FRESH_DAYS = 8;
const MAX_BUFFER = 10;
const RESAMPLES = 1000;

/** Scores on the configured schedule, and once now where there is no score yet; workers that start together share it. */
export async function scheduleScore(
  { jobs, database }: { readonly jobs: Jobs; readonly database: Services['database'] },
  { forecast: { score } }: ForecastConfig,
  nowMs: number,
): Promise<void> {
  if (score.observations === undefined || score.schedule === 'off') {
    await jobs.unschedule(SCHEDULE);
    return;
  }
  await jobs.schedule(SCHEDULE, score.schedule, scoreKind, {});
  if ((await latestScores(database)) === undefined)
    await jobs.enqueue(scoreKind, {}, { key: `start/${Math.floor(nowMs / HOUR_MS)}` });
}

export function scoreHandler(services: ScoreServices, config: ScoreConfig): JobHandler {
  const { database } = services;
  return handleJob(scoreKind, async (_, context) => {
    const { observations } = config.forecast.score;
    if (observations === undefined) return { state: 'not configured' };
    const source = nameOf(config);
    await knowScores(database, source);
    // A job that is run again has the lease already.
    const lease = { table: SCORES_TABLE, source } as const;
    const nowMs = Date.now();
    if (!(await leaseSource(database, lease, context.id, nowMs, nowMs + LEASE_MS))) return { state: 'busy' };
    const held = { ...lease, owner: context.id, leaseMs: LEASE_MS };
    try {
      return await whileLeased(database, held, context.signal, (signal) =>
        scoreDays(services, config, observations, source, { ...context, signal }),
      );
    } finally {
      await releaseSource(database, lease, context.id).catch(() => undefined);
    }
  });
}

/** Sums of other settings do not add up with these. */
function nameOf({ forecast: { source, score } }: ForecastConfig): string {
  const { observations, lead_hours, rhi, aircraft_class } = score;
  const text = JSON.stringify([source, observations, lead_hours, rhi, aircraft_class]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

async function scoreDays(
  services: ScoreServices,
  config: ScoreConfig,
  location: string,
  name: string,
  { id, signal, progress }: JobContext,
) {
  const { database } = services;
  const { score } = config.forecast;
  const today = Math.floor(Date.now() / DAY_MS);
  const days = Array.from({ length: score.days }, (_, k) => (today - score.days + 1 + k) * DAY_MS);
  const scored = await scoredDays(database, name);
  const isDue = (dayMs: number) => {
    const job = scored.get(dayMs);
    return job === undefined || (job !== id && dayMs > (today - FRESH_DAYS) * DAY_MS);
  };
  const request = openRequest(services, config);
  const observations = observationsOf(services, config, location);
  const folder = await makeTemporaryFolder('score');
  try {
    for (const [k, dayMs] of days.entries()) {
      signal.throwIfAborted();
      const note = isoDate(dayMs);
      const shards = isDue(dayMs) ? await observations.list(dayMs, dayMs + DAY_MS - 1) : [];
      if (shards.length > 0) {
        const added = await addShards(
          { ...request, shards, observe: observations.observe, temporaryDirectory: folder.path },
          { signal, onProgress: (done, of) => progress((k + done / of) / days.length, note) },
        );
        await putScoredDay(database, name, dayMs, id, {
          sums: added.scores.map((one) => one.sums()[0]?.[1] ?? []),
          observations: added.observations,
          shards: added.scored,
          withoutForecast: added.withoutForecast,
        });
      }
      progress((k + 1) / days.length, note);
    }
  } finally {
    await folder.remove();
  }
  const result = await addUp(services, config, name, request, days);
  await putScores(database, name, result, Date.now());
  return { days: days.length, shards: result.shards };
}

function openRequest(
  { met, database, store }: ScoreServices,
  { forecast: { source, score } }: ForecastConfig,
): ScoreOptions & Pick<ScoreRequest, 'forecasts'> {
  const { rhi, lead_hours: leadHours, aircraft_class } = score;
  const scaling = chooseScaling({ humidity_scaling: 'none' }, 'none');
  return {
    forecasts: forecastsByAge(source ?? 'forecast', { leadHours }, async (shard, referenceTimeMs) =>
      rhi === undefined
        ? readStoredRegion({ database, store }, aircraft_class, shard, { source, referenceTimeMs })
        : readWeather(await met.open(), { source, referenceTimeMs, scaling }, shard),
    ),
    settings: Array.from({ length: MAX_BUFFER + 1 }, (_, buffer) => ({ buffer, threshold: rhi })),
    regions: NAMED_REGIONS,
    seasons: Object.keys(SEASONS),
    ...{ resamples: RESAMPLES, seed: 0 },
  };
}

function observationsOf(services: ScoreServices, { data, telemetry }: ScoreConfig, location: string) {
  if (location === 'own') return ownObservations(services, telemetry.memory_mib);
  const cache = join(data.kind === 'directory' ? data.path : tmpdir(), 'cache', 'skill');
  const files = openObservations(location, cache);
  const listed = files.list();
  // Read with the first day.
  listed.catch(() => undefined);
  return {
    observe: ((db, shard) => readObserved(db, files, shard)) satisfies ScoreRequest['observe'],
    async list(fromMs: number, toMs: number) {
      const known = await listed;
      return known === undefined
        ? hourlyShards(fromMs, toMs)
        : known.filter(({ timeMs }) => timeMs >= fromMs && timeMs <= toMs);
    },
  };
}

/** The figures of all days together, one day in memory at a time. */
async function addUp(
  { database }: ScoreServices,
  { met, forecast: { score } }: ScoreConfig,
  name: string,
  request: ScoreOptions & Pick<ScoreRequest, 'forecasts'>,
  days: readonly number[],
): Promise<ScoreResult> {
  const scores = request.forecasts.map(() => new ForecastScore(request));
  const observations = noObservations();
  const scored: number[] = [];
  let [shards, withoutForecast] = [0, 0];
  for (const dayMs of days) {
    const day: ScoredDay | undefined = await readScoredDay(database, name, dayMs);
    if (day === undefined) continue;
    withoutForecast += day.withoutForecast;
    if (day.shards === 0) continue;
    scored.push(dayMs);
    shards += day.shards;
    for (const source of OBSERVATION_SOURCES) {
      observations[source].files += day.observations[source].files;
      observations[source].cells += day.observations[source].cells;
    }
    for (const [k, entries] of day.sums.entries()) scores[k]?.setDay(dayMs / DAY_MS, entries);
  }
  const rows: ScoreRecord[] = [];
  for (const [k, { name: forecast }] of request.forecasts.entries()) {
    for (const row of scores[k]?.rows() ?? []) {
      if (row.days > 0) rows.push(scoreRecord({ ...row, forecast }, 'rhi_threshold'));
      await turn();
    }
  }
  const [first, last] = [scored[0], scored.at(-1)];
  return {
    forecasts: request.forecasts.map((forecast) => forecast.name),
    period: first === undefined || last === undefined ? null : [first, last],
    ...{ observations, shards, withoutForecast, rows },
    humidityScaling: score.rhi === undefined ? met.humidity_scaling : 'none',
    isSynthetic: met.sources.some(({ kind }) => kind === 'synthetic'),
    published: score.published === undefined ? [] : readScoreCsv(await readFile(score.published, 'utf8')),
  };
}
