/** The samples of one flight: each a run of the contrail model with its own parameters and humidity. Runs on threads. */
import { flightOf } from '@contrails/physics/flight';
import {
  followSample,
  makePerturbable,
  makeSampler,
  type PerturbableFlight,
} from '@contrails/physics/uncertainty';
import { openAir, type SharedWeather } from './air.ts';
import type { RequestFleet, SharedColumn } from './fleet.ts';
import type { TrajectoryOptions } from './options.ts';
import { type FlightTask, makeEvaluation, type PreparedFlight, prepareFlight } from './prepare-flight.ts';
import type { UncertaintyOptions, Variant } from './uncertainty.ts';

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
  /** Which samples to run; all variants of each. */
  readonly chosen: readonly number[];
}

/** Runs of one block: enough to hide what a block costs, few enough that threads end together. */
export const RUNS_AT_ONCE = 4;

/** Prepares the flight; the returned function computes the runs of a block. */
export function prepareSamples(work: SampleWork): (block: number, onStep: () => void) => void {
  const { uncertainty, totals, persistentM, energyForcing, variants, chosen } = work;
  const { samples, groups } = uncertainty;
  const draw = makeSampler(uncertainty);
  const ready = perturbableIn(work);
  return (block, onStep) => {
    const end = Math.min(chosen.length * variants.length, (block + 1) * RUNS_AT_ONCE);
    for (let run = block * RUNS_AT_ONCE; run < end; run++) {
      const sample = chosen[run % chosen.length] as number;
      const v = Math.floor(run / chosen.length);
      const variant = variants[v] ?? null;
      const streamOf = (group: string) => (variant === 'all' || variant === group ? 1 : 0);
      const [forcing] = followSample([ready.flight], draw(sample, streamOf), { ...ready, groups, onStep });
      if (forcing === undefined) continue;
      totals[v * samples + sample] = forcing.reduce((sum, joules) => sum + joules, 0);
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

function perturbableIn({ fleet, flight, options, weather: shared }: SampleWork) {
  const { weather, scaleHumidity } = openAir(shared, options);
  const evaluation = makeEvaluation(
    'cocip',
    { ...options, includes: [] },
    weather,
    undefined,
    undefined,
    scaleHumidity,
  );
  const task: FlightTask = {
    out: {},
    flight: flightOf(fleet, flight),
    about: fleet.attributes[flight] ?? {},
    indexInRequest: (waypoint) => waypoint,
    indexInAnswer: (waypoint) => waypoint,
  };
  const { params } = evaluation;
  const prepared = prepareFlight(task, evaluation);
  if (prepared === undefined) throw new TypeError('contrails need an evaluated flight');
  return { flight: toPerturbable(prepared), weather, scaleHumidity, params };
}

/** A prepared flight as samples take it. */
export function toPerturbable({ evaluated, attributes, air }: PreparedFlight): PerturbableFlight {
  return makePerturbable(evaluated, attributes, air.unscaledHumidity);
}

const zeroForNaN = (value: number): number => (Number.isNaN(value) ? 0 : value);
