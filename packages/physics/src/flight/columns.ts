/** Columns that go into and come out of the evaluation of flights, and views of one flight's part of a fleet. */
import type { PerformanceColumns } from '../aircraft/flight-performance.ts';
import type { EmissionIndices } from '../emissions/emissions.ts';

/** Waypoints with the air around them. Columns of the second part replace their formula where they are given. */
export interface FlightColumns {
  readonly timeMs: Float64Array;
  /** Degrees east and north. */
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  readonly altitudeFt: Float64Array;
  readonly airTemperatureK: Float64Array;
  readonly specificHumidity: Float64Array;
  /** Wind [m s⁻¹]; calm where it is not given. */
  readonly eastwardWindMS?: Float64Array | undefined;
  readonly northwardWindMS?: Float64Array | undefined;
  /** Pressure [Pa] for the emissions; from the altitude unless given. */
  readonly airPressurePa?: Float64Array | undefined;

  readonly trueAirspeedMS?: Float64Array | undefined;
  readonly aircraftMassKg?: Float64Array | undefined;
  readonly thrustN?: Float64Array | undefined;
  readonly engineEfficiency?: Float64Array | undefined;
  readonly fuelFlowKgS?: Float64Array | undefined;
  readonly thrustSetting?: Float64Array | undefined;
  readonly noxEi?: Float64Array | undefined;
  readonly nvpmEiM?: Float64Array | undefined;
  readonly nvpmEiN?: Float64Array | undefined;
}

/** Everything found at the waypoints. */
export interface EvaluatedColumns extends PerformanceColumns, EmissionIndices {
  /** Before the speed limit of the performance model. */
  readonly trueAirspeedMS: Float64Array;
  readonly fuelFlowPerEngineKgS: Float64Array;
}

const EVALUATED = 14;

/** One block of memory for all results of a number of waypoints. */
export function allocateEvaluated(waypoints: number): Float64Array {
  return new Float64Array(EVALUATED * waypoints);
}

/** The results of waypoints `start` to `end` of a block from {@link allocateEvaluated}. */
export function evaluatedView(block: Float64Array, start: number, end: number): EvaluatedColumns {
  const stride = block.length / EVALUATED;
  const column = (k: number): Float64Array => block.subarray(k * stride + start, k * stride + end);
  return {
    trueAirspeedMS: column(0),
    aircraftMassKg: column(1),
    engineEfficiency: column(2),
    fuelFlowKgS: column(3),
    fuelBurnKg: column(4),
    thrustN: column(5),
    rocdFtMin: column(6),
    fuelFlowPerEngineKgS: column(7),
    thrustSetting: column(8),
    noxEi: column(9),
    coEi: column(10),
    hcEi: column(11),
    nvpmEiM: column(12),
    nvpmEiN: column(13),
  };
}

/** Waypoints `start` to `end` of the columns of a fleet. */
export function flightView(fleet: FlightColumns, start: number, end: number): FlightColumns {
  return {
    timeMs: fleet.timeMs.subarray(start, end),
    longitude: fleet.longitude.subarray(start, end),
    latitude: fleet.latitude.subarray(start, end),
    altitudeFt: fleet.altitudeFt.subarray(start, end),
    airTemperatureK: fleet.airTemperatureK.subarray(start, end),
    specificHumidity: fleet.specificHumidity.subarray(start, end),
    eastwardWindMS: fleet.eastwardWindMS?.subarray(start, end),
    northwardWindMS: fleet.northwardWindMS?.subarray(start, end),
    airPressurePa: fleet.airPressurePa?.subarray(start, end),
    trueAirspeedMS: fleet.trueAirspeedMS?.subarray(start, end),
    aircraftMassKg: fleet.aircraftMassKg?.subarray(start, end),
    thrustN: fleet.thrustN?.subarray(start, end),
    engineEfficiency: fleet.engineEfficiency?.subarray(start, end),
    fuelFlowKgS: fleet.fuelFlowKgS?.subarray(start, end),
    thrustSetting: fleet.thrustSetting?.subarray(start, end),
    noxEi: fleet.noxEi?.subarray(start, end),
    nvpmEiM: fleet.nvpmEiM?.subarray(start, end),
    nvpmEiN: fleet.nvpmEiN?.subarray(start, end),
  };
}

/** The columns that a flight has. */
export function givenColumns(flight: FlightColumns): Float64Array[] {
  return Object.values(flight).filter((column): column is Float64Array => column !== undefined);
}

/** A column, or one value at all of `n` waypoints, or nothing. */
export function columnOf(
  column: Float64Array | undefined,
  scalar: number | undefined,
  n: number,
): Float64Array | undefined {
  if (column !== undefined) return column;
  return scalar === undefined ? undefined : new Float64Array(n).fill(scalar);
}
