/** The flights of an operator and the legs that its table does not have: which are reported, in order of departure. */
import type { DuckDb } from '@contrails/formats';
import { type PreparedFlight, prepareInputs } from './inputs.ts';
import { type OperatorFlight, readOperatorFlights } from './operator-tables.ts';
import { exclusionOf, type Route, routeOf, type ScopeFilter } from './scope.ts';
import type { MrvSettings } from './settings.ts';
import type { ExcludedRow } from './summary.ts';
import { flightOfLeg, matchLegs, readLegs, type TelemetryLeg } from './telemetry.ts';
import { stageTracks } from './tracks.ts';

/** Files of the operator, and legs of the telemetry with their minutes; at least flights or telemetry. */
export interface ReportInputs {
  readonly flights?: string | undefined;
  readonly trajectories?: string | undefined;
  readonly telemetry?: string | undefined;
  readonly minutes?: string | undefined;
}

interface ReportFlights {
  /** Keys in the order of the tables, also of flights that are not computed. */
  readonly keys: readonly string[];
  /** Flights that are not reported; flights that cannot be computed come to it as batches are read. */
  readonly excluded: ExcludedRow[];
  /** Legs that the operator's table does not have. */
  readonly unmatched: number;
  /** Keys of waypoints that the table of flights does not have. */
  readonly strayTracks: readonly string[];
  /** Flights with waypoints of the operator. */
  readonly withTrack: number;
  /** Flights with waypoints, as far as they are reported. */
  readonly total: number;
  /** Flights that share weather, in order of departure. The database takes no other statement until all are read. */
  batches(): AsyncGenerator<PreparedFlight[]>;
}

/** More flights at once only take memory. */
const BATCH_FLIGHTS = 250;
/** Departures that share weather: those of a month would need a month of it at once [ms]. */
const BATCH_SPAN_MS = 12 * 3_600_000;

interface Candidate {
  readonly flight: OperatorFlight;
  readonly route: Route;
  readonly leg: TelemetryLeg | undefined;
}

/** `only`: the keys of the flights to compute; all others are left out. */
export async function prepareFlights(
  duckdb: DuckDb,
  { flights, trajectories, telemetry, minutes }: ReportInputs,
  request: ScopeFilter,
  settings: MrvSettings,
  only?: ReadonlySet<string>,
): Promise<ReportFlights> {
  const supplied = flights === undefined ? [] : await readOperatorFlights(duckdb, flights);
  const legs = telemetry === undefined ? [] : await readLegs(duckdb, telemetry);
  const { legOf, ambiguous, unmatched } = matchLegs(
    supplied.map((flight) => ({ ...flight, departureIcao: routeOf(flight).departure?.icao })),
    legs,
    settings.match_minutes,
  );
  const taken = new Set(supplied.map(({ key }) => key));
  const others = unmatched.filter(({ flightId }) => !taken.has(flightId));
  const legByKey = new Map([...legOf, ...others.map((leg) => [leg.flightId, leg] as const)]);
  const wanted = [...supplied, ...others.map((leg) => flightOfLeg(leg, request.operator ?? null))].filter(
    ({ key }) => only === undefined || only.has(key),
  );
  const legIds = new Set(wanted.flatMap(({ key }) => legByKey.get(key)?.flightId ?? []));
  const tracks = await stageTracks(duckdb, [
    ...(trajectories === undefined ? [] : [{ name: 'own' as const, path: trajectories, keys: only }]),
    ...(minutes === undefined ? [] : [{ name: 'leg' as const, path: minutes, keys: legIds }]),
  ]);

  const excluded: ExcludedRow[] = [];
  const candidates = { own: new Map<string, Candidate>(), leg: new Map<string, Candidate>() };
  for (const flight of wanted) {
    const candidate = { flight, route: routeOf(flight), leg: legByKey.get(flight.key) };
    const { route, leg } = candidate;
    const aircraftType = flight.aircraftType ?? leg?.aircraftType ?? null;
    const exclusion = exclusionOf({ ...flight, aircraftType }, route, request, settings);
    if (exclusion !== undefined) excluded.push(excludedRow(flight, exclusion.kind, exclusion.reason));
    else if (tracks.has('own', flight.key)) candidates.own.set(flight.key, candidate);
    else if (leg !== undefined && tracks.has('leg', leg.flightId))
      candidates.leg.set(leg.flightId, candidate);
    else prepare(candidate, {});
  }

  /** Undefined where the flight cannot be computed. */
  function prepare(
    { flight, route, leg }: Candidate,
    found: Pick<Parameters<typeof prepareInputs>[2], 'track' | 'legTrack'>,
  ): PreparedFlight | undefined {
    const ready = prepareInputs(flight, route, { leg, ...found }, settings);
    if (typeof ready !== 'string') return ready;
    excluded.push(excludedRow(flight, 'not_computed', ready));
    return undefined;
  }

  return {
    keys: wanted.map(({ key }) => key),
    excluded,
    unmatched: others.length,
    strayTracks: tracks.keysOf('own').filter((key) => !taken.has(key)),
    withTrack: wanted.filter(({ key }) => tracks.has('own', key)).length,
    total: candidates.own.size + candidates.leg.size,
    async *batches() {
      let batch: PreparedFlight[] = [];
      let endMs = Number.NEGATIVE_INFINITY;
      for await (const { file, key, track, repeated } of tracks.inOrder()) {
        const candidate = candidates[file].get(key);
        const ready = candidate && prepare(candidate, { [file === 'own' ? 'track' : 'legTrack']: track });
        if (ready === undefined) continue;
        const startMs = track.timeMs[0] as number;
        if (batch.length >= BATCH_FLIGHTS || startMs > endMs) {
          if (batch.length > 0) yield batch;
          [batch, endMs] = [[], startMs + BATCH_SPAN_MS];
        }
        batch.push({
          ...ready,
          findings: [
            ...ready.findings,
            ...(repeated > 0 ? [`repeated_times_${repeated}`] : []),
            ...(ambiguous.has(ready.operator.key) ? ['ambiguous'] : []),
          ],
        });
      }
      if (batch.length > 0) yield batch;
    },
  };
}

export interface CheckedTables {
  readonly flights: number;
  readonly with_trajectory: number;
  /** Values that a report would not use, and what it would remark on. */
  readonly findings: readonly { readonly flight_key: string; readonly codes: readonly string[] }[];
  /** Flights that no report can compute. */
  readonly not_computed: readonly { readonly flight_key: string; readonly reason: string }[];
  /** Keys of waypoints that the table of flights does not have. */
  readonly waypoints_without_flight: readonly string[];
}

const ALL_FLIGHTS: ScopeFilter = { from: '0000-01-01', to: '9999-12-31', rule: 'all' };

/** Reads the tables of an operator as a report does, without computing anything. */
export async function checkTables(
  duckdb: DuckDb,
  inputs: Pick<ReportInputs, 'flights' | 'trajectories'>,
  settings: MrvSettings,
): Promise<CheckedTables> {
  const flights = await prepareFlights(duckdb, inputs, ALL_FLIGHTS, settings);
  const findings: CheckedTables['findings'][number][] = [];
  for await (const batch of flights.batches())
    for (const { operator, findings: codes } of batch)
      if (codes.length > 0) findings.push({ flight_key: operator.key, codes });
  const index = new Map(flights.keys.map((key, i) => [key, i]));
  const indexOf = ({ flight_key }: { readonly flight_key: string }) => index.get(flight_key) ?? 0;
  return {
    flights: flights.keys.length,
    with_trajectory: flights.withTrack,
    findings: findings.sort((a, b) => indexOf(a) - indexOf(b)),
    not_computed: flights.excluded
      .filter(({ kind }) => kind === 'not_computed')
      .map(({ flight_key, reason }) => ({ flight_key, reason }))
      .sort((a, b) => indexOf(a) - indexOf(b)),
    waypoints_without_flight: flights.strayTracks,
  };
}

export function excludedRow(flight: OperatorFlight, kind: ExcludedRow['kind'], reason: string): ExcludedRow {
  return {
    flight_key: flight.key,
    callsign: flight.callsign,
    departure_airport: flight.departureAirport,
    arrival_airport: flight.arrivalAirport,
    departure_time: new Date(flight.departureMs).toISOString().replace('.000Z', 'Z'),
    kind,
    reason,
  };
}
