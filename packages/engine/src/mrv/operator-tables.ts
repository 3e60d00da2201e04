/** The flights of an operator, and what its tables have in common: CSV or Parquet. */
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
    const ms = parseUtc(written);
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
    safBlendPct: blendOf(text('fuel'), number('saf_blend_pct'), findings),
    hydrogenContentPct: number('hydrogen_content_pct'),
    aromaticsVolPct: number('aromatics_vol_pct'),
    naphthaleneVolPct: number('naphthalene_vol_pct'),
    sulphurPpm: number('sulphur_ppm'),
    exempt: text('exempt'),
    findings,
  };
}

/** ISO 8601, in UTC unless it has a zone [ms since 1970]. */
export function parseUtc(written: string): number {
  const isZoned = /(Z|[+-]\d\d:?\d\d)$/.test(written);
  return Date.parse(isZoned ? written : `${written.replace(' ', 'T')}Z`);
}

/** A blend that contradicts `fuel` is not used. */
function blendOf(fuel: string | null, blend: number | null, findings: string[]): number | null {
  if (fuel === null) return blend;
  if (fuel === 'JetA') {
    if (blend !== null && blend > 0) findings.push('saf_blend_contradicts_fuel');
    return 0;
  }
  if (fuel !== 'SAF') findings.push('fuel_invalid');
  else if (blend === null) findings.push('saf_blend_pct_missing');
  return blend;
}

/** Texts of CSV stay texts: an empty cell is unknown, a leading zero is kept. */
export function sourceOf(path: string): string {
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

export function requireColumns(path: string, columns: readonly string[], wanted: readonly string[]): void {
  const missing = wanted.filter((name) => !columns.includes(name));
  if (missing.length === 0) return;
  throw new UsageError(
    `${path} has no column ${missing.join(', ')}; it has ${columns.slice(0, MAX_SHOWN).join(', ')}${columns.length > MAX_SHOWN ? ', …' : ''}`,
  );
}
