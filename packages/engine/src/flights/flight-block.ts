/** The work of one block: a group of flights of a fleet, their results written to their parts of the shared columns. */

import type { MetField } from '@contrails/met';
import { InputError } from '@contrails/physics/common';
import { flightOf } from '@contrails/physics/flight';
import { reusingColumns } from '@contrails/physics/numerics';
import { HOUR_MS } from '@contrails/runtime';
import type { FieldError } from '@contrails/runtime/errors';
import { openAir, type SharedWeather } from './air.ts';
import { type FlightFacts, finishFlight } from './finish-flight.ts';
import { indexInAnswer, indexInRequest, type RequestFleet, type SharedColumn } from './fleet.ts';
import { followFlights } from './follow-flights.ts';
import type { OutputColumn, TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';
import {
  type Evaluation,
  type FlightTask,
  makeEvaluation,
  type OnStep,
  type OutputColumns,
  type PreparedFlight,
  prepareFlight,
} from './prepare-flight.ts';

/** Everything that the flights of a request need; plain data in shared memory. */
export interface FleetWork {
  readonly model: TrajectoryModel;
  readonly options: TrajectoryOptions;
  readonly fleet: Omit<RequestFleet, 'flightId'>;
  /** Which flights, group after group, and where each group ends. */
  readonly flights: Uint32Array<SharedArrayBuffer>;
  readonly groupEnds: Uint32Array<SharedArrayBuffer>;
  readonly weather: SharedWeather | undefined;
  readonly columns: Readonly<Partial<Record<OutputColumn, SharedColumn>>>;
  /** Where contrails are wanted as rows: how many all threads have collected. */
  readonly contrailRows: Int32Array<SharedArrayBuffer> | undefined;
}

/** The result of a flight; an error is the caller's, because only inputs can be wrong here. */
export type FlightOutcome =
  | { readonly flight: number; readonly facts: FlightFacts }
  | { readonly flight: number; readonly error: FieldError };

/** Called with the share of a group that is done, 0–1; may throw to stop. */
type OnProgress = (fraction: number) => void;

/** Prepares the work; the returned function evaluates one group of flights. */
export function prepareBlocks(work: FleetWork): (block: number, onProgress: OnProgress) => FlightOutcome[] {
  const { weather: shared, model, options, fleet, flights, groupEnds, columns } = work;
  const air = shared && openAir(shared, options);
  const evaluation = makeEvaluation(
    model,
    options,
    air?.weather,
    shared && endOf(shared),
    work.contrailRows,
    air?.scaleHumidity,
    air?.sampleClimate,
  );
  return (block, onProgress) => {
    const group = flights.subarray(block === 0 ? 0 : groupEnds[block - 1], groupEnds[block]);
    const tasks = Array.from(group, (flight) => ({ index: flight, ...taskOf(fleet, columns, flight) }));
    return reusingColumns(() => evaluateGroup(tasks, evaluation, stepper(tasks, options, onProgress)));
  };
}

type IndexedTask = FlightTask & { readonly index: number };

function taskOf(fleet: FleetWork['fleet'], columns: FleetWork['columns'], flight: number): FlightTask {
  const [start, end] = [fleet.offsets[flight] as number, fleet.offsets[flight + 1] as number];
  return {
    out: Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, column.subarray(start, end)]),
    ) as OutputColumns,
    flight: flightOf(fleet, flight),
    about: fleet.attributes[flight] ?? {},
    indexInRequest: (waypoint) => indexInRequest(fleet, start + waypoint),
    indexInAnswer: (waypoint) => indexInAnswer(fleet, start + waypoint),
  };
}

function evaluateGroup(
  tasks: readonly IndexedTask[],
  evaluation: Evaluation,
  onStep: OnStep,
): FlightOutcome[] {
  const outcomes: FlightOutcome[] = [];
  const prepared: (PreparedFlight & { readonly task: IndexedTask })[] = [];
  for (const task of tasks) {
    const outcome = attempt(task, () => {
      const flight = prepareFlight(task, evaluation);
      if (flight === undefined || evaluation.model !== 'cocip')
        return finishFlight(flight, undefined, evaluation);
      prepared.push({ ...flight, task });
      return undefined;
    });
    if (outcome !== undefined) outcomes.push(outcome);
  }
  return [...outcomes, ...followGroup(prepared, evaluation, onStep)];
}

/** A group that an invalid flight has stopped is computed again, flight by flight, to find out which. */
function followGroup(
  flights: readonly (PreparedFlight & { readonly task: IndexedTask })[],
  evaluation: Evaluation,
  onStep: OnStep,
): FlightOutcome[] {
  if (flights.length === 0) return [];
  try {
    const contrails = followFlights(flights, evaluation, onStep);
    return flights.map((flight, f) => ({
      flight: flight.task.index,
      facts: finishFlight(flight, contrails[f], evaluation),
    }));
  } catch (error) {
    const [only] = flights;
    if (!(error instanceof InputError) || only === undefined) throw error;
    if (flights.length > 1) return flights.flatMap((flight) => followGroup([flight], evaluation, onStep));
    return [{ flight: only.task.index, error: fieldErrorOf(error, only.task.indexInRequest) }];
  }
}

function attempt(task: IndexedTask, evaluate: () => FlightFacts | undefined): FlightOutcome | undefined {
  try {
    const facts = evaluate();
    return facts && { flight: task.index, facts };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { flight: task.index, error: fieldErrorOf(error, task.indexInRequest) };
  }
}

/** Last time that levels and radiation have [ms since 1970]. */
export function endOf({ levels, radiation }: SharedWeather): number {
  const last = ({ time: { knots } }: MetField) => knots.at(-1) ?? Number.POSITIVE_INFINITY;
  return Math.min(last(levels), radiation === undefined ? Number.POSITIVE_INFINITY : last(radiation.field));
}

function stepper(
  tasks: readonly FlightTask[],
  { maxAgeHours }: TrajectoryOptions,
  onProgress: OnProgress,
): OnStep {
  const first = Math.min(...tasks.map(({ flight }) => flight.timeMs[0] as number));
  const last = Math.max(...tasks.map(({ flight }) => flight.timeMs.at(-1) as number));
  const span = last - first + maxAgeHours * HOUR_MS;
  return (toMs) => onProgress((toMs - first) / span);
}

function fieldErrorOf({ message, facts }: InputError, indexOf: (waypoint: number) => number): FieldError {
  const field = typeof facts.field === 'string' ? facts.field : 'time';
  const index = typeof facts.index === 'number' ? [indexOf(facts.index)] : [];
  return { loc: ['body', field, ...index], msg: message, type: 'value_error' };
}
