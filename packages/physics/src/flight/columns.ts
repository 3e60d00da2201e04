/** Columns that come out of the evaluation of flights, and those of one flight in a block of memory. */
import type { PerformanceColumns } from '../aircraft/flight-performance.ts';
import type { EmissionIndices } from '../emissions/emissions.ts';
import type { FlightWith } from '../flight-columns.ts';
import { columnsOf } from '../numerics/reused-columns.ts';

/**
 * What an evaluation starts from. Wind that is absent is calm air, pressure that is absent that of the altitude; columns of
 * aircraft and engines replace their formula.
 */
export type FlightInAir = FlightWith<'altitudeFt' | 'airTemperatureK' | 'specificHumidity'>;

/** Everything found at the waypoints. */
export interface EvaluatedColumns extends PerformanceColumns, EmissionIndices {
  /** Before the speed limit of the performance model. */
  readonly trueAirspeedMS: Float64Array;
  readonly fuelFlowPerEngineKgS: Float64Array;
}

const EVALUATED = 14;

/** One block of memory for all results of a number of waypoints. */
export function allocateEvaluated(waypoints: number): Float64Array {
  return columnsOf(EVALUATED * waypoints, 1)();
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

/** A column, or one value at all of `n` waypoints, or nothing. */
export function columnOf(
  column: Float64Array | undefined,
  scalar: number | undefined,
  n: number,
): Float64Array | undefined {
  if (column !== undefined) return column;
  return scalar === undefined ? undefined : new Float64Array(n).fill(scalar);
}
