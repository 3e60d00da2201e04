/** What a flight meets and does at its waypoints, before any contrail: air, motion over the ground and through the air. */
import {
  groundSpeedInto,
  segmentDurationInto,
  segmentGeometryInto,
  segmentLengthInto,
  smoothGroundSpeedInto,
  trueAirspeedInto,
} from '../aircraft/kinematics.ts';
import type { CocipParams } from './params.ts';
import type { ScaleHumidity, Weather, WeatherPoints } from './weather.ts';

/** Waypoints of one flight, in time order. */
export interface FlightTrack extends WeatherPoints {
  readonly altitudeM: Float64Array;
  readonly pressurePa: Float64Array;
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
export function airAlong(track: FlightTrack, weather: Weather, scaleHumidity: ScaleHumidity): AirAlongFlight {
  const count = track.timeMs.length;
  const column = () => new Float64Array(count);
  const air = { temperature: column(), humidity: column(), rhi: column(), u: column(), v: column() };
  weather.sample([air.temperature, air.u, air.v, air.humidity], track, count);
  scaleHumidity(air.humidity, air.rhi, air.temperature, track.pressurePa, track.latitude, count);
  return air;
}

/** Segment quantities, stored at the first waypoint of each segment; NaN at the last. */
export interface FlightMotion {
  readonly segmentLengthM: Float64Array;
  readonly sinA: Float64Array;
  readonly cosA: Float64Array;
  readonly trueAirspeed: Float64Array;
}

/** Segments of a track and the airspeed [m s⁻¹] on them in a wind [m s⁻¹]. */
export function motionAlong(
  track: FlightTrack,
  u: Float64Array,
  v: Float64Array,
  params: CocipParams,
): FlightMotion {
  const column = () => new Float64Array(track.timeMs.length);
  const haversineM = column();
  const motion = { segmentLengthM: column(), sinA: column(), cosA: column(), trueAirspeed: column() };
  segmentGeometryInto({ haversineM, sinA: motion.sinA, cosA: motion.cosA }, track.longitude, track.latitude);
  segmentLengthInto(motion.segmentLengthM, haversineM, track.altitudeM);
  const groundSpeed = groundSpeedInto(column(), haversineM, segmentDurationInto(column(), track.timeMs));
  const speed = params.smoothTrueAirspeed
    ? smoothGroundSpeedInto(column(), groundSpeed, params.smoothTrueAirspeedWindow)
    : groundSpeed;
  trueAirspeedInto(motion.trueAirspeed, speed, motion.sinA, motion.cosA, u, v);
  return motion;
}
