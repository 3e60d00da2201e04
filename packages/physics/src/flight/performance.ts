import { engineDeterioration } from '../aircraft/deterioration.ts';
import { flightPerformanceInto } from '../aircraft/flight-performance.ts';
import { estimatePayload, type Payload } from '../aircraft/payload.ts';
import { DEFAULT_PERFORMANCE_PARAMS } from '../aircraft/point-performance.ts';
import { DEFAULT_ENGINE_DETERIORATION } from '../aircraft/propulsion.ts';
import { type AircraftType, findAircraftType, withMaxMach } from '../aircraft/types.ts';
import { InputError } from '../errors.ts';
import type { Fuel } from '../fuel.ts';
import { sumIgnoringNaN } from '../numerics/sums.ts';
import type { Legs } from './airspeed.ts';
import type { EvaluationParams, FlightAttributes } from './attributes.ts';
import { columnOf, type EvaluatedColumns, type FlightInAir } from './columns.ts';

export interface PerformanceFacts {
  readonly aircraft: AircraftType | null;
  readonly deterioration: number;
  readonly payload: Payload | null;
  readonly totalFuelBurnKg: number;
}

/** Runs the performance model unless mass, efficiency, fuel flow and wingspan are all given. */
export function performanceInto(
  out: EvaluatedColumns,
  flight: FlightInAir,
  attributes: FlightAttributes,
  fuel: Fuel,
  legs: Legs,
  params: EvaluationParams,
): PerformanceFacts {
  const n = flight.timeMs.length;
  const supplied = {
    thrustN: columnOf(flight.thrustN, attributes.thrustN, n),
    engineEfficiency: columnOf(flight.engineEfficiency, attributes.engineEfficiency, n),
    fuelFlowKgS: columnOf(flight.fuelFlowKgS, attributes.fuelFlowKgS, n),
  };
  const deterioration = deteriorationOf(attributes, params);
  const aircraftMassKg = flight.aircraftMassKg ?? attributes.aircraftMassKg;
  const { engineEfficiency, fuelFlowKgS } = supplied;
  if (aircraftMassKg !== undefined && engineEfficiency && fuelFlowKgS && attributes.wingspanM !== undefined) {
    if (typeof aircraftMassKg === 'number') out.aircraftMassKg.fill(aircraftMassKg);
    else out.aircraftMassKg.set(aircraftMassKg);
    const burn = passOn(out, { ...supplied, engineEfficiency, fuelFlowKgS }, legs.durationS);
    return { aircraft: null, deterioration, payload: null, totalFuelBurnKg: burn };
  }

  const aircraft = withMaxMach(requireType(attributes.aircraftType), attributes.maxMach);
  const payload = estimatePayload(
    { ...attributes, aircraftType: attributes.aircraftType ?? aircraft.icaoType },
    attributes.maxPayloadKg ?? aircraft.maxPayloadKg,
    flight.timeMs[0] as number,
    sumIgnoringNaN(legs.haversineM) / 1000,
  );
  const totalFuelBurnKg = flightPerformanceInto(
    out,
    {
      timeMs: flight.timeMs,
      altitudeFt: flight.altitudeFt,
      ambient: legs.ambient,
      airTemperatureK: flight.airTemperatureK,
      trueAirspeedMS: out.trueAirspeedMS,
      aircraftMassKg,
      ...supplied,
    },
    {
      type: aircraft,
      operatingEmptyMassKg: attributes.operatingEmptyMassKg,
      maxTakeoffMassKg: attributes.maxTakeoffMassKg,
      payloadKg: payload.payloadKg,
      takeoffMassKg: attributes.takeoffMassKg,
      engineDeterioration: deterioration,
      qFuelJKg: fuel.qFuelJKg,
    },
    { ...DEFAULT_PERFORMANCE_PARAMS, ...params.performance },
  );
  return { aircraft, deterioration, payload, totalFuelBurnKg };
}

/** Hands on what was given and returns the fuel burnt [kg]. */
function passOn(
  out: EvaluatedColumns,
  given: {
    readonly thrustN: Float64Array | undefined;
    readonly engineEfficiency: Float64Array;
    readonly fuelFlowKgS: Float64Array;
  },
  durationS: Float64Array,
): number {
  out.engineEfficiency.set(given.engineEfficiency);
  out.fuelFlowKgS.set(given.fuelFlowKgS);
  if (given.thrustN === undefined) out.thrustN.fill(Number.NaN);
  else out.thrustN.set(given.thrustN);
  out.rocdFtMin.fill(Number.NaN);
  for (let i = 0; i < durationS.length; i++) {
    out.fuelBurnKg[i] = (given.fuelFlowKgS[i] as number) * (durationS[i] as number);
  }
  return sumIgnoringNaN(out.fuelBurnKg);
}

function requireType(aircraftType: string | undefined): AircraftType {
  if (aircraftType !== undefined) return findAircraftType(aircraftType);
  throw new InputError(
    'aircraft_type is needed unless wingspan, aircraft_mass, engine_efficiency and fuel_flow are all given',
    { field: 'aircraft_type' },
  );
}

function deteriorationOf(attributes: FlightAttributes, params: EvaluationParams): number {
  const otherwise = params.engineDeterioration ?? DEFAULT_ENGINE_DETERIORATION;
  if (attributes.engineDeterioration !== undefined) return attributes.engineDeterioration;
  if (attributes.aircraftAgeYears === undefined) return otherwise;
  return engineDeterioration(attributes.aircraftType ?? '', attributes.aircraftAgeYears, otherwise);
}
