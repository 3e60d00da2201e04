/**
 * Evaluation of flights and fleets from waypoints and weather: airspeed, Poll–Schumann performance, emissions.
 * What a flight brings along always wins over what would be computed.
 */
import { engineDeterioration } from './aircraft/deterioration.ts';
import { flightPerformanceInto } from './aircraft/flight-performance.ts';
import {
  GROUND_SPEED_WINDOW,
  groundSpeedInto,
  segmentDurationInto,
  segmentGeometryInto,
  smoothGroundSpeedInto,
  trueAirspeedInto,
} from './aircraft/kinematics.ts';
import { estimatePayload, type Payload, type PayloadKnowledge } from './aircraft/payload.ts';
import { DEFAULT_PERFORMANCE_PARAMS, type PerformanceParams } from './aircraft/point-performance.ts';
import { DEFAULT_ENGINE_DETERIORATION } from './aircraft/propulsion.ts';
import { type AircraftType, findAircraftType } from './aircraft/types.ts';
import { requireSameLength } from './columns.ts';
import {
  createEmissionsModel,
  DEFAULT_EMISSIONS_PARAMS,
  type EmissionsParams,
  emissionIndicesInto,
  type GaseousDataSource,
  type NvpmDataSource,
} from './emissions/emissions.ts';
import { type EngineOptions, selectEngine } from './emissions/engines.ts';
import { type EmissionTotals, emissionAmountsInto } from './emissions/totals.ts';
import { InputError } from './errors.ts';
import {
  allocateEvaluated,
  type EvaluatedColumns,
  evaluatedView,
  type FlightColumns,
  flightView,
} from './flight-columns.ts';
import { type Fuel, JET_A1 } from './fuel.ts';
import { levelFromAltitudeFt } from './isa.ts';
import { sumIgnoringNaN } from './sums.ts';

/** What holds for a whole flight. */
export interface FlightAttributes extends Omit<PayloadKnowledge, 'aircraftType'> {
  readonly aircraftType?: string | undefined;
  readonly fuel?: Fuel | undefined;
  readonly engineUid?: string | undefined;
  readonly engineCount?: number | undefined;
  readonly wingspanM?: number | undefined;
  /** Share of engine efficiency lost; else from the age. */
  readonly engineDeterioration?: number | undefined;
  readonly aircraftAgeYears?: number | undefined;
  readonly takeoffMassKg?: number | undefined;
  readonly operatingEmptyMassKg?: number | undefined;
  readonly maxTakeoffMassKg?: number | undefined;
  readonly maxPayloadKg?: number | undefined;
  /** One value for all waypoints. */
  readonly aircraftMassKg?: number | undefined;
  readonly engineEfficiency?: number | undefined;
  readonly fuelFlowKgS?: number | undefined;
  readonly thrustN?: number | undefined;
  readonly trueAirspeedMS?: number | undefined;
  readonly nvpmEiN?: number | undefined;
}

export interface EvaluationParams {
  readonly performance?: Partial<PerformanceParams> | undefined;
  readonly emissions?: Partial<EmissionsParams> | undefined;
  readonly engine?: EngineOptions | undefined;
  /** Deterioration of flights that give neither it nor an age. */
  readonly engineDeterioration?: number | undefined;
  /** Window of the smoothing of ground speeds; null for none. */
  readonly groundSpeedWindow?: number | null | undefined;
}

/** Facts about a flight that the evaluation used or found. */
export interface FlightFacts {
  /** Type whose parameters were used; null when everything was given. */
  readonly performanceType: string | null;
  readonly wingspanM: number;
  readonly engineCount: number | null;
  readonly maxMach: number | null;
  readonly maxAltitudeM: number | null;
  readonly engineDeterioration: number;
  readonly payload: Payload | null;
  readonly totalFuelBurnKg: number;
  readonly engineUid: string | null;
  readonly engineUidUsed: string | null;
  readonly gaseousDataSource: GaseousDataSource | null;
  readonly nvpmDataSource: NvpmDataSource | null;
  readonly totals: EmissionTotals;
}

export interface FleetEvaluation {
  readonly columns: EvaluatedColumns;
  readonly flights: readonly FlightFacts[];
}

/**
 * Evaluates the flights of a fleet. Flight f has the waypoints offsets[f] to offsets[f + 1] − 1 in order of time,
 * and its results do not depend on the other flights.
 */
export function evaluateFleet(
  fleet: FlightColumns,
  offsets: Uint32Array,
  attributes: readonly FlightAttributes[],
  params: EvaluationParams = {},
): FleetEvaluation {
  const waypoints = fleet.timeMs.length;
  if (offsets.length !== attributes.length + 1 || offsets[0] !== 0 || offsets.at(-1) !== waypoints) {
    throw new InputError(
      'offsets must run from 0 to the number of waypoints, one more than there are flights',
      {
        offsets: offsets.length,
        flights: attributes.length,
        waypoints,
      },
    );
  }
  const block = allocateEvaluated(waypoints);
  const flights = attributes.map((flight, f) => {
    const [start, end] = [offsets[f] as number, offsets[f + 1] as number];
    return evaluateFlightInto(
      evaluatedView(block, start, end),
      flightView(fleet, start, end),
      flight,
      params,
    );
  });
  return { columns: evaluatedView(block, 0, waypoints), flights };
}

/** Evaluates one flight. */
export function evaluateFlight(
  flight: FlightColumns,
  attributes: FlightAttributes,
  params: EvaluationParams = {},
): { readonly columns: EvaluatedColumns; readonly facts: FlightFacts } {
  const waypoints = flight.timeMs.length;
  const columns = evaluatedView(allocateEvaluated(waypoints), 0, waypoints);
  return { columns, facts: evaluateFlightInto(columns, flight, attributes, params) };
}

function evaluateFlightInto(
  out: EvaluatedColumns,
  flight: FlightColumns,
  attributes: FlightAttributes,
  params: EvaluationParams,
): FlightFacts {
  const n = flight.timeMs.length;
  requireSameLength(flight.timeMs, flight.altitudeFt, flight.airTemperatureK, flight.specificHumidity);
  const durationS = segmentDurationInto(new Float64Array(n), flight.timeMs);
  const haversineM = airspeedInto(out.trueAirspeedMS, flight, attributes, durationS, params);
  const fuel = attributes.fuel ?? JET_A1;

  const performance = performanceOf(out, flight, attributes, fuel, durationS, haversineM, params);
  const emissions = emissionsOf(out, flight, attributes, fuel, performance.aircraft, params);
  return {
    performanceType: performance.aircraft?.icaoType ?? null,
    wingspanM: attributes.wingspanM ?? performance.aircraft?.wingspanM ?? Number.NaN,
    maxMach: performance.aircraft?.maxOperatingMach ?? null,
    maxAltitudeM: performance.aircraft?.maxAltitudeM ?? null,
    engineDeterioration: performance.deterioration,
    payload: performance.payload,
    totalFuelBurnKg: performance.totalFuelBurnKg,
    ...emissions,
    totals: emissionAmountsInto(out.emitted, out.fuelFlowKgS, durationS, out, fuel),
  };
}

/** Writes the true airspeed and returns the great-circle lengths [m] of the legs. */
function airspeedInto(
  out: Float64Array,
  flight: FlightColumns,
  attributes: FlightAttributes,
  durationS: Float64Array,
  params: EvaluationParams,
): Float64Array {
  const n = out.length;
  const geometry = { haversineM: new Float64Array(n), sinA: new Float64Array(n), cosA: new Float64Array(n) };
  segmentGeometryInto(geometry, flight.longitude, flight.latitude);
  const given = columnOf(flight.trueAirspeedMS, attributes.trueAirspeedMS, n);
  if (given !== undefined) {
    out.set(given);
    return geometry.haversineM;
  }
  const calm = new Float64Array(n);
  const window = params.groundSpeedWindow === undefined ? GROUND_SPEED_WINDOW : params.groundSpeedWindow;
  const raw = groundSpeedInto(new Float64Array(n), geometry.haversineM, durationS);
  const speed = window === null ? raw : smoothGroundSpeedInto(new Float64Array(n), raw, window);
  const u = flight.eastwardWindMS ?? calm;
  const v = flight.northwardWindMS ?? calm;
  trueAirspeedInto(out, speed, geometry.sinA, geometry.cosA, u, v);
  return geometry.haversineM;
}

interface PerformanceFacts {
  readonly aircraft: AircraftType | null;
  readonly deterioration: number;
  readonly payload: Payload | null;
  readonly totalFuelBurnKg: number;
}

function performanceOf(
  out: EvaluatedColumns,
  flight: FlightColumns,
  attributes: FlightAttributes,
  fuel: Fuel,
  durationS: Float64Array,
  haversineM: Float64Array,
  params: EvaluationParams,
): PerformanceFacts {
  const n = durationS.length;
  const mass = flight.aircraftMassKg ?? attributes.aircraftMassKg;
  const engineEfficiency = columnOf(flight.engineEfficiency, attributes.engineEfficiency, n);
  const fuelFlowKgS = columnOf(flight.fuelFlowKgS, attributes.fuelFlowKgS, n);
  const thrustN = columnOf(flight.thrustN, attributes.thrustN, n);
  const deterioration = deteriorationOf(attributes, params);
  if (mass !== undefined && engineEfficiency && fuelFlowKgS && attributes.wingspanM !== undefined) {
    out.aircraftMassKg.set(columnOf(flight.aircraftMassKg, attributes.aircraftMassKg, n) ?? []);
    out.engineEfficiency.set(engineEfficiency);
    out.fuelFlowKgS.set(fuelFlowKgS);
    out.thrustN.set(thrustN ?? new Float64Array(n).fill(Number.NaN));
    out.rocdFtMin.fill(Number.NaN);
    for (let i = 0; i < n; i++) out.fuelBurnKg[i] = (fuelFlowKgS[i] as number) * (durationS[i] as number);
    return { aircraft: null, deterioration, payload: null, totalFuelBurnKg: sumIgnoringNaN(out.fuelBurnKg) };
  }
  const { aircraftType } = attributes;
  if (aircraftType === undefined) {
    throw new InputError(
      'aircraft_type is needed unless wingspan, aircraft_mass, engine_efficiency and fuel_flow are all given',
      { field: 'aircraft_type' },
    );
  }
  const type = findAircraftType(aircraftType);
  const payload = estimatePayload(
    { ...attributes, aircraftType },
    attributes.maxPayloadKg ?? type.maxPayloadKg,
    flight.timeMs[0] as number,
    sumIgnoringNaN(haversineM) / 1000,
  );
  const totalFuelBurnKg = flightPerformanceInto(
    out,
    {
      timeMs: flight.timeMs,
      altitudeFt: flight.altitudeFt,
      airTemperatureK: flight.airTemperatureK,
      trueAirspeedMS: out.trueAirspeedMS,
      aircraftMassKg: mass,
      thrustN,
      engineEfficiency,
      fuelFlowKgS,
    },
    {
      type,
      operatingEmptyMassKg: attributes.operatingEmptyMassKg,
      maxTakeoffMassKg: attributes.maxTakeoffMassKg,
      payloadKg: payload.payloadKg,
      takeoffMassKg: attributes.takeoffMassKg,
      engineDeterioration: deterioration,
      qFuelJKg: fuel.qFuelJKg,
    },
    { ...DEFAULT_PERFORMANCE_PARAMS, ...params.performance },
  );
  return { aircraft: type, deterioration, payload, totalFuelBurnKg };
}

type EmissionsFacts = Pick<
  FlightFacts,
  'engineCount' | 'engineUid' | 'engineUidUsed' | 'gaseousDataSource' | 'nvpmDataSource'
>;

function emissionsOf(
  out: EvaluatedColumns,
  flight: FlightColumns,
  attributes: FlightAttributes,
  fuel: Fuel,
  aircraft: AircraftType | null,
  params: EvaluationParams,
): EmissionsFacts {
  const n = flight.timeMs.length;
  const nvpmEiN = columnOf(flight.nvpmEiN, attributes.nvpmEiN, n);
  const engine = selectEngine(
    {
      engineUid: attributes.engineUid,
      engineCount: attributes.engineCount ?? aircraft?.engineCount,
      aircraftType: attributes.aircraftType,
    },
    params.engine,
  );
  const { engineUid, engineUidUsed, engineCount } = engine;
  if (engineCount === undefined) {
    if (nvpmEiN === undefined) {
      throw new InputError('n_engine is needed: neither it nor a known aircraft_type is given', {
        field: 'n_engine',
      });
    }
    for (const column of [
      out.fuelFlowPerEngineKgS,
      out.thrustSetting,
      out.noxEi,
      out.coEi,
      out.hcEi,
      out.nvpmEiM,
    ]) {
      column.fill(Number.NaN);
    }
    out.nvpmEiN.set(nvpmEiN);
    return { engineCount: null, engineUid, engineUidUsed, gaseousDataSource: null, nvpmDataSource: null };
  }
  for (let i = 0; i < n; i++) out.fuelFlowPerEngineKgS[i] = (out.fuelFlowKgS[i] as number) / engineCount;
  const model = createEmissionsModel(engine, fuel, { ...DEFAULT_EMISSIONS_PARAMS, ...params.emissions });
  emissionIndicesInto(
    out,
    {
      trueAirspeedMS: out.trueAirspeedMS,
      airTemperatureK: flight.airTemperatureK,
      airPressurePa:
        flight.airPressurePa ?? flight.altitudeFt.map((altitudeFt) => 100 * levelFromAltitudeFt(altitudeFt)),
      specificHumidity: flight.specificHumidity,
      fuelFlowPerEngineKgS: out.fuelFlowPerEngineKgS,
      thrustSetting: flight.thrustSetting,
    },
    model,
  );
  if (flight.noxEi !== undefined) out.noxEi.set(flight.noxEi);
  if (flight.nvpmEiM !== undefined) out.nvpmEiM.set(flight.nvpmEiM);
  if (nvpmEiN !== undefined) out.nvpmEiN.set(nvpmEiN);
  const isNvpmGiven = flight.nvpmEiM !== undefined && nvpmEiN !== undefined;
  return {
    engineCount,
    engineUid,
    engineUidUsed,
    gaseousDataSource: model.gaseousDataSource,
    nvpmDataSource: isNvpmGiven ? null : model.nvpmDataSource,
  };
}

function deteriorationOf(attributes: FlightAttributes, params: EvaluationParams): number {
  const otherwise = params.engineDeterioration ?? DEFAULT_ENGINE_DETERIORATION;
  if (attributes.engineDeterioration !== undefined) return attributes.engineDeterioration;
  if (attributes.aircraftAgeYears === undefined) return otherwise;
  return engineDeterioration(attributes.aircraftType ?? '', attributes.aircraftAgeYears, otherwise);
}

function columnOf(
  column: Float64Array | undefined,
  scalar: number | undefined,
  n: number,
): Float64Array | undefined {
  if (column !== undefined) return column;
  return scalar === undefined ? undefined : new Float64Array(n).fill(scalar);
}
