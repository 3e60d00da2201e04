/** Scores forecasts against observations, time by time and level by level. */
import { type DuckDb, openDuckDb } from '@contrails/formats';
import { HOUR_MS } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { type ForecastFile, listForecast, readForecast } from './files.ts';
import type { ShardName } from './observations.ts';
import {
  ForecastScore,
  type ObservationSource,
  type ObservedCells,
  type ScoreOptions,
  type ScoreRow,
  type Shard,
} from './score.ts';

/** A forecast of regions. */
export interface ScoredForecast {
  /** As rows name it. */
  readonly name: string;
  /** The region of a time and level; undefined where it has none. */
  read(shard: ShardName): Promise<Omit<Shard, 'observed'> | undefined>;
}

/** What was observed at a time and level; sources that did not look then are left out. */
export type Observe = (
  db: DuckDb,
  shard: ShardName,
) => Promise<ReadonlyMap<ObservationSource, ObservedCells>>;

export interface ScoreRequest extends ScoreOptions {
  /** All are scored on the times and levels that every one of them has. */
  readonly forecasts: readonly ScoredForecast[];
  /** Times and levels to score. */
  readonly shards: readonly ShardName[];
  readonly observe: Observe;
  /** For what observations need beyond memory. */
  readonly temporaryDirectory: string;
}

export type ObservationCounts = Readonly<Record<ObservationSource, { files: number; cells: number }>>;

/** What came of the times and levels of a request. */
interface AddedShards {
  /** In the order of the forecasts. */
  readonly scores: readonly ForecastScore[];
  readonly observations: ObservationCounts;
  /** Times and levels with observations that not every forecast has. */
  readonly withoutForecast: number;
  readonly scored: number;
}

export interface ForecastScores extends Omit<AddedShards, 'scores'> {
  readonly rows: readonly (ScoreRow & { readonly forecast: string })[];
  /** First and last time that was asked for [ms since 1970]. */
  readonly period: readonly [number, number];
}

interface ScoreWatch {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number) => void;
}

const MEMORY_MIB = 256;

/** The files of a folder as a forecast, and the times and levels that it has. */
export async function openFolder(
  folder: string,
  name: string,
): Promise<{ readonly forecast: ScoredForecast; readonly shards: readonly ForecastFile[] }> {
  const files = await listForecast(folder);
  const key = ({ timeMs, flightLevel }: ShardName) => `${timeMs} ${flightLevel}`;
  const known = new Map(files.map((file) => [key(file), file]));
  return {
    forecast: {
      name,
      async read(shard) {
        const file = known.get(key(shard));
        return file && readForecast(file);
      },
    },
    shards: files,
  };
}

/**
 * A source as one forecast for each age of its runs [h], or of one run, or of the run that is usual for a time. `read` gives
 * the region of a time and level by a run.
 */
export function forecastsByAge(
  name: string,
  {
    leadHours,
    referenceTimeMs,
  }: { leadHours?: readonly number[] | undefined; referenceTimeMs?: number | undefined },
  read: (
    shard: ShardName,
    referenceTimeMs: number | undefined,
  ) => Promise<Omit<Shard, 'observed'> | undefined>,
): ScoredForecast[] {
  if (leadHours === undefined || leadHours.length === 0)
    return [{ name, read: (shard) => read(shard, referenceTimeMs) }];
  return leadHours.map((lead) => ({
    name: `${name}+${lead}h`,
    read: (shard) => read(shard, shard.timeMs - lead * HOUR_MS),
  }));
}

/** Levels of the public benchmark. */
export const SCORED_LEVELS: readonly number[] = Array.from({ length: 18 }, (_, k) => 270 + 10 * k);

/** Every hour from one time to another on every level. */
export function hourlyShards(fromMs: number, toMs: number, levels = SCORED_LEVELS): ShardName[] {
  const first = Math.ceil(fromMs / HOUR_MS);
  const count = Math.max(0, Math.floor(toMs / HOUR_MS) - first + 1);
  return Array.from({ length: count }, (_, k) => (first + k) * HOUR_MS).flatMap((timeMs) =>
    levels.map((flightLevel) => ({ timeMs, flightLevel })),
  );
}

export async function scoreForecast(request: ScoreRequest, watch: ScoreWatch = {}): Promise<ForecastScores> {
  const { shards, forecasts } = request;
  const [first, last] = [shards[0], shards.at(-1)];
  if (first === undefined || last === undefined)
    throw new UsageError('there is nothing to score in the period and levels asked for; widen them');
  const { scores, ...counts } = await addShards(request, watch);
  if (counts.scored === 0)
    throw new UsageError(
      'no time and level has both a forecast and observations; check the period, the levels and the runs',
    );
  return {
    rows: forecasts.flatMap(({ name: forecast }, k) =>
      [...(scores[k] as ForecastScore).rows()].map((row) => ({ ...row, forecast })),
    ),
    ...{ period: [first.timeMs, last.timeMs], ...counts },
  };
}

export const noObservations = (): Record<ObservationSource, { files: number; cells: number }> => ({
  adsb: { files: 0, cells: 0 },
  iagos: { files: 0, cells: 0 },
  gruan: { files: 0, cells: 0 },
  contrailwatch: { files: 0, cells: 0 },
});

/** Sums of all times and levels of a request; one is in memory at a time. */
export async function addShards(
  request: ScoreRequest,
  { signal, onProgress }: ScoreWatch,
): Promise<AddedShards> {
  const { shards, forecasts, observe } = request;
  const scores = forecasts.map(() => new ForecastScore(request));
  const observations = noObservations();
  let [withoutForecast, scored] = [0, 0];
  const db = await openDuckDb({
    memoryMiB: MEMORY_MIB,
    threads: 1,
    temporaryDirectory: request.temporaryDirectory,
  });
  // Observations are read while the forecast before them is scored.
  const look = (index: number) => {
    const shard = shards[index];
    const looking = shard === undefined ? undefined : observe(db, shard);
    looking?.catch(() => undefined);
    return looking;
  };
  let coming = look(0);
  try {
    for (const [done, shard] of shards.entries()) {
      signal?.throwIfAborted();
      const observed: ReadonlyMap<ObservationSource, ObservedCells> = (await coming) ?? new Map();
      coming = look(done + 1);
      if (observed.size > 0) {
        const regions = await Promise.all(forecasts.map((forecast) => forecast.read(shard)));
        const known = regions.filter((region) => region !== undefined);
        if (known.length === forecasts.length) {
          scored++;
          for (const [source, { cells }] of observed) {
            observations[source].files++;
            observations[source].cells += cells.length;
          }
          for (const [k, region] of known.entries()) scores[k]?.add({ ...region, observed });
        } else withoutForecast++;
      }
      onProgress?.(done + 1, shards.length);
    }
  } finally {
    await coming?.catch(() => undefined);
    db.close();
  }
  return { scores, observations, withoutForecast, scored };
}
