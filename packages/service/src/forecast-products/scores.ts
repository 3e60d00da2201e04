/** Scores of the forecast: sums of each day, so a run that is interrupted goes on and old days stay, and the last result. */

import type { ObservationCounts } from '@contrails/engine/skill/run';
import type { DayEntry } from '@contrails/engine/skill/score';
import type { ScoreRecord } from '@contrails/engine/skill/table';
import type { Queryable } from '@contrails/platform/database/database';
import { DAY_MS } from '@contrails/runtime';

/** Where one process at a time scores, by the name of the settings. */
export const SCORES_TABLE = 'forecast_scores';

/** What became of one day. */
export interface ScoredDay {
  /** Of each forecast. */
  readonly sums: readonly (readonly DayEntry[])[];
  readonly observations: ObservationCounts;
  readonly shards: number;
  readonly withoutForecast: number;
}

/** What is shown of the last run. */
export interface ScoreResult {
  /** Names of what was scored; rows name one of them. */
  readonly forecasts: readonly string[];
  /** First and last day with a score [ms since 1970]; null while there is none. */
  readonly period: readonly [number, number] | null;
  readonly observations: ObservationCounts;
  readonly shards: number;
  readonly withoutForecast: number;
  readonly humidityScaling: string;
  readonly isSynthetic: boolean;
  readonly rows: readonly ScoreRecord[];
  readonly published: readonly ScoreRecord[];
}

/** Days of some settings that are scored, and by which job. */
export async function scoredDays(database: Queryable, name: string): Promise<Map<number, string>> {
  const rows = await database.query<{ day_ms: number; job: string }>(
    'SELECT day_ms, job FROM forecast_score_days WHERE name = $1',
    [name],
  );
  return new Map(rows.map(({ day_ms, job }) => [day_ms, job]));
}

export async function readScoredDay(
  database: Queryable,
  name: string,
  dayMs: number,
): Promise<ScoredDay | undefined> {
  const [row] = await database.query<{ sums: string }>(
    'SELECT sums FROM forecast_score_days WHERE name = $1 AND day_ms = $2',
    [name, dayMs],
  );
  return row === undefined ? undefined : (JSON.parse(row.sums) as ScoredDay);
}

export async function putScoredDay(
  database: Queryable,
  name: string,
  dayMs: number,
  job: string,
  day: ScoredDay,
): Promise<void> {
  await database.execute(
    `INSERT INTO forecast_score_days (name, day_ms, job, sums) VALUES ($1, $2, $3, $4)
     ON CONFLICT (name, day_ms) DO UPDATE SET job = excluded.job, sums = excluded.sums`,
    [name, dayMs, job, JSON.stringify(day)],
  );
}

/** Makes the settings known, whose row is leased by the process that scores. */
export async function knowScores(database: Queryable, name: string): Promise<void> {
  await database.execute(
    `INSERT INTO ${SCORES_TABLE} (name, scored_ms) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING`,
    [name],
  );
}

export async function putScores(
  database: Queryable,
  name: string,
  result: ScoreResult,
  nowMs: number,
): Promise<void> {
  await database.execute(`UPDATE ${SCORES_TABLE} SET scored_ms = $2, result = $3 WHERE name = $1`, [
    name,
    nowMs,
    JSON.stringify(result),
  ]);
}

/** The newest result; undefined before the first. */
export async function latestScores(
  database: Queryable,
): Promise<{ readonly scoredMs: number; readonly result: ScoreResult } | undefined> {
  const [row] = await database.query<{ scored_ms: number; result: string }>(
    `SELECT scored_ms, result FROM ${SCORES_TABLE} WHERE result IS NOT NULL ORDER BY scored_ms DESC LIMIT 1`,
  );
  return row && { scoredMs: row.scored_ms, result: JSON.parse(row.result) as ScoreResult };
}

/** Forgets days that are older than any score needs; returns how many. */
export async function forgetScoredDays(
  database: Queryable,
  keepDays: number,
  nowMs: number,
): Promise<number> {
  return database.execute('DELETE FROM forecast_score_days WHERE day_ms < $1', [nowMs - keepDays * DAY_MS]);
}
