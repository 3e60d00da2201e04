/** The route of a request, from weather to answer; the same for HTTP and the command line. */
import {
  type AircraftType,
  cruiseFuelFlowKgS,
  estimatePayload,
  findPerformanceType,
  reserveFuelKg,
  takeoffMassKg,
} from '@contrails/physics/aircraft';
import { airspeedFromMach, levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { countEdges, type Lattice, nodePosition } from '@contrails/physics/routing';
import { ValidationError } from '@contrails/runtime/errors';
import { Rejected, validationError } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { kernelAt } from '../compute.ts';
import { eiCo2Of, qFuelOf } from '../flights/aircraft.ts';
import type { FlightGiven } from '../flights/fleet.ts';
import { weatherRequestOf } from '../flights/plan-weather.ts';
import { regionOf } from '../flights/region.ts';
import { computePlans, type PlanningHooks, type PlanningServices } from '../planning/compute.ts';
import type { Answer } from '../planning/describe-flight.ts';
import type { PlanningOptions } from '../planning/options.ts';
import { planningRequestOf, readPlanningBody } from '../planning/read-body.ts';
import { asRequestError } from '../weather/errors.ts';
import { chooseRoutes, describeRoutes, FLOWN, type PlannedRoute } from './answer.ts';
import { contrailHours, requireGridLevels } from './contrail-hours.ts';
import type { RouteBody, RouteOptions } from './request.ts';
import { latticeOf, problemOf, type SearchedRoute, type SearchOutcome, type SearchWork } from './search.ts';
import { type FlightTrack, trackOf } from './track.ts';

export interface RouteRequest {
  readonly body: RouteBody;
  readonly route: RouteOptions;
}

const kernel = kernelAt<typeof import('./search.kernel.ts').default>(
  new URL('./search.kernel.ts', import.meta.url),
);

const MAX_EDGES = 5e7;
/** Weights of contrails that the front is made of. */
const FRONT_WEIGHTS = [0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 64];
/** Strongest wind that hours of weather are prepared for [m s⁻¹]. */
const MAX_WIND_M_S = 80;

export async function computeRoute(
  services: PlanningServices,
  { body, route }: RouteRequest,
  hooks: PlanningHooks,
): Promise<Answer> {
  const about = aircraftIn(body);
  const type = findPerformanceType(about.aircraftType ?? '');
  const flightLevels = route.planning.flightLevels.filter((level) => level <= type.maxFlightLevel);
  if (route.contrails !== 'none') requireGridLevels(flightLevels);
  if (flightLevels.length === 0) {
    const msg = `no level is at or below the ceiling of ${about.aircraftType}, FL ${type.maxFlightLevel}; give flight_levels`;
    throw new ValidationError([{ loc: ['query', 'flight_levels'], msg, type: 'value_error' }]);
  }
  const machs = route.machs.length === 0 ? [type.designMach] : route.machs;
  const prices = { ...route.planning.prices, eiCo2: eiCo2Of(about) };
  const shape = {
    ...{ origin: body.origin, destination: body.destination },
    ...{ stageM: route.stageM, offsetM: route.offsetM, corridorM: route.corridorM },
  };
  const lattice = latticeIn(shape as SearchWork);
  const massKg =
    about.takeoffMassKg ?? estimatedMassKg(type, about, lattice.lengthM, body.departureMs, qFuelOf(about));
  const met = await services.met.open();
  const airspeeds = machs.map((mach) => mach * 300);
  const groundSpeeds = [
    Math.min(...airspeeds) - MAX_WIND_M_S,
    Math.max(...airspeeds) + MAX_WIND_M_S,
  ] as const;
  const weather = await met
    .openWeather(
      weatherRequestOf(
        'cocip',
        regionAround(lattice, flightLevels, body.departureMs, groundSpeeds[0]),
        route.options,
      ),
      {
        ...(hooks.signal && { signal: hooks.signal }),
      },
    )
    .catch((error: unknown) => {
      throw asRequestError(error, ['body', 'departure_time']);
    });
  let outcomes: SearchOutcome[];
  try {
    const contrails =
      route.contrails === 'none'
        ? undefined
        : await contrailHours(
            { met, compute: services.compute, grids: services.grids },
            {
              ...{
                source: route.contrails,
                aircraftType: about.aircraftType ?? '',
                engineUid: about.engineUid,
              },
              ...{
                lattice,
                flightLevels,
                departureMs: body.departureMs,
                groundSpeeds,
                options: route.options,
              },
              ...{ neighbourhoodKm: route.neighbourhoodKm, neighbourhood: route.neighbourhood },
            },
            hooks.signal,
          );
    const work: SearchWork = {
      ...{ ...shape, departureMs: body.departureMs, massKg, aircraftType: about.aircraftType ?? '' },
      ...{ qFuelJKg: qFuelOf(about), flightLevels, machs, prices, areas: body.areas },
      ...{ maxStepFt: route.planning.maxStepFt, parity: route.planning.parity },
      ...{ levels: weather.levels, radiation: weather.radiation, contrails },
      wanted: ['wind_optimal', 'optimum', ...(route.hasFront ? FRONT_WEIGHTS : [])],
    };
    requireSize(work);
    outcomes = await services.compute.parallel(kernel, work, work.wanted.length, {
      ...(hooks.signal && { signal: hooks.signal }),
      ...(hooks.onComputeMs && { onComputeMs: hooks.onComputeMs }),
    });
  } finally {
    weather.release();
  }
  const [wind, optimum, ...front] = outcomes;
  const planned = async (name: string, found: SearchedRoute | null | undefined, planning = route.planning) =>
    found
      ? { name, found, plan: await planAlong(services, { body, route }, found, massKg, planning, hooks) }
      : undefined;
  const routes: PlannedRoute[] = [];
  for (const [name, found] of [
    ['great_circle', wind?.greatCircle],
    ['wind_optimal', wind?.route],
    ['optimum', optimum?.route],
  ] as const) {
    const one = await planned(name, found);
    if (one !== undefined) routes.push(one);
  }
  // What a planner files that counts fuel, time and CO2 but no contrails.
  const baseline =
    body.flown === undefined
      ? await planned('baseline', wind?.route, withoutContrails(route.planning, prices.eiCo2))
      : {
          name: FLOWN,
          plan: await planTrack(
            services,
            { body, route },
            body.flown,
            massKg,
            asFlown(route.planning),
            hooks,
          ),
        };
  const given = {
    ...{ routes, baseline, prices, areas: body.areas, lattice, massKg, plan: route },
    hasOptimum: optimum?.route !== null && optimum?.route !== undefined,
    front: route.hasFront
      ? FRONT_WEIGHTS.map((weight, i) => ({ weight, route: front[i]?.route ?? null }))
      : undefined,
  };
  const choice = chooseRoutes(given);
  const { verifyWith } = route;
  if (verifyWith === undefined) return describeRoutes(given, choice, undefined);
  const second = { ...route, options: { ...route.options, metSource: verifyWith } };
  const again = async (track: FlightTrack | undefined) =>
    track && planTrack(services, { body, route: second }, track, massKg, asFlown(route.planning), hooks);
  const [filed, chosen] = [await again(choice.filed?.track), await again(choice.chosen?.track)];
  return describeRoutes(given, choice, { source: verifyWith, filed, chosen });
}

/** A plan of a track as it is: the least that has its figures. */
function asFlown(planning: PlanningOptions): PlanningOptions {
  return { ...planning, flightLevels: planning.flightLevels.slice(0, 1), maxChanges: 0 };
}

/** The profile along a route that was found, verified by the full models. */
function planAlong(
  services: PlanningServices,
  { body, route }: RouteRequest,
  found: SearchedRoute,
  massKg: number,
  planning: PlanningOptions,
  hooks: PlanningHooks,
): Promise<Answer> {
  return planTrack(services, { body, route }, trackOf(found), massKg, planning, hooks);
}

function planTrack(
  services: PlanningServices,
  { body, route }: RouteRequest,
  track: FlightTrack,
  massKg: number,
  planning: PlanningOptions,
  hooks: PlanningHooks,
): Promise<Answer> {
  const raw = { ...body.aircraft, ...track, takeoff_mass: massKg };
  const read = finish(readPlanningBody(raw));
  if (read instanceof Rejected) throw validationError(read.errors);
  return computePlans(services, planningRequestOf(read, planning, route.options), {
    signal: hooks.signal,
    onComputeMs: hooks.onComputeMs,
  });
}

/** The same cost of fuel and time without any of contrails. */
function withoutContrails(planning: PlanningOptions, eiCo2: number): PlanningOptions {
  const { fuelPrice, costIndex, carbonPrice } = planning.prices;
  const withCarbon = fuelPrice + (carbonPrice * eiCo2) / 1000;
  return {
    ...planning,
    prices: {
      ...planning.prices,
      ...{ fuelPrice: withCarbon, carbonPrice: 0 },
      costIndex: withCarbon > 0 ? (costIndex * fuelPrice) / withCarbon : 0,
    },
  };
}

/** Checks what the body says of the aircraft as on any flight. */
function aircraftIn({ aircraft, origin, destination, departureMs }: RouteBody): FlightGiven {
  const track = {
    longitude: [origin[0], destination[0]],
    latitude: [origin[1], destination[1]],
    altitude: [35_000, 35_000],
    time: [departureMs, departureMs + 3_600_000].map((ms) => new Date(ms).toISOString()),
  };
  const read = finish(readPlanningBody({ ...aircraft, ...track }));
  if (read instanceof Rejected) throw validationError(read.errors);
  return read.fleet.attributes[0] ?? {};
}

function latticeIn(shape: SearchWork): Lattice {
  try {
    return latticeOf(shape);
  } catch (error) {
    throw new ValidationError([
      { loc: ['body', 'destination'], msg: (error as Error).message, type: 'value_error' },
    ]);
  }
}

function requireSize(work: SearchWork): void {
  const edges = countEdges(problemOf({ ...work, contrails: undefined }));
  if (edges <= MAX_EDGES) return;
  const { stages, width } = latticeOf(work);
  const msg = `${stages} stages, ${2 * width + 1} offsets and ${work.flightLevels.length} levels at ${work.machs.length} Mach numbers are ${edges} edges; at most ${MAX_EDGES} are searched: raise stage_km or offset_km, or give fewer flight_levels`;
  throw new ValidationError([{ loc: ['query', 'stage_km'], msg, type: 'value_error' }]);
}

/** Where and when the route may be. */
function regionAround(
  lattice: Lattice,
  flightLevels: readonly number[],
  departureMs: number,
  slowestMS: number,
): ReturnType<typeof regionOf> {
  const stages = Array.from({ length: lattice.stages + 1 }, (_, i) => i);
  const outline = [
    ...stages.map((i) => nodePosition(lattice, i, lattice.high[i] as number)),
    ...stages.reverse().map((i) => nodePosition(lattice, i, lattice.low[i] as number)),
  ];
  const altitudes = outline.map(
    (_, i) => 100 * (i % 2 === 0 ? Math.min(...flightLevels) : Math.max(...flightLevels)),
  );
  const endMs = departureMs + (1000 * lattice.lengthM) / slowestMS;
  return regionOf({
    longitude: Float64Array.from(outline, ([longitude]) => longitude),
    latitude: Float64Array.from(outline, ([, latitude]) => latitude),
    altitudeFt: Float64Array.from(altitudes),
    timeMs: Float64Array.from(outline, (_, i) => (i === 0 ? departureMs : endMs)),
  });
}

/** Mass [kg] at the start of the search: empty mass, payload, reserves and the fuel of the way. */
function estimatedMassKg(
  type: AircraftType,
  about: FlightGiven,
  lengthM: number,
  departureMs: number,
  qFuelJKg: number,
): number {
  const knowledge = { ...about, aircraftType: about.aircraftType ?? '' };
  const { payloadKg } = estimatePayload(knowledge, type.maxPayloadKg, departureMs, lengthM / 1000);
  const [temperatureK, pressurePa] = [220, 100 * levelFromAltitudeFt(35_000)];
  const seconds = lengthM / airspeedFromMach(type.designMach, temperatureK);
  let massKg = 0.8 * type.maxTakeoffMassKg;
  for (let round = 0; round < 4; round++) {
    const flow = cruiseFuelFlowKgS(type, 0.95 * massKg, pressurePa, temperatureK, type.designMach, qFuelJKg);
    const burn = flow * seconds;
    massKg = takeoffMassKg(
      type.operatingEmptyMassKg,
      payloadKg,
      burn,
      reserveFuelKg(flow, burn),
      type.maxTakeoffMassKg,
    );
  }
  return massKg;
}
