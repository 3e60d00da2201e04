import { type Ambient, ambientInto } from '../aircraft/ambient.ts';
import {
  GROUND_SPEED_WINDOW,
  groundSpeedInto,
  segmentDurationInto,
  segmentGeometryInto,
  segmentHaversineInto,
  smoothGroundSpeedInto,
  trueAirspeedInto,
} from '../aircraft/kinematics.ts';
import { Scratch } from '../numerics/scratch.ts';
import type { EvaluationParams, FlightAttributes } from './attributes.ts';
import { columnOf, type FlightInAir } from './columns.ts';

/** Quantities of the legs and waypoints that several steps need. */
export interface Legs {
  readonly durationS: Float64Array;
  readonly haversineM: Float64Array;
  readonly ambient: Ambient;
}

const scratch = new Scratch();

/** Writes the true airspeed, given or from ground speed and wind. The legs hold until the next call. */
export function airspeedInto(
  out: Float64Array,
  flight: FlightInAir,
  attributes: FlightAttributes,
  params: EvaluationParams,
): Legs {
  const n = out.length;
  const block = scratch.block(10 * n);
  const column = (k: number): Float64Array => block.subarray(k * n, (k + 1) * n);
  const durationS = segmentDurationInto(column(0), flight.timeMs);
  const haversineM = column(1);
  const ambient = ambientInto(
    { pressurePa: column(2), lnTheta: column(3), lnDelta: column(4) },
    flight.altitudeFt,
    flight.airTemperatureK,
  );
  const given = columnOf(flight.trueAirspeedMS, attributes.trueAirspeedMS, n);
  if (given !== undefined) {
    segmentHaversineInto(haversineM, flight.longitude, flight.latitude);
    out.set(given);
    return { durationS, haversineM, ambient };
  }
  const [sinA, cosA, raw] = [column(5), column(6), column(7)];
  segmentGeometryInto({ haversineM, sinA, cosA }, flight.longitude, flight.latitude);
  groundSpeedInto(raw, haversineM, durationS);
  const window = params.groundSpeedWindow === undefined ? GROUND_SPEED_WINDOW : params.groundSpeedWindow;
  const speed = window === null ? raw : smoothGroundSpeedInto(column(8), raw, window);
  const calm = column(9).fill(0);
  trueAirspeedInto(out, speed, sinA, cosA, flight.eastwardWindMS ?? calm, flight.northwardWindMS ?? calm);
  return { durationS, haversineM, ambient };
}
