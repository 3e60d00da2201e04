/** Compares a report with another tool's table: the flights both have, what differs, and why. */
import { join } from 'node:path';
import { UsageError } from '@contrails/runtime/errors';
import type { FlightGiven } from '../flights/fleet.ts';
import {
  type ReportHooks,
  type ReportServices,
  type ReportSettings,
  recomputeFlights,
} from './compute-report.ts';
import { FLIGHT_COLUMNS, type FlightRow, NUMBER_COLUMNS } from './flight-row.ts';
import type { FlightInputs } from './inputs.ts';
import { columnsOf, parseUtc, readTexts } from './operator-tables.ts';
import { readManifest, readRows } from './verify.ts';

export interface Comparison {
  /** Keys of flights that only one of the two has. */
  readonly only_ours: readonly string[];
  readonly only_theirs: readonly string[];
  readonly matched: number;
  readonly differences: readonly {
    readonly flight_key: string;
    readonly field: string;
    readonly ours: string | number | null;
    readonly theirs: string | number | null;
    readonly difference: number | null;
    readonly relative: number | null;
  }[];
  /** What each of their inputs changes of our non-CO2 CO2e, and what remains. */
  readonly explained: readonly {
    readonly flight_key: string;
    readonly field: string;
    readonly contribution_co2e100_kg: number;
  }[];
  /** Of the flights that both have, by column. */
  readonly totals: Readonly<Record<string, { readonly ours: number; readonly theirs: number }>>;
}

const TOLERANCE = 1e-6;
const NEAR_MS = 30 * 60_000;
const RESULT = 'non_co2_co2e100_kg';

/** Inputs that a flight can be computed again with, one at a time. */
const INPUTS: Readonly<Record<string, keyof FlightGiven | 'fuelBurnKg'>> = {
  aircraft_type: 'aircraftType',
  engine_uid: 'engineUid',
  takeoff_mass_kg: 'takeoffMassKg',
  fuel_burn_kg: 'fuelBurnKg',
  hydrogen_content_pct: 'hydrogenContentPercent',
  aromatics_vol_pct: 'aromaticsPercent',
  naphthalene_vol_pct: 'naphthalenePercent',
  sulphur_ppm: 'sulphurPpm',
};

/** `map` has our names by theirs; columns of our names need none. */
export async function comparePack(
  services: ReportServices,
  folder: string,
  other: string,
  map: Readonly<Record<string, string>>,
  settings: ReportSettings,
  hooks: ReportHooks = {},
): Promise<Comparison> {
  const manifest = await readManifest(folder);
  const ours = await readRows(services, join(folder, 'flights.csv'));
  const names = namesOf(await columnsOf(services.duckdb, other), map, other);
  const theirs = (await readTexts(services.duckdb, other)).map((row) => translated(row, names));
  const pairs = pairsOf(ours, theirs, other);
  const fields = [...names.values()].filter((name) => !KEYS.includes(name));
  const differences = pairs.flatMap(({ our, their }) =>
    fields.flatMap((field) => differenceOf(our, their, field)),
  );
  const inputs = Object.fromEntries(manifest.inputs.map(({ table, name }) => [table, join(folder, name)]));
  const explained = await explain(services, { inputs, manifest, settings, hooks }, pairs, differences);
  const [pairedOurs, pairedTheirs] = [
    new Set(pairs.map(({ our }) => our)),
    new Set(pairs.map(({ their }) => their)),
  ];
  const summed = fields.filter((field) => NUMBER_COLUMNS.includes(field));
  return {
    only_ours: ours.filter((row) => !pairedOurs.has(row)).map((row) => String(row.flight_key)),
    only_theirs: theirs.filter((row) => !pairedTheirs.has(row)).map(labelOf),
    matched: pairs.length,
    differences,
    explained,
    totals: Object.fromEntries(
      summed.map((field) => [
        field,
        {
          ours: pairs.reduce((sum, { our }) => sum + Number(our[field] ?? 0), 0),
          theirs: pairs.reduce((sum, { their }) => sum + Number(their[field] ?? 0), 0),
        },
      ]),
    ),
  };
}

const KEYS = ['flight_key', 'callsign', 'departure_airport', 'departure_time'];

type Names = ReadonlyMap<string, string>;

function namesOf(columns: readonly string[], map: Readonly<Record<string, string>>, path: string): Names {
  for (const [theirs, ours] of Object.entries(map)) {
    if (!columns.includes(theirs))
      throw new UsageError(`${path} has no column ${theirs}, which the map names`);
    if (!FLIGHT_COLUMNS.includes(ours))
      throw new UsageError(`${ours} is not a column of flights.csv; correct the map`);
  }
  const names = new Map(
    columns.flatMap((theirs) => {
      const ours = map[theirs] ?? theirs;
      return FLIGHT_COLUMNS.includes(ours) ? [[theirs, ours] as const] : [];
    }),
  );
  const known = new Set(names.values());
  if (
    known.has('flight_key') ||
    ['callsign', 'departure_airport', 'departure_time'].every((name) => known.has(name))
  )
    return names;
  throw new UsageError(
    `${path} has neither flight_key nor callsign, departure_airport and departure_time; name them in a map`,
  );
}

function translated(row: Readonly<Record<string, string | null>>, names: Names): FlightRow {
  return Object.fromEntries(
    [...names].map(([theirs, ours]) => {
      const text = row[theirs] ?? null;
      const isNumber = text !== null && NUMBER_COLUMNS.includes(ours) && Number.isFinite(Number(text));
      return [ours, isNumber ? Number(text) : text];
    }),
  );
}

interface Pair {
  readonly our: FlightRow;
  readonly their: FlightRow;
}

function pairsOf(ours: readonly FlightRow[], theirs: readonly FlightRow[], path: string): Pair[] {
  const keyed = theirs.filter(({ flight_key: key }) => key !== undefined && key !== null);
  if (keyed.length > 0) {
    const byKey = new Map(ours.map((row) => [row.flight_key, row]));
    const seen = new Set<unknown>();
    return keyed.flatMap((their) => {
      if (seen.has(their.flight_key))
        throw new UsageError(`${path}: flight_key ${their.flight_key} is there twice; give each flight once`);
      seen.add(their.flight_key);
      const our = byKey.get(their.flight_key ?? null);
      return our === undefined ? [] : [{ our, their }];
    });
  }
  const left = new Set(ours);
  return theirs.flatMap((their) => {
    const timeMs = parseUtc(String(their.departure_time));
    const apart = (row: FlightRow) => Math.abs(Date.parse(String(row.departure_time)) - timeMs);
    const same = [...left]
      .filter((row) => row.callsign === their.callsign && row.departure_airport === their.departure_airport)
      .filter((row) => apart(row) <= NEAR_MS)
      .sort((a, b) => apart(a) - apart(b));
    const [our] = same;
    if (our === undefined) return [];
    left.delete(our);
    return [{ our, their }];
  });
}

const labelOf = (row: FlightRow): string =>
  String(row.flight_key ?? `${row.callsign} ${row.departure_airport} ${row.departure_time}`);

function differenceOf(our: FlightRow, their: FlightRow, field: string): Comparison['differences'] {
  const [ours, theirs] = [our[field] ?? null, their[field] ?? null];
  if (field.endsWith('_time') && parseUtc(String(ours)) === parseUtc(String(theirs))) return [];
  // A value that the other tool does not state cannot differ.
  if (theirs === null || ours === theirs) return [];
  const of = { flight_key: String(our.flight_key), field, ours, theirs };
  if (typeof ours !== 'number' || typeof theirs !== 'number')
    return [{ ...of, difference: null, relative: null }];
  const difference = theirs - ours;
  const relative = difference / Math.max(Math.abs(ours), Math.abs(theirs));
  return Math.abs(relative) <= TOLERANCE ? [] : [{ ...of, difference, relative }];
}

interface Rerun {
  readonly inputs: Parameters<typeof recomputeFlights>[1];
  readonly manifest: Awaited<ReturnType<typeof readManifest>>;
  readonly settings: ReportSettings;
  readonly hooks: ReportHooks;
}

/** Our flight with their value of one input alone, for each that differs. */
async function explain(
  services: ReportServices,
  { inputs, manifest, settings, hooks }: Rerun,
  pairs: readonly Pair[],
  differences: Comparison['differences'],
): Promise<Comparison['explained'][number][]> {
  const changes = differences.flatMap(({ flight_key: key, field, theirs }) => {
    const name = INPUTS[field];
    const isUsable = theirs !== null && (typeof theirs === 'number' || !NUMBER_COLUMNS.includes(field));
    return name === undefined || !isUsable ? [] : [{ key, field, change: changeOf(name, theirs) }];
  });
  const results = await recomputeFlights(
    services,
    inputs,
    manifest.request,
    { ...settings, ...manifest.scope },
    changes.map(({ key, change }) => ({ key, change })),
    hooks,
  );
  const ours = new Map(pairs.map(({ our }) => [String(our.flight_key), Number(our[RESULT] ?? 0)]));
  const explained = changes.flatMap(({ key, field }, c) => {
    const kg = results[c];
    return kg === undefined
      ? []
      : [{ flight_key: key, field, contribution_co2e100_kg: kg - (ours.get(key) ?? 0) }];
  });
  const sums = new Map<string, number>();
  for (const { flight_key: key, contribution_co2e100_kg: kg } of explained)
    sums.set(key, (sums.get(key) ?? 0) + kg);
  const rest = differences
    .filter(({ field }) => field === RESULT)
    .map(({ flight_key: key, difference }) => ({
      flight_key: key,
      field: 'model_and_weather',
      contribution_co2e100_kg: (difference ?? 0) - (sums.get(key) ?? 0),
    }));
  return [...explained, ...rest];
}

function changeOf(name: keyof FlightGiven | 'fuelBurnKg', value: string | number) {
  return (flight: FlightInputs): FlightInputs => {
    if (name !== 'fuelBurnKg') {
      const { passengerLoadFactor: _, cargoLoadFactor: __, ...others } = flight.about;
      const about = name === 'takeoffMassKg' ? others : flight.about;
      return { ...flight, about: { ...about, [name]: value } };
    }
    const { fuelFlowKgS: _, ...positions } = flight.track;
    return { ...flight, track: positions, fuelBurnKg: Number(value) };
  };
}
