/** From a flight with its air and performance to the rows at which contrails may start. */

import type { EvaluationParams, FlightAttributes } from '../flight/attributes.ts';
import { evaluateFlight, type FlightEvaluation } from '../flight/evaluate.ts';
import { sacInto } from '../formation/sac-columns.ts';
import { JET_A1 } from '../fuel.ts';
import { columnsOf } from '../numerics/reused-columns.ts';
import { metresToFeet } from '../units.ts';
import type { ContrailSources } from './contrail-sources.ts';
import { type AirAlongFlight, type CocipFlight, type FlightMotion, motionAlong } from './flight-stage.ts';
import type { CocipParams } from './params.ts';

/** The formation criterion at the waypoints. */
export interface FormationCriterion {
  readonly sac: Float64Array;
  /** G [Pa K⁻¹]. */
  readonly slope: Float64Array;
  /** T_LM [K]. */
  readonly thresholdK: Float64Array;
  readonly rh: Float64Array;
  readonly rhCritical: Float64Array;
}

export interface EvaluatedFlight {
  readonly flight: CocipFlight;
  readonly air: AirAlongFlight;
  readonly motion: FlightMotion;
  readonly evaluation: FlightEvaluation;
  readonly criterion: FormationCriterion;
}

/**
 * Motion, performance, emissions and formation criterion of a flight whose air is known. Columns of aircraft and engines that
 * the flight has replace what would be computed.
 */
export function evaluateFlightInAir(
  flight: CocipFlight,
  air: AirAlongFlight,
  attributes: FlightAttributes,
  params: CocipParams,
  evaluationParams: EvaluationParams = {},
): EvaluatedFlight {
  const computed = motionAlong(flight, air.u, air.v, params);
  const motion =
    flight.trueAirspeedMS === undefined ? computed : { ...computed, trueAirspeed: flight.trueAirspeedMS };
  const evaluation = evaluateFlight(
    {
      ...flight,
      // From metres, like everything else here: feet that were converted there and back differ in the last bit.
      altitudeFt: feetOf(flight.altitudeM),
      airTemperatureK: air.temperature,
      specificHumidity: air.humidity,
      eastwardWindMS: air.u,
      northwardWindMS: air.v,
      trueAirspeedMS: motion.trueAirspeed,
    },
    attributes,
    evaluationParams,
  );
  return { flight, air, motion, evaluation, criterion: criterionOf(flight, air, evaluation, attributes) };
}

function feetOf(altitudeM: Float64Array): Float64Array {
  const feet = columnsOf(altitudeM.length, 1)();
  for (let i = 0; i < feet.length; i++) feet[i] = metresToFeet(altitudeM[i] as number);
  return feet;
}

/** The formation criterion of an evaluated flight in this air. */
export function criterionOf(
  flight: CocipFlight,
  air: AirAlongFlight,
  { columns }: Pick<FlightEvaluation, 'columns'>,
  attributes: FlightAttributes,
): FormationCriterion {
  const column = columnsOf(flight.timeMs.length, 5);
  const criterion = {
    sac: column(),
    slope: column(),
    thresholdK: column(),
    rh: column(),
    rhCritical: column(),
  };
  const fuel = attributes.fuel ?? JET_A1;
  sacInto(
    criterion,
    {
      specificHumidity: air.humidity,
      temperatureK: air.temperature,
      pressurePa: flight.airPressurePa,
      engineEfficiency: columns.engineEfficiency,
      eiH2o: fuel.eiH2o,
      qFuelJKg: fuel.qFuelJKg,
    },
    'trajectory',
  );
  return criterion;
}

/** The rows of one flight, numbered as flight `index` of a group. */
export function contrailSources(
  evaluated: EvaluatedFlight,
  index: number,
  attributes: FlightAttributes,
  params: CocipParams,
): ContrailSources {
  const { flight, air, motion, evaluation, criterion } = evaluated;
  const count = flight.timeMs.length;
  const column = columnsOf(count, 5);
  const filled = (value: number) => column().fill(value);
  const { slope, thresholdK, rh } = criterion;
  return {
    count,
    flight: filled(index),
    waypoint: countUp(column()),
    longitude: flight.longitude,
    latitude: flight.latitude,
    level: flight.levelHpa,
    pressure: flight.airPressurePa,
    timeMs: flight.timeMs,
    temperature: air.temperature,
    humidity: air.humidity,
    u: air.u,
    v: air.v,
    sac: criterion.sac,
    mixingSlope: slope,
    thresholdK,
    rh,
    trueAirspeed: motion.trueAirspeed,
    fuelFlow: evaluation.columns.fuelFlowKgS,
    aircraftMass: evaluation.columns.aircraftMassKg,
    wingspan: filled(evaluation.facts.wingspanM),
    nvpmEiN: scaledInto(column(), evaluation.columns.nvpmEiN, params.nvpmEiNEnhancementFactor),
    eiH2o: filled((attributes.fuel ?? JET_A1).eiH2o),
  };
}

function countUp(column: Float64Array): Float64Array {
  for (let i = 0; i < column.length; i++) column[i] = i;
  return column;
}

function scaledInto(out: Float64Array, column: Float64Array, factor: number): Float64Array {
  if (factor === 1) return column;
  for (let i = 0; i < out.length; i++) out[i] = (column[i] as number) * factor;
  return out;
}
