/** What the database knows of dates, days, units and runs. Files are immutable; these rows mark those that count. */
import type { Database, Queryable } from '@contrails/platform/database/database';
import type { DayInputs } from './inputs.ts';

/** `waiting` for telemetry or weather, `computing`, `published`. The message: what is missing and what happens next. */
export type DateState = 'waiting' | 'computing' | 'published';

export interface DateRecord {
  readonly date: string;
  readonly state: DateState;
  readonly message: string;
  /** The flights of the date and of the day before that are wanted. */
  readonly dayKey: string | null;
  readonly previousDayKey: string | null;
  /** The run that is served. */
  readonly runId: string | null;
  readonly updatedMs: number;
}

export interface DayRecord {
  readonly dayKey: string;
  readonly date: string;
  readonly modelKey: string;
  readonly inputs: DayInputs;
  readonly shards: number;
  /**
   * Counts how often units of the flights were retried. What the models made of the flights of an earlier round does not
   * count any more: flights were missing.
   */
  readonly round: number;
  readonly createdMs: number;
}

const STAGES = ['flights', 'model'] as const;
export type Stage = (typeof STAGES)[number];
/** `parked` units have failed too often; they can be retried. */
export type UnitState = 'pending' | 'done' | 'parked';

export interface UnitRecord {
  readonly dayKey: string;
  readonly stage: Stage;
  readonly shard: number;
  readonly state: UnitState;
  readonly error: string | null;
  /** Keys of its files by name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface RunRecord {
  readonly runId: string;
  readonly date: string;
  readonly dayKey: string;
  readonly previousDayKey: string | null;
  readonly generation: number;
  readonly startedMs: number;
  readonly publishedMs: number | null;
  readonly status: string | null;
}

export async function findDate(database: Queryable, date: string): Promise<DateRecord | undefined> {
  const [row] = await database.query<DateRow>('SELECT * FROM inventory_dates WHERE date = $1', [date]);
  return row && toDate(row);
}

export async function listDates(database: Queryable): Promise<DateRecord[]> {
  return (await database.query<DateRow>('SELECT * FROM inventory_dates ORDER BY date')).map(toDate);
}

/** Dates whose figures may still change. */
export async function provisionalDates(database: Queryable): Promise<DateRecord[]> {
  const rows = await database.query<DateRow>(
    `SELECT d.* FROM inventory_dates d JOIN inventory_runs r ON r.run_id = d.run_id
     WHERE d.state = 'published' AND r.status = 'provisional' ORDER BY d.date`,
  );
  return rows.map(toDate);
}

/** Dates that want the flights of a day, as their own or as those of the day before. */
export async function datesOfDay(database: Queryable, dayKey: string): Promise<DateRecord[]> {
  const rows = await database.query<DateRow>(
    'SELECT * FROM inventory_dates WHERE day_key = $1 OR previous_day_key = $1 ORDER BY date',
    [dayKey],
  );
  return rows.map(toDate);
}

export async function setDate(
  database: Queryable,
  { date, state, message, dayKey, previousDayKey }: Omit<DateRecord, 'runId' | 'updatedMs'>,
  nowMs: number,
): Promise<void> {
  await database.execute(
    `INSERT INTO inventory_dates (date, state, message, day_key, previous_day_key, run_id, updated_ms)
     VALUES ($1, $2, $3, $4, $5, NULL, $6)
     ON CONFLICT (date) DO UPDATE SET state = excluded.state, message = excluded.message, day_key = excluded.day_key,
       previous_day_key = excluded.previous_day_key, updated_ms = excluded.updated_ms`,
    [date, state, message, dayKey, previousDayKey, nowMs],
  );
}

/** Adds a day with all its units, unless they are there. */
export async function addDay(
  database: Database,
  { dayKey, date, modelKey, inputs, shards }: Omit<DayRecord, 'round' | 'createdMs'>,
  nowMs: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute(
      `INSERT INTO inventory_days (day_key, date, model_key, inputs, shards, round, created_ms)
       VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT (day_key) DO NOTHING`,
      [dayKey, date, modelKey, JSON.stringify(inputs), shards, nowMs],
    );
    if ((await unitsOf(tx, dayKey)).length > 0) return;
    for (const stage of STAGES) {
      for (let shard = 0; shard < shards; shard++) {
        await tx.execute(
          `INSERT INTO inventory_units (day_key, stage, shard, state, failures, updated_ms)
           VALUES ($1, $2, $3, 'pending', 0, $4) ON CONFLICT (day_key, stage, shard) DO NOTHING`,
          [dayKey, stage, shard, nowMs],
        );
      }
    }
  });
}

export async function findDay(database: Queryable, dayKey: string): Promise<DayRecord | undefined> {
  const [row] = await database.query<DayRow>('SELECT * FROM inventory_days WHERE day_key = $1', [dayKey]);
  return row && toDay(row);
}

/** Everything that a date was ever computed from and that is not pruned, newest first. */
export async function daysOfDate(database: Queryable, date: string): Promise<DayRecord[]> {
  const rows = await database.query<DayRow>(
    'SELECT * FROM inventory_days WHERE date = $1 ORDER BY created_ms DESC, day_key',
    [date],
  );
  return rows.map(toDay);
}

/** Days of a date with the same models, newest first. */
export async function earlierDays(
  database: Queryable,
  { date, modelKey, dayKey }: DayRecord,
): Promise<DayRecord[]> {
  return (await daysOfDate(database, date)).filter(
    (day) => day.modelKey === modelKey && day.dayKey !== dayKey,
  );
}

/** Units of the models that ended in an earlier round are pending: they have to be done with the flights of this one. */
const UNITS = `SELECT u.day_key, u.stage, u.shard, u.error,
    CASE WHEN u.stage = 'model' AND u.round <> d.round THEN 'pending' ELSE u.state END AS state,
    CASE WHEN u.stage = 'model' AND u.round <> d.round THEN NULL ELSE u.files END AS files
  FROM inventory_units u JOIN inventory_days d ON d.day_key = u.day_key`;

/** Units of a day, all of the same round. */
export async function unitsOf(database: Queryable, dayKey: string): Promise<UnitRecord[]> {
  const rows = await database.query<UnitRow>(`${UNITS} WHERE u.day_key = $1 ORDER BY u.stage, u.shard`, [
    dayKey,
  ]);
  return rows.map(toUnit);
}

export async function findUnit(
  database: Queryable,
  dayKey: string,
  stage: Stage,
  shard: number,
): Promise<UnitRecord | undefined> {
  const [row] = await database.query<UnitRow>(
    `${UNITS} WHERE u.day_key = $1 AND u.stage = $2 AND u.shard = $3`,
    [dayKey, stage, shard],
  );
  return row && toUnit(row);
}

type UnitName = Pick<UnitRecord, 'dayKey' | 'stage' | 'shard'>;

/** That a day is still in the round in which a unit began. */
const IS_ROUND = (round: string) => `${round} = (SELECT round FROM inventory_days WHERE day_key = $1)`;

/**
 * Notes the files of a unit that began in a round. Flights of a unit that was parked start a new round. Returns false, and
 * changes nothing, where the models began in an earlier round.
 */
export async function finishUnit(
  database: Database,
  { dayKey, stage, shard }: UnitName,
  round: number,
  files: Readonly<Record<string, string>>,
  nowMs: number,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    // Locks the row: PostgreSQL would let another run of the unit park it between the next two statements.
    await tx.execute(
      'UPDATE inventory_units SET updated_ms = $4 WHERE day_key = $1 AND stage = $2 AND shard = $3',
      [dayKey, stage, shard, nowMs],
    );
    const before = await findUnit(tx, dayKey, stage, shard);
    const changed = await tx.execute(
      `UPDATE inventory_units SET state = 'done', error = NULL, files = $4, round = $5
       WHERE day_key = $1 AND stage = $2 AND shard = $3 AND (stage = 'flights' OR ${IS_ROUND('$5')})`,
      [dayKey, stage, shard, JSON.stringify(files), round],
    );
    if (stage === 'flights' && before?.state === 'parked') await startRound(tx, dayKey);
    return changed > 0;
  });
}

async function startRound(tx: Queryable, dayKey: string): Promise<void> {
  await tx.execute('UPDATE inventory_days SET round = round + 1 WHERE day_key = $1', [dayKey]);
}

/** Makes parked units pending again. Units of the flights start a new round. */
export async function unparkUnits(database: Database, dayKey: string, nowMs: number): Promise<void> {
  await database.transaction(async (tx) => {
    const unpark = (stage: Stage) =>
      tx.execute(
        `UPDATE inventory_units SET state = 'pending', failures = 0, updated_ms = $3
         WHERE day_key = $1 AND stage = $2 AND state = 'parked'`,
        [dayKey, stage, nowMs],
      );
    if ((await unpark('flights')) > 0) await startRound(tx, dayKey);
    await unpark('model');
  });
}

/**
 * Counts a failure of a unit that began in a round; the unit is parked when it is the last that is allowed. Returns whether it
 * is. A unit that is done, or of another round, stays as it is.
 */
export async function failUnit(
  database: Database,
  { dayKey, stage, shard }: UnitName,
  round: number,
  error: string,
  maxFailures: number,
  nowMs: number,
): Promise<boolean> {
  const failures = 'CASE WHEN round = $7 THEN failures + 1 ELSE 1 END';
  return database.transaction(async (tx) => {
    await tx.execute(
      `UPDATE inventory_units SET failures = ${failures}, error = $4, updated_ms = $5, round = $7,
         state = CASE WHEN ${failures} >= $6 THEN 'parked' ELSE 'pending' END
       WHERE day_key = $1 AND stage = $2 AND shard = $3 AND ${IS_ROUND('$7')}
         AND NOT (state = 'done' AND (stage = 'flights' OR round = $7))`,
      [dayKey, stage, shard, error, nowMs, maxFailures, round],
    );
    return (await findUnit(tx, dayKey, stage, shard))?.state === 'parked';
  });
}

/** The run with this id; it starts now unless it is there. */
export async function startRun(
  database: Database,
  run: Pick<RunRecord, 'runId' | 'date' | 'dayKey' | 'previousDayKey'>,
  nowMs: number,
): Promise<RunRecord> {
  return database.transaction(async (tx) => {
    const known = await findRun(tx, run.runId);
    if (known !== undefined) return known;
    const [row] = await tx.query<{ last: number | null }>(
      'SELECT MAX(generation) AS last FROM inventory_runs WHERE date = $1',
      [run.date],
    );
    const generation = (row?.last ?? 0) + 1;
    await tx.execute(
      `INSERT INTO inventory_runs (run_id, date, day_key, previous_day_key, generation, started_ms)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (run_id) DO NOTHING`,
      [run.runId, run.date, run.dayKey, run.previousDayKey, generation, nowMs],
    );
    const started = await findRun(tx, run.runId);
    if (started === undefined) throw new Error(`the run ${run.runId} was not stored`);
    return started;
  });
}

async function findRun(database: Queryable, runId: string): Promise<RunRecord | undefined> {
  const [row] = await database.query<RunRow>('SELECT * FROM inventory_runs WHERE run_id = $1', [runId]);
  return row && toRun(row);
}

/** The flights that a run serves; undefined once the run is pruned. */
export async function dayOfRun(database: Queryable, runId: string): Promise<string | undefined> {
  return (await findRun(database, runId))?.dayKey;
}

/** Published runs of a date that have the flights of the day before, the newest first. */
export async function runsAfterDay(
  database: Queryable,
  date: string,
  previousDayKey: string,
): Promise<string[]> {
  const rows = await database.query<{ run_id: string }>(
    `SELECT run_id FROM inventory_runs WHERE date = $1 AND previous_day_key = $2 AND published_ms IS NOT NULL
     ORDER BY generation DESC`,
    [date, previousDayKey],
  );
  return rows.map(({ run_id }) => run_id);
}

/** Notes that a run is published, and that the date serves it where it is the current one. */
export async function finishRun(
  database: Database,
  { runId, date }: RunRecord,
  {
    status,
    message,
    isCurrent,
  }: { readonly status: string; readonly message: string; readonly isCurrent: boolean },
  nowMs: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute('UPDATE inventory_runs SET published_ms = $2, status = $3 WHERE run_id = $1', [
      runId,
      nowMs,
      status,
    ]);
    if (!isCurrent) return;
    await tx.execute(
      `UPDATE inventory_dates SET run_id = $2, state = 'published', message = $3, updated_ms = $4 WHERE date = $1`,
      [date, runId, message, nowMs],
    );
  });
}

interface DateRow {
  readonly date: string;
  readonly state: DateState;
  readonly message: string;
  readonly day_key: string | null;
  readonly previous_day_key: string | null;
  readonly run_id: string | null;
  readonly updated_ms: number;
}

function toDate(row: DateRow): DateRecord {
  return {
    date: row.date,
    state: row.state,
    message: row.message,
    dayKey: row.day_key,
    previousDayKey: row.previous_day_key,
    runId: row.run_id,
    updatedMs: row.updated_ms,
  };
}

interface DayRow {
  readonly day_key: string;
  readonly date: string;
  readonly model_key: string;
  readonly inputs: string;
  readonly shards: number;
  readonly round: number;
  readonly created_ms: number;
}

function toDay(row: DayRow): DayRecord {
  return {
    dayKey: row.day_key,
    date: row.date,
    modelKey: row.model_key,
    inputs: JSON.parse(row.inputs) as DayInputs,
    shards: row.shards,
    round: row.round,
    createdMs: row.created_ms,
  };
}

interface UnitRow {
  readonly day_key: string;
  readonly stage: Stage;
  readonly shard: number;
  readonly state: UnitState;
  readonly error: string | null;
  readonly files: string | null;
}

function toUnit(row: UnitRow): UnitRecord {
  return {
    dayKey: row.day_key,
    stage: row.stage,
    shard: row.shard,
    state: row.state,
    error: row.error,
    files: JSON.parse(row.files ?? '{}') as Record<string, string>,
  };
}

interface RunRow {
  readonly run_id: string;
  readonly date: string;
  readonly day_key: string;
  readonly previous_day_key: string | null;
  readonly generation: number;
  readonly started_ms: number;
  readonly published_ms: number | null;
  readonly status: string | null;
}

function toRun(row: RunRow): RunRecord {
  return {
    runId: row.run_id,
    date: row.date,
    dayKey: row.day_key,
    previousDayKey: row.previous_day_key,
    generation: row.generation,
    startedMs: row.started_ms,
    publishedMs: row.published_ms,
    status: row.status,
  };
}
