/** Rows of a plan: the flight at other altitudes, retimed, through performance and contrails. Runs on threads. */
import { weatherOf } from '@contrails/met';
import { type AircraftType, findAircraftType, withMaxMach } from '@contrails/physics/aircraft';
import type { Weather } from '@contrails/physics/cocip';
import {
  type CoolingRule,
  type CruisePart,
  checkLimits,
  machAlong,
  paidForcing,
  type RowLimits,
  rowTimes,
  type WorkingTrack,
} from '@contrails/physics/planning';
import { followSample, makeSampler, type SamplerOptions } from '@contrails/physics/uncertainty';
import type { SharedWeather } from '../flights/air.ts';
import { type FlightFacts, finishFlight } from '../flights/finish-flight.ts';
import type { FlightGiven } from '../flights/fleet.ts';
import { endOf } from '../flights/flight-block.ts';
import { followFlights } from '../flights/follow-flights.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import { humidityMethodOf } from '../flights/parameters.ts';
import {
  type Evaluation,
  makeEvaluation,
  type OnStep,
  type PreparedFlight,
  prepareFlight,
} from '../flights/prepare-flight.ts';
import { toPerturbable } from '../flights/sample-runs.ts';

/** What holds for all rows of a flight; plain data. */
export interface FlightPlanInput {
  readonly track: WorkingTrack;
  readonly cruise: CruisePart;
  readonly about: FlightGiven;
  /** Where the flight gives one number for all its waypoints. */
  readonly nvpmEiN: number | undefined;
  readonly options: TrajectoryOptions;
  readonly weather: SharedWeather;
}

/** A row: its altitudes; times are found on the way unless they are known. */
export interface RowSpec {
  readonly altitudeFt: Float64Array;
  readonly timeMs?: Float64Array;
  /** Only performance and limits: its energy forcing stays unknown. */
  readonly skipsContrails?: boolean;
}

/** A row that was evaluated; null figures where it cannot be flown. */
export interface RowOutcome {
  readonly altitudeFt: Float64Array;
  readonly timeMs: Float64Array | null;
  /** [kg s⁻¹], NaN where it is unknown. */
  readonly fuelFlowKgS: Float64Array;
  /** [J] at each segment, NaN where it is unknown. */
  readonly energyForcingJ: Float64Array;
  /** Whether the contrail model was run. */
  readonly hasContrails: boolean;
  readonly massKg: Float64Array;
  readonly engineEfficiency: Float64Array;
  readonly violated: Uint8Array;
  readonly limits: RowLimits;
  readonly contrailM: number;
  readonly persistentM: number;
  readonly facts: FlightFacts;
}

export interface RowWork extends FlightPlanInput {
  readonly rows: readonly RowSpec[];
  /** Rows of each block. */
  readonly blocks: readonly (readonly number[])[];
}

/** Prepares what rows have in common; the returned function evaluates the rows of a block. */
export function prepareRows(work: RowWork): (block: number, onStep: OnStep) => RowOutcome[] {
  const runner = makeRunner(work);
  return (block, onStep) =>
    runner.evaluate(
      (work.blocks[block] ?? []).map((row) => work.rows[row] as RowSpec),
      onStep,
    );
}

export interface PlanSamplesWork extends FlightPlanInput {
  /** With their times. */
  readonly rows: readonly Required<Pick<RowSpec, 'altitudeFt' | 'timeMs'>>[];
  readonly sampler: SamplerOptions;
  /** Which samples to run. */
  readonly chosen: readonly number[];
  readonly cooling: CoolingRule;
}

/** Energy forcing [J] of the rows under some samples: sums over the segments, net and as it is paid for. */
export interface PlanSamples {
  readonly netJ: Float64Array;
  readonly paidJ: Float64Array;
}

export const SAMPLES_AT_ONCE = 2;

/** All rows see the same draw; the returned function has row r of the sample at index s of its block at `s·rows + r`. */
export function preparePlanSamples(work: PlanSamplesWork): (block: number, onStep: OnStep) => PlanSamples {
  const { rows, sampler, chosen, cooling } = work;
  const runner = makeRunner(work);
  const draw = makeSampler(sampler);
  const flights = rows.map((row) => toPerturbable(runner.prepare(row.altitudeFt, row.timeMs)));
  const { weather, evaluation } = runner;
  return (block, onStep) => {
    const samples = chosen.slice(block * SAMPLES_AT_ONCE, (block + 1) * SAMPLES_AT_ONCE);
    const netJ = new Float64Array(samples.length * rows.length);
    const paidJ = new Float64Array(samples.length * rows.length);
    for (const [s, sample] of samples.entries()) {
      const forcing = followSample(flights, draw(sample), {
        ...{ weather, scaleHumidity: evaluation.scaleHumidity, params: evaluation.params },
        ...{ groups: sampler.groups, onStep },
      });
      forcing.forEach((ofRow, r) => {
        netJ[s * rows.length + r] = ofRow.reduce((sum, joules) => sum + joules, 0);
        paidJ[s * rows.length + r] = ofRow.reduce((sum, joules) => sum + paidForcing(joules, cooling), 0);
      });
    }
    return { netJ, paidJ };
  };
}

interface Runner {
  readonly weather: Weather;
  readonly evaluation: Evaluation;
  prepare(altitudeFt: Float64Array, timeMs: Float64Array): PreparedFlight;
  evaluate(rows: readonly RowSpec[], onStep: OnStep): RowOutcome[];
}

function makeRunner({ track, cruise, about, nvpmEiN, options, weather: shared }: FlightPlanInput): Runner {
  const weather = weatherOf(shared.levels, shared.radiation, humidityMethodOf(options.parameters));
  const nominal = makeEvaluation('cocip', options, weather, endOf(shared));
  // Without the limit of 13 km every contrail from FL 427 on would vanish, and a plan would go there.
  const evaluation = { ...nominal, params: { ...nominal.params, maxAltitudeM: null } };
  const aircraft = withMaxMach(findAircraftType(about.aircraftType ?? ''), about.maxMach);
  const mach = machAlong(track, weather);
  const prepareWith = (given: FlightGiven, altitudeFt: Float64Array, timeMs: Float64Array) => {
    const { longitude, latitude } = track;
    const particles = nvpmEiN === undefined ? {} : { nvpmEiN: new Float64Array(timeMs.length).fill(nvpmEiN) };
    const prepared = prepareFlight(
      {
        out: {},
        flight: { timeMs, longitude, latitude, altitudeFt, ...particles },
        about: given,
        indexInRequest: (waypoint) => waypoint,
        indexInAnswer: (waypoint) => waypoint,
      },
      evaluation,
    );
    if (prepared === undefined) throw new TypeError('contrails need an evaluated flight');
    return prepared;
  };
  const massOfFlight = () => {
    const { evaluation: own } = prepareWith(about, track.altitudeFt, track.timeMs).evaluated;
    return own.columns.aircraftMassKg[0] as number;
  };
  // The same aircraft with the same fuel on board: only the level differs between rows.
  const heavy = { ...about, takeoffMassKg: about.takeoffMassKg ?? massOfFlight() };
  const prepare = (altitudeFt: Float64Array, timeMs: Float64Array) => prepareWith(heavy, altitudeFt, timeMs);
  return {
    weather,
    evaluation,
    prepare,
    evaluate(rows, onStep) {
      const unknown = rows.filter(({ timeMs }) => timeMs === undefined);
      const retimed = rowTimes(
        track,
        mach,
        unknown.map(({ altitudeFt }) => altitudeFt),
        weather,
      );
      const times = rows.map((row) => row.timeMs ?? (retimed[unknown.indexOf(row)] as Float64Array | null));
      const flown = rows.flatMap(({ altitudeFt, skipsContrails = false }, r) => {
        const timeMs = times[r];
        return timeMs ? [{ r, prepared: prepare(altitudeFt, timeMs), skipsContrails }] : [];
      });
      const followed = flown.filter(({ skipsContrails }) => !skipsContrails);
      const found =
        followed.length === 0
          ? []
          : followFlights(
              followed.map(({ prepared }) => prepared),
              evaluation,
              onStep,
            );
      const outcomes = rows.map((row): RowOutcome => notFlown(row));
      for (const one of flown) {
        const { r, prepared, skipsContrails } = one;
        const contrails = skipsContrails ? undefined : found[followed.indexOf(one)];
        const facts = finishFlight(prepared, contrails, evaluation);
        const energyForcingJ = new Float64Array(prepared.air.inside.length);
        for (let i = 0; i < energyForcingJ.length; i++) {
          const isClear = prepared.air.inside[i] === 1 && !skipsContrails;
          energyForcingJ[i] = contrails?.isFollowed
            ? (contrails.energyForcing[i] as number)
            : isClear
              ? 0
              : Number.NaN;
        }
        const outcome = outcomeOf(prepared, energyForcingJ, facts, aircraft, track, cruise);
        outcomes[r] = skipsContrails ? { ...outcome, hasContrails: false, persistentM: Number.NaN } : outcome;
      }
      return outcomes;
    },
  };
}

function notFlown({ altitudeFt }: RowSpec): RowOutcome {
  const unknown = () => new Float64Array(altitudeFt.length).fill(Number.NaN);
  return {
    altitudeFt,
    timeMs: null,
    hasContrails: false,
    ...{ fuelFlowKgS: unknown(), energyForcingJ: unknown(), massKg: unknown(), engineEfficiency: unknown() },
    violated: new Uint8Array(altitudeFt.length).fill(1),
    limits: { ceiling: true, lift_share: 0, thrust_share: 0, weather_share: 1 },
    ...{ contrailM: Number.NaN, persistentM: Number.NaN },
    facts: { engineUid: null, nvpmDataSource: null },
  };
}

function outcomeOf(
  { evaluated, air, task }: PreparedFlight,
  energyForcingJ: Float64Array,
  facts: FlightFacts,
  aircraft: AircraftType,
  { lengthM }: WorkingTrack,
  cruise: CruisePart,
): RowOutcome {
  const { columns } = evaluated.evaluation;
  const { segmentLengthM } = evaluated.motion;
  const { altitudeFt, timeMs } = task.flight;
  const sumWhere = (holds: (i: number) => boolean) => {
    let sum = 0;
    for (let i = 0; i + 1 < timeMs.length; i++) if (holds(i)) sum += segmentLengthM[i] as number;
    return sum;
  };
  const state = {
    ...{ altitudeFt, timeMs, inside: air.inside, temperatureK: air.temperature },
    ...{ trueAirspeedMS: columns.trueAirspeedMS, massKg: columns.aircraftMassKg },
  };
  return {
    ...{ altitudeFt, timeMs, energyForcingJ, facts, hasContrails: true },
    fuelFlowKgS: columns.fuelFlowKgS,
    massKg: columns.aircraftMassKg,
    engineEfficiency: columns.engineEfficiency,
    ...checkLimits(aircraft, state, lengthM, cruise),
    contrailM: sumWhere((i) => evaluated.criterion.sac[i] === 1),
    persistentM: sumWhere((i) => energyForcingJ[i] !== 0 && !Number.isNaN(energyForcingJ[i])),
  };
}
