/** When a flight passes its waypoints at other altitudes: it keeps the Mach number that it has at each place. */
import { levelFromAltitudeFt } from '../atmosphere/isa.ts';
import type { Weather, WeatherPoints } from '../cocip/weather.ts';
import { GAS_CONSTANT_DRY, HEAT_CAPACITY_RATIO } from '../constants.ts';
import type { WorkingTrack } from './track.ts';

/** Slower over ground, a row cannot be flown [m s⁻¹]. */
const MIN_GROUND_SPEED_M_S = 20;

/** Mach number on each segment of the track as it was flown; NaN where it is unknown. */
export function machAlong(track: WorkingTrack, weather: Weather): Float64Array {
  const { longitude, latitude, timeMs, altitudeFt, lengthM, sinA, cosA } = track;
  const count = timeMs.length;
  const column = () => new Float64Array(count).fill(Number.NaN);
  const [temperature, u, v] = [column(), column(), column()];
  const level = altitudeFt.map(levelFromAltitudeFt);
  weather.sample([temperature, u, v], { longitude, latitude, timeMs, level }, count);
  return timeMs.map((time, i) => {
    const groundSpeed = (lengthM[i] as number) / (((timeMs[i + 1] ?? Number.NaN) - time) / 1000);
    const east = groundSpeed * (cosA[i] as number) - (u[i] as number);
    const north = groundSpeed * (sinA[i] as number) - (v[i] as number);
    return Math.sqrt(east * east + north * north) / soundSpeed(temperature[i] as number);
  });
}

/** Times of a row [ms since 1970]; null where it cannot be flown. */
export type RowTimes = Float64Array | null;

/** The times of rows given by their altitudes [ft], all rows step by step, so the weather is read for many points at once. */
export function rowTimes(
  track: WorkingTrack,
  mach: Float64Array,
  rows: readonly Float64Array[],
  weather: Weather,
): RowTimes[] {
  const { timeMs, lengthM, sinA, cosA } = track;
  const count = rows.length;
  const column = () => new Float64Array(count).fill(Number.NaN);
  const [temperature, u, v, nowS] = [column(), column(), column(), column()];
  nowS.fill((timeMs[0] as number) / 1000);
  const points: WeatherPoints = {
    longitude: column(),
    latitude: column(),
    level: column(),
    timeMs: column(),
  };
  const times: RowTimes[] = rows.map(() => timeMs.slice());
  for (let i = 0; i + 1 < timeMs.length; i++) {
    points.longitude.fill(track.longitude[i] as number);
    points.latitude.fill(track.latitude[i] as number);
    rows.forEach((altitudeFt, r) => {
      points.level[r] = levelFromAltitudeFt(altitudeFt[i] as number);
      points.timeMs[r] = 1000 * (nowS[r] as number);
    });
    weather.sample([temperature, u, v], points, count);
    const [cos, sin] = [cosA[i] as number, sinA[i] as number];
    const ownS = ((timeMs[i + 1] as number) - (timeMs[i] as number)) / 1000;
    for (let r = 0; r < count; r++) {
      const airspeed = (mach[i] as number) * soundSpeed(temperature[r] as number);
      const along = (u[r] as number) * cos + (v[r] as number) * sin;
      const across = -(u[r] as number) * sin + (v[r] as number) * cos;
      const isKnown = !Number.isNaN(airspeed) && !Number.isNaN(along);
      const speed = along + Math.sqrt(airspeed * airspeed - across * across);
      if (isKnown && !(speed > MIN_GROUND_SPEED_M_S)) times[r] = null;
      nowS[r] = (nowS[r] as number) + (isKnown ? (lengthM[i] as number) / speed : ownS);
      const ofRow = times[r];
      if (ofRow) ofRow[i + 1] = Math.floor(1000 * (nowS[r] as number) + 0.5);
    }
  }
  return times;
}

function soundSpeed(temperatureK: number): number {
  return Math.sqrt(HEAT_CAPACITY_RATIO * GAS_CONSTANT_DRY * temperatureK);
}
