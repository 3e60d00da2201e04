/** Flights over given weather: what requests, jobs, commands and benchmarks run. */

import { sharedFloat64, sharedUint32 } from '@contrails/runtime';
import { CancelledError, type FieldError } from '@contrails/runtime/errors';
import { validationError } from '@contrails/runtime/options/rejected';
import { type Compute, kernelAt } from '../compute.ts';
import { plainWeather, type SharedWeather } from './air.ts';
import type { FlightFacts } from './finish-flight.ts';
import type { RequestFleet, SharedColumn } from './fleet.ts';
import { type FleetWork, type FlightOutcome, prepareBlocks } from './flight-block.ts';
import { type OutputColumn, outputColumns, type TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';

export interface RunServices {
  /** Weather in shared memory; absent where the flights give all the air that the model needs. */
  readonly weather: SharedWeather | undefined;
  /** Threads; without them the flights are evaluated here in turn. */
  readonly compute?: Compute | undefined;
  /** Whether other work keeps the threads busy to the end, so large groups of one size cost the least. */
  readonly isOneOfMany?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the share of the work that is done, 0–1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /** Called with milliseconds of thread time as they are spent. */
  readonly onComputeMs?: ((ms: number) => void) | undefined;
}

/** Results in the order of the fleet. */
export interface TrajectoryResult {
  readonly columns: Readonly<Partial<Record<OutputColumn, SharedColumn>>>;
  /** Of each flight. */
  readonly facts: (FlightFacts | undefined)[];
  /** How many rows the contrails have in all, where they are wanted as rows. */
  readonly contrailRows: Int32Array<SharedArrayBuffer>;
}

const kernel = kernelAt<typeof import('./trajectory.kernel.ts').default>(
  new URL('./trajectory.kernel.ts', import.meta.url),
);

/**
 * Evaluates every flight of a fleet; none depends on the others. Inputs that no model can take are one
 * `ValidationError` that names all flights concerned.
 */
export async function runTrajectories(
  model: TrajectoryModel,
  fleet: RequestFleet,
  options: TrajectoryOptions,
  services: RunServices,
): Promise<TrajectoryResult> {
  const result = emptyResult(model, fleet, options);
  const flights = fleet.attributes.map((_, flight) => flight);
  await runFlightsInto(result, model, fleet, flights, options, services);
  return result;
}

/** With the columns of an answer, unless only some of them are wanted. */
export function emptyResult(
  model: TrajectoryModel,
  fleet: RequestFleet,
  { includes, climate }: Pick<TrajectoryOptions, 'includes' | 'climate'>,
  names: readonly OutputColumn[] = outputColumns(model, includes, climate?.metric),
): TrajectoryResult {
  return {
    columns: Object.fromEntries(names.map((name) => [name, sharedFloat64(fleet.columns.timeMs.length)])),
    facts: new Array<FlightFacts | undefined>(fleet.attributes.length).fill(undefined),
    contrailRows: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  };
}

/** Evaluates some flights of a fleet into their results; flights that cannot be evaluated are an error. */
export async function runFlightsInto(
  result: TrajectoryResult,
  model: TrajectoryModel,
  fleet: RequestFleet,
  flights: readonly number[],
  options: TrajectoryOptions,
  services: RunServices,
): Promise<void> {
  const errors = await evaluateFlightsInto(result, model, fleet, flights, options, services);
  if (errors.size > 0) throw validationError([...errors.values()]);
}

/** As `runFlightsInto`, but returns what is wrong with a flight by its number. */
export async function evaluateFlightsInto(
  result: TrajectoryResult,
  model: TrajectoryModel,
  { flightId: _, ...fleet }: RequestFleet,
  flights: readonly number[],
  options: TrajectoryOptions,
  services: RunServices,
): Promise<ReadonlyMap<number, FieldError>> {
  const work: FleetWork = {
    model,
    options,
    fleet,
    ...(sharesRadiation(options)
      ? oneGroup(fleet, flights)
      : groupFlights(fleet, flights, services.compute?.threads ?? 1, services.isOneOfMany)),
    weather: services.weather && plainWeather(services.weather),
    columns: result.columns,
    contrailRows: options.contrailRows && result.contrailRows,
  };
  const outcomes =
    services.compute === undefined
      ? runHere(work, services)
      : await runThere(work, services.compute, services);
  const errors = new Map<number, FieldError>();
  for (const outcome of outcomes.sort((a, b) => a.flight - b.flight)) {
    if ('error' in outcome) errors.set(outcome.flight, outcome.error);
    else result.facts[outcome.flight] = outcome.facts;
  }
  return errors;
}

async function runThere(work: FleetWork, compute: Compute, services: RunServices): Promise<FlightOutcome[]> {
  const { signal, onProgress, onComputeMs } = services;
  const outcomes = await compute.parallel(kernel, work, work.groupEnds.length, {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(onComputeMs === undefined ? {} : { onComputeMs }),
  });
  return outcomes.flat();
}

function runHere(work: FleetWork, { signal, onProgress }: RunServices): FlightOutcome[] {
  const run = prepareBlocks(work);
  const count = work.groupEnds.length;
  return Array.from({ length: count }, (_, block) =>
    run(block, (fraction) => {
      if (signal?.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
      onProgress?.((block + fraction) / count);
    }),
  ).flat();
}

/** Whether the contrails of flights depend on one another. */
export function sharesRadiation({ parameters }: TrajectoryOptions): boolean {
  return parameters?.contrail_contrail_overlapping === true;
}

function oneGroup({ offsets, columns: { timeMs } }: FleetTimes, flights: readonly number[]): FlightGroups {
  const departureMs = (f: number) => timeMs[offsets[f] as number] as number;
  const order = sharedUint32(flights.length);
  order.set([...flights].sort((a, b) => departureMs(a) - departureMs(b)));
  const groupEnds = sharedUint32(1);
  groupEnds[0] = flights.length;
  return { flights: order, groupEnds };
}

const MAX_FLIGHTS = 64;
const MAX_WAYPOINTS = 16_384;
/** Of the flights that are left, a thread takes one share of so many for each thread. */
const SHARES_PER_THREAD = 2;
/** In groups with fewer waypoints, steps cost more than the points in them. */
const MIN_WAYPOINTS = 2048;

interface FleetTimes {
  readonly offsets: Uint32Array;
  readonly columns: { readonly timeMs: Float64Array };
}

interface FlightGroups {
  /** Group after group. */
  readonly flights: Uint32Array<SharedArrayBuffer>;
  readonly groupEnds: Uint32Array<SharedArrayBuffer>;
}

/**
 * Groups of flights that are in the air at about the same time. Groups get smaller towards the end, so no thread is
 * left with a large one when the others have nothing to do any more, unless the flights are one part of more work.
 */
export function groupFlights(
  { offsets, columns: { timeMs } }: FleetTimes,
  flights: readonly number[],
  threads: number,
  isOneOfMany = false,
): FlightGroups {
  const departureMs = (f: number) => timeMs[offsets[f] as number] as number;
  const waypointsOf = (f: number) => (offsets[f + 1] as number) - (offsets[f] as number);
  const order = sharedUint32(flights.length);
  order.set([...flights].sort((a, b) => departureMs(a) - departureMs(b)));
  const total = flights.reduce((sum, f) => sum + waypointsOf(f), 0);
  const enough = isOneOfMany ? Math.ceil(total / evenGroups(total, threads)) : MAX_WAYPOINTS;
  const ends: number[] = [];
  for (let start = 0; start < order.length; ) {
    const share =
      threads === 1 || isOneOfMany
        ? order.length
        : Math.ceil((order.length - start) / (SHARES_PER_THREAD * threads));
    const max = Math.min(share, MAX_FLIGHTS);
    let end = start;
    let waypoints = 0;
    do {
      waypoints += waypointsOf(order[end] as number);
      end++;
    } while (
      end < Math.min(start + max, order.length) &&
      waypoints < enough &&
      waypoints + waypointsOf(order[end] as number) <= MAX_WAYPOINTS
    );
    ends.push(end);
    start = end;
  }
  const groupEnds = sharedUint32(ends.length);
  groupEnds.set(ends);
  return { flights: order, groupEnds };
}

/** How many groups of one size: one for each thread, more where they would be too large, fewer where too small. */
function evenGroups(waypoints: number, threads: number): number {
  const min = Math.ceil(waypoints / MAX_WAYPOINTS);
  return Math.max(min, Math.min(threads, Math.floor(waypoints / MIN_WAYPOINTS)), 1);
}
