/**
 * Exhaust that drifts without regard to ice: plain Euler steps on fixed times, one wind per step. Reference cases of the
 * field are computed this way; attribution uses the midpoint rule of `drift.ts` instead. A plume may drift along, which the
 * shear of the wind spreads (Schumann 2012, section 2.5).
 */
import {
  bruntVaisala,
  potentialTemperatureGradient,
  pressureBelow,
  windShear,
  windShearNormal,
} from '@contrails/physics/atmosphere';
import {
  covariance,
  effectiveAreaM2,
  horizontalDiffusivity,
  horizontalVariance,
  verticalDiffusivity,
  verticalVariance,
} from '@contrails/physics/cocip';
import {
  advectLatitude,
  advectLongitude,
  destinationLatitude,
  destinationLongitude,
  headingCosA,
  headingSinA,
  initialAzimuthDeg,
} from '@contrails/physics/geodesy';
import { SECOND_MS } from '@contrails/runtime';
import { makeWindColumns, type Winds } from '../../src/attribution/winds.ts';

export interface Exhaust {
  readonly longitude: number;
  readonly latitude: number;
  /** [hPa] */
  readonly level: number;
  readonly plume?: Plume;
}

export interface Plume {
  /** [deg] */
  readonly azimuth: number;
  /** [m] */
  readonly width: number;
  readonly depth: number;
  /** Covariance [m²]. */
  readonly sigmaYz: number;
}

export interface ExhaustSource extends Exhaust {
  /** [ms since 1970] */
  readonly timeMs: number;
}

export interface AdvectedExhaust extends Exhaust {
  /** Index of the source. */
  readonly waypoint: number;
  readonly ageS: number;
}

export interface DryAdvectionSettings {
  /** When positions are wanted [ms since 1970]; a point's first step leads from its own time to the next of them. */
  readonly timesMs: readonly number[];
  /** Older exhaust is dropped [s]. */
  readonly maxAgeS?: number;
  /** Added to the vertical motion [Pa s⁻¹]. */
  readonly sedimentationPaS?: number;
}

/** CoCiP looks this far down for the shear [m]. */
const DZ_M = 200;
const TURBULENT_VELOCITY = 0.1;
/** Half of the line whose ends drift apart in a wind that is not the same everywhere [m]. */
const HALF_LINE_M = 1000;

/** The exhaust of each time; points that left the weather, or are too old, are missing from there on. */
export function advectDry(
  sources: readonly ExhaustSource[],
  winds: Winds,
  { timesMs, maxAgeS = Number.POSITIVE_INFINITY, sedimentationPaS = 0 }: DryAdvectionSettings,
): AdvectedExhaust[][] {
  let alive = sources.map((source, waypoint) => ({ waypoint, at: source }));
  return timesMs.map((timeMs) => {
    alive = alive.flatMap(({ waypoint, at }) => {
      if (at.timeMs >= timeMs) return [{ waypoint, at }];
      const ageS = (timeMs - (sources[waypoint] as ExhaustSource).timeMs) / SECOND_MS;
      const next = ageS > maxAgeS ? undefined : step(at, winds, timeMs, sedimentationPaS);
      return next === undefined ? [] : [{ waypoint, at: next }];
    });
    return alive
      .filter(({ waypoint }) => (sources[waypoint] as ExhaustSource).timeMs < timeMs)
      .map(({ waypoint, at: { timeMs: _, ...exhaust } }) => ({
        ...exhaust,
        waypoint,
        ageS: (timeMs - (sources[waypoint] as ExhaustSource).timeMs) / SECOND_MS,
      }));
  });
}

function step(
  from: ExhaustSource,
  winds: Winds,
  timeMs: number,
  sedimentationPaS: number,
): ExhaustSource | undefined {
  const seconds = (timeMs - from.timeMs) / SECOND_MS;
  const { longitude, latitude, level } = from;
  const air = airAt(winds, longitude, latitude, level, from.timeMs);
  const next = {
    longitude: advectLongitude(longitude, latitude, air.u, air.v, seconds),
    latitude: advectLatitude(longitude, latitude, air.u, air.v, seconds),
    level: level + ((air.omega + sedimentationPaS) * seconds) / 100,
  };
  // A point that has arrived outside the weather could not drift on.
  if (Number.isNaN(airAt(winds, next.longitude, next.latitude, next.level, timeMs).u)) return undefined;
  const plume = from.plume && spread(from, from.plume, air, winds, seconds);
  return { ...next, timeMs, ...(plume === undefined ? {} : { plume }) };
}

interface Air {
  readonly u: number;
  readonly v: number;
  readonly omega: number;
  readonly temperature: number;
}

function airAt(winds: Winds, longitude: number, latitude: number, level: number, timeMs: number): Air {
  const out = makeWindColumns(1);
  const points = {
    longitude: Float64Array.of(longitude),
    latitude: Float64Array.of(latitude),
    level: Float64Array.of(level),
    timeMs: Float64Array.of(timeMs),
  };
  winds.sample(out, points, 1);
  const [u = Number.NaN] = out.eastward;
  const [v = Number.NaN] = out.northward;
  const [omega = Number.NaN] = out.omega;
  const [temperature = Number.NaN] = out.temperature;
  return { u, v, omega, temperature };
}

function spread(from: ExhaustSource, plume: Plume, air: Air, winds: Winds, seconds: number): Plume {
  const { longitude, latitude, level, timeMs } = from;
  const { azimuth, width, depth, sigmaYz } = plume;
  const pressure = 100 * level;
  const pressureLower = pressureBelow(air.temperature, pressure, DZ_M);
  const below = airAt(winds, longitude, latitude, pressureLower / 100, timeMs);
  const shear = windShear(air.u, below.u, air.v, below.v, DZ_M);
  // The reference exchanges the shares of the heading here; its figures follow from that.
  const [northShare, eastShare] = [headingSinA(latitude, azimuth), headingCosA(latitude, azimuth)];
  const normalShear = windShearNormal(air.u, below.u, air.v, below.v, eastShare, northShare, DZ_M);
  const gradient = potentialTemperatureGradient(
    air.temperature,
    pressure,
    below.temperature,
    pressureLower,
    DZ_M,
  );
  const stability = bruntVaisala(air.temperature, pressure, gradient);
  const diffusivityH = horizontalDiffusivity(shear, depth);
  const diffusivityV = verticalDiffusivity(stability, 0, 0, TURBULENT_VELOCITY, 0);
  const [sigmaYy, sigmaZz] = [width ** 2 / 8, depth ** 2 / 8];
  return {
    azimuth: turnedAzimuth(from, azimuth, winds, seconds),
    width: Math.sqrt(
      8 * horizontalVariance(sigmaYy, sigmaZz, sigmaYz, normalShear, diffusivityH, diffusivityV, seconds, 1),
    ),
    depth: Math.sqrt(8 * verticalVariance(sigmaZz, diffusivityV, seconds)),
    sigmaYz: covariance(sigmaZz, sigmaYz, normalShear, diffusivityV, seconds, 1),
  };
}

/** Effective cross-section of a plume [m²]. */
export function plumeArea({ width, depth, sigmaYz }: Plume): number {
  return effectiveAreaM2(width, depth, sigmaYz);
}

/** The direction of a short line whose ends drifted with the winds there [deg]. */
function turnedAzimuth(
  { longitude, latitude, level, timeMs }: ExhaustSource,
  azimuth: number,
  winds: Winds,
  seconds: number,
): number {
  const [tail, head] = [-HALF_LINE_M, HALF_LINE_M].map((distance) => {
    const lon = destinationLongitude(longitude, latitude, azimuth, distance);
    const lat = destinationLatitude(latitude, azimuth, distance);
    const { u, v } = airAt(winds, lon, lat, level, timeMs);
    return [advectLongitude(lon, lat, u, v, seconds), advectLatitude(lon, lat, u, v, seconds)] as const;
  }) as [readonly [number, number], readonly [number, number]];
  return initialAzimuthDeg(...tail, ...head);
}
