/** The tables of an operator: flights and their waypoints, as CSV or Parquet. */
import { type DuckDb, sqlPath } from '@contrails/formats';
import { designator } from '@contrails/physics/aircraft';
import { UsageError } from '@contrails/runtime/errors';

/** A row of the flights; null is not known. */
export interface OperatorFlight {
  readonly key: string;
  readonly operator: string | null;
  readonly callsign: string | null;
  readonly registration: string | null;
  readonly icaoAddress: string | null;
  readonly flightNumber: string | null;
  readonly departureAirport: string;
  readonly arrivalAirport: string;
  readonly departureMs: number;
  readonly arrivalMs: number;
  readonly aircraftType: string | null;
  readonly engineUid: string | null;
  readonly takeoffMassKg: number | null;
  readonly passengerLoadFactor: number | null;
  readonly cargoLoadFactor: number | null;
  readonly fuelBurnKg: number | null;
  readonly safBlendPct: number | null;
  readonly hydrogenContentPct: number | null;
  readonly aromaticsVolPct: number | null;
  readonly naphthaleneVolPct: number | null;
  readonly sulphurPpm: number | null;
  /** Why the flight is exempt. */
  readonly exempt: string | null;
  /** Values that break their rule and are not used. */
  readonly findings: readonly string[];
}

/** The waypoints of a flight, strictly increasing in time. */
export interface Track {
  readonly timeMs: Float64Array;
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeFt: Float64Array;
  readonly fuelFlowKgS?: Float64Array;
  readonly aircraftMassKg?: Float64Array;
  readonly trueAirspeedMS?: Float64Array;
}

const REQUIRED = ['flight_key', 'departure_airport', 'arrival_airport', 'departure_time', 'arrival_time'];
const MAX_FLIGHT_MS = 24 * 3_600_000;
const MAX_SHOWN = 5;

/** Ranges of numbers; a value outside is not used. */
const NUMBERS = {
  takeoff_mass_kg: [1, 1_000_000],
  passenger_load_factor: [0, 1],
  cargo_load_factor: [0, 1],
  fuel_burn_kg: [Number.MIN_VALUE, 1_000_000],
  saf_blend_pct: [0, 100],
  hydrogen_content_pct: [12, 16],
  aromatics_vol_pct: [0, 30],
  naphthalene_vol_pct: [0, 5],
  sulphur_ppm: [0, 5000],
} as const;

/** Reads the flights; what is missing or repeated stops the work, because no row may be dropped silently. */
export async function readOperatorFlights(duckdb: DuckDb, path: string): Promise<OperatorFlight[]> {
  const columns = await columnsOf(duckdb, path);
  requireColumns(path, columns, REQUIRED);
  const rows = await duckdb.rows(`SELECT * FROM ${sourceOf(path)}`);
  const flights = rows.map((row, r) => readFlight(path, r, row));
  const seen = new Set<string>();
  for (const { key } of flights) {
    if (seen.has(key))
      throw new UsageError(`${path}: flight_key ${key} is there twice; give each flight its own`);
    seen.add(key);
  }
  return flights;
}

function readFlight(path: string, r: number, row: Readonly<Record<string, unknown>>): OperatorFlight {
  const text = (name: string) => {
    const value = row[name];
    const written = value === null || value === undefined ? '' : String(value).trim();
    return written === '' ? null : written;
  };
  const required = (name: string) => {
    const value = text(name);
    if (value === null) throw new UsageError(`${path}: row ${r + 1} has no ${name}; every flight needs one`);
    return value;
  };
  const instant = (name: string) => {
    const written = required(name);
    const isZoned = /(Z|[+-]\d\d:?\d\d)$/.test(written);
    const ms = Date.parse(isZoned ? written : `${written.replace(' ', 'T')}Z`);
    if (Number.isFinite(ms)) return ms;
    throw new UsageError(
      `${path}: row ${r + 1} has ${name} ${written}; give ISO 8601 in UTC, such as 2025-01-14T06:00:00Z`,
    );
  };
  const findings: string[] = [];
  const number = (name: keyof typeof NUMBERS) => {
    const written = text(name);
    if (written === null) return null;
    const value = Number(written);
    const [min, max] = NUMBERS[name];
    if (value >= min && value <= max) return value;
    findings.push(`${name}_invalid`);
    return null;
  };
  const [departureMs, arrivalMs] = [instant('departure_time'), instant('arrival_time')];
  const key = required('flight_key');
  if (!(arrivalMs > departureMs && arrivalMs - departureMs <= MAX_FLIGHT_MS))
    throw new UsageError(
      `${path}: flight ${key} arrives before it departs, or more than 24 h later; correct its times`,
    );
  const [callsign, registration] = [text('callsign'), text('registration')];
  if (callsign === null && registration === null)
    throw new UsageError(`${path}: flight ${key} has neither callsign nor registration; give one of them`);
  const type = text('aircraft_type');
  return {
    key,
    operator: text('operator'),
    callsign,
    registration,
    icaoAddress: text('icao_address'),
    flightNumber: text('flight_number'),
    departureAirport: required('departure_airport').toUpperCase(),
    arrivalAirport: required('arrival_airport').toUpperCase(),
    departureMs,
    arrivalMs,
    aircraftType: type === null ? null : designator(type),
    engineUid: text('engine_uid'),
    takeoffMassKg: number('takeoff_mass_kg'),
    passengerLoadFactor: number('passenger_load_factor'),
    cargoLoadFactor: number('cargo_load_factor'),
    fuelBurnKg: number('fuel_burn_kg'),
    safBlendPct: number('saf_blend_pct'),
    hydrogenContentPct: number('hydrogen_content_pct'),
    aromaticsVolPct: number('aromatics_vol_pct'),
    naphthaleneVolPct: number('naphthalene_vol_pct'),
    sulphurPpm: number('sulphur_ppm'),
    exempt: text('exempt'),
    findings,
  };
}

const TRACK_COLUMNS = ['flight_key', 'time', 'latitude', 'longitude', 'altitude_ft'];
const GIVEN = {
  fuel_flow_kg_s: 'fuelFlowKgS',
  aircraft_mass_kg: 'aircraftMassKg',
  true_airspeed_m_s: 'trueAirspeedMS',
} as const;
const GIVEN_NAMES = Object.keys(GIVEN) as (keyof typeof GIVEN)[];

/** Reads the waypoints of all flights, or of some. */
export async function readTracks(
  duckdb: DuckDb,
  path: string,
  keys?: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Track>> {
  const columns = await columnsOf(duckdb, path);
  requireColumns(path, columns, TRACK_COLUMNS);
  const given = GIVEN_NAMES.filter((name) => columns.includes(name));
  const number = (name: string) => `TRY_CAST(${name} AS DOUBLE)`;
  const wanted = ['longitude', 'latitude', 'altitude_ft', ...given].map(number);
  const tracks = new Map<string, Track>();
  let points: number[][] = [];
  let key: string | undefined;
  const finish = () => {
    if (key !== undefined && points.length >= 2) tracks.set(key, trackOf(points, given));
    points = [];
  };
  const sql = `SELECT CAST(flight_key AS VARCHAR) AS k, epoch_ms(TRY_CAST(CAST(time AS VARCHAR) AS TIMESTAMP)) AS t, ${wanted.join(', ')} FROM ${sourceOf(path)} ORDER BY k, t`;
  for await (const chunk of duckdb.chunks(sql)) {
    const names = chunk.texts(0);
    const values = Array.from({ length: 4 + given.length }, (_, c) => chunk.numbers(c + 1));
    for (let r = 0; r < chunk.rowCount; r++) {
      const name = names[r] ?? '';
      if (name !== key) {
        finish();
        key = name;
      }
      if (keys !== undefined && !keys.has(name)) continue;
      const point = values.map((column) => column[r] as number);
      if (point.slice(0, 4).some(Number.isNaN))
        throw new UsageError(
          `${path}: flight ${name} has a waypoint without time, position or altitude; give ISO 8601, degrees and feet`,
        );
      const last = points.at(-1)?.[0];
      if (last === undefined || (point[0] as number) > last) points.push(point);
    }
  }
  finish();
  return tracks;
}

function trackOf(points: readonly (readonly number[])[], given: readonly (keyof typeof GIVEN)[]): Track {
  const column = (c: number) => Float64Array.from(points, (point) => point[c] as number);
  const known = given.flatMap((name, g) => {
    const values = column(4 + g);
    return values.some(Number.isNaN) ? [] : [[GIVEN[name], values] as const];
  });
  return {
    timeMs: column(0),
    longitude: column(1),
    latitude: column(2),
    altitudeFt: column(3),
    ...Object.fromEntries(known),
  };
}

/** Texts of CSV stay texts: an empty cell is unknown, a leading zero is kept. */
function sourceOf(path: string): string {
  return path.endsWith('.parquet')
    ? `read_parquet(${sqlPath(path)})`
    : `read_csv(${sqlPath(path)}, header = true, all_varchar = true, sample_size = 20480)`;
}

export async function countRows(duckdb: DuckDb, path: string): Promise<number> {
  const [row] = await duckdb.rows(`SELECT count(*) AS n FROM ${sourceOf(path)}`);
  return Number(row?.n ?? 0);
}

/** Every cell as a text; an empty one is null. */
export async function readTexts(duckdb: DuckDb, path: string): Promise<Record<string, string | null>[]> {
  const rows = await duckdb.rows(`SELECT * FROM ${sourceOf(path)}`);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value == null || value === '' ? null : String(value),
      ]),
    ),
  );
}

export async function columnsOf(duckdb: DuckDb, path: string): Promise<string[]> {
  try {
    const rows = await duckdb.rows(`DESCRIBE SELECT * FROM ${sourceOf(path)}`);
    return rows.map((row) => String(row.column_name));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new UsageError(`${path} cannot be read as CSV with a header or Parquet (${reason})`);
  }
}

function requireColumns(path: string, columns: readonly string[], wanted: readonly string[]): void {
  const missing = wanted.filter((name) => !columns.includes(name));
  if (missing.length === 0) return;
  throw new UsageError(
    `${path} has no column ${missing.join(', ')}; it has ${columns.slice(0, MAX_SHOWN).join(', ')}${columns.length > MAX_SHOWN ? ', …' : ''}`,
  );
}
