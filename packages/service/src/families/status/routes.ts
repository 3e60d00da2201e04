import { MODELING_VERSION } from '@contrails/engine/modeling-version';
import { summarise } from '@contrails/met';
import type { Routes } from '@contrails/platform/http/app';
import { JOB_STATES, type Jobs } from '@contrails/platform/jobs/jobs';
import { isoSecond, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { type Static, Type } from 'typebox';
import { latestScores } from '../../forecast-products/scores.ts';
import type { Services } from '../../services.ts';
import { servedHours } from '../../telemetry-store/table.ts';
import { syncStates } from '../../weather/sync-state.ts';

export type StatusServices = Pick<Services, 'database' | 'met'> & {
  readonly jobs: Pick<Jobs, 'counts' | 'list'>;
};

const time = (description: string) => Type.String({ format: 'date-time', description });

const weatherSource = Type.Object({
  name: Type.String(),
  kind: Type.String({ description: 'Kind of source; `synthetic` is artificial weather for demonstrations.' }),
  provider: Type.Optional(Type.String()),
  dataset: Type.Optional(Type.String()),
  product: Type.Optional(Type.String()),
  attribution: Type.Optional(Type.String({ description: 'Attribution required by the provider.' })),
  synthetic: Type.Boolean({ description: 'Whether the weather is synthetic.' }),
  error: Type.Optional(Type.String({ description: 'Why the source cannot be read.' })),
  runs: Type.Array(
    Type.Object({
      type: Type.String({ description: '`reanalysis` or `forecast`.' }),
      forecast_reference_time: Type.Optional(time('Start of the newest forecast.')),
      first: time('First time of the run.'),
      last: time('Last time of the run.'),
    }),
  ),
});

const syncedSource = Type.Object({
  source: Type.String(),
  run: Type.Union([time('Start of the newest available run.'), Type.Null()]),
  age_seconds: Type.Union([
    Type.Integer({ description: 'Seconds since the start of that run.' }),
    Type.Null(),
  ]),
  missing: Type.Array(Type.String({ description: 'A variable that the run lacks.' })),
  bytes: Type.Number({ description: 'Bytes received so far.' }),
  last_look: time('Time of the last check for a newer run.'),
  next_look: time('Time of the next check.'),
  error: Type.Union([Type.String({ description: 'Why the last check failed.' }), Type.Null()]),
});

const productKind = Type.Object({
  kind: Type.String(),
  files: Type.Integer(),
  bytes: Type.Number(),
  first: Type.Union([time('First hour that is stored.'), Type.Null()]),
  last: Type.Union([time('Last hour that is stored.'), Type.Null()]),
});

const servedTelemetry = Type.Object({
  first: time('First hour that is served.'),
  last: time('Last hour that is served.'),
});

const statusAnswer = Type.Object(
  {
    version: Type.String({ description: 'Version of the program and of its models.' }),
    runtime: Type.String({ description: 'Runtime of the program.' }),
    time: time('Current time of the service.'),
    weather: Type.Array(weatherSource),
    sync: Type.Array(syncedSource, { description: 'Weather fetched according to the settings `met.sync`.' }),
    products: Type.Array(productKind),
    telemetry: Type.Union([servedTelemetry, Type.Null()], {
      description: 'Null while no hour of telemetry is served.',
    }),
    skill: Type.Union(
      [
        Type.Object({
          scored: time('Time when the forecast was last scored against observations.'),
          days: Type.Integer({ description: 'Days with a score.' }),
          shards: Type.Integer({ description: 'Times and levels that were scored.' }),
        }),
        Type.Null(),
      ],
      { description: 'Null before the first score; figures are under `/v1/forecast/skill`.' },
    ),
    live: Type.Boolean({ description: 'Whether aircraft are followed live, as set by `live.enabled`.' }),
    jobs: Type.Object({
      counts: Type.Object(
        Object.fromEntries(JOB_STATES.map((state) => [state, Type.Integer()])) as Record<
          (typeof JOB_STATES)[number],
          ReturnType<typeof Type.Integer>
        >,
      ),
      running: Type.Array(
        Type.Object({
          kind: Type.String(),
          progress: Type.Number({ minimum: 0, maximum: 1 }),
          started: Type.Union([time('Time when a worker started it.'), Type.Null()]),
        }),
      ),
      failed: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Id for `contrails jobs show` and `contrails jobs retry`.' }),
          kind: Type.String(),
          error: Type.String({ description: 'Why it failed.' }),
          ended: Type.Union([time('Time when it was abandoned.'), Type.Null()]),
        }),
        { description: 'The newest failed jobs of the service itself; jobs of clients are omitted.' },
      ),
    }),
  },
  { title: 'ServiceStatus', description: 'Versions, weather, stored products and background work.' },
);

type Status = Static<typeof statusAnswer>;

interface StatusSettings {
  /** Time between two looks for newer weather. */
  readonly everyMinutes: number;
  readonly isLive: boolean;
}

const MAX_RUNNING = 50;
const MAX_FAILED = 20;

/** Versions, weather with its coverage, products and work; health is `/readyz`. */
export function statusRoutes(services: StatusServices, { everyMinutes, isLive }: StatusSettings): Routes {
  return (app) => {
    app.get(
      '/v0/status',
      {
        config: { scope: 'research' },
        schema: {
          operationId: 'getStatus',
          tags: ['service'],
          summary: 'Status of the service',
          description:
            'Versions, weather sources with the times they cover, weather being fetched, stored products by kind, hours of telemetry, the last score of the forecast, background jobs of all clients by state, and why jobs of the service failed. `/v0/jobs` lists your own jobs.',
          response: { 200: statusAnswer },
        },
      },
      async (_request, reply) => {
        reply.header('cache-control', 'no-cache');
        const [weather, sync, products, telemetry, skill, counts, running, failed] = await Promise.all([
          weatherSources(services),
          syncedSources(services, everyMinutes, Date.now()),
          productsByKind(services),
          telemetryHours(services),
          lastScore(services),
          services.jobs.counts(),
          services.jobs.list({ state: 'running', limit: MAX_RUNNING }),
          services.jobs.list({ state: 'failed', limit: MAX_FAILED }),
        ]);
        return {
          version: MODELING_VERSION,
          runtime: `Node ${process.version}`,
          time: isoSecond(Date.now()),
          weather,
          sync,
          products,
          telemetry,
          skill,
          live: isLive,
          jobs: {
            counts,
            running: running.jobs.map(({ kind, progress, startedMs }) => ({
              kind,
              progress,
              started: startedMs === null ? null : isoSecond(startedMs),
            })),
            failed: failed.jobs
              .filter(({ owner }) => owner === null)
              .map(({ id, kind, error, finishedMs }) => ({
                id,
                kind,
                error: error ?? 'the reason is not known',
                ended: finishedMs === null ? null : isoSecond(finishedMs),
              })),
          },
        };
      },
    );
  };
}

async function weatherSources({ met }: Pick<StatusServices, 'met'>): Promise<Status['weather']> {
  const entries = await (await met.open()).catalogue.list();
  return entries.map((entry) => {
    if ('error' in entry) {
      const error = entry.error instanceof Error ? entry.error.message : String(entry.error);
      return { name: entry.source.name, kind: 'unknown', synthetic: false, error, runs: [] };
    }
    const { name, kind, provider, dataset, product, runs } = summarise(entry.description);
    const { attribution } = entry.description;
    return {
      name,
      kind,
      provider,
      dataset,
      product,
      ...(attribution === undefined ? {} : { attribution }),
      synthetic: kind === 'synthetic',
      runs: runs.map(({ type, referenceTime, first, last }) => ({
        type,
        ...(referenceTime === undefined ? {} : { forecast_reference_time: isoSecond(referenceTime) }),
        first: isoSecond(first),
        last: isoSecond(last),
      })),
    };
  });
}

async function syncedSources(
  { database }: Pick<StatusServices, 'database'>,
  everyMinutes: number,
  nowMs: number,
): Promise<Status['sync']> {
  const states = await syncStates(database);
  return states.map(({ source, runMs, missing, bytesTotal, lookedMs, error }) => ({
    source,
    run: runMs === null ? null : isoSecond(runMs),
    age_seconds: runMs === null ? null : Math.max(Math.round((nowMs - runMs) / SECOND_MS), 0),
    missing: [...missing],
    bytes: bytesTotal,
    last_look: isoSecond(lookedMs),
    next_look: isoSecond(lookedMs + everyMinutes * MINUTE_MS),
    error,
  }));
}

async function telemetryHours({ database }: Pick<StatusServices, 'database'>): Promise<Status['telemetry']> {
  const served = await servedHours(database);
  return served === undefined ? null : { first: isoSecond(served.firstMs), last: isoSecond(served.lastMs) };
}

async function lastScore({ database }: Pick<StatusServices, 'database'>): Promise<Status['skill']> {
  const latest = await latestScores(database);
  if (latest === undefined) return null;
  const { scoredMs, result } = latest;
  const days = Math.max(0, ...result.rows.map((row) => Number(row.days)));
  return { scored: isoSecond(scoredMs), days, shards: result.shards };
}

async function productsByKind({ database }: Pick<StatusServices, 'database'>): Promise<Status['products']> {
  const rows = await database.query<{
    kind: string;
    files: number;
    bytes: number;
    first: number | null;
    last: number | null;
  }>(
    `SELECT kind, COUNT(*) AS files, SUM(size) AS bytes, MIN(valid_time_ms) AS first, MAX(valid_time_ms) AS last
     FROM products GROUP BY kind ORDER BY kind`,
    [],
  );
  return rows.map(({ kind, files, bytes, first, last }) => ({
    kind,
    files: Number(files),
    bytes: Number(bytes),
    first: first === null ? null : isoSecond(Number(first)),
    last: last === null ? null : isoSecond(Number(last)),
  }));
}
