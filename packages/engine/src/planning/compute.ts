/** A request for plans, from weather to answer; the same for HTTP, jobs and the command line. */
import type { Met, OpenWeather, WeatherOrigin } from '@contrails/met';
import { atOnce, type Reserve } from '@contrails/runtime';
import type { Compute } from '../compute.ts';
import { requireScaling } from '../flights/compute.ts';
import {
  groupOfMember,
  type MemberPass,
  memberPasses,
  type ResolvedUncertainty,
  resolveMembers,
} from '../flights/members.ts';
import { planWeather, type WeatherGroup, withWeather } from '../flights/plan-weather.ts';
import { scalingForLevels, scalingForMember } from '../weather/humidity-scaling.ts';
import { collectAnswers, type DescribeProblem, type PlanAnswers } from './answer.ts';
import { conclude, type FlightPlan } from './conclude.ts';
import type { Answer } from './describe-flight.ts';
import { type EvaluateServices, evaluateFlight } from './evaluate-flight.ts';
import type { FlightToPlan } from './flight-to-plan.ts';
import { rowsOfPlan } from './options.ts';
import {
  isOutside,
  preparePlans,
  problemOfFlight,
  type ReadyFlight,
  refusal,
  requireWork,
  type StoredGrids,
} from './prepare.ts';
import { type Proposal, propose, sampleProposal } from './proposal.ts';
import type { PlanningRequest } from './read-body.ts';
import { requireInside, weatherEnvelope } from './weather-of-plans.ts';

export interface PlanningServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Compute;
  /** A service that other work shares asks before it takes memory; a command does not. */
  readonly reserve?: Reserve;
  /** For `contrails=grid`. */
  readonly grids?: StoredGrids;
  /** For flights of a fleet that have no plan. */
  readonly describeProblem?: DescribeProblem;
  /** Of one request: its encoded plans, and rows that wait for the next member of an ensemble. */
  readonly memoryBytes: number;
}

export interface PlanningHooks {
  readonly signal?: AbortSignal | undefined;
  /** Called with the share of the rows that are done, 0–1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  readonly onComputeMs?: ((ms: number) => void) | undefined;
  /** Called with each plan before it is described. */
  readonly onPlan?: ((plan: FlightPlan) => void) | undefined;
}

/** Blocks of the rows of a flight that is alone: more than threads, so none waits long for the last. */
const BLOCKS_PER_THREAD = 2;

export async function computePlans(
  services: PlanningServices,
  request: PlanningRequest,
  hooks: PlanningHooks,
): Promise<Answer> {
  const { ready, refused } = preparePlans(services, request);
  const bytes = rowBytesOf(ready, request, services.compute.threads);
  const lease = await services.reserve?.('planning', bytes, hooks.signal);
  try {
    return await planReady(services, request, hooks, ready, refused);
  } finally {
    lease?.release();
  }
}

/** Memory of the rows of the flights that are planned at the same time, about [bytes]. */
function rowBytesOf(ready: readonly ReadyFlight[], { planning }: PlanningRequest, lanes: number): number {
  const longest = ready.reduce((max, { flight }) => Math.max(max, flight.track.timeMs.length), 0);
  return ROW_BYTES * rowsOfPlan(planning) * longest * Math.min(lanes, ready.length);
}

async function planReady(
  services: PlanningServices,
  request: PlanningRequest,
  hooks: PlanningHooks,
  ready: readonly ReadyFlight[],
  refused: ReturnType<typeof preparePlans>['refused'],
): Promise<Answer> {
  const answers = collectAnswers(request, services.memoryBytes, services.describeProblem);
  for (const [f, problem] of refused) answers.refuse(f, problem);
  const isFleet = Array.isArray(request.fleet.flightId);
  const met = await services.met.open();
  const planServices = {
    ...{ compute: services.compute, storedForcing: services.grids?.forcing },
    blocks: ready.length > 1 ? 1 : BLOCKS_PER_THREAD * services.compute.threads,
    onRows: rowProgress(ready.length * rowsOfPlan(request.planning), hooks.onProgress),
    ...{ signal: hooks.signal, onComputeMs: hooks.onComputeMs },
  };
  const planAll = (flights: readonly ReadyFlight[]) =>
    planFlights(
      {
        ...{ met, request, services: planServices, answers },
        ...{ lanes: services.compute.threads, onPlan: hooks.onPlan },
      },
      flights,
    );
  for (const batch of batchesOf(ready, request, services.memoryBytes)) {
    try {
      await planAll(batch);
    } catch (error) {
      // Some flight of the fleet has no weather: plan each alone to find it.
      if (!isFleet || batch.length < 2 || !isOutside(error)) throw refusal(error);
      for (const one of batch.filter(({ f }) => !answers.has(f))) {
        await planAll([one]).catch((failed: unknown) =>
          answers.refuse(one.f, problemOfFlight(request.fleet, refusal(failed))),
        );
      }
    }
  }
  return answers.finish();
}

/** Throws what a job would fail with before it reads any weather: an unknown source, members that it does not have, a flight outside. */
export async function checkPlans(services: PlanningServices, request: PlanningRequest): Promise<void> {
  const { ready } = preparePlans(services, request);
  if (ready.length === 0) return;
  try {
    await chooseWeather(await services.met.open(), request, ready);
  } catch (error) {
    // Flights of a fleet have their own problems.
    if (!Array.isArray(request.fleet.flightId) || !isOutside(error)) throw refusal(error);
  }
}

/** The weather that flights see, and the members that their samples see. */
async function chooseWeather(
  met: Met,
  { fleet, planning, options }: PlanningRequest,
  flights: readonly ReadyFlight[],
) {
  const groups = await planWeather(met, 'cocip', weatherEnvelope(fleet, flights, planning), options);
  const uncertainty = planning.uncertainty && (await resolveMembers(met, groups, planning.uncertainty));
  if (uncertainty !== undefined) requireWork({ ...planning, uncertainty }, flights);
  return { groups, uncertainty };
}

/** Columns of a row that are kept until its samples have seen all members [bytes per waypoint]. */
const ROW_BYTES = 73;

/** Flights whose plans wait for the members of an ensemble are planned as many at a time as fit into memory; others need not wait. */
function batchesOf(
  ready: readonly ReadyFlight[],
  { planning }: PlanningRequest,
  memoryBytes: number,
): readonly (readonly ReadyFlight[])[] {
  if (ready.length === 0) return [];
  if (planning.uncertainty?.metMembers === undefined) return [ready];
  const batches: ReadyFlight[][] = [[]];
  let bytes = 0;
  for (const one of ready) {
    const needed = ROW_BYTES * rowsOfPlan(planning) * one.flight.track.timeMs.length;
    if (bytes > 0 && bytes + needed > memoryBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(one);
    bytes += needed;
  }
  return batches;
}

interface PlanRun {
  readonly met: Met;
  readonly request: PlanningRequest;
  readonly services: EvaluateServices;
  readonly answers: PlanAnswers;
  /** Flights that are planned at the same time. */
  readonly lanes: number;
  readonly onPlan: PlanningHooks['onPlan'];
}

/** Plans some flights of the request, each described as soon as its last sample is there. */
async function planFlights(run: PlanRun, flights: readonly ReadyFlight[]): Promise<void> {
  const { met, request, services, answers } = run;
  const { fleet, planning } = request;
  const { groups, uncertainty } = await chooseWeather(met, request, flights);
  const passes = uncertainty === undefined ? [WITHOUT_SAMPLES] : memberPasses(uncertainty);
  const waiting = new Map<number, { readonly proposal: Proposal; readonly origin: WeatherOrigin }>();
  const planOne = async (
    { f, flight: asked }: ReadyFlight,
    weather: OpenWeather,
    pass: MemberPass,
    services: EvaluateServices,
  ) => {
    const flight = withScaling(asked, weather, pass, uncertainty);
    const known = waiting.get(f);
    if (known === undefined) requireInside(flight, weather);
    const { proposal, origin } = known ?? {
      proposal: await propose(flight, await evaluateFlight(flight, weather, services), services),
      origin: weather.origin,
    };
    await sampleProposal(proposal, flight, pass.samples, weather, services);
    return { proposal, origin };
  };
  // One member after the other: only one at a time takes of the memory for weather.
  for (const pass of passes) {
    const use = async (group: WeatherGroup, weather: OpenWeather | undefined) => {
      if (weather === undefined) throw new TypeError('plans need weather');
      const queue = group.flights.map((k) => flights[k] as ReadyFlight).filter(({ f }) => !answers.has(f));
      const plan = async (one: ReadyFlight, _: number, signal: AbortSignal) => {
        try {
          waiting.set(one.f, await planOne(one, weather, pass, { ...services, signal }));
        } catch (error) {
          waiting.delete(one.f);
          answers.refuse(one.f, problemOfFlight(fleet, error));
        }
        const planned = waiting.get(one.f);
        if (planned === undefined || pass !== passes.at(-1)) return;
        waiting.delete(one.f);
        const plan = conclude(planned.proposal);
        run.onPlan?.(plan);
        answers.add(one.f, plan, planned.origin);
      };
      await atOnce(run.lanes, inOrder(queue, planning.contrails), plan, services.signal);
    };
    for (const group of groups)
      await withWeather(met, groupOfMember(group, pass.member), services.signal, use);
  }
}

const WITHOUT_SAMPLES: MemberPass = { member: undefined, samples: [] };

/** The flight with the humidity scaling of this weather, and the members that its samples see. */
function withScaling(
  flight: FlightToPlan,
  { origin }: OpenWeather,
  { member }: MemberPass,
  uncertainty: ResolvedUncertainty | undefined,
): FlightToPlan {
  const scaling = scalingForMember(scalingForLevels(flight.options.scaling, origin.levelType), member);
  requireScaling(scaling);
  return {
    ...flight,
    options: { ...flight.options, scaling },
    planning: uncertainty === undefined ? flight.planning : { ...flight.planning, uncertainty },
  };
}

/** Flights in the air at the same time read the same stored grids, so these are unpacked once. */
function inOrder(
  queue: readonly ReadyFlight[],
  contrails: PlanningRequest['planning']['contrails'],
): readonly ReadyFlight[] {
  const startMs = ({ flight }: ReadyFlight) => flight.track.timeMs[0] as number;
  return contrails === 'grid' ? queue.toSorted((one, other) => startMs(one) - startMs(other)) : queue;
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
