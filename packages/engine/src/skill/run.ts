/** Scores a forecast against observations, file by file. */
import { openDuckDb } from '@contrails/formats';
import { UsageError } from '@contrails/runtime/errors';
import { listForecast, readForecast, readObserved } from './files.ts';
import {
  ForecastScore,
  OBSERVATION_SOURCES,
  type ObservationSource,
  type ScoreOptions,
  type ScoreRow,
} from './score.ts';

export interface ScoreRequest extends ScoreOptions {
  readonly forecast: string;
  readonly observations: string;
  /** [ms since 1970], both included. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly flightLevels?: readonly number[] | undefined;
  /** For what observations need beyond memory. */
  readonly temporaryDirectory: string;
}

export interface ForecastScores {
  readonly rows: readonly ScoreRow[];
  /** First and last time that was scored [ms since 1970]. */
  readonly period: readonly [number, number];
  readonly observations: Readonly<Record<ObservationSource, { files: number; cells: number }>>;
}

const MEMORY_MIB = 256;

export async function scoreForecast(
  request: ScoreRequest,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number, of: number) => void } = {},
): Promise<ForecastScores> {
  const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY, flightLevels } = request;
  const files = (await listForecast(request.forecast)).filter(
    ({ timeMs, flightLevel }) =>
      timeMs >= fromMs && timeMs <= toMs && (flightLevels?.includes(flightLevel) ?? true),
  );
  const [first, last] = [files[0], files.at(-1)];
  if (first === undefined || last === undefined)
    throw new UsageError(`${request.forecast} has no file of the period and levels asked for; widen them`);
  const score = new ForecastScore(request);
  const seen = Object.fromEntries(
    OBSERVATION_SOURCES.map((source) => [source, { files: 0, cells: 0 }]),
  ) as Record<ObservationSource, { files: number; cells: number }>;
  const db = await openDuckDb({
    memoryMiB: MEMORY_MIB,
    threads: 1,
    temporaryDirectory: request.temporaryDirectory,
  });
  try {
    for (const [done, file] of files.entries()) {
      signal?.throwIfAborted();
      const observed = await readObserved(db, request.observations, file);
      for (const [source, { cells }] of observed) {
        seen[source].files++;
        seen[source].cells += cells.length;
      }
      if (observed.size > 0) score.add({ ...readForecast(file), observed });
      onProgress?.(done + 1, files.length);
    }
  } finally {
    db.close();
  }
  return { rows: score.rows(), period: [first.timeMs, last.timeMs], observations: seen };
}
