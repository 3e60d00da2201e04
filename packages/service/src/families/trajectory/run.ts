/** Flights over given weather: what requests, jobs, commands and benchmarks run. */
import { type Compute, kernelAt } from '../../compute/index.ts';
import { CancelledError, type Fault } from '../../errors.ts';
import { validationError } from '../../http/rejected.ts';
import type { FlightFacts } from './finish-flight.ts';
import { type RequestFleet, type SharedColumn, sharedColumn } from './fleet.ts';
import { type FleetWork, type FlightOutcome, prepareBlocks, type SharedWeather } from './flight-block.ts';
import { groupFlights } from './group-flights.ts';
import { type OutputColumn, outputColumns, type TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';

export interface RunServices {
  /** Weather in shared memory; absent where the flights give all the air that the model looks at. */
  readonly weather: SharedWeather | undefined;
  /** Threads; without them the flights are evaluated here, one after the other. */
  readonly compute?: Compute | undefined;
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
  parts: RunServices,
): Promise<TrajectoryResult> {
  const result = emptyResult(model, fleet, options);
  const flights = fleet.attributes.map((_, flight) => flight);
  await runFlightsInto(result, model, fleet, flights, options, parts);
  return result;
}

export function emptyResult(
  model: TrajectoryModel,
  fleet: RequestFleet,
  { includes }: Pick<TrajectoryOptions, 'includes'>,
): TrajectoryResult {
  const names = outputColumns(model, includes);
  return {
    columns: Object.fromEntries(names.map((name) => [name, sharedColumn(fleet.columns.timeMs.length)])),
    facts: new Array<FlightFacts | undefined>(fleet.attributes.length).fill(undefined),
  };
}

/** Evaluates some flights of a fleet into the places of their results. */
export async function runFlightsInto(
  result: TrajectoryResult,
  model: TrajectoryModel,
  { flightId: _, ...fleet }: RequestFleet,
  flights: readonly number[],
  options: TrajectoryOptions,
  parts: RunServices,
): Promise<void> {
  const work: FleetWork = {
    model,
    options,
    fleet,
    ...groupFlights(fleet, flights, parts.compute?.threads ?? 1),
    // Only what is plain data: the weather itself has functions, which no thread can be sent.
    weather: parts.weather && { levels: parts.weather.levels, radiation: parts.weather.radiation },
    columns: result.columns,
  };
  const outcomes =
    parts.compute === undefined ? runHere(work, parts) : await runThere(work, parts.compute, parts);
  const errors: Fault[] = [];
  for (const outcome of outcomes.sort((a, b) => a.flight - b.flight)) {
    if ('fault' in outcome) errors.push(outcome.fault);
    else result.facts[outcome.flight] = outcome.facts;
  }
  if (errors.length > 0) {
    throw validationError(errors);
  }
}

async function runThere(work: FleetWork, compute: Compute, parts: RunServices): Promise<FlightOutcome[]> {
  const { signal, onProgress, onComputeMs } = parts;
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
