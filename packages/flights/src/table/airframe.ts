/** The reports of one airframe, collected from the rows of tables. */
import type { DuckDbChunk } from '@contrails/formats';
import { sharedFloat64, sharedUint8 } from '@contrails/runtime';
import type { AirframeReports, NameColumns, NamedReports } from '../telemetry/airframe-reports.ts';

/** What rarely changes from one report of an airframe to the next. As text it would take longer than everything else. */
export const REPORT_NAMES = [
  'icao_address',
  'collection_type',
  'flight_id',
  'callsign',
  'tail_number',
  'flight_number',
  'aircraft_type_icao',
  'airline_iata',
  'departure_airport_icao',
  'departure_scheduled_time',
  'arrival_airport_icao',
  'arrival_scheduled_time',
] as const satisfies readonly (keyof NameColumns)[];

export const FIGURES = [
  'timestamp',
  'latitude',
  'longitude',
  'altitude_baro',
  'altitude_gnss',
  'nic',
  'nacp',
] as const satisfies readonly (keyof AirframeReports)[];

export interface ChunkColumns {
  readonly airframe: Float64Array;
  readonly nameId: Float64Array;
  /** Orders reports of the same time. */
  readonly rowNumber: Float64Array;
  /** `FIGURES`. */
  readonly figures: readonly Float64Array[];
  /** 1 on the ground, plus `LEG_FLAG` at a new leg, plus `NAMES_FLAG` with names, plus the refusal times `FIRST_CODE`. */
  readonly flags: Float64Array;
}

const FIRST_FIGURE = 3;
const FLAGS_COLUMN = FIRST_FIGURE + FIGURES.length;
/** JSON of `REPORT_NAMES`, in one row for each number of names. */
export const NAMES_COLUMN = FLAGS_COLUMN + 1;
export const LEG_FLAG = 2;
export const NAMES_FLAG = 4;
export const FIRST_CODE = 8;

export function readChunk(chunk: DuckDbChunk): ChunkColumns {
  const figures = FIGURES.map((_, k) => chunk.numbers(FIRST_FIGURE + k));
  return {
    airframe: chunk.numbers(0),
    nameId: chunk.numbers(1),
    rowNumber: chunk.numbers(2),
    figures,
    flags: chunk.numbers(FLAGS_COLUMN),
  };
}

/** End of the reports of one airframe that begin here; those after the first have no names. */
export function endOfRun({ airframe, flags }: ChunkColumns, first: number): number {
  let end = first + 1;
  while (end < airframe.length && airframe[end] === airframe[first] && (flags[end] as number) < NAMES_FLAG)
    end++;
  return end;
}

/** The reports of one airframe as threads are given them: names are listed once, and numbered in the reports. */
export interface PackedAirframe {
  readonly count: number;
  /** `REPORT_NAMES` by their number. */
  readonly names: ReadonlyMap<number, readonly (string | null)[]>;
  readonly nameIds: Float64Array;
  /** As in a chunk; no refusals. */
  readonly flags: Float64Array | Uint8Array;
  /** `FIGURES`. */
  readonly figures: readonly Float64Array[];
}

const FIRST_CAPACITY = 1024;

/** Collects the reports of one airframe as they come. */
export class Airframe {
  readonly number: number;
  count = 0;
  private readonly names = new Map<number, readonly (string | null)[]>();
  private nameIds = new Float64Array(FIRST_CAPACITY);
  private flags = new Float64Array(FIRST_CAPACITY);
  private figures = FIGURES.map(() => new Float64Array(FIRST_CAPACITY));

  constructor(number: number) {
    this.number = number;
  }

  name(id: number, names: string): void {
    this.names.set(id, JSON.parse(names) as (string | null)[]);
  }

  add({ nameId, flags, figures }: ChunkColumns, first: number, end: number): void {
    while (this.count + end - first > this.nameIds.length) this.grow();
    this.nameIds.set(nameId.subarray(first, end), this.count);
    this.flags.set(flags.subarray(first, end), this.count);
    figures.forEach((column, k) => {
      this.figures[k]?.set(column.subarray(first, end), this.count);
    });
    this.count += end - first;
  }

  pack(): PackedAirframe {
    const { count, names } = this;
    // Copies: a part of an array takes the whole of it along to a thread.
    const packed = (column: Float64Array) => column.slice(0, count);
    return {
      count,
      names,
      nameIds: packed(this.nameIds),
      flags: packed(this.flags),
      figures: this.figures.map(packed),
    };
  }

  private grow(): void {
    const grown = (column: Float64Array) => {
      const larger = new Float64Array(2 * column.length);
      larger.set(column);
      return larger;
    };
    this.nameIds = grown(this.nameIds);
    this.flags = grown(this.flags);
    this.figures = this.figures.map(grown);
  }
}

/** In `GatheredReports`: the figures, two numbers and a byte. */
export const BYTES_PER_REPORT = (FIGURES.length + 2) * Float64Array.BYTES_PER_ELEMENT + 1;

/** The reports of all airframes, in memory that threads share. Rows come in any order. */
export class GatheredReports {
  /** Where the reports of each airframe begin, and where its next one goes. */
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private readonly nameIds: Float64Array;
  private readonly rowNumbers: Float64Array;
  private readonly flags: Uint8Array;
  private readonly figures: readonly Float64Array[];

  /** `counts`: how many rows each airframe has at most, by its number. */
  constructor(counts: readonly number[]) {
    this.starts = new Uint32Array(counts.length);
    let total = 0;
    for (let airframe = 0; airframe < counts.length; airframe++) {
      this.starts[airframe] = total;
      total += counts[airframe] ?? 0;
    }
    this.ends = this.starts.slice();
    this.nameIds = sharedFloat64(total);
    this.rowNumbers = new Float64Array(total);
    this.flags = sharedUint8(total);
    this.figures = FIGURES.map(() => sharedFloat64(total));
  }

  /** `refuse` is called with the number of the reason for each row that is not a report. */
  add({ airframe, nameId, rowNumber, flags, figures }: ChunkColumns, refuse: (code: number) => void): void {
    const count = airframe.length;
    const [from, to] = [new Uint32Array(count), new Uint32Array(count)];
    let kept = 0;
    for (let row = 0; row < count; row++) {
      const flag = flags[row] as number;
      if (flag >= FIRST_CODE) {
        refuse(Math.floor(flag / FIRST_CODE));
        continue;
      }
      const index = this.ends[airframe[row] as number] as number;
      this.ends[airframe[row] as number] = index + 1;
      this.flags[index] = flag;
      from[kept] = row;
      to[kept++] = index;
    }
    const put = (target: Float64Array, source: Float64Array) => {
      for (let k = 0; k < kept; k++) target[to[k] as number] = source[from[k] as number] as number;
    };
    put(this.nameIds, nameId);
    put(this.rowNumbers, rowNumber);
    for (const [k, target] of this.figures.entries()) put(target, figures[k] as Float64Array);
  }

  /** The reports of an airframe in order of time; a number that no row has is one without reports. */
  pack(airframe: number, names: PackedAirframe['names']): PackedAirframe {
    const [first, end] = [this.starts[airframe] ?? 0, this.ends[airframe] ?? 0];
    this.order(first, end);
    return {
      count: end - first,
      names,
      nameIds: this.nameIds.subarray(first, end),
      flags: this.flags.subarray(first, end),
      figures: this.figures.map((column) => column.subarray(first, end)),
    };
  }

  private order(first: number, end: number): void {
    const [time] = this.figures as readonly [Float64Array];
    const { rowNumbers } = this;
    const compare = (a: number, b: number) =>
      (time[a] as number) - (time[b] as number) || (rowNumbers[a] as number) - (rowNumbers[b] as number);
    let row = first + 1;
    // Nearly always in order, and no two at the same time.
    while (row < end && ((time[row - 1] as number) < (time[row] as number) || compare(row - 1, row) < 0))
      row++;
    if (row >= end) return;
    const sorted = Uint32Array.from({ length: end - first }, (_, k) => first + k).sort(compare);
    for (const column of [this.nameIds, this.flags, ...this.figures]) {
      const ordered = column.slice(first, end);
      for (let k = 0; k < sorted.length; k++) ordered[k] = column[sorted[k] as number] as number;
      column.set(ordered, first);
    }
  }
}

/** The same without reports that repeat another one in everything, and how many these are. */
export function withoutRepeats(packed: PackedAirframe): {
  readonly packed: PackedAirframe;
  readonly repeats: number;
} {
  const { count, names, nameIds, flags, figures } = packed;
  const [time] = figures as readonly [Float64Array];
  const kept = new Uint32Array(count);
  let length = 0;
  for (let row = 0; row < count; ) {
    let end = row + 1;
    while (end < count && time[end] === time[row]) end++;
    const known = new Set<string>();
    for (; row < end; row++) {
      // Nearly every report has its own time.
      if (end - row > 1 || known.size > 0) {
        const content = contentOf(packed, row);
        if (known.has(content)) continue;
        known.add(content);
      }
      kept[length++] = row;
    }
  }
  if (length === count) return { packed, repeats: 0 };
  const pick = (column: Float64Array | Uint8Array) =>
    Float64Array.from({ length }, (_, k) => column[kept[k] as number] as number);
  return {
    packed: { count: length, names, nameIds: pick(nameIds), flags: pick(flags), figures: figures.map(pick) },
    repeats: count - length,
  };
}

/** Equal for reports that are. The same names have another number in another file. */
function contentOf({ names, nameIds, flags, figures }: PackedAirframe, row: number): string {
  const marks = (flags[row] as number) & (1 | LEG_FLAG);
  const values = figures.map((column) => column[row]);
  return `${marks} ${values.join(' ')} ${JSON.stringify(names.get(nameIds[row] as number))}`;
}

export function reportsOf(packed: PackedAirframe): AirframeReports {
  return new ListedReports(packed);
}

/** Columns of names are made when they are asked for: flights are built from the list of names. */
class ListedReports implements AirframeReports {
  readonly timestamp: Float64Array;
  readonly latitude: Float64Array;
  readonly longitude: Float64Array;
  readonly altitude_baro: Float64Array;
  readonly altitude_gnss: Float64Array;
  readonly nic: Float64Array;
  readonly nacp: Float64Array;
  readonly onGround: Uint8Array;
  readonly legFlag: Uint8Array;
  readonly names: NameColumns;
  readonly nameIndex: Uint32Array;

  constructor(packed: PackedAirframe) {
    const figure = (name: (typeof FIGURES)[number]) => packed.figures[FIGURES.indexOf(name)] as Float64Array;
    this.timestamp = figure('timestamp');
    this.latitude = figure('latitude');
    this.longitude = figure('longitude');
    this.altitude_baro = figure('altitude_baro');
    this.altitude_gnss = figure('altitude_gnss');
    this.nic = figure('nic');
    this.nacp = figure('nacp');
    this.onGround = flagged(packed, 1);
    this.legFlag = flagged(packed, LEG_FLAG);
    const { names, nameIndex } = listNames(packed);
    this.names = names;
    this.nameIndex = nameIndex;
  }

  get icao_address() {
    return this.column(this.names.icao_address);
  }
  get collection_type() {
    return this.column(this.names.collection_type);
  }
  get flight_id() {
    return this.column(this.names.flight_id);
  }
  get callsign() {
    return this.column(this.names.callsign);
  }
  get tail_number() {
    return this.column(this.names.tail_number);
  }
  get flight_number() {
    return this.column(this.names.flight_number);
  }
  get aircraft_type_icao() {
    return this.column(this.names.aircraft_type_icao);
  }
  get airline_iata() {
    return this.column(this.names.airline_iata);
  }
  get departure_airport_icao() {
    return this.column(this.names.departure_airport_icao);
  }
  get departure_scheduled_time() {
    return Float64Array.from(this.column(this.names.departure_scheduled_time));
  }
  get arrival_airport_icao() {
    return this.column(this.names.arrival_airport_icao);
  }
  get arrival_scheduled_time() {
    return Float64Array.from(this.column(this.names.arrival_scheduled_time));
  }

  private column<T>(listed: ArrayLike<T>): T[] {
    return Array.from(this.nameIndex, (index) => listed[index] as T);
  }
}

/** Names stay the same from one report to the next. */
function listNames({ count, names, nameIds }: PackedAirframe): NamedReports {
  const indices = new Map<number, number>();
  const nameIndex = new Uint32Array(count);
  let [lastId, index] = [Number.NaN, 0];
  for (let row = 0; row < count; row++) {
    const id = nameIds[row] as number;
    if (id !== lastId) {
      lastId = id;
      index = indices.get(id) ?? indices.size;
      indices.set(id, index);
    }
    nameIndex[row] = index;
  }
  const listed = Array.from(indices.keys(), (id) => names.get(id) ?? []);
  const columns = REPORT_NAMES.map((name, k) => {
    if (!name.endsWith('_time')) return [name, listed.map((values) => values[k] ?? null)];
    const times = listed.map((values) => (values[k] == null ? Number.NaN : Number(values[k])));
    return [name, Float64Array.from(times)];
  });
  // Every name has a column of its kind.
  return { names: Object.fromEntries(columns) as NameColumns, nameIndex };
}

function flagged({ count, flags }: PackedAirframe, flag: number): Uint8Array {
  const column = new Uint8Array(count);
  for (let row = 0; row < count; row++) column[row] = (flags[row] as number) & flag ? 1 : 0;
  return column;
}
