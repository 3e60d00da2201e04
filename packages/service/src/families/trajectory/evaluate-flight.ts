/** One flight through one of the models. Pure, and the same in a request, a job, a command and a benchmark. */
import {
  CO2E_HORIZONS,
  type CocipParams,
  co2EquivalentKg,
  contrailSources,
  DEFAULT_COCIP_PARAMS,
  type EvaluatedFlight,
  evaluateFlightInAir,
  type FlightTrack,
  followContrails,
  issrInto,
  type ScaleHumidity,
  type TrajectoryContrails,
  type Weather,
} from '@contrails/physics';
import { scaleHumidityBy } from '../../weather/humidity-scaling.ts';
import { aircraftOf, eiCo2Of, givenTo } from './aircraft.ts';
import { countLongSegments, type FlightCaveats, WeatherEnd } from './caveats.ts';
import { ContrailLines } from './contrail-lines.ts';
import type { FlightView } from './fleet.ts';
import { airAlongFlight, type FlightAir, trackOf } from './flight-air.ts';
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

/** Where the waypoints of a flight stand in the request. */
export type PlaceOf = (waypoint: number) => number;

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

/** Fills the columns of a flight and answers what was found about it. */
export function evaluateFlightInto(
  out: OutputColumns,
  flight: FlightView,
  evaluation: Evaluation,
  onStep: OnStep = () => {},
  placeOf: PlaceOf = (waypoint) => waypoint,
): FlightFacts {
  const track = trackOf(flight);
  const air = airAlongFlight(track, flight, evaluation.weather, evaluation.scaleHumidity);
  if (out.issr !== undefined) issrInto(out.issr, air.rhi, air.temperature);
  reportAir(out, track, air);
  if (!evaluation.needs.flight) return { engineUid: null, nvpmDataSource: null };

  const aircraft = aircraftOf(flight.about);
  const given = givenTo(flight, evaluation.needs, aircraft);
  const evaluated = evaluateFlightInAir(track, air, given.attributes, given.columns, evaluation.params);
  reportFlight(out, evaluated, eiCo2Of(flight.about));
  const { facts } = evaluated.evaluation;
  const lines =
    evaluation.model === 'cocip' && evaluation.includes.includes('contrail')
      ? new ContrailLines(flight.about.id, placeOf)
      : undefined;
  const weatherEnd = new WeatherEnd(evaluation.weatherEndMs, evaluation.params);
  let longSegments = 0;
  if (evaluation.model === 'cocip') {
    const contrails = followContrails(
      contrailSources(evaluated, 0, given.attributes, evaluation.params),
      [0],
      seeAll(evaluation.weather),
      evaluation.scaleHumidity,
      evaluation.params,
      (plumes, count, _step, toMs) => {
        onStep(toMs);
        lines?.add(plumes, count, toMs);
        weatherEnd.look(plumes, count, toMs);
      },
    );
    reportContrails(out, contrails, air.inside);
    longSegments = countLongSegments(evaluated.motion.segmentLengthM, contrails, evaluation.params);
  }
  const wantsTotals = evaluation.includes.includes('emissions') || evaluation.includes.includes('co2e');
  return {
    engineUid: facts.engineUid,
    nvpmDataSource: facts.nvpmDataSource,
    ...(wantsTotals ? { totals: totalsOf(facts, evaluation.needs.emissions, out.energy_forcing) } : {}),
    ...(lines === undefined ? {} : { contrail: lines.finish() }),
    caveats: {
      notes: facts.warnings,
      longSegments,
      cutShort: weatherEnd.cutShort,
      weatherEndMs: weatherEnd.endMs,
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
function reportContrails(out: OutputColumns, contrails: TrajectoryContrails, inside: Uint8Array): void {
  const { followed, report } = contrails;
  const equivalents = CO2E_HORIZONS.flatMap((horizon) => {
    const column = out[`co2e_gwp${horizon}`];
    return column === undefined ? [] : [{ column, horizon }];
  });
  for (let i = 0; i < inside.length; i++) {
    const unknown = inside[i] === 0;
    const energy = followed ? (contrails.energyForcing[i] as number) : unknown ? Number.NaN : 0;
    const age = followed ? (contrails.age[i] as number) / 60 : unknown ? Number.NaN : 0;
    if (out.energy_forcing !== undefined) out.energy_forcing[i] = energy;
    if (out.contrail_age !== undefined) out.contrail_age[i] = age;
    if (out.initially_persistent !== undefined) {
      out.initially_persistent[i] = unknown ? Number.NaN : +(followed && report.persistent1[i] === 1);
    }
    for (const { column, horizon } of equivalents) column[i] = co2EquivalentKg(energy, horizon);
  }
}

/** Every stage of the model sees all the weather there is. */
function seeAll(weather: Weather | undefined) {
  if (weather === undefined) throw new TypeError('contrails cannot be followed without weather');
  return { formation: weather, evolution: () => weather };
}
