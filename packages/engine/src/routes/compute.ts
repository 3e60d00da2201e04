/** The route of a request, from weather to answer; the same for HTTP and the command line. */
import { isDeepStrictEqual } from 'node:util';
import {
  type AircraftType,
  cruiseFuelFlowKgS,
  estimatePayload,
  findPerformanceType,
  reserveFuelKg,
  takeoffMassKg,
} from '@contrails/physics/aircraft';
import { airspeedFromMach, levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { countEdges, isAreaClosed, isInArea, type Lattice, nodePosition } from '@contrails/physics/routing';
import { type FieldError, ValidationError } from '@contrails/runtime/errors';
import { Rejected, validationError } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { kernelAt } from '../compute.ts';
import { eiCo2Of, qFuelOf } from '../flights/aircraft.ts';
import type { FlightGiven } from '../flights/fleet.ts';
import { weatherRequestOf } from '../flights/plan-weather.ts';
import { regionOf } from '../flights/region.ts';
import type { PlanningHooks, PlanningServices } from '../planning/compute.ts';
import type { Answer } from '../planning/describe-flight.ts';
import { readPlanningBody } from '../planning/read-body.ts';
import { asRequestError } from '../weather/errors.ts';
import { describeRoutes, type PlannedRoute, type RoutesToDescribe } from './answer.ts';
import { chooseRoutes, FLOWN, type RouteChoice, type VerifiedRoute } from './candidates.ts';
import { contrailHours, requireGridLevels } from './contrail-hours.ts';
import { FRONT_WEIGHTS, frontOf } from './front.ts';
import type { Doubts } from './recommend.ts';
import type { RouteBody, RouteOptions } from './request.ts';
import { latticeOf, type SearchedRoute, type SearchOutcome, type SearchWork } from './search.ts';
import { trackOf } from './track.ts';
import { openVerifier, type RouteRequest, type Verifier, withoutContrails } from './verify.ts';

const kernel = kernelAt<typeof import('./search.kernel.ts').default>(
  new URL('./search.kernel.ts', import.meta.url),
);

const MAX_EDGES = 5e7;
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
  requireSize(lattice, flightLevels, machs, route.planning.maxStepFt);
  const massKg =
    about.takeoffMassKg ?? estimatedMassKg(type, about, lattice.lengthM, body.departureMs, qFuelOf(about));
  const verifier = openVerifier(services, { body, route }, massKg, hooks);
  // What is wrong with the flight is said before anything is searched.
  const flown = body.flown && { name: FLOWN, verified: await verifier.asFlown(body.flown) };
  const met = await services.met.open();
  const airspeeds = machs.map((mach) => mach * 300);
  const groundSpeeds = [
    Math.min(...airspeeds) - MAX_WIND_M_S,
    Math.max(...airspeeds) + MAX_WIND_M_S,
  ] as const;
  requireOpenEnds(body, flightLevels, groundSpeeds, lattice.lengthM);
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
  let warnings: readonly string[];
  try {
    warnings = weatherWarnings(
      weather.levels.time.knots,
      body.departureMs,
      (1000 * lattice.lengthM) / Math.max(...airspeeds),
    );
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
      wanted: ['wind_optimal', 'optimum', ...(route.front === 'none' ? [] : FRONT_WEIGHTS)],
      wantsGraph: route.includes.includes('graph'),
    };
    outcomes = await services.compute.parallel(kernel, work, work.wanted.length, {
      ...(hooks.signal && { signal: hooks.signal }),
      ...(hooks.onComputeMs && { onComputeMs: hooks.onComputeMs }),
    });
  } finally {
    weather.release();
  }
  const [wind, optimum, ...weighted] = outcomes;
  const routes: PlannedRoute[] = [];
  for (const [name, found, isClosed] of [
    ['great_circle', wind?.greatCircle, wind?.isGreatCircleClosed ?? false],
    ['wind_optimal', wind?.route, false],
    ['optimum', optimum?.route, false],
  ] as const) {
    if (found) routes.push({ name, found, isClosed, verified: await verifier.profile(trackOf(found)) });
  }
  const baseline = flown ?? (await filedOf(verifier, route, wind?.route, prices.eiCo2));
  const rules = { prices, areas: body.areas, parity: route.planning.parity };
  const choice = chooseRoutes({
    ...{ ...rules, baseline, maxExtraFuelPercent: route.maxExtraFuelPercent },
    routes: routes.filter(({ isClosed }) => !isClosed),
  });
  const points =
    route.front === 'none'
      ? undefined
      : frontOf(
          weighted.map((one) => one.route),
          prices,
        );
  const front: NonNullable<RoutesToDescribe['front']>[number][] = [];
  for (const point of points ?? []) {
    const same = front.find(({ route: { figures } }) => isDeepStrictEqual(figures, point.route.figures));
    const isVerified = route.front === 'verified' && !point.isDominated;
    const verified = isVerified
      ? (same?.verified ?? (await verifier.profile(trackOf(point.route))))
      : undefined;
    front.push({ ...point, verified });
  }
  return describeRoutes(
    {
      ...{ routes, prices, areas: body.areas, lattice, massKg, plan: route, warnings },
      ...{ hasOptimum: Boolean(optimum?.route), graph: optimum?.graph },
      front: points && front,
    },
    choice,
    await doubtsOf(verifier, route, choice),
  );
}

/** What a planner files that counts fuel, time and CO2 but no contrails. */
async function filedOf(
  verifier: Verifier,
  { planning }: RouteOptions,
  windOptimal: SearchedRoute | null | undefined,
  eiCo2: number,
): Promise<VerifiedRoute | undefined> {
  if (!windOptimal) return undefined;
  const verified = await verifier.profile(trackOf(windOptimal), withoutContrails(planning, eiCo2));
  return { name: 'baseline', verified };
}

/** How a second weather and samples judge the two; nothing where there is no choice. */
async function doubtsOf(
  verifier: Verifier,
  { verifyWith, planning }: RouteOptions,
  { filed, chosen }: RouteChoice,
): Promise<Doubts> {
  const other = verifyWith && (await verifier.in(verifyWith));
  const isChange = filed !== undefined && chosen !== undefined && filed !== chosen;
  const [filedJ, chosenJ] =
    isChange && planning.uncertainty !== undefined
      ? [(await verifier.sampled(filed.track)).sampledJ, (await verifier.sampled(chosen.track)).sampledJ]
      : [];
  return {
    ...(verifyWith &&
      other && {
        second: {
          weather: verifyWith,
          filed: filed && (await other.asFlown(filed.track)),
          chosen: chosen && (await other.asFlown(chosen.track)),
        },
      }),
    ...(filedJ && chosenJ && { samples: { filedJ, chosenJ, confidence: planning.confidence } }),
  };
}

/** Checks the aircraft in the body as on any flight. */
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

function requireSize(
  lattice: Lattice,
  flightLevels: readonly number[],
  machs: readonly number[],
  maxStepFt: number,
): void {
  const choices = {
    flightLevels: Float64Array.from(flightLevels.flatMap((level) => machs.map(() => level))),
  };
  const edges = countEdges({ lattice, choices, maxStepFt });
  if (edges <= MAX_EDGES) return;
  const { stages, width } = lattice;
  const msg = `${stages} stages, ${2 * width + 1} offsets and ${flightLevels.length} levels at ${machs.length} Mach numbers are ${edges} edges; at most ${MAX_EDGES} are searched: raise stage_km or offset_km, or give fewer flight_levels`;
  throw new ValidationError([{ loc: ['query', 'stage_km'], msg, type: 'value_error' }]);
}

/** Refuses ends that lie in areas at all levels, at every time when the flight may be there. */
function requireOpenEnds(
  { origin, destination, departureMs, areas }: RouteBody,
  flightLevels: readonly number[],
  [slowest, fastest]: readonly [number, number],
  lengthM: number,
): void {
  const departureS = departureMs / 1000;
  const errors = (
    [
      ['origin', origin, [departureS, departureS]],
      ['destination', destination, [departureS + lengthM / fastest, departureS + lengthM / slowest]],
    ] as const
  ).flatMap(([name, [longitude, latitude], times]): FieldError[] => {
    const here = areas.filter((area) => isInArea(area, longitude, latitude));
    const isClosed = (level: number) =>
      here.some((area) => times.every((seconds) => isAreaClosed(area, level, seconds)));
    if (!flightLevels.every(isClosed)) return [];
    const msg = `${name} lies in an area of avoid at all levels; move it, or limit the area`;
    return [{ loc: ['body', name], msg, type: 'value_error' }];
  });
  if (errors.length > 0) throw new ValidationError(errors);
}

/** Refuses a departure outside the weather; a flight that outlives it is warned of. */
function weatherWarnings(knots: ArrayLike<number>, departureMs: number, durationMs: number): string[] {
  const [first, last] = [knots[0] as number, knots[knots.length - 1] as number];
  const shown = (ms: number) => new Date(ms).toISOString();
  if (!(departureMs >= first && departureMs <= last)) {
    const msg = `departure_time ${shown(departureMs)} is outside the weather, which is there from ${shown(first)} to ${shown(last)}`;
    throw new ValidationError([{ loc: ['body', 'departure_time'], msg, type: 'value_error' }]);
  }
  return departureMs + durationMs <= last
    ? []
    : [`the weather ends at ${shown(last)}, before the flight does: ways beyond it are closed`];
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
