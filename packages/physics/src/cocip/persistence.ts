/** When the life of a contrail point ends. */
import type { CocipParams } from './params.ts';

/** True while every bound holds; bounds are inclusive and NaN fails. */
export function isPersistent(
  params: CocipParams,
  ageS: number,
  opticalDepth: number,
  particlesPerM3: number,
  altitudeM: number,
  segmentLengthM: number,
  latitudeDeg: number,
): boolean {
  return (
    ageS <= params.maxAgeS &&
    opticalDepth >= params.minTau &&
    opticalDepth <= params.maxTau &&
    particlesPerM3 >= params.minNIcePerM3 &&
    particlesPerM3 <= params.maxNIcePerM3 &&
    (params.minAltitudeM === null || altitudeM >= params.minAltitudeM) &&
    (params.maxAltitudeM === null || altitudeM <= params.maxAltitudeM) &&
    (params.maxSegLengthM === null || segmentLengthM <= params.maxSegLengthM) &&
    latitudeDeg >= -89 &&
    latitudeDeg <= 89
  );
}
