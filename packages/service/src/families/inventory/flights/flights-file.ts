/** Flights between the two steps of a day: legs and minutes as Parquet files in the store. */

import { join } from 'node:path';
import { legUuid } from '@contrails/flights';
import {
  type FlightMinutes,
  type InventoryFlight,
  LEG_COLUMNS,
  type LegRow,
} from '@contrails/flights/inventory';
import { type DuckDb, sqlPath } from '@contrails/formats';
import { HOUR_MS } from '@contrails/runtime';
import type { Workspace } from '../../../workspace.ts';
import { createStage, rowColumns, type StagedColumn, typedColumns, writeParquet } from '../tables/parquet.ts';
import type { FlightHead, LegRecord } from './leg-record.ts';

/** Of legs, besides the public columns: what the models need, and the step of the day in which the flight departs. */
const STAGED_LEG_COLUMNS: readonly StagedColumn[] = [
  ...LEG_COLUMNS,
  { name: 'leg', type: 'string' },
  { name: 'flight', type: 'string' },
  { name: 'slot', type: 'int32' },
];

const MINUTE_COLUMNS: readonly StagedColumn[] = [
  { name: 'leg', type: 'string' },
  { name: 'time_ms', type: 'double' },
  { name: 'longitude', type: 'double' },
  { name: 'latitude', type: 'double' },
  { name: 'altitude_ft', type: 'double' },
  { name: 'gap_s', type: 'double' },
  { name: 'imputed', type: 'double' },
];

/** Minutes that are held before they are handed to DuckDB. */
const FLUSH_MINUTES = 100_000;
const HOURS = 24;

/** Collects legs and writes them to files. */
export class LegWriter {
  private readonly workspace: Workspace;
  private readonly slots: number;
  private records: LegRecord[] = [];
  private minutes = 0;

  private constructor(workspace: Workspace, slots: number) {
    this.workspace = workspace;
    this.slots = slots;
  }

  static async open(workspace: Workspace, slots: number): Promise<LegWriter> {
    await createStage(workspace.duckdb, 'legs', STAGED_LEG_COLUMNS);
    await createStage(workspace.duckdb, 'minutes', MINUTE_COLUMNS);
    return new LegWriter(workspace, slots);
  }

  async add(record: LegRecord): Promise<void> {
    this.records.push(record);
    this.minutes += record.flight?.columns.timeMs.length ?? 1;
    if (this.minutes >= FLUSH_MINUTES) await this.flush();
  }

  /** Returns the paths of the two files; their order depends on the legs alone. */
  async finish(): Promise<{ legs: string; minutes: string }> {
    await this.flush();
    const { directory, duckdb } = this.workspace;
    const [legs, minutes] = [join(directory, 'legs.parquet'), join(directory, 'minutes.parquet')];
    await writeParquet(
      duckdb,
      `SELECT ${typedColumns(STAGED_LEG_COLUMNS)} FROM legs ORDER BY slot, first_time, flight_id`,
      legs,
    );
    await writeParquet(duckdb, 'SELECT * FROM minutes ORDER BY leg, time_ms', minutes);
    return { legs, minutes };
  }

  private async flush(): Promise<void> {
    const rows = this.records.map(({ row, flight }) => {
      const { columns, ...head } = flight ?? { columns: undefined };
      const startMs = columns?.timeMs[0] ?? row.first_time;
      const hour = Math.floor(startMs / HOUR_MS) % HOURS;
      return {
        ...row,
        leg: legKey(row.icao_address, row.first_time),
        flight: columns === undefined ? null : JSON.stringify(head),
        slot: Math.floor((hour * this.slots) / HOURS),
      };
    });
    const { duckdb } = this.workspace;
    await duckdb.append('legs', rows.length, rowColumns(rows, STAGED_LEG_COLUMNS));
    const flights = this.records.flatMap(({ flight }) => flight ?? []);
    const joined = (of: (columns: FlightMinutes) => ArrayLike<number>) => {
      const parts = flights.map(({ columns }) => of(columns));
      const column = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of parts) {
        column.set(part, at);
        at += part.length;
      }
      return column;
    };
    const time = joined(({ timeMs }) => timeMs);
    await duckdb.append('minutes', time.length, [
      flights.flatMap(({ icaoAddress, firstReportMs, columns }) =>
        new Array<string>(columns.timeMs.length).fill(legKey(icaoAddress, firstReportMs)),
      ),
      time,
      joined(({ longitude }) => longitude),
      joined(({ latitude }) => latitude),
      joined(({ altitudeFt }) => altitudeFt),
      joined(({ gapS }) => gapS),
      joined(({ imputed }) => imputed),
    ]);
    this.records = [];
    this.minutes = 0;
  }
}

/** Names a leg among all legs; a provider may have given two of them the same id. */
function legKey(icaoAddress: string, firstMs: number): string {
  return `${icaoAddress}|${firstMs}`;
}

/**
 * Makes the views `legs` and `minutes` of one slot from the files of all shards. An id that two legs have identifies
 * neither, so that both get another one.
 */
export async function openLegs(
  duckdb: DuckDb,
  files: { readonly legs: readonly string[]; readonly minutes: readonly string[] },
  slot: number,
): Promise<void> {
  const list = (paths: readonly string[]) =>
    `read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)`;
  const repeated = await duckdb.rows(
    `SELECT leg FROM ${list(files.legs)} WHERE flight_id IN
     (SELECT flight_id FROM ${list(files.legs)} GROUP BY flight_id HAVING count(*) > 1)`,
  );
  await duckdb.run('CREATE TABLE renamed (leg VARCHAR, new_id VARCHAR)');
  const legs = repeated.map(({ leg }) => String(leg));
  const ids = legs.map((leg) => {
    const [address = '', firstMs = ''] = leg.split('|');
    return legUuid(address, Number(firstMs));
  });
  if (legs.length > 0) await duckdb.append('renamed', legs.length, [legs, ids]);
  await duckdb.run(
    `CREATE VIEW legs AS SELECT * EXCLUDE (new_id) REPLACE (coalesce(new_id, flight_id) AS flight_id)
     FROM ${list(files.legs)} LEFT JOIN renamed USING (leg) WHERE slot = ${slot}`,
  );
  await duckdb.run(`CREATE VIEW minutes AS SELECT * FROM ${list(files.minutes)}`);
}

/** A flight without its minutes. */
export interface StoredHead {
  readonly hash: string;
  readonly leg: string;
  readonly head: FlightHead;
}

/** The flights of the slot. */
export async function readHeads(duckdb: DuckDb): Promise<StoredHead[]> {
  const rows = await duckdb.rows(
    'SELECT flight, leg_hash, leg, flight_id FROM legs WHERE flight IS NOT NULL ORDER BY flight_id',
  );
  return rows.map(({ flight, leg_hash, leg, flight_id }) => ({
    hash: String(leg_hash),
    leg: String(leg),
    head: { ...(JSON.parse(String(flight)) as FlightHead), flightId: String(flight_id) },
  }));
}

/** Some flights of the slot with their minutes. */
export async function readFlights(duckdb: DuckDb, heads: readonly StoredHead[]): Promise<InventoryFlight[]> {
  await duckdb.run('CREATE TABLE wanted (leg VARCHAR, place DOUBLE)');
  const places = Float64Array.from(heads, (_, place) => place);
  await duckdb.append('wanted', heads.length, [heads.map(({ leg }) => leg), places]);
  const [total] = await duckdb.rows(
    'SELECT count(*) AS n FROM minutes AS m JOIN wanted AS w ON w.leg = m.leg',
  );
  const all = emptyMinutes(Number(total?.n));
  const ends = new Uint32Array(heads.length);
  let read = 0;
  const minutes = duckdb.chunks(
    `SELECT place, time_ms, longitude, latitude, altitude_ft, gap_s, imputed FROM minutes AS m
     JOIN wanted AS w ON w.leg = m.leg ORDER BY place, time_ms`,
  );
  for await (const chunk of minutes) {
    for (const [k, name] of MINUTE_NAMES.entries()) all[name].set(chunk.numbers(k + 1), read);
    for (const place of chunk.numbers(0)) ends[place] = ++read;
  }
  let from = 0;
  return heads.map(({ head }, p) => {
    const to = Math.max(from, ends[p] as number);
    const columns = minutesBetween(all, from, to);
    from = to;
    return { ...head, columns };
  });
}

const MINUTE_NAMES = ['timeMs', 'longitude', 'latitude', 'altitudeFt', 'gapS', 'imputed'] as const;

function emptyMinutes(count: number): FlightMinutes {
  const numbers = () => new Float64Array(count);
  return {
    timeMs: numbers(),
    longitude: numbers(),
    latitude: numbers(),
    altitudeFt: numbers(),
    gapS: numbers(),
    imputed: new Uint8Array(count),
  };
}

function minutesBetween(
  { timeMs, longitude, latitude, altitudeFt, gapS, imputed }: FlightMinutes,
  from: number,
  to: number,
): FlightMinutes {
  return {
    timeMs: timeMs.subarray(from, to),
    longitude: longitude.subarray(from, to),
    latitude: latitude.subarray(from, to),
    altitudeFt: altitudeFt.subarray(from, to),
    gapS: gapS.subarray(from, to),
    imputed: imputed.subarray(from, to),
  };
}

/** What the models changed of a leg. */
export type LegChange = Pick<
  LegRow,
  'flight_id' | 'outcome' | 'detail' | 'settings' | 'minutes_out' | 'minutes_imputed'
>;
