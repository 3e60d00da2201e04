/** A request for plans, from weather to answer; the same for HTTP, jobs and the command line. */
import type { Met, OpenWeather, WeatherOrigin } from '@contrails/met';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { flightOf } from '@contrails/physics/flight';
import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import type { Compute } from '../../compute/index.ts';
import { type FieldError, NotFoundError, ValidationError } from '../../errors.ts';
import { ProblemError } from '../../http/problem.ts';
import type { RequestFleet } from '../../trajectories/fleet.ts';
import {
  groupOfMember,
  type MemberPass,
  memberPasses,
  type ResolvedUncertainty,
  resolveMembers,
} from '../../trajectories/members.ts';
import { planWeather, shownBox, type WeatherGroup, withWeather } from '../../trajectories/plan-weather.ts';
import { scalingForLevels, scalingForMember } from '../../weather/humidity-scaling.ts';
import { type Answer, makePlanAnswer, type PlannedFlight } from './answer.ts';
import { type PlanningOptions, requirePlannable, rowsOfPlan } from './options.ts';
import {
  conclude,
  evaluateFlight,
  type FlightToPlan,
  flightToPlan,
  type Proposal,
  propose,
  sampleProposal,
} from './plan-flight.ts';
import type { PlanningRequest } from './read-body.ts';
import type { StoredGrids } from './stored-grids.ts';

export interface PlanningServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Compute;
  /** For `contrails=grid`. */
  readonly grids?: StoredGrids;
}

export interface PlanningHooks {
  readonly signal?: AbortSignal | undefined;
  /** Called with the share of the rows that are done, 0–1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  readonly onComputeMs?: ((ms: number) => void) | undefined;
}

/** Blocks of the rows of a flight that is alone: more than threads, so that none waits long for the last. */
const BLOCKS_PER_THREAD = 2;

/** A flight of the request that can be planned. */
interface ReadyFlight {
  readonly f: number;
  readonly flight: FlightToPlan;
}

/**
 * Looks at all that needs no weather, and throws what is wrong with the request. Of a fleet, a flight that cannot be planned has its
 * problem in its place.
 */
export function preparePlans(
  { grids }: Pick<PlanningServices, 'grids'>,
  { fleet, planning, nvpmEiN, options, avoid }: PlanningRequest,
): {
  readonly flights: PlannedFlight[];
  readonly ready: readonly ReadyFlight[];
} {
  const stored = planning.contrails === 'grid' ? grids : undefined;
  stored?.requireLevels(planning.flightLevels);
  const counts = fleet.attributes.map(
    (_, f) => (fleet.offsets[f + 1] as number) - (fleet.offsets[f] as number),
  );
  checkWaypoints(planning, counts);
  const flights: PlannedFlight[] = fleet.attributes.map(({ id }) => ({ id }));
  const ready: ReadyFlight[] = [];
  fleet.attributes.forEach(({ id, aircraftType }, f) => {
    try {
      stored?.requireType(aircraftType);
      ready.push({ f, flight: flightToPlan(fleet, f, nvpmEiN, options, planning, avoid) });
    } catch (error) {
      flights[f] = { id, problem: problemOfFlight(fleet, error) };
    }
  });
  requireWork(planning, ready);
  return { flights, ready };
}

export async function computePlans(
  services: PlanningServices,
  request: PlanningRequest,
  hooks: PlanningHooks,
): Promise<Answer> {
  const { fleet, planning } = request;
  const isFleet = Array.isArray(fleet.flightId);
  const { flights, ready } = preparePlans(services, request);
  const refuse = (f: number, error: unknown) => {
    flights[f] = { id: fleet.attributes[f]?.id, problem: problemOfFlight(fleet, error) };
  };
  const met = await services.met.open();
  const progress = rowProgress(ready.length * rowsOfPlan(planning), hooks.onProgress);
  const blocks = ready.length > 1 ? 1 : BLOCKS_PER_THREAD * services.compute.threads;
  const planServices = {
    ...{ compute: services.compute, blocks, onRows: progress },
    ...{ signal: hooks.signal, onComputeMs: hooks.onComputeMs, storedForcing: services.grids?.forcing },
  };
  const proposals = new Map<number, { readonly proposal: Proposal; readonly origin: WeatherOrigin }>();
  const seenBy = (
    flight: FlightToPlan,
    { origin }: OpenWeather,
    { member }: MemberPass,
    uncertainty: ResolvedUncertainty | undefined,
  ): FlightToPlan => {
    const scaling = scalingForMember(scalingForLevels(flight.options.scaling, origin.levelType), member);
    return {
      ...flight,
      options: { ...flight.options, scaling },
      planning: uncertainty === undefined ? flight.planning : { ...flight.planning, uncertainty },
    };
  };
  const planOne = async (f: number, flight: FlightToPlan, weather: OpenWeather, { samples }: MemberPass) => {
    try {
      const known = proposals.get(f);
      if (known === undefined) requireInside(flight, weather);
      const { proposal, origin } = known ?? {
        proposal: await propose(flight, await evaluateFlight(flight, weather, planServices), planServices),
        origin: weather.origin,
      };
      proposals.set(f, { proposal, origin });
      await sampleProposal(proposal, flight, samples, weather, planServices);
    } catch (error) {
      refuse(f, error);
    }
  };
  const planAll = async (chosen: readonly ReadyFlight[]) => {
    if (chosen.length === 0) return;
    const envelope = weatherEnvelope(fleet, chosen, planning);
    const groups = await planWeather(met, 'cocip', envelope, request.options);
    const uncertainty = planning.uncertainty && (await resolveMembers(met, groups, planning.uncertainty));
    if (uncertainty !== undefined) requireWork({ ...planning, uncertainty }, ready);
    // One member after the other: only one at a time takes of the memory for weather.
    for (const pass of uncertainty === undefined ? [WITHOUT_SAMPLES] : memberPasses(uncertainty)) {
      const use = async (group: WeatherGroup, weather: OpenWeather | undefined) => {
        if (weather === undefined) throw new TypeError('plans need weather');
        const queue = group.flights
          .map((k) => chosen[k] as ReadyFlight)
          .filter(({ f }) => flights[f]?.problem === undefined);
        await atOnce(services.compute.threads, queue, ({ f, flight }) =>
          planOne(f, seenBy(flight, weather, pass, uncertainty), weather, pass),
        );
      };
      for (const group of groups)
        await withWeather(met, groupOfMember(group, pass.member), hooks.signal, use);
    }
    for (const { f } of chosen) {
      const known = proposals.get(f);
      if (known === undefined || flights[f]?.problem !== undefined) continue;
      flights[f] = { id: fleet.attributes[f]?.id, plan: conclude(known.proposal), origin: known.origin };
    }
  };
  try {
    await planAll(ready);
  } catch (error) {
    // No weather covers some flight of the fleet: each for itself tells which.
    if (!isFleet || ready.length < 2 || !isOutside(error)) throw refusal(error);
    proposals.clear();
    for (const one of ready.filter(({ f }) => flights[f]?.plan === undefined && !flights[f]?.problem)) {
      await planAll([one]).catch((failed: unknown) => refuse(one.f, refusal(failed)));
    }
  }
  return makePlanAnswer(request, flights);
}

/** What is wrong with one flight of a fleet; throws what is wrong with a single flight, the request or the service. */
function problemOfFlight({ flightId }: RequestFleet, error: unknown): PlannedFlight['problem'] {
  if (Array.isArray(flightId)) {
    if (error instanceof ProblemError)
      return { name: error.problem, detail: error.message, errors: undefined };
    if (error instanceof ValidationError)
      return { name: 'validation', detail: error.message, errors: error.errors };
    if (error instanceof NotFoundError)
      return { name: 'not-found', detail: error.message, errors: undefined };
  }
  throw error;
}

/** A flight that no weather covers has its own problem. */
function refusal(error: unknown): unknown {
  return isOutside(error) ? new ProblemError('outside-weather', error.message) : error;
}

function isOutside(error: unknown): error is ValidationError {
  return error instanceof ValidationError && error.errors.every(({ loc }) => loc[0] === 'body');
}

const WITHOUT_SAMPLES: MemberPass = { member: undefined, samples: [] };

function requireWork(planning: PlanningOptions, ready: readonly ReadyFlight[]): void {
  requirePlannable(
    planning,
    ready.map(({ flight }) => flight.track.timeMs.length),
  );
}

/** Waypoints of the request that the flights do not have. */
function checkWaypoints({ fromWaypoint, toWaypoint }: PlanningOptions, counts: readonly number[]): void {
  const shortest = Math.min(...counts);
  const errors = Object.entries({ from_waypoint: fromWaypoint, to_waypoint: toWaypoint }).flatMap(
    ([name, index]): FieldError[] =>
      index === undefined || index < shortest
        ? []
        : [
            {
              loc: ['query', name],
              msg: `${name} ${index} is beyond the last waypoint; give 0 to ${shortest - 1}`,
              type: 'value_error',
            },
          ],
  );
  if (errors.length > 0) throw new ValidationError(errors);
}

/** Rows may be slower than the flight by so much of its duration. */
const DELAY_SHARE = 0.1;

/** Flights that reach from the lowest to the highest level of the plan: the weather that their rows see. */
function weatherEnvelope(
  fleet: RequestFleet,
  chosen: readonly { readonly f: number }[],
  { flightLevels, shiftsFt }: PlanningOptions,
): RequestFleet {
  const parts = chosen.map(({ f }) => flightOf(fleet, f));
  const offsets = sharedUint32(chosen.length + 1);
  parts.forEach(({ timeMs }, k) => {
    offsets[k + 1] = (offsets[k] as number) + timeMs.length;
  });
  const positions = ['timeMs', 'longitude', 'latitude', 'altitudeFt'] as const;
  const columns = Object.fromEntries(
    positions.map((name) => {
      const joined = sharedFloat64(offsets[chosen.length] as number);
      parts.forEach((part, k) => {
        joined.set(part[name], offsets[k]);
      });
      return [name, joined];
    }),
  ) as unknown as RequestFleet['columns'];
  parts.forEach(({ timeMs, altitudeFt }, k) => {
    const first = offsets[k] as number;
    const last = (offsets[k + 1] as number) - 1;
    const [low, high] = [Math.min(...altitudeFt), Math.max(...altitudeFt)];
    const levelsFt = flightLevels.map((level) => 100 * level);
    columns.altitudeFt[first] = Math.min(low, ...levelsFt, ...shiftsFt.map((shift) => low + shift));
    columns.altitudeFt[last] = Math.max(high, ...levelsFt, ...shiftsFt.map((shift) => high + shift));
    const durationMs = (timeMs.at(-1) as number) - (timeMs[0] as number);
    columns.timeMs[last] = (columns.timeMs[last] as number) + DELAY_SHARE * durationMs;
  });
  return {
    columns,
    offsets,
    attributes: chosen.map(({ f }) => fleet.attributes[f] ?? {}),
    requestIndex: undefined,
    flightId: fleet.flightId,
  };
}

function requireInside({ track, cruise }: FlightToPlan, { levels, origin }: OpenWeather): void {
  const isWithin = ({ knots }: { knots: Float64Array }, value: number) =>
    value >= (knots[0] as number) && value <= (knots.at(-1) as number);
  for (let i = cruise.first; i <= cruise.last; i++) {
    const isInside =
      isWithin(levels.time, track.timeMs[i] as number) &&
      isWithin(levels.latitude, track.latitude[i] as number) &&
      isWithin(levels.longitude, track.longitude[i] as number) &&
      isWithin(levels.level, levelFromAltitudeFt(track.altitudeFt[i] as number));
    if (isInside) return;
  }
  throw new ProblemError(
    'outside-weather',
    `no waypoint of the cruise lies in the weather; ${origin.name} has here ${shownBox(levels)}`,
  );
}

/** Runs work on all items, a few at a time; the first error stops what has not begun. */
async function atOnce<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
}

function rowProgress(
  expected: number,
  onProgress: ((fraction: number) => void) | undefined,
): ((rows: number) => void) | undefined {
  if (onProgress === undefined) return undefined;
  let done = 0;
  return (rows) => {
    done += rows;
    onProgress(Math.min(1, done / expected));
  };
}
