/** What a flight meets and does at its waypoints, before any contrail: air, motion over the ground and through the air. */
import {
  groundSpeedInto,
  segmentDurationInto,
  segmentGeometryInto,
  segmentLengthInto,
  smoothGroundSpeedInto,
  trueAirspeedInto,
} from '../aircraft/kinematics.ts';
import type { FlightWith } from '../flight-columns.ts';
import { columnsOf } from '../numerics/reused-columns.ts';
import { Scratch } from '../numerics/scratch.ts';
import type { CocipParams } from './params.ts';
import type { ScaleHumidity, Weather, WeatherPoints } from './weather.ts';

/** The flight that the contrail model takes: where it is in the air, and the values given with it. */
export type CocipFlight = FlightWith<'altitudeM' | 'levelHpa' | 'airPressurePa'>;

/** The waypoints as points of the weather. */
export function weatherPoints(flight: FlightWith<'levelHpa'>): WeatherPoints {
  const { timeMs, longitude, latitude, levelHpa } = flight;
  return { timeMs, longitude, latitude, level: levelHpa };
}

/** Air at the waypoints; NaN outside the weather. */
export interface AirAlongFlight {
  readonly temperature: Float64Array;
  /** Scaled. */
  readonly humidity: Float64Array;
  readonly rhi: Float64Array;
  readonly u: Float64Array;
  readonly v: Float64Array;
}

/** Weather at the waypoints, its humidity scaled. */
export function airAlong(
  flight: CocipFlight,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
): AirAlongFlight {
  const count = flight.timeMs.length;
  const column = columnsOf(count, 5);
  const air = { temperature: column(), humidity: column(), rhi: column(), u: column(), v: column() };
  weather.sample([air.temperature, air.u, air.v, air.humidity], weatherPoints(flight), count);
  scaleHumidity(air.humidity, air.rhi, air.temperature, flight.airPressurePa, flight.latitude, count);
  return air;
}

/** Segment quantities, stored at the first waypoint of each segment; NaN at the last. */
export interface FlightMotion {
  readonly segmentLengthM: Float64Array;
  readonly sinA: Float64Array;
  readonly cosA: Float64Array;
  readonly trueAirspeed: Float64Array;
}

const scratch = new Scratch();

/** Segments of a flight and the airspeed [m s⁻¹] on them in a wind [m s⁻¹]. */
export function motionAlong(
  flight: CocipFlight,
  u: Float64Array,
  v: Float64Array,
  params: CocipParams,
): FlightMotion {
  const column = columnsOf(flight.timeMs.length, 4);
  const [haversineM, durationS, rawSpeed, smoothSpeed] = scratch.columns(4, flight.timeMs.length) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const motion = { segmentLengthM: column(), sinA: column(), cosA: column(), trueAirspeed: column() };
  segmentGeometryInto(
    { haversineM, sinA: motion.sinA, cosA: motion.cosA },
    flight.longitude,
    flight.latitude,
  );
  segmentLengthInto(motion.segmentLengthM, haversineM, flight.altitudeM);
  groundSpeedInto(rawSpeed, haversineM, segmentDurationInto(durationS, flight.timeMs));
  const speed = params.smoothTrueAirspeed
    ? smoothGroundSpeedInto(smoothSpeed, rawSpeed, params.smoothTrueAirspeedWindow)
    : rawSpeed;
  trueAirspeedInto(motion.trueAirspeed, speed, motion.sinA, motion.cosA, u, v);
  return motion;
}
