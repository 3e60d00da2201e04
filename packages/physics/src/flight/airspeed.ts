import {
  GROUND_SPEED_WINDOW,
  groundSpeedInto,
  segmentDurationInto,
  segmentGeometryInto,
  smoothGroundSpeedInto,
  trueAirspeedInto,
} from '../aircraft/kinematics.ts';
import { isaPressurePaInto } from '../aircraft/point-performance.ts';
import { Scratch } from '../scratch.ts';
import type { EvaluationParams, FlightAttributes } from './attributes.ts';
import { columnOf, type FlightColumns } from './columns.ts';

/** Quantities of the legs and waypoints that several steps need. */
export interface Legs {
  readonly durationS: Float64Array;
  readonly haversineM: Float64Array;
  /** Pressure [Pa] of the standard atmosphere at the altitude. */
  readonly isaPressurePa: Float64Array;
}

const scratch = new Scratch();

/** Writes the true airspeed, given or from ground speed and wind. The legs hold until the next call. */
export function airspeedInto(
  out: Float64Array,
  flight: FlightColumns,
  attributes: FlightAttributes,
  params: EvaluationParams,
): Legs {
  const n = out.length;
  const [durationS, haversineM, isaPressurePa, sinA, cosA, raw, smooth, calm] = scratch.columns(8, n) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  segmentDurationInto(durationS, flight.timeMs);
  segmentGeometryInto({ haversineM, sinA, cosA }, flight.longitude, flight.latitude);
  isaPressurePaInto(isaPressurePa, flight.altitudeFt);
  const given = columnOf(flight.trueAirspeedMS, attributes.trueAirspeedMS, n);
  if (given !== undefined) {
    out.set(given);
  } else {
    const window = params.groundSpeedWindow === undefined ? GROUND_SPEED_WINDOW : params.groundSpeedWindow;
    groundSpeedInto(raw, haversineM, durationS);
    const speed = window === null ? raw : smoothGroundSpeedInto(smooth, raw, window);
    calm.fill(0);
    trueAirspeedInto(out, speed, sinA, cosA, flight.eastwardWindMS ?? calm, flight.northwardWindMS ?? calm);
  }
  return { durationS, haversineM, isaPressurePa };
}
