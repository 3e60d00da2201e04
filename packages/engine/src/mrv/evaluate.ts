/** Flights of a report through the models: the settings of the inventory, waypoints at whole minutes. */
import type { WeatherOrigin } from '@contrails/met';
import type { FlightBalance } from '@contrails/physics/climate';
import { haversineM } from '@contrails/physics/geodesy';
import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { computeResults, type TrajectoryServices } from '../flights/compute.ts';
import type { FlightGiven, RequestFleet } from '../flights/fleet.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import { resampleFleet } from '../flights/resample-fleet.ts';
import type { FlightInputs } from './inputs.ts';
import type { Track } from './tracks.ts';

const STEP_S = 60;
/** Flights that share threads; more only take memory. */
const FLIGHTS_AT_ONCE = 250;
/** Burnt over computed fuel beyond which a given fuel burn is not believed. */
const PLAUSIBLE_FUEL = [0.7, 1.4] as const;
const FUEL_TOLERANCE = 0.05;

export interface EvaluatedFlight {
  readonly balance: FlightBalance;
  readonly distanceKm: number;
  readonly contrailKm: number;
  readonly takeoffMassKg: number;
  readonly passengerLoadFactor: number | null;
  readonly cargoLoadFactor: number | null;
  readonly engineUid: string | null;
  readonly nvpmNumber: number;
  /** Whether contrails outlive the weather. */
  readonly isPartial: boolean;
  readonly isFuelBurnUsed: boolean;
  readonly findings: readonly string[];
  /** At whole minutes. */
  readonly track: Track;
  readonly origin: WeatherOrigin | undefined;
}

/** What became of each flight, in their order; a text is why one cannot be computed. Flights should share weather. */
export async function evaluateFlights(
  services: TrajectoryServices,
  flights: readonly FlightInputs[],
  options: TrajectoryOptions,
  signal?: AbortSignal,
): Promise<(EvaluatedFlight | string)[]> {
  const results: (EvaluatedFlight | string)[] = [];
  // What some flights give and others do not cannot be in one fleet.
  const alike = groupBy([...flights.keys()], (f) =>
    Object.keys((flights[f] as FlightInputs).track)
      .sort()
      .join(),
  );
  for (const group of alike) {
    for (let from = 0; from < group.length; from += FLIGHTS_AT_ONCE) {
      const some = group.slice(from, from + FLIGHTS_AT_ONCE);
      const found = await evaluateBatch(
        services,
        some.map((f) => flights[f] as FlightInputs),
        options,
        signal,
      );
      some.forEach((f, i) => {
        results[f] = found[i] as EvaluatedFlight | string;
      });
    }
  }
  return results;
}

/** A batch that cannot be computed is halved, to find out which flight is to blame. */
async function evaluateBatch(
  services: TrajectoryServices,
  flights: readonly FlightInputs[],
  options: TrajectoryOptions,
  signal: AbortSignal | undefined,
): Promise<(EvaluatedFlight | string)[]> {
  try {
    return await evaluateAll(services, flights, options, signal);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    if (flights.length === 1) return [reasonOf(error)];
    const middle = Math.ceil(flights.length / 2);
    return [
      ...(await evaluateBatch(services, flights.slice(0, middle), options, signal)),
      ...(await evaluateBatch(services, flights.slice(middle), options, signal)),
    ];
  }
}

function reasonOf(error: ValidationError): string {
  const fields = error.errors.map(({ loc }) => loc[1]);
  return fields.some((field) => ['time', 'longitude', 'altitude'].includes(String(field)))
    ? 'no_weather'
    : 'type_unsupported';
}

async function evaluateAll(
  services: TrajectoryServices,
  flights: readonly FlightInputs[],
  options: TrajectoryOptions,
  signal: AbortSignal | undefined,
): Promise<EvaluatedFlight[]> {
  const fleet = await resampleFleet(
    fleetOf(flights.map(({ about, track }) => ({ about, track }))),
    { stepS: STEP_S, cleansAltitude: false },
    services.compute,
    signal,
  );
  const tracks = flights.map((_, f) => trackOf(fleet, f));
  const first = await run(services, fleet, options, signal);
  const results: EvaluatedFlight[] = [];
  const scaled: { readonly f: number; readonly factor: number }[] = [];
  flights.forEach((flight, f) => {
    const outcome = first(f, tracks[f] as Track);
    const { fuelBurnKg } = flight;
    const factor = fuelBurnKg === undefined ? 1 : fuelBurnKg / outcome.balance.fuelKg;
    if (fuelBurnKg === undefined) {
      results[f] = outcome;
    } else if (factor < PLAUSIBLE_FUEL[0] || factor > PLAUSIBLE_FUEL[1]) {
      results[f] = { ...outcome, findings: [...outcome.findings, 'fuel_burn_implausible'] };
    } else {
      scaled.push({ f, factor });
    }
  });
  if (scaled.length === 0) return results;
  const flows = first.fuelFlow;
  const again = scaled.map(({ f, factor }) => {
    const [start, end] = [fleet.offsets[f] as number, fleet.offsets[f + 1] as number];
    // The last waypoint has no segment; what is unknown there burns nothing.
    const flow = flows.slice(start, end).map((kgS) => (Number.isNaN(kgS) ? 0 : kgS * factor));
    return {
      about: (flights[f] as FlightInputs).about,
      track: { ...(tracks[f] as Track), fuelFlowKgS: flow },
    };
  });
  const second = await run(services, fleetOf(again), options, signal);
  scaled.forEach(({ f }, index) => {
    results[f] = { ...second(index, tracks[f] as Track), isFuelBurnUsed: true };
  });
  return results;
}

/** Runs a fleet at whole minutes; returns what became of each flight. */
async function run(
  services: TrajectoryServices,
  fleet: RequestFleet,
  options: TrajectoryOptions,
  signal: AbortSignal | undefined,
) {
  const computed = await computeResults(
    services,
    { model: 'cocip', fleet, options, unitWarnings: [] },
    { signal },
  );
  const { columns, facts } = computed.result;
  const [forcing, mass, fuelFlow] = [columns.energy_forcing, columns.aircraft_mass, columns.fuel_flow];
  if (forcing === undefined || mass === undefined || fuelFlow === undefined)
    throw new TypeError('the options of a report include performance');
  const outcomeOf = (f: number, track: Track): EvaluatedFlight => {
    const known = facts[f];
    if (known?.climate === undefined) throw new TypeError('the options of a report include climate');
    const [start, end] = [fleet.offsets[f] as number, fleet.offsets[f + 1] as number];
    const takeoffMassKg = fleet.attributes[f]?.takeoffMassKg;
    const { distanceKm, contrailKm } = lengthsOf(track, forcing.subarray(start, end));
    return {
      balance: known.climate,
      distanceKm,
      contrailKm,
      takeoffMassKg: mass[start] as number,
      // A take-off mass is used instead of them.
      passengerLoadFactor: takeoffMassKg === undefined ? (known.load?.passengerLoadFactor ?? null) : null,
      cargoLoadFactor: takeoffMassKg === undefined ? (known.load?.cargoLoadFactor ?? null) : null,
      engineUid: known.engineUid,
      nvpmNumber: known.totals?.nvpm_number ?? Number.NaN,
      isPartial: (known.warnings?.cutShort ?? 0) > 0,
      isFuelBurnUsed: false,
      findings: (known.warnings?.cutShort ?? 0) > 0 ? ['weather_ends'] : [],
      track,
      origin: computed.origins[f],
    };
  };
  return Object.assign(outcomeOf, { fuelFlow: Float64Array.from(fuelFlow) });
}

/** Whether given and computed fuel differ by more than the tolerance. */
export function fuelDiffers(fuelKg: number, givenKg: number): boolean {
  return Math.abs(fuelKg / givenKg - 1) > FUEL_TOLERANCE;
}

function lengthsOf({ longitude, latitude }: Track, forcing: Float64Array) {
  let [distanceKm, contrailKm] = [0, 0];
  for (let i = 0; i + 1 < longitude.length; i++) {
    const km =
      haversineM(
        longitude[i] as number,
        latitude[i] as number,
        longitude[i + 1] as number,
        latitude[i + 1] as number,
      ) / 1000;
    distanceKm += km;
    const joules = forcing[i] as number;
    if (joules !== 0 && !Number.isNaN(joules)) contrailKm += km;
  }
  return { distanceKm, contrailKm };
}

const COLUMN_NAMES = [
  'timeMs',
  'longitude',
  'latitude',
  'altitudeFt',
  'fuelFlowKgS',
  'aircraftMassKg',
  'trueAirspeedMS',
] as const;

function fleetOf(flights: readonly { readonly about: FlightGiven; readonly track: Track }[]): RequestFleet {
  const offsets = sharedUint32(flights.length + 1);
  flights.forEach(({ track }, f) => {
    offsets[f + 1] = (offsets[f] as number) + track.timeMs.length;
  });
  const total = offsets.at(-1) ?? 0;
  const columns = Object.fromEntries(
    COLUMN_NAMES.filter((name) => flights[0]?.track[name] !== undefined).map((name) => {
      const column = sharedFloat64(total);
      flights.forEach(({ track }, f) => void column.set(track[name] ?? [], offsets[f]));
      return [name, column];
    }),
  ) as unknown as RequestFleet['columns'];
  const attributes = flights.map(({ about }) => about);
  const flightId = flights.flatMap(({ about, track }) =>
    new Array<string>(track.timeMs.length).fill(String(about.id)),
  );
  return { columns, offsets, attributes, requestIndex: undefined, flightId };
}

function trackOf({ columns, offsets }: RequestFleet, f: number): Track {
  const cut = (column: Float64Array) => Float64Array.from(column.subarray(offsets[f], offsets[f + 1]));
  return {
    timeMs: cut(columns.timeMs),
    longitude: cut(columns.longitude),
    latitude: cut(columns.latitude),
    altitudeFt: cut(columns.altitudeFt),
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
