/** Planetary albedo and mean longwave radiation of intervals, on the grid of a field. Runs in threads. */
import {
  ALBEDO_WITHOUT_SUN,
  estimatedAlbedo,
  highestSun,
  type IntervalSun,
  intervalSun,
  MIN_INCOMING_W_M2,
} from '@contrails/physics/atmosphere';
import { degreesToRadians } from '@contrails/physics/common';
import { clip } from '@contrails/physics/numerics';
import { HOUR_MS } from '@contrails/runtime';
import type { FieldValues } from '../field/field.ts';
import type { RadiationInterval } from './intervals.ts';

/** What the shortwave variable of a source is: net or upward at the top, or net at the surface with water vapour. */
type ShortwaveKind = 'net' | 'upward' | 'surface';

/** Longitudes and latitudes [°] of a field without levels. */
interface Map2d {
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
}

/** Within half a day the sun has been at its highest, wherever it rises at all [ms]. */
const MAX_DISTANCE_MS = 12 * HOUR_MS;
/** The cosine of the zenith angle at which the sun counts as risen. */
const SUNRISE_COSINE = 0.01;
/** How often it is looked for [ms]. */
const SUNRISE_STEP_MS = HOUR_MS / 2;
const SUNRISE_STEP_DEG = 7.5;

interface NeighbourSearch extends Map2d {
  /** All of the run. */
  readonly intervals: readonly RadiationInterval[];
  /** Index of the interval whose albedo is wanted. */
  readonly index: number;
}

/**
 * First and last of the intervals that the albedo of one depends on: where its sun is too low, that of the nearest interval
 * with enough sun counts. Points in the dark with dark neighbours need none: their albedo is multiplied with 0.
 */
function findNeighbours({ longitude, latitude, intervals, index }: NeighbourSearch): [number, number] {
  const wanted = intervals[index] as RadiationInterval;
  const { incoming } = intervalSun(longitude, latitude, wanted.startMs, wanted.endMs);
  const sunrise = highestSun(longitude, latitude, weightedTimes(intervals, index));
  // The cosine changes by no more than the angle between two places.
  const threshold =
    SUNRISE_COSINE - degreesToRadians(Math.hypot(stepOf(longitude), stepOf(latitude)) + SUNRISE_STEP_DEG / 2);
  let open: number[] = [];
  for (let at = 0; at < incoming.length; at++) {
    const isLow = (incoming[at] as number) < MIN_INCOMING_W_M2;
    if (isLow && (sunrise[at] as number) >= threshold) open.push(at);
  }
  let [first, last] = [index, index];
  for (const other of byDistance(intervals, index)) {
    if (open.length === 0) break;
    const { startMs, endMs } = intervals[other] as RadiationInterval;
    const sun = intervalSun(longitude, latitude, startMs, endMs);
    const left = open.filter((at) => (sun.incoming[at] as number) < MIN_INCOMING_W_M2);
    if (left.length < open.length) [first, last] = [Math.min(first, other), Math.max(last, other)];
    open = left;
  }
  return [first, last];
}

/** Times from the beginning to the end of when the albedo of an interval has a weight [ms since 1970]. */
function weightedTimes(intervals: readonly RadiationInterval[], index: number): number[] {
  const from = (intervals[index - 1] ?? intervals[index])?.startMs as number;
  const to = (intervals[index + 1] ?? intervals[index])?.endMs as number;
  const count = Math.ceil((to - from) / SUNRISE_STEP_MS);
  return Array.from({ length: count + 1 }, (_, k) => from + (k * (to - from)) / count);
}

const stepOf = (knots: Float64Array): number =>
  knots.length < 2 ? 0 : Math.abs((knots[1] as number) - (knots[0] as number));

/** Indices of the other intervals of a run, the nearest first, of two the later one. */
function byDistance(intervals: readonly RadiationInterval[], index: number): number[] {
  const middle = (k: number) => {
    const { startMs, endMs } = intervals[k] as RadiationInterval;
    return (startMs + endMs) / 2;
  };
  const distance = (k: number) => Math.abs(middle(k) - middle(index));
  return [...intervals.keys()]
    .filter((k) => k !== index && distance(k) <= MAX_DISTANCE_MS)
    .sort((one, other) => distance(one) - distance(other) || other - one);
}

interface AlbedoJob extends Map2d {
  /** The wanted interval and those that it depends on. */
  readonly intervals: readonly RadiationInterval[];
  /** Index of the wanted one among them. */
  readonly index: number;
  readonly kind: ShortwaveKind;
  /** 1 or −1: from the stored to outgoing longwave radiation. */
  readonly longwaveSign: number;
  /** Stored fields by their stamps: shortwave, longwave, with `surface` also water vapour. Interleaved by point. */
  readonly stored: readonly { readonly stampMs: number; readonly values: FieldValues }[];
  /** Filled with the albedo and outgoing longwave radiation [W m⁻²] of each point. */
  readonly out: Float32Array;
}

/** Fills the albedo and longwave radiation of one interval. */
function fillAlbedo(job: AlbedoJob): void {
  const { longitude, latitude, intervals, index, out, longwaveSign } = job;
  const wanted = intervals[index] as RadiationInterval;
  const stride = job.kind === 'surface' ? 3 : 2;
  const points = longitude.length * latitude.length;
  const longwave = meanOf(job, wanted, 1, stride);
  for (let at = 0; at < points; at++) out[2 * at + 1] = longwaveSign * (longwave[at] as number);
  let open = Array.from({ length: points }, (_, at) => at);
  for (const other of [index, ...byDistance(intervals, index)]) {
    if (open.length === 0) break;
    const interval = intervals[other] as RadiationInterval;
    const sun = intervalSun(longitude, latitude, interval.startMs, interval.endMs);
    const albedo = albedoOf(job, interval, sun, stride);
    open = open.filter((at) => {
      if ((sun.incoming[at] as number) < MIN_INCOMING_W_M2) return true;
      out[2 * at] = albedo(at);
      return false;
    });
  }
  for (const at of open) out[2 * at] = ALBEDO_WITHOUT_SUN;
}

function albedoOf(
  job: AlbedoJob,
  interval: RadiationInterval,
  { incoming, mu }: IntervalSun,
  stride: number,
): (at: number) => number {
  const means = meanOf(job, interval, 0, stride);
  const shortwave = (at: number) => means[at] as number;
  const d = (at: number) => incoming[at] as number;
  switch (job.kind) {
    case 'upward':
      return (at) => clip(shortwave(at) / d(at), 0, 1);
    case 'net':
      return (at) => clip((d(at) - shortwave(at)) / d(at), 0, 1);
    case 'surface': {
      const ends = job.stored.filter(
        ({ stampMs }) => stampMs === interval.startMs || stampMs === interval.endMs,
      );
      const water = (at: number) =>
        ends.reduce((sum, { values }) => sum + (values[stride * at + 2] as number), 0) / ends.length;
      return (at) => estimatedAlbedo(mu[at] as number, water(at) / 10, shortwave(at) / d(at));
    }
  }
}

/** Mean flux of an interval [W m⁻²] at each point. */
function meanOf(
  { stored, out }: AlbedoJob,
  { weights }: RadiationInterval,
  variable: number,
  stride: number,
): Float64Array {
  const mean = new Float64Array(out.length / 2);
  for (const { stampMs, weight } of weights) {
    const values = stored.find((one) => one.stampMs === stampMs)?.values;
    if (values === undefined) throw new RangeError(`nothing is stored for ${stampMs}`);
    for (let at = 0, from = variable; at < mean.length; at++, from += stride) {
      mean[at] = (mean[at] as number) + weight * (values[from] as number);
    }
  }
  return mean;
}

/** One of the two. */
export interface AlbedoRequest {
  readonly search?: NeighbourSearch;
  readonly fill?: AlbedoJob;
}

export function serveAlbedo({ search, fill }: AlbedoRequest): [number, number] | undefined {
  if (fill !== undefined) fillAlbedo(fill);
  return search && findNeighbours(search);
}
