/** Flights between the two steps of a day: legs and minutes as Parquet files in the store. */

import { join } from 'node:path';
import type { FlightHead, LegRecord } from '@contrails/engine/inventory/leg-record';
import {
  createStage,
  rowColumns,
  type StagedColumn,
  typedColumns,
  writeParquet,
} from '@contrails/engine/inventory/parquet';
import { legUuid } from '@contrails/flights';
import {
  type FlightMinutes,
  type InventoryFlight,
  LEG_COLUMNS,
  type LegRow,
} from '@contrails/flights/inventory';
import { type DuckDb, encodeRowGroup, ParquetWriter, sqlPath } from '@contrails/formats';
import type { Workspace } from '@contrails/platform/workspace';
import { ContrailsError, HOUR_MS } from '@contrails/runtime';

/**
 * Of legs, besides the public columns: what the models need, the step of the day in which the flight departs, and where its
 * minutes are.
 */
const STAGED_LEG_COLUMNS: readonly StagedColumn[] = [
  ...LEG_COLUMNS,
  { name: 'leg', type: 'string' },
  { name: 'flight', type: 'string' },
  { name: 'slot', type: 'int32' },
  { name: 'number', type: 'int32' },
  { name: 'minutes', type: 'int32' },
];

/** Minutes of a flight follow one another; a row group has those of one slot, so the others are not read. */
const MINUTE_COLUMNS: readonly StagedColumn[] = [
  { name: 'slot', type: 'int32' },
  { name: 'number', type: 'int32' },
  { name: 'time_ms', type: 'double' },
  { name: 'longitude', type: 'double' },
  { name: 'latitude', type: 'double' },
  { name: 'altitude_ft', type: 'double' },
  { name: 'gap_s', type: 'double' },
  { name: 'imputed', type: 'int32' },
];

/** Minutes that are held before they are written: with many slots, fewer would make small row groups. */
const FLUSH_MINUTES = 400_000;
const HOURS = 24;

/** One of the shards into which the airframes of a day are divided; the day itself has as many slots. */
interface Shard {
  readonly index: number;
  readonly count: number;
}

/** A leg on its way to the files. */
interface NumberedLeg extends LegRecord {
  /** Its own among the legs of all shards. */
  readonly number: number;
  readonly slot: number;
}

/** Collects legs and writes them to files. */
export class LegWriter {
  private readonly workspace: Workspace;
  private readonly shard: Shard;
  private readonly paths: { readonly legs: string; readonly minutes: string };
  private readonly minuteWriter: ParquetWriter;
  private legs: NumberedLeg[] = [];
  private count = 0;
  private minutes = 0;

  private constructor(
    workspace: Workspace,
    shard: Shard,
    paths: { readonly legs: string; readonly minutes: string },
    minuteWriter: ParquetWriter,
  ) {
    this.workspace = workspace;
    this.shard = shard;
    this.paths = paths;
    this.minuteWriter = minuteWriter;
  }

  static async open(workspace: Workspace, shard: Shard): Promise<LegWriter> {
    await createStage(workspace.duckdb, 'legs', STAGED_LEG_COLUMNS);
    const path = (name: string) => join(workspace.directory, `${name}.parquet`);
    const paths = { legs: path('legs'), minutes: path('minutes') };
    return new LegWriter(workspace, shard, paths, await ParquetWriter.create(paths.minutes, MINUTE_COLUMNS));
  }

  async add(record: LegRecord): Promise<void> {
    const { row, flight } = record;
    const hour = Math.floor((flight?.columns.timeMs[0] ?? row.first_time) / HOUR_MS) % HOURS;
    this.legs.push({
      ...record,
      number: this.shard.index + this.count++ * this.shard.count,
      slot: Math.floor((hour * this.shard.count) / HOURS),
    });
    this.minutes += flight?.columns.timeMs.length ?? 1;
    if (this.minutes >= FLUSH_MINUTES) await this.flush();
  }

  /** Returns the paths of the two files; their order depends on the legs alone. */
  async finish(): Promise<{ legs: string; minutes: string }> {
    await this.flush();
    await this.minuteWriter.finish();
    await writeParquet(
      this.workspace.duckdb,
      `SELECT ${typedColumns(STAGED_LEG_COLUMNS)} FROM legs ORDER BY slot, first_time, flight_id`,
      this.paths.legs,
    );
    return this.paths;
  }

  /** Closes what is open after a failure; the files are of no use. */
  async discard(): Promise<void> {
    await this.minuteWriter.finish().catch(() => undefined);
  }

  private async flush(): Promise<void> {
    const rows = this.legs.map(({ row, flight, number, slot }) => {
      const { columns, ...head } = flight ?? { columns: undefined };
      return {
        ...row,
        leg: legKey(row.icao_address, row.first_time),
        flight: columns === undefined ? null : JSON.stringify(head),
        slot,
        number,
        minutes: columns?.timeMs.length ?? 0,
      };
    });
    await this.workspace.duckdb.append('legs', rows.length, rowColumns(rows, STAGED_LEG_COLUMNS));
    const slots = Map.groupBy(this.legs, ({ slot }) => slot);
    for (const slot of [...slots.keys()].sort((a, b) => a - b)) {
      await this.writeMinutes(slot, slots.get(slot) ?? []);
    }
    this.legs = [];
    this.minutes = 0;
  }

  private async writeMinutes(slot: number, legs: readonly NumberedLeg[]): Promise<void> {
    const flights = legs.flatMap(({ flight, number }) =>
      flight === null ? [] : [{ number, columns: flight.columns }],
    );
    const rowCount = flights.reduce((sum, { columns }) => sum + columns.timeMs.length, 0);
    if (rowCount === 0) return;
    const joined = (name: keyof FlightMinutes) => {
      const column = new Float64Array(rowCount);
      let at = 0;
      for (const { columns } of flights) {
        column.set(columns[name], at);
        at += columns[name].length;
      }
      return column;
    };
    const numbers = new Float64Array(rowCount);
    let at = 0;
    for (const { number, columns } of flights) {
      numbers.fill(number, at, at + columns.timeMs.length);
      at += columns.timeMs.length;
    }
    const values = [new Float64Array(rowCount).fill(slot), numbers, ...MINUTE_NAMES.map(joined)];
    await this.minuteWriter.append(encodeRowGroup(MINUTE_COLUMNS, rowCount, values));
  }
}

/** Names a leg among all legs; a provider may have given two of them the same id. */
function legKey(icaoAddress: string, firstMs: number): string {
  return `${icaoAddress}|${firstMs}`;
}

/** Paths of the flights of all shards. */
export interface FlightFiles {
  readonly legs: readonly string[];
  readonly minutes: readonly string[];
}

const listed = (paths: readonly string[]) =>
  `read_parquet([${paths.map(sqlPath).join(', ')}], hive_partitioning = false)`;

/**
 * Makes the view `legs` of one slot from the files of all shards. An id that two legs have identifies neither, so both
 * get another one.
 */
export async function openLegs(
  duckdb: DuckDb,
  { legs: paths }: Pick<FlightFiles, 'legs'>,
  slot: number,
): Promise<void> {
  const repeated = await duckdb.rows(
    `SELECT leg FROM ${listed(paths)} WHERE flight_id IN
     (SELECT flight_id FROM ${listed(paths)} GROUP BY flight_id HAVING count(*) > 1)`,
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
     FROM ${listed(paths)} LEFT JOIN renamed USING (leg) WHERE slot = ${slot}`,
  );
}

/**
 * Imported flights of the slot that telemetry of the day has too: with the same registration, address or callsign, for more than
 * half of their time.
 */
export async function readSuperseded(
  duckdb: DuckDb,
  { legs: paths }: Pick<FlightFiles, 'legs'>,
): Promise<ReadonlySet<string>> {
  const isImported = `json_exists(flight, '$.imported')`;
  const flightsOf = (table: string, isWanted: string) =>
    `(SELECT flight_id, callsign, coalesce(json_extract_string(flight, '$.imported.icaoAddress'), icao_address) AS address,
       json_extract_string(flight, '$.tailNumber') AS tail,
       epoch_ms(first_time) AS first_ms, epoch_ms(last_time) AS last_ms
     FROM ${table} WHERE flight IS NOT NULL AND ${isWanted})`;
  const rows = await duckdb.rows(
    `SELECT DISTINCT i.flight_id FROM ${flightsOf('legs', isImported)} AS i
     JOIN ${flightsOf(listed(paths), `NOT ${isImported}`)} AS t
     ON (i.tail = t.tail OR i.address = t.address OR i.callsign = t.callsign)
       AND 2 * (least(i.last_ms, t.last_ms) - greatest(i.first_ms, t.first_ms)) > i.last_ms - i.first_ms`,
  );
  return new Set(rows.map(({ flight_id: id }) => String(id)));
}

/** A flight without its minutes. */
export interface StoredHead {
  readonly hash: string;
  readonly number: number;
  readonly minutes: number;
  readonly head: FlightHead;
}

/** The flights of the slot. */
export async function readHeads(duckdb: DuckDb): Promise<StoredHead[]> {
  const heads: StoredHead[] = [];
  const chunks = duckdb.chunks(
    'SELECT flight, leg_hash, flight_id, number, minutes FROM legs WHERE flight IS NOT NULL ORDER BY flight_id',
  );
  for await (const chunk of chunks) {
    const [flights, hashes, ids] = [chunk.texts(0), chunk.texts(1), chunk.texts(2)];
    const [numbers, minutes] = [chunk.numbers(3), chunk.numbers(4)];
    for (let row = 0; row < chunk.rowCount; row++) {
      heads.push({
        hash: hashes[row] ?? '',
        number: numbers[row] as number,
        minutes: minutes[row] as number,
        head: { ...(JSON.parse(flights[row] ?? '') as FlightHead), flightId: ids[row] ?? '' },
      });
    }
  }
  return heads;
}

/** Some flights of the slot with their minutes. */
export async function readFlights(
  duckdb: DuckDb,
  paths: FlightFiles['minutes'],
  slot: number,
  heads: readonly StoredHead[],
): Promise<InventoryFlight[]> {
  const ends = new Map<number, number>();
  let total = 0;
  for (const { number, minutes } of heads) {
    ends.set(number, total);
    total += minutes;
  }
  const all = emptyMinutes(total);
  if (heads.length > 0) {
    const chunks = duckdb.chunks(
      `SELECT number, time_ms, longitude, latitude, altitude_ft, gap_s, imputed FROM ${listed(paths)} WHERE slot = ${slot}`,
    );
    for await (const { numbers: column, rowCount } of chunks) {
      const numbers = column(0);
      const values = MINUTE_NAMES.map((_, k) => column(k + 1));
      for (let from = 0; from < rowCount; ) {
        const number = numbers[from] as number;
        let to = from + 1;
        while (to < rowCount && numbers[to] === number) to++;
        const at = ends.get(number);
        if (at !== undefined) {
          MINUTE_NAMES.forEach((name, k) => void all[name].set(values[k]?.subarray(from, to) ?? [], at));
          ends.set(number, at + to - from);
        }
        from = to;
      }
    }
  }
  let from = 0;
  return heads.map(({ head, number, minutes }) => {
    const to = from + minutes;
    if (ends.get(number) !== to)
      throw new ContrailsError(`minutes of flight ${head.flightId} are missing in ${paths.join(', ')}`);
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
