/** The work of one block: one flight of a fleet, its results written to its part of the shared columns. */
import type { MetField, RadiationField } from '@contrails/met';
import { weatherOf } from '@contrails/met';
import { InputError } from '@contrails/physics';
import type { Fault } from '../../errors.ts';
import {
  evaluateFlightInto,
  type FlightFacts,
  makeEvaluation,
  type OnStep,
  type OutputColumns,
} from './evaluate-flight.ts';
import { type Fleet, flightOf, placeInRequest, type SharedColumn } from './fleet.ts';
import type { OutputColumn, TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';

/** What `weatherOf` makes weather of. */
export interface SharedWeather {
  readonly levels: MetField;
  readonly radiation: RadiationField | undefined;
}

/** Everything that the flights of a request need; plain data in shared memory. */
export interface FleetWork {
  readonly model: TrajectoryModel;
  readonly options: TrajectoryOptions;
  readonly fleet: Omit<Fleet, 'flightId'>;
  /** Which flights, in the order in which they are taken. */
  readonly flights: Uint32Array<SharedArrayBuffer>;
  readonly weather: SharedWeather | undefined;
  readonly columns: Readonly<Partial<Record<OutputColumn, SharedColumn>>>;
}

/** What became of a flight; a fault is the caller's, because only inputs can be at fault here. */
export type FlightOutcome =
  | { readonly flight: number; readonly facts: FlightFacts }
  | { readonly flight: number; readonly fault: Fault };

/** Tells how far a flight has come, 0–1; may throw to leave. */
type OnProgress = (fraction: number) => void;

/** Prepares the work; the answered function does the flight that stands at a place of the list. */
export function prepareBlocks(work: FleetWork): (block: number, onProgress: OnProgress) => FlightOutcome {
  const { weather: shared, model, options, fleet, flights, columns } = work;
  const weather = shared && weatherOf(shared.levels, shared.radiation);
  const evaluation = makeEvaluation(model, options, weather, shared && endOf(shared));
  return (block, onProgress) => {
    const flight = flights[block] as number;
    const [start, end] = [fleet.starts[flight] as number, fleet.starts[flight + 1] as number];
    const view = flightOf(fleet, flight);
    const out = Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, column.subarray(start, end)]),
    ) as OutputColumns;
    const placeOf = (waypoint: number) => placeInRequest(fleet, start + waypoint);
    try {
      return {
        flight,
        facts: evaluateFlightInto(out, view, evaluation, stepper(view, options, onProgress), placeOf),
      };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { flight, fault: faultOf(error, placeOf) };
    }
  };
}

function endOf({ levels, radiation }: SharedWeather): number {
  const last = ({ time: { knots } }: MetField) => knots.at(-1) ?? Number.POSITIVE_INFINITY;
  return Math.min(last(levels), radiation === undefined ? Number.POSITIVE_INFINITY : last(radiation.field));
}

function stepper(
  { timeMs }: { readonly timeMs: Float64Array },
  { maxAgeHours }: TrajectoryOptions,
  onProgress: OnProgress,
): OnStep {
  const first = timeMs[0] as number;
  const span = (timeMs.at(-1) as number) - first + maxAgeHours * 3_600_000;
  return (toMs) => onProgress((toMs - first) / span);
}

function faultOf({ message, facts }: InputError, placeOf: (waypoint: number) => number): Fault {
  const field = typeof facts.field === 'string' ? facts.field : 'time';
  const place = typeof facts.index === 'number' ? [placeOf(facts.index)] : [];
  return { loc: ['body', field, ...place], msg: message, type: 'value_error' };
}
