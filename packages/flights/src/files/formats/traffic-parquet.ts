/** Parquet tables of traffic and OpenSky. */
import { haversineM } from '@contrails/physics/geodesy';
import { decompress } from 'fzstd';
import {
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import { cutIntoLegs } from '../../legs/cut.ts';
import type { RandomAccess } from '../bytes.ts';
import type { FlightFormat, FormatOptions } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf } from '../flight.ts';
import { type FileReport, FlightFileError } from '../refusals.ts';
import { detailOf, lowerMedian, METRES_PER_FOOT, numberOf, timeOf } from '../values.ts';

const NAME = 'traffic_parquet';
const MAX_GROUP_ROWS = 20_000_000;
/** Compressed pages that would unpack to more are hostile. */
const MAX_PAGE_BYTES = 2 ** 30;
/** Below this ratio of stated to flown speed, the stated one is in m/s; a knot is 0.51 of it. */
const METRIC_RATIO = 1.4;
/** No aircraft in metres is as high. */
const HIGHEST_M = 15_500;

const COLUMNS = {
  time: ['timestamp', 'time'],
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lon'],
  altitude: ['altitude', 'baroaltitude'],
  icao24: ['icao24'],
  callsign: ['callsign'],
  flightId: ['flight_id'],
  onGround: ['onground'],
  speed: ['groundspeed', 'velocity'],
  type: ['typecode'],
  registration: ['registration'],
} as const;
type ColumnName = keyof typeof COLUMNS;

export const trafficParquet: FlightFormat = {
  name: NAME,
  contentTypes: ['application/vnd.apache.parquet'],
  recognise: ({ bytes }) => [0x50, 0x41, 0x52, 0x31].every((byte, k) => bytes[k] === byte),

  async *read([content], { report, options, host }) {
    if (content === undefined) return;
    const file = await host.openParquet(content);
    let rows: Rows;
    try {
      rows = await readRows(file, report);
    } finally {
      await file.close();
    }
    const settings = { format: NAME, kind: 'flown', file: content.name, unit: 'row' } as const;
    const named = namedGroups(rows);
    const scale = scaleOf(rows, named, options);
    const hasIds = rows.flightId.some((id) => id !== null && id !== undefined);
    const groups = hasIds ? named : named.flatMap((airframe) => legsOf(rows, airframe, scale));
    for (const { id, of } of groups) {
      const draft = new FlightDraft(settings, report);
      draft.know({ flight_id: id });
      for (const row of of) {
        draft.know({
          callsign: detailOf(rows.callsign[row]),
          icao_address: codeOf(detailOf(rows.icao24[row])),
          aircraft_type: codeOf(detailOf(rows.type[row])),
          tail_number: detailOf(rows.registration[row]),
        });
        draft.add({ ...pointOf(rows, row, scale), at: row + 1 });
      }
      const flight = draft.finish();
      if (flight !== undefined) yield flight;
    }
    countLeftOut(rows, groups, settings.file, report);
  },
};

type Rows = Readonly<Record<'time' | 'latitude' | 'longitude' | 'altitude' | 'speed', Float64Array>> &
  Readonly<Record<'icao24' | 'callsign' | 'flightId' | 'type' | 'registration', readonly unknown[]>> & {
    readonly onGround: Uint8Array;
    readonly length: number;
    readonly altitudeName: string;
  };

const compressors: Compressors = {
  ZSTD: (input, outputLength) => {
    if (outputLength > MAX_PAGE_BYTES) throw new Error('a page is too large');
    return decompress(input, new Uint8Array(outputLength));
  },
};

async function readRows(file: RandomAccess, report: FileReport): Promise<Rows> {
  try {
    const metadata = await parquetMetadataAsync(file);
    return await readColumns(file, metadata, report);
  } catch (error) {
    if (error instanceof FlightFileError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FlightFileError(
      'parse_error',
      `the Parquet file is damaged or cut off: ${reason.slice(0, 200)}`,
    );
  }
}

async function readColumns(file: RandomAccess, metadata: FileMetaData, report: FileReport): Promise<Rows> {
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  const nameOf = (column: ColumnName) => COLUMNS[column].find((name) => names.includes(name));
  const found = Object.fromEntries(
    (Object.keys(COLUMNS) as ColumnName[]).map((column) => [column, nameOf(column)]),
  ) as Record<ColumnName, string | undefined>;
  const missing = (['time', 'latitude', 'longitude', 'altitude'] as const).filter(
    (column) => found[column] === undefined,
  );
  if (missing.length > 0) {
    throw new FlightFileError(
      'missing_columns',
      `the Parquet file has no column ${missing.map((column) => COLUMNS[column].join(' or ')).join(' and ')}; it has ${names.slice(0, 20).join(', ')}`,
    );
  }
  const length = Number(metadata.num_rows);
  report.limitRows(length);
  const wanted = Object.values(found).filter((name) => name !== undefined);
  const at = (column: ColumnName) => wanted.indexOf(found[column] ?? '');
  const numbers = () => new Float64Array(length).fill(Number.NaN);
  const rows = {
    time: numbers(),
    latitude: numbers(),
    longitude: numbers(),
    altitude: numbers(),
    speed: numbers(),
    onGround: new Uint8Array(length),
    icao24: new Array<unknown>(length),
    callsign: new Array<unknown>(length),
    flightId: new Array<unknown>(length),
    type: new Array<unknown>(length),
    registration: new Array<unknown>(length),
    length,
    altitudeName: found.altitude ?? '',
  };
  const textColumns = (['icao24', 'callsign', 'flightId', 'type', 'registration'] as const).filter(
    (column) => at(column) !== -1,
  );
  const numberColumns = (['latitude', 'longitude', 'altitude', 'speed'] as const).filter(
    (column) => at(column) !== -1,
  );
  let start = 0;
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    if (count > MAX_GROUP_ROWS)
      throw new FlightFileError(
        'too_large',
        `a row group of the Parquet file has ${count} rows; write smaller ones`,
      );
    await parquetRead({
      file,
      metadata,
      columns: wanted,
      compressors,
      rowStart: start,
      rowEnd: start + count,
      onComplete: (values: unknown[][]) => {
        values.forEach((row, k) => {
          for (const column of numberColumns) rows[column][start + k] = numberOf(row[at(column)]);
          for (const column of textColumns) rows[column][start + k] = row[at(column)];
          rows.time[start + k] = timeOf(row[at('time')]);
          const ground = row[at('onGround')];
          rows.onGround[start + k] = ground === true || ground === 1 ? 1 : 0;
        });
      },
    });
    start += count;
  }
  return rows;
}

interface Group {
  readonly id: string;
  readonly of: readonly number[];
}

/** Rows by `flight_id`, or by airframe where there is none. */
function namedGroups(rows: Rows): Group[] {
  const key = (row: number) => detailOf(rows.flightId[row]) ?? detailOf(rows.icao24[row]) ?? '';
  const all = new Map<string, number[]>();
  for (let row = 0; row < rows.length; row++) {
    const id = key(row);
    const of = all.get(id);
    if (of === undefined) all.set(id, [row]);
    else of.push(row);
  }
  return [...all].map(([id, of]) => ({ id, of }));
}

function legsOf(rows: Rows, { id: icao24, of: all }: Group, scale: number): Group[] {
  // Points without time or position cannot mark the end of a leg; they are counted with the first leg.
  const known = all.filter(
    (row) =>
      !Number.isNaN(rows.time[row]) &&
      !Number.isNaN(rows.latitude[row]) &&
      !Number.isNaN(rows.longitude[row]),
  );
  const column = (values: Float64Array) => Float64Array.from(known, (row) => values[row] as number);
  const unknown = known.map(() => null);
  const legs = cutIntoLegs({
    timestamp: column(rows.time),
    latitude: column(rows.latitude),
    longitude: column(rows.longitude),
    altitude_baro: column(rows.altitude).map((altitude) => altitude * scale),
    altitude_gnss: new Float64Array(known.length).fill(Number.NaN),
    callsign: known.map((row) => detailOf(rows.callsign[row])),
    flight_id: unknown,
    onGround: Uint8Array.from(known, (row) => rows.onGround[row] as number),
  });
  const isKnown = new Set(known);
  const others = all.filter((row) => !isKnown.has(row));
  const groups = legs.map((leg) => Array.from(leg.rows, (index) => known[index] as number));
  if (groups.length === 0) return others.length > 0 ? [{ id: icao24, of: others }] : [];
  groups[0] = [...(groups[0] as number[]), ...others];
  return groups.map((of, k) => ({ id: groups.length > 1 ? `${icao24} ${k + 1}` : icao24, of }));
}

function pointOf(rows: Rows, row: number, scale: number) {
  return {
    timeMs: rows.time[row] as number,
    longitude: rows.longitude[row] as number,
    latitude: rows.latitude[row] as number,
    altitudeFt: (rows.altitude[row] as number) * scale,
    refusal: rows.onGround[row] === 1 ? ('on_ground' as const) : undefined,
  };
}

/** Rows on the ground separate legs and are in none. */
function countLeftOut(rows: Rows, groups: readonly Group[], file: string, report: FileReport): void {
  const used = new Uint8Array(rows.length);
  for (const { of } of groups) for (const row of of) used[row] = 1;
  used.forEach((isUsed, row) => {
    if (isUsed) return;
    report.points++;
    report.refusePoint('on_ground', file, `row ${row + 1}`);
  });
}

/** Feet of a unit of altitude. `altitude` is in feet or metres under the same name: speeds show which. */
function scaleOf(rows: Rows, groups: readonly Group[], { units }: FormatOptions): number {
  const [feet, metres] = [1, 1 / METRES_PER_FOOT];
  if (rows.altitudeName === 'baroaltitude' || units === 'metric') return metres;
  if (units === 'aviation') return feet;
  const ratio = lowerMedian(groups.flatMap(({ of }) => speedRatios(rows, of)));
  if (!Number.isNaN(ratio)) return ratio < METRIC_RATIO ? metres : feet;
  if (rows.altitude.some((altitude) => altitude > HIGHEST_M)) return feet;
  throw new FlightFileError(
    'unit_unknown',
    'the column altitude may be in feet or metres, and no speed settles it; give --units aviation or --units metric',
  );
}

function speedRatios(rows: Rows, of: readonly number[]): number[] {
  const sorted = of
    .filter((row) => !Number.isNaN(rows.time[row]) && !Number.isNaN(rows.latitude[row]))
    .sort((a, b) => (rows.time[a] as number) - (rows.time[b] as number));
  const ratios: number[] = [];
  for (let k = 1; k < sorted.length; k++) {
    const [a, b] = [sorted[k - 1] as number, sorted[k] as number];
    const seconds = ((rows.time[b] as number) - (rows.time[a] as number)) / 1000;
    const position = (row: number) => [rows.longitude[row] as number, rows.latitude[row] as number] as const;
    const metres = haversineM(...position(a), ...position(b));
    const ratio = (rows.speed[b] as number) / (metres / seconds);
    if (seconds >= 5 && seconds <= 60 && metres > 500 && !Number.isNaN(ratio)) ratios.push(ratio);
  }
  return ratios;
}
