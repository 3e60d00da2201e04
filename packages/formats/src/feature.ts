import { feetToMetres } from '@contrails/physics/common';
import type { MultiPolygon } from './polygons/ring.ts';

/** The regions of one flight level and their properties. */
export interface RegionFeature {
  /** In hectofeet. */
  readonly flightLevel: number;
  readonly polygons: MultiPolygon;
  readonly properties: Readonly<Record<string, string | number | boolean | null>>;
}

/** Height of a flight level in whole metres, the third number of every position. */
export function altitudeOf(flightLevel: number): number {
  return Math.round(feetToMetres(100 * flightLevel));
}
