/** The samples of a Monte Carlo run of one flight, on threads. */
import { weatherOf } from '@contrails/met';
import { flightOf } from '@contrails/physics/flight';
import {
  followSample,
  makePerturbable,
  makeSampler,
  type PerturbableFlight,
} from '@contrails/physics/uncertainty';
import { sharedFloat64 } from '@contrails/runtime';
import { kernelAt } from '../compute/index.ts';
import type { RequestFleet, SharedColumn } from './fleet.ts';
import type { SharedWeather } from './flight-block.ts';
import { needsOf } from './needs.ts';
import type { TrajectoryOptions } from './options.ts';
import {
  type Evaluation,
  type FlightTask,
  makeEvaluation,
  type PreparedFlight,
  prepareFlight,
} from './prepare-flight.ts';
import type { RunServices } from './run.ts';
import { MAX_KEPT_WAYPOINTS, type UncertaintyOptions, type Variant, variantsOf } from './uncertainty.ts';

/** The results of the samples of a flight. */
export interface FlightSamples {
  readonly samples: number;
  /** Total energy forcing [J] of each run: of all samples, variant after variant. */
  readonly totals: SharedColumn;
  /** Length with energy forcing [m], and whether there is any, of each sample. */
  readonly persistentM: SharedColumn;
  readonly variants: readonly Variant[];
  /** Energy forcing [J] of sample s at waypoint i at `s·waypoints + i`; undefined where that would be too much. */
  readonly energyForcing: SharedColumn | undefined;
}

/** Plain data in shared memory. */
export interface SampleWork extends FlightSamples {
  readonly options: TrajectoryOptions;
  readonly uncertainty: UncertaintyOptions;
  readonly fleet: Omit<RequestFleet, 'flightId'>;
  readonly flight: number;
  readonly weather: SharedWeather;
}

/** Runs of one block: enough to hide what a block costs, few enough that threads end together. */
const RUNS_AT_ONCE = 4;

const kernel = kernelAt<typeof import('./samples.kernel.ts').default>(
  new URL('./samples.kernel.ts', import.meta.url),
);

export async function sampleFlight(
  { flightId: _, ...fleet }: RequestFleet,
  flight: number,
  options: TrajectoryOptions,
  uncertainty: UncertaintyOptions,
  weather: SharedWeather,
  { compute, signal, onProgress, onComputeMs }: RunServices,
): Promise<FlightSamples> {
  const waypoints = (fleet.offsets[flight + 1] as number) - (fleet.offsets[flight] as number);
  const { samples } = uncertainty;
  const variants = variantsOf(uncertainty);
  const result: FlightSamples = {
    samples,
    variants,
    totals: sharedFloat64(samples * variants.length),
    persistentM: sharedFloat64(samples),
    energyForcing: samples * waypoints > MAX_KEPT_WAYPOINTS ? undefined : sharedFloat64(samples * waypoints),
  };
  const work: SampleWork = {
    ...result,
    options,
    uncertainty,
    fleet,
    flight,
    // Only what is plain data: the weather itself has functions, which no thread can be sent.
    weather: { levels: weather.levels, radiation: weather.radiation },
  };
  const blocks = Math.ceil(result.totals.length / RUNS_AT_ONCE);
  if (compute === undefined) {
    const run = prepareSamples(work);
    for (let block = 0; block < blocks; block++) run(block, () => signal?.throwIfAborted());
    return result;
  }
  await compute.parallel(kernel, work, blocks, {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(onComputeMs === undefined ? {} : { onComputeMs }),
  });
  return result;
}

/** Prepares the flight; the returned function computes the runs of a block. */
export function prepareSamples(work: SampleWork): (block: number, onStep: () => void) => void {
  const { uncertainty, totals, persistentM, energyForcing, variants } = work;
  const { samples, groups } = uncertainty;
  const draw = makeSampler(uncertainty);
  const ready = perturbableIn(work);
  return (block, onStep) => {
    const end = Math.min(totals.length, (block + 1) * RUNS_AT_ONCE);
    for (let run = block * RUNS_AT_ONCE; run < end; run++) {
      const sample = run % samples;
      const variant = variants[Math.floor(run / samples)] ?? null;
      const streamOf = (group: string) => (variant === 'all' || variant === group ? 1 : 0);
      const [forcing] = followSample([ready.flight], draw(sample, streamOf), { ...ready, groups, onStep });
      if (forcing === undefined) continue;
      totals[run] = forcing.reduce((sum, joules) => sum + joules, 0);
      if (variant !== null) continue;
      const { segmentLengthM } = ready.flight.evaluated.motion;
      persistentM[sample] = forcing.reduce(
        (sum, joules, i) => (joules === 0 ? sum : sum + zeroForNaN(segmentLengthM[i] as number)),
        0,
      );
      energyForcing?.set(forcing, sample * forcing.length);
    }
  };
}

function perturbableIn({ fleet, flight, options, weather: { levels, radiation } }: SampleWork) {
  const weather = weatherOf(levels, radiation);
  const evaluation = makeEvaluation('cocip', { ...options, includes: [] }, weather);
  const task: FlightTask = {
    out: {},
    flight: flightOf(fleet, flight),
    about: fleet.attributes[flight] ?? {},
    placeInRequest: (waypoint) => waypoint,
    placeInAnswer: (waypoint) => waypoint,
  };
  const { scaleHumidity, params } = evaluation;
  return { flight: toPerturbable(prepare(task, evaluation)), weather, scaleHumidity, params };
}

function prepare(task: FlightTask, evaluation: Evaluation): PreparedFlight {
  const prepared = prepareFlight(task, evaluation);
  if (prepared === undefined) throw new TypeError(`${needsOf('cocip', []).performance} need a flight`);
  return prepared;
}

/** A prepared flight as samples take it. */
export function toPerturbable({ evaluated, attributes, air }: PreparedFlight): PerturbableFlight {
  return makePerturbable(evaluated, attributes, air.unscaledHumidity);
}

const zeroForNaN = (value: number): number => (Number.isNaN(value) ? 0 : value);
