/** Points of a flight as a file has them, and the rules that all formats share to make a flight of them. */
import { wrapLongitude } from '@contrails/physics/numerics';
import type { FileFlight, FlightIdentity, FlightKind, Measured } from './flight.ts';
import type { FileReport, PointRefusal } from './refusals.ts';

export interface DraftPoint {
  readonly timeMs: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly altitudeFt: number;
  /** In files with sequence numbers: points are put in this order before they are sorted by time. */
  readonly sequence?: number;
  /** Why the reader itself refuses the point. */
  readonly refusal?: PointRefusal | undefined;
  /** Its line, or its number where the file has no lines; counted from 1. */
  readonly at: number;
  readonly waypoint?: string | null;
  readonly measured?: Readonly<Partial<Record<Measured, number>>>;
  /** For the rule of FlightRadar24 about points on the ground [kt]. */
  readonly speedKt?: number;
}

export interface DraftSettings {
  readonly format: string;
  readonly kind: FlightKind;
  readonly file: string;
  /** What `at` of a point counts (default `line`). */
  readonly unit?: 'line' | 'waypoint' | 'row';
  /** Leading and trailing points with altitude 0 and low speed are on the ground, except the one next to the flight. */
  readonly dropsTaxi?: boolean;
}

const MIN_ALTITUDE_FT = -2000;
const MAX_ALTITUDE_FT = 60_000;
const TAXI_KT = 50;
const MAX_POINTS = 20_000;
const THINNED_S = [1, 2, 5, 10, 15, 20, 30, 60] as const;

/** Gathers the points of a flight in columns. */
export class FlightDraft {
  /** What is known of the flight so far; the first value that is not null stays. */
  identity: Partial<FlightIdentity> = {};
  readonly settings: DraftSettings;
  private readonly time: number[] = [];
  private readonly lon: number[] = [];
  private readonly lat: number[] = [];
  private readonly alt: number[] = [];
  private readonly sequence: number[] = [];
  private readonly speed: number[] = [];
  private readonly names: (string | null)[] = [];
  private readonly measured = new Map<Measured, number[]>();
  private readonly report: FileReport;
  private refusedCount = 0;

  constructor(settings: DraftSettings, report: FileReport) {
    this.settings = settings;
    this.report = report;
  }

  /** Takes what is known and not yet set. */
  know(identity: Partial<FlightIdentity>): void {
    for (const [name, value] of Object.entries(identity)) {
      const known = this.identity as Record<string, unknown>;
      if (value !== null && value !== undefined) known[name] ??= value;
    }
  }

  /** Adds a point, or counts why it is refused. */
  add(point: DraftPoint): void {
    this.report.points++;
    const refusal = point.refusal ?? refusalOf(point);
    if (refusal !== undefined) {
      this.refusedCount++;
      this.report.refusePoint(refusal, this.settings.file, `${this.settings.unit ?? 'line'} ${point.at}`);
      return;
    }
    this.report.pendingPoints++;
    const index = this.time.length;
    this.time.push(point.timeMs);
    this.lon.push(wrapLongitude(point.longitude));
    this.lat.push(point.latitude);
    this.alt.push(point.altitudeFt);
    if (point.sequence !== undefined) this.sequence[index] = point.sequence;
    if (point.speedKt !== undefined) this.speed[index] = point.speedKt;
    if (point.waypoint !== undefined) this.names[index] = point.waypoint;
    for (const [name, value] of Object.entries(point.measured ?? {})) {
      const values = this.measured.get(name as Measured);
      if (values === undefined) this.measured.set(name as Measured, withValue([], index, value));
      else withValue(values, index, value);
    }
  }

  /** The flight; undefined where it has fewer than two points, which is then counted. */
  finish(): FileFlight | undefined {
    const { report, settings } = this;
    const id = this.identity.flight_id ?? '';
    report.pendingPoints -= this.time.length;
    let rows = this.inOrder();
    if (settings.dropsTaxi) rows = this.withoutTaxi(rows);
    rows = this.withoutDuplicates(rows);
    rows = this.thinned(rows);
    if (rows.length < 2) {
      const why =
        rows.length === 0 && this.refusedCount === 0
          ? 'has no points'
          : `has ${rows.length === 0 ? 'no point' : 'one point'} that can be used; a flight needs two`;
      report.refuseFlight('too_few_points', settings.file, `flight ${id} ${why}`, rows.length);
      return undefined;
    }
    report.flights++;
    const column = (values: readonly number[]) => {
      const picked = new Float64Array(rows.length);
      for (let k = 0; k < rows.length; k++) picked[k] = values[rows[k] as number] ?? Number.NaN;
      return picked;
    };
    const measured: Partial<Record<Measured, Float64Array>> = {};
    for (const [name, values] of this.measured) measured[name] = column(values);
    return {
      ...UNKNOWN,
      ...this.identity,
      flight_id: id,
      format: settings.format,
      kind: settings.kind,
      file: settings.file,
      timeMs: column(this.time),
      longitude: column(this.lon),
      latitude: column(this.lat),
      altitudeFt: column(this.alt),
      measured,
      ...(this.names.length === 0 ? {} : { waypoint: rows.map((row) => this.names[row] ?? null) }),
    };
  }

  /** Rows by sequence where there is one, then by time; ties stay in the order of the file. */
  private inOrder(): number[] {
    const { time, sequence } = this;
    const rows = Array.from(time, (_, row) => row);
    const isSorted = time.every((ms, row) => row === 0 || ms >= (time[row - 1] as number));
    if (sequence.length > 0) {
      rows.sort((a, b) => (sequence[a] ?? 0) - (sequence[b] ?? 0) || a - b);
    } else if (isSorted) return rows;
    return rows.sort((a, b) => (time[a] as number) - (time[b] as number));
  }

  private withoutTaxi(rows: number[]): number[] {
    const isTaxi = (row: number | undefined) =>
      row !== undefined && this.alt[row] === 0 && !((this.speed[row] ?? Number.NaN) >= TAXI_KT);
    let [first, last] = [0, rows.length - 1];
    while (first < last && isTaxi(rows[first]) && isTaxi(rows[first + 1])) first++;
    while (last > first && isTaxi(rows[last]) && isTaxi(rows[last - 1])) last--;
    this.leaveOut('on_ground', rows.length - (last + 1 - first));
    return rows.slice(first, last + 1);
  }

  private withoutDuplicates(rows: number[]): number[] {
    const kept = rows.filter((row, k) => this.time[row] !== this.time[rows[k + 1] ?? -1]);
    this.leaveOut('duplicate_time', rows.length - kept.length);
    return kept;
  }

  private thinned(rows: number[]): number[] {
    if (rows.length <= MAX_POINTS) return rows;
    let kept = rows;
    for (const seconds of THINNED_S) {
      const bin = (row: number) => Math.floor((this.time[row] as number) / (1000 * seconds));
      kept = rows.filter(
        (row, k) => k === 0 || k === rows.length - 1 || bin(row) !== bin(rows[k - 1] as number),
      );
      if (kept.length <= MAX_POINTS) break;
    }
    this.leaveOut('thinned', rows.length - kept.length);
    return kept;
  }

  private leaveOut(code: PointRefusal, count: number): void {
    const { report, settings, identity } = this;
    for (let k = 0; k < count; k++) report.refusePoint(code, settings.file, `flight ${identity.flight_id}`);
    this.refusedCount += count;
  }
}

const UNKNOWN: Omit<FlightIdentity, 'flight_id'> = {
  callsign: null,
  flight_number: null,
  tail_number: null,
  icao_address: null,
  airline_icao: null,
  aircraft_type: null,
  departure_airport_icao: null,
  arrival_airport_icao: null,
  departure_scheduled_time: null,
  arrival_scheduled_time: null,
  takeoff_mass: null,
};

function withValue(values: number[], index: number, value: number): number[] {
  while (values.length < index) values.push(Number.NaN);
  values.push(value);
  return values;
}

/** The first rule that a point breaks by itself. */
function refusalOf({ timeMs, longitude, latitude, altitudeFt }: DraftPoint): PointRefusal | undefined {
  if (Number.isNaN(timeMs)) return 'missing_time';
  if (Number.isNaN(longitude) || Number.isNaN(latitude)) return 'missing_position';
  if (!(Math.abs(latitude) <= 90 && longitude >= -180 && longitude <= 360)) return 'position_out_of_range';
  if (latitude === 0 && longitude === 0) return 'null_island';
  if (Number.isNaN(altitudeFt)) return 'missing_altitude';
  return altitudeFt >= MIN_ALTITUDE_FT && altitudeFt <= MAX_ALTITUDE_FT ? undefined : 'altitude_out_of_range';
}
