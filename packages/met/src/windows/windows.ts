/**
 * Which part of a source is kept in memory for a request. Requests differ slightly; what they keep should not, so the
 * next one finds it:
 *
 * - levels: from 50 hPa down to 450 hPa, where aircraft cruise and contrails live, or down to the ground when a request
 *   asks for more. Above 50 hPa there is neither traffic nor ice;
 * - area: the whole globe where a day of it takes at most half of the memory for weather, else the box of a request
 *   widened to multiples of 30°. Synthetic weather: always the box, widened to multiples of 10°: reading a file costs
 *   about the same for a part of the globe, computing weather does not.
 */
import { wrapLongitude } from '@contrails/physics/numerics';
import { eastOf, isCircle } from '../field/regions.ts';
import type { WeatherRequest } from '../request.ts';
import type { SourceDescription } from '../source.ts';
import { type GridAxes, gridAxes, windowAxes } from './window-axes.ts';

/** A part of a source in space. */
export interface SpatialWindow {
  /** [hPa] */
  readonly level: readonly [top: number, bottom: number];
  /** [°] */
  readonly latitude: readonly [south: number, north: number];
  /** [°], west > east crosses the antimeridian. */
  readonly longitude: readonly [west: number, east: number];
}

const TOP_HPA = 50;
const CRUISE_BOTTOM_HPA = 450;
const GROUND_HPA = 1100;
const LATTICE_DEG = 30;
const SYNTHETIC_LATTICE_DEG = 10;
const HOURS_OF_A_DAY = 25;
const GLOBE: Pick<SpatialWindow, 'latitude' | 'longitude'> = { latitude: [-90, 90], longitude: [-180, 180] };

/** The window to keep for a request, of values that take `bytesPerPoint` each. */
export function windowFor(
  description: SourceDescription,
  request: WeatherRequest,
  bytesPerPoint: number,
  budgetBytes: number,
): SpatialWindow {
  const levels = levelBand(request);
  const globe = { ...GLOBE, level: levels };
  const dayBytes = HOURS_OF_A_DAY * bytesPerPoint * pointsOf(description, globe);
  const isSynthetic = description.kind === 'synthetic';
  if (!isSynthetic && dayBytes <= budgetBytes / 2) return globe;
  return { ...widened(request, isSynthetic ? SYNTHETIC_LATTICE_DEG : LATTICE_DEG), level: levels };
}

/** Grid points of a source in a window. */
export function pointsOf(description: SourceDescription, window: SpatialWindow): number {
  const { longitude, latitude, level } = axesOf(description, window);
  return longitude.length * latitude.length * level.length;
}

/** Grid points of a source in a window, of variables without levels. */
export function columnsOf(description: SourceDescription, window: SpatialWindow): number {
  const { longitude, latitude } = axesOf(description, window);
  return longitude.length * latitude.length;
}

/** Longitudes and latitudes of a source in a window. */
export function mapOf(
  description: SourceDescription,
  window: SpatialWindow,
): { readonly longitude: Float64Array; readonly latitude: Float64Array } {
  const { longitude, latitude } = axesOf(description, window);
  return { longitude: Float64Array.from(longitude), latitude: Float64Array.from(latitude) };
}

function axesOf(description: SourceDescription, window: SpatialWindow): GridAxes {
  return windowAxes(gridOf(description), { ...window, variables: [], time: [0, 0] });
}

/** Whether everything of the inner window is in the outer one. */
export function contains(outer: SpatialWindow, inner: SpatialWindow): boolean {
  return (
    outer.level[0] <= inner.level[0] &&
    outer.level[1] >= inner.level[1] &&
    outer.latitude[0] <= inner.latitude[0] &&
    outer.latitude[1] >= inner.latitude[1] &&
    containsLongitudes(outer.longitude, inner.longitude)
  );
}

export function nameOf({ level, latitude, longitude }: SpatialWindow): string {
  return [...level, ...latitude, ...longitude].join(',');
}

/** What a request needs with what is useful around it. */
export function boxOf({ level, latitude, longitude, margin }: WeatherRequest): SpatialWindow {
  const { levelHpa = 0, degrees = 0 } = margin ?? {};
  const width = eastOf(longitude[0], longitude[1]) + 2 * degrees;
  return {
    level: [Math.max(level[0] - levelHpa, 0.01), level[1] + levelHpa],
    latitude: [Math.max(latitude[0] - degrees, -90), Math.min(latitude[1] + degrees, 90)],
    longitude:
      isCircle(longitude) || width >= 360
        ? GLOBE.longitude
        : [wrapLongitude(longitude[0] - degrees), eastEnd(longitude[1] + degrees)],
  };
}

/** A request with one more grid point on every side, which derivatives at its grid points need. */
export function withNeighbours(description: SourceDescription, request: WeatherRequest): WeatherRequest {
  const { level, latitude, longitude } = gridOf(description);
  const { margin } = request;
  const box = boxOf(request);
  const above = level.findLastIndex((knot) => knot <= box.level[0]) - 1;
  const below = level.findIndex((knot) => knot >= box.level[1]);
  // From a bound to the grid point outside, and to the one beyond.
  const degrees = 2 * Math.max(widestGap(latitude), widestGap(longitude));
  const reachesPole = Math.max(-box.latitude[0], box.latitude[1]) + degrees > 90;
  return {
    ...request,
    level: [level[above] ?? box.level[0], (below < 0 ? undefined : level[below + 1]) ?? box.level[1]],
    // The value at a pole is a mean of all meridians.
    ...(reachesPole ? { longitude: GLOBE.longitude } : {}),
    margin: { ...margin, levelHpa: 0, degrees: (margin?.degrees ?? 0) + degrees },
  };
}

function widestGap(knots: Float64Array): number {
  let widest = 0;
  for (let i = 1; i < knots.length; i++)
    widest = Math.max(widest, (knots[i] as number) - (knots[i - 1] as number));
  return widest;
}

function levelBand(request: WeatherRequest): SpatialWindow['level'] {
  const [top, bottom] = boxOf(request).level;
  return [Math.min(top, TOP_HPA), bottom <= CRUISE_BOTTOM_HPA ? CRUISE_BOTTOM_HPA : GROUND_HPA];
}

function widened(request: WeatherRequest, latticeDeg: number): Pick<SpatialWindow, 'latitude' | 'longitude'> {
  const { latitude, longitude } = boxOf(request);
  const floor = (degrees: number): number => Math.floor(degrees / latticeDeg) * latticeDeg;
  const south = Math.min(floor(latitude[0]), 90 - latticeDeg);
  const north = Math.max(-floor(-latitude[1]), south + latticeDeg);
  if (isCircle(longitude)) return { latitude: [south, north], longitude };
  const west = floor(longitude[0]);
  const reach = longitude[0] - west + eastOf(longitude[0], longitude[1]);
  const width = Math.max(-floor(-reach), latticeDeg);
  if (width >= 360) return { latitude: [south, north], longitude: GLOBE.longitude };
  const east = west + width;
  return { latitude: [south, north], longitude: [west, east > 180 ? east - 360 : east] };
}

function containsLongitudes(outer: SpatialWindow['longitude'], inner: SpatialWindow['longitude']): boolean {
  if (isCircle(outer)) return true;
  if (isCircle(inner)) return false;
  // Less than rounding shows to the west of the window.
  if (inner[0] < outer[0] && outer[0] - inner[0] < 1e-9) return false;
  const from = eastOf(outer[0], inner[0]);
  return from + eastOf(inner[0], inner[1]) <= eastOf(outer[0], outer[1]);
}

/** Points on the antimeridian have the longitude −180: what holds them goes on to the east of it. */
const BEYOND_ANTIMERIDIAN = -179.99;

function eastEnd(longitude: number): number {
  const east = wrapLongitude(longitude);
  return east === -180 ? BEYOND_ANTIMERIDIAN : east;
}

const grids = new WeakMap<SourceDescription, GridAxes>();

function gridOf(description: SourceDescription): GridAxes {
  const { longitude, latitude, levels: level } = description;
  const grid = grids.get(description) ?? gridAxes({ longitude, latitude, level, time: [0] });
  grids.set(description, grid);
  return grid;
}
