import {
  type CollectionType,
  POSITION_SOURCES,
  type TelemetryColumns,
  type WorkColumns,
} from '../telemetry/columns.ts';
import type { DamagedError } from './errors.ts';
import { isQuarantined, type Refusal, type RefusalCode } from './refusals.ts';
import { detailOf, type Report, refusalOf } from './report.ts';

/** A part of an input: rows and refused records, both in the order of the input. */
export interface TelemetryBlock {
  readonly columns: TelemetryColumns;
  readonly work: WorkColumns;
  /** Number of the record of each row in the input, from 0. */
  readonly record: Float64Array;
  readonly refused: readonly Refusal[];
  /** Reports refused as `on_ground`: they are not rows, but they separate flights. */
  readonly groundReports: GroundReports;
  /** Entries of an archive that hold no telemetry; they were not read. */
  readonly skippedEntries: readonly string[];
  /** Where the input breaks off, and why; what should follow there is lost. */
  readonly truncations: readonly string[];
}

export interface GroundReports {
  readonly icao_address: readonly string[];
  readonly timestamp: Float64Array;
}

export interface IntakeSettings {
  /** The clock [ms since 1970] to detect future times. */
  readonly nowMs: number;
  /** A block has at most as many records. */
  readonly blockRecords: number;
}

/** Quarantined texts of a block are this long together, roughly. */
const MAX_RAW_CHARACTERS = 8 * 2 ** 20;
/** A longer text is cut; it then shows what it was, but cannot be read again. */
const MAX_RAW_LENGTH = 65_536;

/** Takes the reports of readers one by one, refuses what is not a row, and hands out blocks. */
export class Intake {
  private readonly settings: IntakeSettings;
  private readonly full: TelemetryBlock[] = [];
  private open: OpenBlock;
  private records = 0;
  private place = '';
  private index = 0;
  private offset: number | undefined;
  /** The entry of an archive that is being read. */
  entry: string | undefined;
  truncationCount = 0;

  constructor(settings: IntakeSettings) {
    this.settings = settings;
    this.open = new OpenBlock(FIRST_CAPACITY, settings.blockRecords);
  }

  /** Where the next record stands in the input: `line 3, byte 120`. */
  at(place: string, index: number, offset?: number): void {
    this.place = place;
    this.index = index;
    this.offset = offset;
  }

  /** Takes a report as a row, or refuses it. `rawOf` is asked for the text of a record that is quarantined. */
  add<T>(report: Report, rawOf: (context: T) => string, context: T): void {
    const code = refusalOf(report, this.settings.nowMs);
    if (code === undefined) {
      this.open.addRow(this.records, report);
      this.next();
      return;
    }
    if (code === 'on_ground') this.open.addGround(report.address as string, report.timestamp);
    const detail = detailOf(code, report);
    const raw = isQuarantined(code) ? rawOf(context) : undefined;
    this.refuse(
      code,
      code === 'parse_error' ? this.placed(detail) : detail,
      raw,
      report.timestamp,
      report.address,
    );
  }

  /** Refuses a record that could not be read, or several that run together. */
  refuseUnreadable(problem: string, raw: string): void {
    this.refuse('parse_error', this.placed(problem), raw);
  }

  /** One refusal stands for everything behind the damage. */
  refuseRest(damage: DamagedError): void {
    this.at('', 0);
    this.truncate(damage.message);
    this.refuseUnreadable(`${damage.message}; the records before it are read, the rest is lost`, '');
  }

  /** Marks the input as one that breaks off. */
  truncate(reason: string): void {
    this.truncationCount++;
    this.open.truncations.push(this.placed(reason));
  }

  private refuse(
    code: RefusalCode,
    detail: string,
    raw?: string,
    timeMs = Number.NaN,
    address: string | null = null,
  ): void {
    const refusal: { -readonly [Name in keyof Refusal]: Refusal[Name] } = {
      record: this.records,
      code,
      detail,
    };
    if (address !== null) refusal.address = address;
    if (!Number.isNaN(timeMs)) refusal.timeMs = timeMs;
    if (raw !== undefined) refusal.raw = raw.slice(0, MAX_RAW_LENGTH);
    this.open.refused.push(refusal);
    this.open.rawCharacters += raw === undefined ? 0 : Math.min(raw.length, MAX_RAW_LENGTH);
    this.next();
  }

  skipEntry(name: string): void {
    this.open.skippedEntries.push(name);
  }

  /** Blocks that have all their records. Which records share a block does not depend on how the bytes arrive. */
  *takeFull(): Generator<TelemetryBlock> {
    for (let block = this.full.shift(); block !== undefined; block = this.full.shift()) yield block;
  }

  *takeRest(): Generator<TelemetryBlock> {
    yield* this.takeFull();
    if (!this.open.isEmpty) yield this.open.finish();
  }

  private placed(problem: string): string {
    const bytes = this.offset === undefined ? '' : `, byte ${this.offset}`;
    const place = this.place === '' ? [] : [`${this.place} ${this.index}${bytes}`];
    return [...(this.entry === undefined ? [] : [this.entry]), ...place, problem].join(': ');
  }

  private next(): void {
    this.records++;
    this.open.records++;
    if (this.open.records < this.settings.blockRecords && this.open.rawCharacters < MAX_RAW_CHARACTERS)
      return;
    const block = this.open.finish();
    this.full.push(block);
    // The next block will have about as many rows.
    this.open = new OpenBlock(block.record.length, this.settings.blockRecords);
  }
}

const FIRST_CAPACITY = 1024;

class OpenBlock {
  records = 0;
  rawCharacters = 0;
  readonly refused: Refusal[] = [];
  readonly skippedEntries: string[] = [];
  readonly truncations: string[] = [];
  private rows = 0;
  private capacity: number;
  private readonly maxCapacity: number;
  private readonly groundAddress: string[] = [];
  private readonly groundTime: number[] = [];
  private record: Float64Array;
  private numbers: Numbers;
  private flags: Flags;
  private readonly collectionType = new FewValues<CollectionType>('terrestrial');
  private readonly address: string[] = [];
  private readonly texts = {
    flight_id: new FewValues<string | null>(null),
    callsign: new FewValues<string | null>(null),
    tail_number: new FewValues<string | null>(null),
    flight_number: new FewValues<string | null>(null),
    aircraft_type_icao: new FewValues<string | null>(null),
    airline_iata: new FewValues<string | null>(null),
    departure_airport_icao: new FewValues<string | null>(null),
    arrival_airport_icao: new FewValues<string | null>(null),
  };

  constructor(capacity: number, maxCapacity: number) {
    this.maxCapacity = maxCapacity;
    this.capacity = Math.min(Math.max(capacity, FIRST_CAPACITY), maxCapacity);
    this.record = new Float64Array(this.capacity);
    this.numbers = allocateNumbers(this.capacity);
    this.flags = allocateFlags(this.capacity);
  }

  get isEmpty(): boolean {
    return this.records === 0 && this.skippedEntries.length === 0 && this.truncations.length === 0;
  }

  addGround(address: string, timestamp: number): void {
    this.groundAddress.push(address);
    this.groundTime.push(timestamp);
  }

  addRow(record: number, report: Report): void {
    if (this.rows === this.capacity) this.resize(Math.min(this.capacity * 4, this.maxCapacity));
    const i = this.rows++;
    const { numbers, flags, texts } = this;
    this.record[i] = record;
    numbers.timestamp[i] = report.timestamp;
    numbers.latitude[i] = report.latitude;
    numbers.longitude[i] = report.longitude;
    numbers.altitude_baro[i] = report.altitudeBaro;
    numbers.altitude_gnss[i] = report.altitudeGnss;
    numbers.departure_scheduled_time[i] = report.departureTime;
    numbers.arrival_scheduled_time[i] = report.arrivalTime;
    numbers.nic[i] = report.nic;
    numbers.nacp[i] = report.nacp;
    numbers.positionAgeS[i] = report.positionAgeS;
    flags.positionSource[i] = POSITION_SOURCES.indexOf(report.positionSource);
    flags.legFlag[i] = report.legFlag ? 1 : 0;
    this.collectionType.set(i, report.collectionType);
    this.address.push(report.address as string);
    texts.flight_id.set(i, report.flightId);
    texts.callsign.set(i, report.callsign);
    texts.tail_number.set(i, report.tailNumber);
    texts.flight_number.set(i, report.flightNumber);
    texts.aircraft_type_icao.set(i, report.aircraftType);
    texts.airline_iata.set(i, report.airline);
    texts.departure_airport_icao.set(i, report.departureAirport);
    texts.arrival_airport_icao.set(i, report.arrivalAirport);
  }

  finish(): TelemetryBlock {
    if (this.rows < this.capacity) this.resize(this.rows);
    const { positionAgeS, ...numbers } = this.numbers;
    const { texts } = this;
    return {
      columns: {
        ...numbers,
        collection_type: this.collectionType.column(this.rows),
        icao_address: this.address,
        flight_id: texts.flight_id.column(this.rows),
        callsign: texts.callsign.column(this.rows),
        tail_number: texts.tail_number.column(this.rows),
        flight_number: texts.flight_number.column(this.rows),
        aircraft_type_icao: texts.aircraft_type_icao.column(this.rows),
        airline_iata: texts.airline_iata.column(this.rows),
        departure_airport_icao: texts.departure_airport_icao.column(this.rows),
        arrival_airport_icao: texts.arrival_airport_icao.column(this.rows),
      },
      work: { positionAgeS, ...this.flags },
      record: this.record,
      refused: this.refused,
      groundReports: { icao_address: this.groundAddress, timestamp: Float64Array.from(this.groundTime) },
      skippedEntries: this.skippedEntries,
      truncations: this.truncations,
    };
  }

  private resize(capacity: number): void {
    this.capacity = capacity;
    this.numbers = resized(this.numbers, capacity);
    this.flags = resized(this.flags, capacity);
    const { record } = resized({ record: this.record }, capacity);
    this.record = record;
  }
}

/** A column that most inputs have one value for, or none: it is filled in at the end. */
class FewValues<T> {
  private readonly usual: T;
  private readonly values: T[] = [];

  constructor(usual: T) {
    this.usual = usual;
  }

  set(row: number, value: T): void {
    if (value === this.usual) return;
    const { values } = this;
    while (values.length < row) values.push(this.usual);
    values.push(value);
  }

  column(rows: number): T[] {
    const { values } = this;
    if (values.length === 0) return new Array<T>(rows).fill(this.usual);
    while (values.length < rows) values.push(this.usual);
    return values;
  }
}

type Numbers = ReturnType<typeof allocateNumbers>;
type Flags = ReturnType<typeof allocateFlags>;

function allocateNumbers(length: number) {
  return {
    timestamp: new Float64Array(length),
    latitude: new Float64Array(length),
    longitude: new Float64Array(length),
    altitude_baro: new Float64Array(length),
    altitude_gnss: new Float64Array(length),
    departure_scheduled_time: new Float64Array(length),
    arrival_scheduled_time: new Float64Array(length),
    nic: new Float64Array(length),
    nacp: new Float64Array(length),
    positionAgeS: new Float64Array(length),
  };
}

/** A row is never on the ground. */
function allocateFlags(length: number) {
  return {
    positionSource: new Uint8Array(length),
    legFlag: new Uint8Array(length),
    onGround: new Uint8Array(length),
  };
}

/** The first elements of each array, in arrays of another length. */
function resized<T extends Readonly<Record<string, Float64Array | Uint8Array>>>(
  arrays: T,
  length: number,
): T {
  const copies = Object.entries(arrays).map(([name, array]) => {
    const copy = array instanceof Float64Array ? new Float64Array(length) : new Uint8Array(length);
    copy.set(array.subarray(0, Math.min(array.length, length)));
    return [name, copy];
  });
  return Object.fromEntries(copies) as T;
}
