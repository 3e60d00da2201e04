/** Scores forecasts against observations, time by time and level by level. */
import { openDuckDb } from '@contrails/formats';
import { UsageError } from '@contrails/runtime/errors';
import { type ForecastFile, listForecast, readForecast, readObserved } from './files.ts';
import type { Observations, ShardName } from './observations.ts';
import {
  ForecastScore,
  OBSERVATION_SOURCES,
  type ObservationSource,
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

export interface ScoreRequest extends ScoreOptions {
  /** All are scored on the times and levels that every one of them has. */
  readonly forecasts: readonly ScoredForecast[];
  /** Times and levels to score. */
  readonly shards: readonly ShardName[];
  readonly observations: Observations;
  /** For what observations need beyond memory. */
  readonly temporaryDirectory: string;
}

export interface ForecastScores {
  readonly rows: readonly (ScoreRow & { readonly forecast: string })[];
  /** First and last time that was scored [ms since 1970]. */
  readonly period: readonly [number, number];
  readonly observations: Readonly<Record<ObservationSource, { files: number; cells: number }>>;
  /** Times and levels with observations that not every forecast has. */
  readonly withoutForecast: number;
  readonly scored: number;
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

export async function scoreForecast(
  request: ScoreRequest,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number, of: number) => void } = {},
): Promise<ForecastScores> {
  const { shards, forecasts } = request;
  const [first, last] = [shards[0], shards.at(-1)];
  if (first === undefined || last === undefined)
    throw new UsageError('there is nothing to score in the period and levels asked for; widen them');
  const scores = forecasts.map(() => new ForecastScore(request));
  const seen = Object.fromEntries(
    OBSERVATION_SOURCES.map((source) => [source, { files: 0, cells: 0 }]),
  ) as Record<ObservationSource, { files: number; cells: number }>;
  let [withoutForecast, scored] = [0, 0];
  const db = await openDuckDb({
    memoryMiB: MEMORY_MIB,
    threads: 1,
    temporaryDirectory: request.temporaryDirectory,
  });
  try {
    for (const [done, shard] of shards.entries()) {
      signal?.throwIfAborted();
      const observed = await readObserved(db, request.observations, shard);
      if (observed.size > 0) {
        const regions = await Promise.all(forecasts.map((forecast) => forecast.read(shard)));
        const known = regions.filter((region) => region !== undefined);
        if (known.length === forecasts.length) {
          scored++;
          for (const [source, { cells }] of observed) {
            seen[source].files++;
            seen[source].cells += cells.length;
          }
          for (const [k, region] of known.entries()) scores[k]?.add({ ...region, observed });
        } else withoutForecast++;
      }
      onProgress?.(done + 1, shards.length);
    }
  } finally {
    db.close();
  }
  if (scored === 0)
    throw new UsageError(
      'no time and level has both a forecast and observations; check the period, the levels and the runs',
    );
  return {
    rows: forecasts.flatMap(({ name: forecast }, k) =>
      (scores[k] as ForecastScore).rows().map((row) => ({ ...row, forecast })),
    ),
    ...{ period: [first.timeMs, last.timeMs], observations: seen, withoutForecast, scored },
  };
}
