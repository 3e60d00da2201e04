/** One flight through one of the models, but for its contrails. Pure, and the same in a request, a job and a command. */
import type { SampleClimate } from '@contrails/met';
import {
  type CocipFlight,
  type CocipParams,
  type EvaluatedFlight,
  evaluateFlightInAir,
  type ScaleHumidity,
  type Weather,
} from '@contrails/physics/cocip';
import type { EvaluationParams, FlightAttributes, FlightWith } from '@contrails/physics/flight';
import { issrInto } from '@contrails/physics/formation';
import { scaleHumidityBy } from '../weather/humidity-scaling.ts';
import { eiCo2Of, givenTo } from './aircraft.ts';
import type { StateTimes } from './contrail-states.ts';
import type { FlightGiven } from './fleet.ts';
import { airAlongFlight, type FlightAir, withLevels } from './flight-air.ts';
import type { ClimateOptions } from './flight-climate.ts';
import {
  balanceFunctions,
  climateOptionsOf,
  type FlightFunctions,
  functionsAlong,
} from './flight-climate.ts';
import type { Include, OutputColumn, TrajectoryModel } from './models.ts';
import { type Needs, needsOf } from './needs.ts';
import type { TrajectoryOptions } from './options.ts';
import { atr20FactorOf, cocipParamsOf, evaluationParamsOf } from './parameters.ts';

/** What holds for all flights of a request. */
export interface Evaluation {
  readonly model: TrajectoryModel;
  readonly includes: readonly Include[];
  readonly needs: Needs;
  /** Absent when flights give all the air that the model needs. */
  readonly weather: Weather | undefined;
  /** Last time of the weather [ms since 1970]. */
  readonly weatherEndMs: number;
  readonly scaleHumidity: ScaleHumidity;
  readonly climate: ClimateOptions;
  /** Where climate change functions are wanted. */
  readonly sampleClimate: SampleClimate | undefined;
  readonly params: CocipParams;
  /** Of performance and emissions. */
  readonly evaluationParams: EvaluationParams;
  /** From global mean forcing to the temperature response of 20 years [K m² W⁻¹]. */
  readonly atr20Factor: number;
  /** Where contrails are wanted as rows: how many all threads have collected. */
  readonly contrailRows: Int32Array | undefined;
  /** Where the state of contrails is wanted at given times. */
  readonly contrailsAt: StateTimes | undefined;
}

export type OutputColumns = Readonly<Partial<Record<OutputColumn, Float64Array>>>;

/** Called after every step of the life of contrails; may throw to stop. */
export type OnStep = (timeMs: number) => void;

export function makeEvaluation(
  model: TrajectoryModel,
  options: TrajectoryOptions,
  weather: Weather | undefined,
  weatherEndMs = Number.POSITIVE_INFINITY,
  contrailRows?: Int32Array,
  scaleHumidity: ScaleHumidity = scaleHumidityBy(options.scaling),
  sampleClimate?: SampleClimate,
): Evaluation {
  const climate = climateOptionsOf(options);
  return {
    model,
    includes: options.includes,
    needs: needsOf(model, options.includes, climate),
    weather,
    weatherEndMs,
    scaleHumidity,
    climate,
    sampleClimate,
    params: cocipParamsOf(options),
    evaluationParams: evaluationParamsOf(options),
    atr20Factor: atr20FactorOf(options),
    contrailRows,
    contrailsAt: options.contrailsAt,
  };
}

/** A flight to be evaluated, and where its results go. */
export interface FlightTask {
  readonly out: OutputColumns;
  readonly flight: FlightWith<'altitudeFt'>;
  readonly about: FlightGiven;
  /** Where its waypoints stand in the lists of the request and of the answer. */
  readonly indexInRequest: (waypoint: number) => number;
  readonly indexInAnswer: (waypoint: number) => number;
}

/** A flight of which everything is known but its contrails. */
export interface PreparedFlight {
  readonly task: FlightTask;
  readonly air: FlightAir;
  readonly evaluated: EvaluatedFlight;
  readonly attributes: FlightAttributes;
  /** For the climate balance of the flight. */
  readonly functions?: FlightFunctions;
}

/** Fills the columns that need no contrails; undefined for models that use only the air. */
export function prepareFlight(task: FlightTask, evaluation: Evaluation): PreparedFlight | undefined {
  const { out, about } = task;
  const flight = withLevels(task.flight);
  const air = airAlongFlight(flight, evaluation.weather, evaluation.scaleHumidity);
  if (out.issr !== undefined) issrInto(out.issr, air.rhi, air.temperature);
  reportAir(out, flight, air);
  const { sampleClimate, climate, model } = evaluation;
  const reportFunctions = (sac?: Float64Array) => {
    if (sampleClimate === undefined || model !== 'accf') return;
    const functions = functionsAlong(flight, air, sampleClimate, climate.functions, sac);
    for (const name of Object.keys(functions) as (keyof FlightFunctions)[]) out[name]?.set(functions[name]);
  };
  if (!climate.needsCriterion) reportFunctions();
  if (!evaluation.needs.flight) return undefined;

  const given = givenTo(flight, about, evaluation.needs);
  const evaluated = evaluateFlightInAir(
    given.flight,
    air,
    given.attributes,
    evaluation.params,
    evaluation.evaluationParams,
  );
  reportFlight(out, evaluated, eiCo2Of(about));
  if (climate.needsCriterion) reportFunctions(evaluated.criterion.sac);
  const wantsBalance = model === 'cocip' && evaluation.includes.includes('climate');
  const functions =
    wantsBalance && sampleClimate !== undefined
      ? balanceFunctions(flight, air, sampleClimate, climate)
      : undefined;
  return {
    task,
    air,
    evaluated,
    attributes: given.attributes,
    ...(functions === undefined ? {} : { functions }),
  };
}

function reportAir(out: OutputColumns, flight: CocipFlight, air: FlightAir): void {
  out.air_temperature?.set(air.temperature);
  out.specific_humidity?.set(air.unscaledHumidity);
  out.specific_humidity_scaled?.set(air.humidity);
  out.rhi?.set(air.rhi);
  out.eastward_wind?.set(air.u);
  out.northward_wind?.set(air.v);
  out.air_pressure?.set(flight.airPressurePa);
}

function reportFlight(
  out: OutputColumns,
  { evaluation: { columns }, criterion }: EvaluatedFlight,
  eiCo2: number,
): void {
  out.sac?.set(criterion.sac);
  out.nox_ei?.set(columns.noxEi);
  out.co_ei?.set(columns.coEi);
  out.hc_ei?.set(columns.hcEi);
  out.nvpm_ei_m?.set(columns.nvpmEiM);
  out.nvpm_ei_n?.set(columns.nvpmEiN);
  out.fuel_flow?.set(columns.fuelFlowKgS);
  out.engine_efficiency?.set(columns.engineEfficiency);
  out.aircraft_mass?.set(columns.aircraftMassKg);
  out.true_airspeed?.set(columns.trueAirspeedMS);
  out.thrust?.set(columns.thrustN);
  out.co2?.set(columns.fuelBurnKg.map((burnt) => burnt * eiCo2));
}
