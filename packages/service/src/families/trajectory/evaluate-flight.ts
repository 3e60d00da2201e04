/** One flight through one of the models, but for its contrails. Pure, and the same in a request, a job and a command. */
import {
  CO2E_HORIZONS,
  type CocipParams,
  co2EquivalentKg,
  DEFAULT_COCIP_PARAMS,
  type EvaluatedFlight,
  evaluateFlightInAir,
  type FlightTrack,
  type ScaleHumidity,
  type Weather,
} from '@contrails/physics/cocip';
import type { FlightAttributes } from '@contrails/physics/flight';
import { issrInto } from '@contrails/physics/formation';
import { scaleHumidityBy } from '../../weather/humidity-scaling.ts';
import { aircraftOf, eiCo2Of, givenTo } from './aircraft.ts';
import { countImpossibleSpeeds, countUnfollowed, type FlightCaveats } from './caveats.ts';
import type { FlightView } from './fleet.ts';
import { airAlongFlight, type FlightAir, trackOf } from './flight-air.ts';
import type { FlightContrails } from './follow-flights.ts';
import type { Include, OutputColumn, TrajectoryModel } from './models.ts';
import { type Needs, needsOf } from './needs.ts';
import type { TrajectoryOptions } from './options.ts';
import { type FlightTotals, totalsOf } from './totals.ts';

/** What holds for all flights of a request. */
export interface Evaluation {
  readonly model: TrajectoryModel;
  readonly includes: readonly Include[];
  readonly needs: Needs;
  /** Absent when flights bring along all that is looked at. */
  readonly weather: Weather | undefined;
  /** Last time of the weather [ms since 1970]. */
  readonly weatherEndMs: number;
  readonly scaleHumidity: ScaleHumidity;
  readonly params: CocipParams;
}

export type OutputColumns = Readonly<Partial<Record<OutputColumn, Float64Array>>>;

/** What is found about a flight as a whole. */
export interface FlightFacts {
  /** The entry of the databank that was used: the successor of one that was superseded. */
  readonly engineUid: string | null;
  /** Null when the flight brought its particles along. */
  readonly nvpmDataSource: string | null;
  readonly totals?: FlightTotals;
  /** GeoJSON features of the contrail, step by step, with commas between them. */
  readonly contrail?: Uint8Array<ArrayBuffer>;
  readonly caveats?: FlightCaveats;
}

/** Told of every step of the life of contrails; may throw to leave. */
export type OnStep = (timeMs: number) => void;

export function makeEvaluation(
  model: TrajectoryModel,
  options: TrajectoryOptions,
  weather: Weather | undefined,
  weatherEndMs = Number.POSITIVE_INFINITY,
): Evaluation {
  return {
    model,
    includes: options.includes,
    needs: needsOf(model, options.includes),
    weather,
    weatherEndMs,
    scaleHumidity: scaleHumidityBy(options.scaling),
    params: {
      ...DEFAULT_COCIP_PARAMS,
      dtIntegrationS: options.dtIntegrationMinutes * 60,
      maxAgeS: options.maxAgeHours * 3600,
    },
  };
}

/** A flight to be evaluated, and where its results go. */
export interface FlightTask {
  readonly out: OutputColumns;
  readonly flight: FlightView;
  /** Where its waypoints stand in the lists of the request and of the answer. */
  readonly placeInRequest: (waypoint: number) => number;
  readonly placeInAnswer: (waypoint: number) => number;
}

/** A flight of which everything is known but its contrails. */
export interface BegunFlight {
  readonly task: FlightTask;
  readonly air: FlightAir;
  readonly evaluated: EvaluatedFlight;
  readonly attributes: FlightAttributes;
}

/** Fills the columns that need no contrails; undefined for models that look at nothing but the air. */
export function beginFlight(task: FlightTask, evaluation: Evaluation): BegunFlight | undefined {
  const { out, flight } = task;
  const track = trackOf(flight);
  const air = airAlongFlight(track, flight, evaluation.weather, evaluation.scaleHumidity);
  if (out.issr !== undefined) issrInto(out.issr, air.rhi, air.temperature);
  reportAir(out, track, air);
  if (!evaluation.needs.flight) return undefined;

  const aircraft = aircraftOf(flight.about);
  const given = givenTo(flight, evaluation.needs, aircraft);
  const evaluated = evaluateFlightInAir(track, air, given.attributes, given.columns, evaluation.params);
  reportFlight(out, evaluated, eiCo2Of(flight.about));
  return { task, air, evaluated, attributes: given.attributes };
}

/** Fills the columns of the contrails and answers what was found about the flight. */
export function finishFlight(
  begun: BegunFlight | undefined,
  contrails: FlightContrails | undefined,
  { includes, needs, params, weatherEndMs }: Evaluation,
): FlightFacts {
  if (begun === undefined) return { engineUid: null, nvpmDataSource: null };
  const { out } = begun.task;
  const { facts } = begun.evaluated.evaluation;
  const { segmentLengthM } = begun.evaluated.motion;
  if (contrails !== undefined) reportContrails(out, contrails, begun.air.inside);
  const wantsTotals = includes.includes('emissions') || includes.includes('co2e');
  return {
    engineUid: facts.engineUidUsed,
    nvpmDataSource: facts.nvpmDataSource,
    ...(wantsTotals ? { totals: totalsOf(facts, needs.emissions, out.energy_forcing) } : {}),
    ...(contrails?.lines === undefined ? {} : { contrail: contrails.lines.finish() }),
    caveats: {
      notes: facts.warnings,
      windless: begun.air.windless,
      ...countImpossibleSpeeds(begun.evaluated.track, segmentLengthM),
      ...(contrails
        ? countUnfollowed(segmentLengthM, contrails, params)
        : { longSegments: 0, longLasting: 0, tooFew: 0 }),
      cutShort: contrails?.weatherEnd.cutShort ?? 0,
      weatherEndMs,
      withoutForcing: contrails?.withoutForcing ?? 0,
    },
  };
}

function reportAir(out: OutputColumns, track: FlightTrack, air: FlightAir): void {
  out.air_temperature?.set(air.temperature);
  out.specific_humidity?.set(air.unscaledHumidity);
  out.specific_humidity_scaled?.set(air.humidity);
  out.rhi?.set(air.rhi);
  out.eastward_wind?.set(air.u);
  out.northward_wind?.set(air.v);
  out.air_pressure?.set(track.pressurePa);
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

/**
 * Where contrails were followed, a waypoint without one has 0; where none was, waypoints outside the weather are
 * unknown, as the field's reference has it.
 */
function reportContrails(out: OutputColumns, contrails: FlightContrails, inside: Uint8Array): void {
  const { isFollowed, persistent1 } = contrails;
  const equivalents = CO2E_HORIZONS.flatMap((horizon) => {
    const column = out[`co2e_gwp${horizon}`];
    return column === undefined ? [] : [{ column, horizon }];
  });
  for (let i = 0; i < inside.length; i++) {
    const unknown = inside[i] === 0;
    const energy = isFollowed ? (contrails.energyForcing[i] as number) : unknown ? Number.NaN : 0;
    const age = isFollowed ? (contrails.age[i] as number) / 60 : unknown ? Number.NaN : 0;
    if (out.energy_forcing !== undefined) out.energy_forcing[i] = energy;
    if (out.contrail_age !== undefined) out.contrail_age[i] = age;
    if (out.initially_persistent !== undefined) {
      out.initially_persistent[i] = unknown ? Number.NaN : +(isFollowed && persistent1[i] === 1);
    }
    for (const { column, horizon } of equivalents) column[i] = co2EquivalentKg(energy, horizon);
  }
}
