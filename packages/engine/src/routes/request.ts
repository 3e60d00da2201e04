/** What a query and a body ask of a route. */
import { worldAirports } from '@contrails/flights';
import { haversineM } from '@contrails/physics/geodesy';
import { type Area, areasOf, type Position, positionAlong } from '@contrails/physics/routing';
import { isRecord } from '@contrails/runtime/is-record';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { number } from '@contrails/runtime/options/number';
import { invalid, optional, type Parameter, single } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { ErrorList, Rejected } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { text } from '@contrails/runtime/options/text';
import { explainTime, parseTimeMs } from '@contrails/runtime/options/time';
import { finish } from '@contrails/runtime/turns';
import type { TrajectoryOptions } from '../flights/options.ts';
import { humidityParameters } from '../options/humidity-scaling.ts';
import { parameterOf } from '../options/parameter-of.ts';
import {
  type PlanningOptions,
  type PlanningQuery,
  planningOptionsOf,
  planningParameters,
} from '../planning/options.ts';
import { readPlanningBody } from '../planning/read-body.ts';
import type { HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import { OWN_ROUTE_OPTIONS as OWN, PROFILE_OPTIONS_OF_ROUTES } from './option-table.ts';
import type { FlightTrack } from './track.ts';

const ofProfiles = Object.fromEntries(
  Object.entries(planningParameters.profile).filter(([name]) => PROFILE_OPTIONS_OF_ROUTES.includes(name)),
) as Pick<
  typeof planningParameters.profile,
  'flight_levels' | 'fuel_price' | 'cost_index' | 'carbon_price' | 'horizon' | 'cooling'
> &
  Pick<typeof planningParameters.profile, 'min_level_minutes' | 'max_changes' | 'max_step_ft' | 'parity'> &
  Pick<typeof planningParameters.profile, 'co2e_metric' | 'efficacy' | 'co2e_set'> &
  Pick<typeof planningParameters.profile, 'uncertainty' | 'seed' | 'uncertainty_set'> &
  Pick<typeof planningParameters.profile, 'uncertainty_parameters' | 'met_members' | 'sampling'> &
  Pick<typeof planningParameters.profile, 'confidence'> &
  Pick<typeof planningParameters.profile, 'max_age_hours' | 'dt_integration_minutes'>;

const ROUTE_INCLUDES = ['waypoints', 'graph'] as const;
type RouteInclude = (typeof ROUTE_INCLUDES)[number];

/** A weather source, and which member or run of it. */
export interface SecondWeather {
  readonly source: string;
  readonly member?: number;
  /** Start of the run [ms since 1970]. */
  readonly referenceTimeMs?: number;
}

function secondWeather(): Parameter<SecondWeather> {
  const { schema } = text({ maxLength: 96, description: OWN.verify_with.description });
  return single<SecondWeather>(schema, (name, given) => {
    const [, source = '', mark, which = ''] = /^([^:@]{1,64})(?:([:@])(.*))?$/.exec(given) ?? [];
    const referenceTimeMs = parseTimeMs(which);
    if (source !== '' && mark === undefined) return { value: { source } };
    if (mark === ':' && /^\d{1,4}$/.test(which)) return { value: { source, member: Number(which) } };
    if (mark === '@' && !Number.isNaN(referenceTimeMs)) return { value: { source, referenceTimeMs } };
    return invalid(
      `${name} ${shown(given)} is not a weather source; give its name, name:3 for a member of its ensemble, or name@2027-02-03T06:00Z for a run`,
      'value',
    );
  });
}

export const routeParameters = {
  ...ofProfiles,
  mach: {
    ...list(number({ minimum: 0.4, maximum: 1 }), { maxItems: 4, description: OWN.mach.description }),
    absent: { value: [] as number[] },
  },
  corridor_km: parameterOf(OWN.corridor_km),
  stage_km: parameterOf(OWN.stage_km),
  offset_km: parameterOf(OWN.offset_km),
  contrails: parameterOf(OWN.contrails),
  neighbourhood_km: parameterOf(OWN.neighbourhood_km),
  neighbourhood: parameterOf(OWN.neighbourhood),
  max_extra_fuel_percent: parameterOf(OWN.max_extra_fuel_percent),
  verify_with: optional(secondWeather()),
  front: parameterOf(OWN.front),
  include: {
    ...list(choice(ROUTE_INCLUDES), { maxItems: 4, description: OWN.include.description }),
    absent: { value: [] as RouteInclude[] },
  },
  ...humidityParameters,
  met_source: planningParameters.profile.met_source,
};

export type RouteQuery = Values<typeof routeParameters>;

/** A route as plain data, without its body. */
export interface RouteOptions {
  readonly planning: PlanningOptions;
  readonly options: TrajectoryOptions;
  /** None for the nominal one of the type. */
  readonly machs: readonly number[];
  readonly corridorM: number;
  readonly stageM: number;
  readonly offsetM: number;
  readonly contrails: 'grid' | 'compute' | 'none';
  readonly front: 'none' | 'searched' | 'verified';
  readonly includes: readonly RouteInclude[];
  /** Of contrails in the search. */
  readonly neighbourhoodKm: number;
  readonly neighbourhood: 'max' | 'mean';
  readonly maxExtraFuelPercent: number | undefined;
  readonly verifyWith: SecondWeather | undefined;
}

export function routeOptionsOf(query: RouteQuery, scaling: HumidityScalingChoice): RouteOptions {
  const { contrails, mach, corridor_km, stage_km, offset_km, front, ...others } = query;
  const { neighbourhood_km, neighbourhood, max_extra_fuel_percent, verify_with, include, ...ofProfile } =
    others;
  const asked = { ...ofProfile, contrails: 'flight', include: ['waypoints'] };
  const { planning, options } = planningOptionsOf('profile', asked as unknown as PlanningQuery, scaling);
  return {
    ...{ planning, options, machs: mach, contrails, neighbourhood, includes: include },
    front: front === 'verified' ? front : front === '1' || front === 'true' ? 'searched' : 'none',
    ...{ neighbourhoodKm: neighbourhood_km, maxExtraFuelPercent: max_extra_fuel_percent },
    verifyWith: verify_with,
    corridorM: 1000 * corridor_km,
    stageM: 1000 * stage_km,
    offsetM: 1000 * offset_km,
  };
}

export interface RouteBody {
  /** Where the search begins and ends. */
  readonly origin: Position;
  readonly destination: Position;
  /** At the origin [ms since 1970]. */
  readonly departureMs: number;
  readonly areas: readonly Area[];
  /** Type, engine, fuel and load, as the body of a flight has them. */
  readonly aircraft: Readonly<Record<string, unknown>>;
  /** Cruise of the flight that is the baseline. */
  readonly flown?: FlightTrack;
}

const OWN_FIELDS = ['origin', 'destination', 'departure_time', 'avoid', 'flight'];
/** Waypoints above this share of the highest altitude of a flight are its cruise. */
const CRUISE_SHARE = 0.9;
/** Climb and descent take about so much of a flight, at most a quarter of it each [m]. */
const TERMINAL_M = 200_000;

export function readRouteBody(raw: unknown): RouteBody | Rejected {
  const errors = new ErrorList();
  if (!isRecord(raw)) {
    errors.add(
      ['body'],
      'the body is not an object with origin, destination, departure_time and aircraft_type',
      'type',
    );
    return errors.rejected();
  }
  if (raw.flight !== undefined) return readFlown(raw, errors);
  const [from, to] = [readEnd(raw, 'origin', errors), readEnd(raw, 'destination', errors)];
  const departureMs = parseTimeMs(raw.departure_time);
  if (Number.isNaN(departureMs))
    errors.addField(
      'departure_time',
      undefined,
      () => explainTime('departure_time', raw.departure_time),
      'type',
    );
  if (typeof raw.aircraft_type !== 'string')
    errors.addField(
      'aircraft_type',
      undefined,
      () => `aircraft_type is ${shown(raw.aircraft_type)}; send a type such as B789`,
      'type',
    );
  const areas = readAreas(raw.avoid, errors);
  if (!errors.isEmpty) return errors.rejected();
  const ends = cruiseEnds(from, to, errors);
  if (!errors.isEmpty) return errors.rejected();
  const aircraft = Object.fromEntries(Object.entries(raw).filter(([name]) => !OWN_FIELDS.includes(name)));
  return { ...ends, departureMs, areas, aircraft };
}

/** The search covers the cruise, which begins and ends at some distance from airports. */
function cruiseEnds(from: End, to: End, errors: ErrorList): Pick<RouteBody, 'origin' | 'destination'> {
  const distanceM = haversineM(...from.position, ...to.position);
  const fraction = Math.min(TERMINAL_M, distanceM / 4) / distanceM;
  const end = (one: End, other: End) =>
    one.isAirport ? positionAlong(one.position, other.position, fraction) : one.position;
  try {
    return { origin: end(from, to), destination: end(to, from) };
  } catch (error) {
    errors.addField('destination', undefined, () => (error as Error).message, 'value');
    return { origin: from.position, destination: to.position };
  }
}

/** Ends, time and aircraft of a flight, which is the baseline. */
function readFlown(raw: Readonly<Record<string, unknown>>, errors: ErrorList): RouteBody | Rejected {
  for (const name of ['origin', 'destination', 'departure_time'])
    if (raw[name] !== undefined)
      errors.addField(name, undefined, () => `${name} is that of the flight; leave it out`, 'value');
  const read = finish(readPlanningBody(raw.flight));
  const areas = readAreas(raw.avoid, errors);
  if (read instanceof Rejected) {
    for (const { loc, msg, type } of read.errors) errors.add(['body', 'flight', ...loc.slice(1)], msg, type);
    return errors.rejected();
  }
  const { fleet } = read;
  const { longitude, latitude, altitudeFt, timeMs } = fleet.columns;
  const cruiseFt = CRUISE_SHARE * altitudeFt.reduce((top, feet) => Math.max(top, feet), 0);
  const isCruise = (feet: number) => feet >= cruiseFt;
  const [first, last] = [altitudeFt.findIndex(isCruise), altitudeFt.findLastIndex(isCruise)];
  if (fleet.attributes.length !== 1 || last <= first)
    errors.addField(
      'flight',
      undefined,
      () => 'flight is not one flight with two waypoints or more in cruise',
      'value',
    );
  if (fleet.attributes[0]?.aircraftType === undefined)
    errors.addField(
      'flight',
      undefined,
      () => 'flight has no aircraft_type; send one such as B789',
      'missing',
    );
  if (!errors.isEmpty) return errors.rejected();
  const cruise = (column: Float64Array) => Array.from(column.subarray(first, last + 1));
  const end = (i: number): Position => [longitude[i] as number, latitude[i] as number];
  const aircraft = Object.entries(raw.flight as object).filter(([, value]) => !Array.isArray(value));
  return {
    ...{ origin: end(first), destination: end(last), departureMs: timeMs[first] as number, areas },
    aircraft: Object.fromEntries(aircraft),
    flown: {
      ...{ longitude: cruise(longitude), latitude: cruise(latitude), altitude: cruise(altitudeFt) },
      time: cruise(timeMs).map((ms) => new Date(ms).toISOString()),
    },
  };
}

interface End {
  readonly position: Position;
  readonly isAirport: boolean;
}

function readEnd(body: Readonly<Record<string, unknown>>, name: string, errors: ErrorList): End {
  const value = body[name];
  const add = (remedy: string) =>
    errors.addField(name, undefined, () => `${name} is ${shown(value)}; ${remedy}`, 'value');
  if (typeof value === 'string') {
    const airport = worldAirports().find(value);
    if (airport !== undefined) return { position: [airport.longitude, airport.latitude], isAirport: true };
    add('send the ICAO code of an airport, or {longitude, latitude}');
  } else if (isRecord(value)) {
    const { longitude, latitude } = value;
    if (isWithin(longitude, 180) && isWithin(latitude, 90))
      return { position: [longitude, latitude], isAirport: false };
    add('send longitude from -180 to 180 and latitude from -90 to 90');
  } else add('send the ICAO code of an airport, or {longitude, latitude}');
  return { position: [0, 0], isAirport: false };
}

const isWithin = (value: unknown, limit: number): value is number =>
  typeof value === 'number' && Math.abs(value) <= limit;

function readAreas(raw: unknown, errors: ErrorList): Area[] {
  if (raw === undefined || raw === null) return [];
  try {
    return areasOf(raw);
  } catch (error) {
    errors.addField('avoid', undefined, () => (error as Error).message, 'value');
    return [];
  }
}
