/** What a user should know of an answer beyond its numbers, as sentences that name flights, numbers and the remedy. */
import { type CocipFlight, type CocipParams, DEFAULT_COCIP_PARAMS } from '@contrails/physics/cocip';
import { shown } from '@contrails/runtime/options/shown';
import type { RequestFleet } from './fleet.ts';
import type { FlightContrails } from './follow-flights.ts';

/** What there is to warn of in a flight, counted where it is evaluated. */
export interface FlightWarnings {
  /** Sentences of the models, such as on a fuel without measurements. */
  readonly notes: readonly string[];
  /** Waypoints at which the weather has everything but wind. */
  readonly windless: number;
  /** Segments too long to be followed, and how many of them begin with a persistent contrail. */
  readonly longSegments: number;
  readonly longLasting: number;
  /** 1 where a contrail persists on the only segment, which the model does not follow by itself. */
  readonly tooFew: number;
  /** Segments that no aircraft flies so fast or so slow, and the highest ground speed [m/s]. */
  readonly tooFast: number;
  readonly tooSlow: number;
  readonly fastestMS: number;
  /** Contrails that were alive when the weather ended. */
  readonly cutShort: number;
  /** When that was [ms since 1970]. */
  readonly weatherEndMs: number;
  /** Contrails that live through steps without radiation, and so without forcing. */
  readonly withoutForcing?: number;
  /** Contrails whose wind or vertical velocity the weather lacks. */
  readonly adrift?: number;
}

/** Ground speeds of aircraft [m/s]; slower ones are only odd in cruise, where nothing takes off or lands. */
const SPEEDS_M_S = { slowest: 45, fastest: 350, cruiseFloorM: 6096 } as const;
/** Times of dense reports are often whole seconds: a segment may have lasted so much longer or shorter [s]. */
const TIMING_S = 1;

export function countImpossibleSpeeds(
  { timeMs, altitudeM }: Pick<CocipFlight, 'timeMs' | 'altitudeM'>,
  segmentLengthM: Float64Array,
): Pick<FlightWarnings, 'tooFast' | 'tooSlow' | 'fastestMS'> {
  let [tooFast, tooSlow, fastestMS] = [0, 0, 0];
  for (let i = 0; i + 1 < timeMs.length; i++) {
    const seconds = ((timeMs[i + 1] as number) - (timeMs[i] as number)) / 1000;
    const metres = segmentLengthM[i] as number;
    const isCruise = Math.min(altitudeM[i] as number, altitudeM[i + 1] as number) > SPEEDS_M_S.cruiseFloorM;
    if (metres >= SPEEDS_M_S.fastest * (seconds + TIMING_S)) {
      tooFast++;
      fastestMS = Math.max(fastestMS, metres / seconds);
    }
    if (isCruise && metres <= SPEEDS_M_S.slowest * (seconds - TIMING_S)) tooSlow++;
  }
  return { tooFast, tooSlow, fastestMS };
}

/** What was not followed for want of waypoints. */
export function countUnfollowed(
  segmentLengthM: Float64Array,
  { persistent1 }: FlightContrails,
  { maxSegLengthM }: CocipParams,
): Pick<FlightWarnings, 'longSegments' | 'longLasting' | 'tooFew'> {
  let [longSegments, longLasting] = [0, 0];
  for (let i = 0; i < segmentLengthM.length; i++) {
    if (maxSegLengthM === null || !((segmentLengthM[i] as number) > maxSegLengthM)) continue;
    longSegments++;
    if (persistent1[i] === 1) longLasting++;
  }
  const isAlone = segmentLengthM.length === 2 && longSegments === 0 && persistent1[0] === 1;
  return { longSegments, longLasting, tooFew: isAlone ? 1 : 0 };
}

/** So many flights are named, the others counted: a header has little room. */
const MAX_NAMED = 5;

export interface Concerned {
  readonly flight: number;
  /** How many of its segments or contrails. */
  readonly count: number;
}

/** `warnings` has those of each flight of the fleet; `resampleS` is the step to which it was resampled. */
export function warningsOf(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  warnings: readonly (FlightWarnings | undefined)[],
  resampleS?: number,
): string[] {
  const remedy =
    resampleS === undefined
      ? 'add resample=60 to the request (--resample 60 on the command line)'
      : `give a smaller step than resample=${resampleS}, such as 60 or less`;
  const concerned = (count: (of: FlightWarnings) => number): Concerned[] =>
    warnings.flatMap((of, flight) =>
      of !== undefined && count(of) > 0 ? [{ flight, count: count(of) }] : [],
    );
  const ends = new Set(
    warnings.flatMap((of) => (of !== undefined && of.cutShort > 0 ? [of.weatherEndMs] : [])),
  );
  return [
    ...impossibleSpeeds(
      fleet,
      concerned((of) => of.tooFast),
      `up to ${Math.round(Math.max(...warnings.map((of) => of?.fastestMS ?? 0)))} m/s`,
    ),
    ...impossibleSpeeds(
      fleet,
      concerned((of) => of.tooSlow),
      `${SPEEDS_M_S.slowest} m/s or less in cruise`,
    ),
    ...longSegments(
      fleet,
      concerned((of) => of.longSegments),
      warnings.reduce((sum, of) => sum + (of?.longLasting ?? 0), 0),
      remedy,
    ),
    ...fewWaypoints(
      fleet,
      concerned((of) => of.tooFew),
      remedy,
    ),
    ...windless(
      fleet,
      concerned((of) => of.windless),
    ),
    ...[...ends].flatMap((endMs) =>
      cutShort(
        fleet,
        endMs,
        concerned((of) => (of.weatherEndMs === endMs ? of.cutShort : 0)),
      ),
    ),
    ...withoutForcing(
      fleet,
      concerned((of) => of.withoutForcing ?? 0),
    ),
    ...adrift(
      fleet,
      concerned((of) => of.adrift ?? 0),
    ),
    ...new Set(warnings.flatMap((of) => of?.notes ?? [])),
  ];
}

function impossibleSpeeds(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  concerned: readonly Concerned[],
  speed: string,
): string[] {
  if (concerned.length === 0) return [];
  return [
    `${amount(concerned, 'segment')}${of(fleet, concerned)}: a ground speed of ${speed} is impossible, ` +
      'so airspeed, fuel and contrails there are wrong; check time, longitude and latitude',
  ];
}

function longSegments(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  concerned: readonly Concerned[],
  lasting: number,
  remedy: string,
): string[] {
  if (concerned.length === 0) return [];
  const km = (DEFAULT_COCIP_PARAMS.maxSegLengthM ?? Number.NaN) / 1000;
  return [
    `${amount(concerned, 'segment')}${of(fleet, concerned)}: longer than ${km} km, which the model does not follow, ` +
      `so the energy forcing there is 0 (a contrail persists at ${lasting} of them); ${remedy}`,
  ];
}

function fewWaypoints(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  concerned: readonly Concerned[],
  remedy: string,
): string[] {
  if (concerned.length === 0) return [];
  return [
    `${amount(concerned, 'persistent contrail')}${of(fleet, concerned)}: not followed, because the flight has 2 waypoints ` +
      `and the airspeed at the last one is unknown, so the energy forcing is 0; ${remedy}`,
  ];
}

function windless(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  concerned: readonly Concerned[],
): string[] {
  if (concerned.length === 0) return [];
  return [
    `${amount(concerned, 'waypoint')}${of(fleet, concerned)}: the weather has no wind there, so airspeed and ` +
      'contrails are unknown; give eastward_wind and northward_wind, or choose another met_source',
  ];
}

function cutShort(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  endMs: number,
  concerned: readonly Concerned[],
): string[] {
  const time = new Date(endMs).toISOString().replace('.000Z', 'Z');
  return [
    `${amount(concerned, 'contrail')}${of(fleet, concerned)}: still there when the weather ends at ${time}, ` +
      'so the energy forcing and age are too small; ask again when later weather has come',
  ];
}

function withoutForcing(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  concerned: readonly Concerned[],
): string[] {
  if (concerned.length === 0) return [];
  return [
    `${amount(concerned, 'contrail')}${of(fleet, concerned)}: alive at times for which the weather has no radiation, ` +
      'which count without forcing, so the energy forcing is too small in magnitude; add the missing radiation to the weather source',
  ];
}

function adrift(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  concerned: readonly Concerned[],
): string[] {
  if (concerned.length === 0) return [];
  return [
    `${amount(concerned, 'contrail')}${of(fleet, concerned)}: the weather has no wind or vertical velocity where they are, ` +
      'so the energy forcing and age are unknown (null) and are not in sums; complete the weather source',
  ];
}

export function amount(concerned: readonly Concerned[], what: string): string {
  const total = concerned.reduce((sum, { count }) => sum + count, 0);
  return `${total} ${what}${total === 1 ? '' : 's'}`;
}

/** ` of flight a`, or ` (flight a: 3, flight b: 1, and 7 more flights)`. */
export function of(
  { attributes, flightId }: Pick<RequestFleet, 'attributes' | 'flightId'>,
  concerned: readonly Concerned[],
): string {
  const nameOf = ({ flight }: Concerned) => shown(attributes[flight]?.id);
  if (flightId === undefined) return '';
  const [only] = concerned;
  if (concerned.length === 1 && only !== undefined) return ` of flight ${nameOf(only)}`;
  const named = concerned.slice(0, MAX_NAMED).map((one) => `flight ${nameOf(one)}: ${one.count}`);
  const others = concerned.length - named.length;
  return ` (${[...named, ...(others > 0 ? [`and ${others} more flights`] : [])].join(', ')})`;
}
