/** Compares telemetry legs with an operator's flights: completeness in both directions. */
import { type DuckDb, sqlPath } from '@contrails/formats';
import { UsageError } from '@contrails/runtime/errors';
import type { OperatorFlight } from './operator-tables.ts';

/** A leg of the inventory; null is not known. */
export interface TelemetryLeg {
  readonly flightId: string;
  readonly icaoAddress: string | null;
  readonly callsign: string | null;
  readonly registration: string | null;
  readonly aircraftType: string | null;
  /** Of the airframe table; null where the engine is only the usual one of the type. */
  readonly engineUid: string | null;
  readonly departureAirport: string | null;
  readonly arrivalAirport: string | null;
  readonly firstMs: number;
  readonly lastMs: number;
  /** `ok`, `partial`, or why the inventory has no row of it. */
  readonly outcome: string;
}

/** Columns of the legs in files, in their order. */
export const LEG_COLUMNS = [
  'flight_id',
  'icao_address',
  'callsign',
  'registration',
  'aircraft_type',
  'engine_uid',
  'departure_airport',
  'arrival_airport',
  'first_time',
  'last_time',
  'outcome',
] as const;

export const isModelled = ({ outcome }: TelemetryLeg): boolean => outcome === 'ok' || outcome === 'partial';

/** Reads legs of a Parquet file, in the order of time. */
export async function readLegs(duckdb: DuckDb, path: string): Promise<TelemetryLeg[]> {
  const list = LEG_COLUMNS.map((name) =>
    name.endsWith('_time') ? `epoch_ms(CAST(${name} AS TIMESTAMP)) AS ${name}` : name,
  );
  const rows = await duckdb
    .rows(`SELECT ${list.join(', ')} FROM read_parquet(${sqlPath(path)}) ORDER BY first_time, flight_id`)
    .catch((error: unknown) => {
      throw new UsageError(`${path} is not a table of legs; compute the report again`, { cause: error });
    });
  return rows.map((row) => {
    const text = (name: string) => (row[name] == null ? null : String(row[name]));
    return {
      flightId: String(row.flight_id),
      icaoAddress: text('icao_address'),
      callsign: text('callsign'),
      registration: text('registration'),
      aircraftType: text('aircraft_type'),
      engineUid: text('engine_uid'),
      departureAirport: text('departure_airport'),
      arrivalAirport: text('arrival_airport'),
      firstMs: Number(row.first_time),
      lastMs: Number(row.last_time),
      outcome: String(row.outcome),
    };
  });
}

export interface Matches {
  /** Leg of each flight that has one, by its key. */
  readonly legOf: ReadonlyMap<string, TelemetryLeg>;
  /** Keys of flights that several legs, or several flights, are equally near to. */
  readonly ambiguous: ReadonlySet<string>;
  readonly unmatched: readonly TelemetryLeg[];
}

/**
 * Same airframe, else same callsign; same airport of departure where the leg has one; at most so many minutes between departure and
 * first report. A flight and a leg are matched once, the nearest first; ties stay unmatched.
 */
export function matchLegs(
  flights: readonly (OperatorFlight & { readonly departureIcao: string | undefined })[],
  legs: readonly TelemetryLeg[],
  minutes: number,
): Matches {
  const byName = new Map<string, number[]>();
  legs.forEach((leg, l) => {
    for (const name of namesOf(leg)) byName.set(name, [...(byName.get(name) ?? []), l]);
  });
  const pairs: { readonly f: number; readonly l: number; readonly apartMs: number }[] = [];
  flights.forEach((flight, f) => {
    for (const l of new Set(namesOf(flight).flatMap((name) => byName.get(name) ?? []))) {
      const leg = legs[l] as TelemetryLeg;
      const apartMs = Math.abs(flight.departureMs - leg.firstMs);
      if (apartMs <= minutes * 60_000 && isSame(flight, leg)) pairs.push({ f, l, apartMs });
    }
  });
  pairs.sort((a, b) => a.apartMs - b.apartMs);
  const legOf = new Map<string, TelemetryLeg>();
  const ambiguous = new Set<string>();
  const [usedFlights, usedLegs] = [new Set<number>(), new Set<number>()];
  for (let from = 0; from < pairs.length; ) {
    const apartMs = pairs[from]?.apartMs;
    let end = from;
    while (pairs[end]?.apartMs === apartMs) end++;
    const equal = pairs.slice(from, end).filter(({ f, l }) => !usedFlights.has(f) && !usedLegs.has(l));
    from = end;
    for (const { f, l } of equal) {
      const { key } = flights[f] as OperatorFlight;
      const isTied = equal.some((other) => (other.f === f) !== (other.l === l));
      usedFlights.add(f);
      if (isTied) {
        ambiguous.add(key);
        continue;
      }
      usedLegs.add(l);
      legOf.set(key, legs[l] as TelemetryLeg);
    }
  }
  return { legOf, ambiguous, unmatched: legs.filter((_, l) => !usedLegs.has(l)) };
}

interface Named {
  readonly icaoAddress: string | null;
  readonly callsign: string | null;
  readonly registration: string | null;
}

const upper = (text: string | null): string | null => text?.toUpperCase().replaceAll('-', '') ?? null;

function namesOf({ icaoAddress, callsign, registration }: Named): string[] {
  const named = { a: upper(icaoAddress), c: upper(callsign), r: upper(registration) };
  return Object.entries(named).flatMap(([kind, name]) => (name === null ? [] : [`${kind} ${name}`]));
}

function isSame(
  flight: OperatorFlight & { readonly departureIcao: string | undefined },
  leg: TelemetryLeg,
): boolean {
  if (leg.departureAirport !== null && flight.departureIcao !== leg.departureAirport) return false;
  const same = (a: string | null, b: string | null) => a !== null && upper(a) === upper(b);
  const known = (a: string | null, b: string | null) => a !== null && b !== null;
  const airframes = [
    [flight.registration, leg.registration],
    [flight.icaoAddress, leg.icaoAddress],
  ] as const;
  if (airframes.some(([a, b]) => same(a, b))) return true;
  // Where both name the airframe, another one with the same callsign is another flight.
  if (airframes.some(([a, b]) => known(a, b))) return false;
  return same(flight.callsign, leg.callsign);
}

/** A leg that the operator's table does not have, as one of its rows. */
export function flightOfLeg(leg: TelemetryLeg, operator: string | null): OperatorFlight {
  return {
    key: leg.flightId,
    operator,
    callsign: leg.callsign,
    registration: leg.registration,
    icaoAddress: leg.icaoAddress,
    flightNumber: null,
    departureAirport: leg.departureAirport ?? '',
    arrivalAirport: leg.arrivalAirport ?? '',
    departureMs: leg.firstMs,
    arrivalMs: leg.lastMs,
    aircraftType: leg.aircraftType,
    engineUid: null,
    takeoffMassKg: null,
    passengerLoadFactor: null,
    cargoLoadFactor: null,
    fuelBurnKg: null,
    safBlendPct: null,
    hydrogenContentPct: null,
    aromaticsVolPct: null,
    naphthaleneVolPct: null,
    sulphurPpm: null,
    exempt: null,
    findings: ['not_in_operator_file'],
  };
}
