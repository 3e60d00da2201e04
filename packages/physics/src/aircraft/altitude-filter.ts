/** Noise filter for dense barometric altitudes and its use before resampling. */

import { InputError } from '../errors.ts';
import type { FlightWith } from '../flight-columns.ts';
import { requireSameLength } from '../numerics/columns.ts';
import { feetToMetres, metresToFeet } from '../units.ts';
import { FLIGHT_PHASE, flightPhase } from './phase.ts';
import { type ResampleOptions, resampleAndFill } from './resample.ts';
import { oddWindow, smoothLinearInto } from './smoothing.ts';

export interface AltitudeFilterOptions {
  /** Samples of the running median and of the smoothing. */
  readonly kernelSize?: number | undefined;
  /** Cruise runs longer than this [s] take the filtered altitudes. */
  readonly cruiseThresholdS?: number | undefined;
}

export interface CleanOptions extends ResampleOptions, AltitudeFilterOptions {
  /** Filter at any sample spacing. */
  readonly forceFilter?: boolean | undefined;
}

const NOISE_FT = 25;
// Smoothed neighbours that differ by exactly the noise limit must fall on the same side on every machine.
const NOISE_MARGIN_FT = 1e-6;
const ROUNDING_FLOOR_FT = 15000;
const FLIGHT_LEVEL_STEP_FT = 1000;
const DENSE_MEDIAN_MS = 10_000;

/** Filters noise out of altitudes [ft] within long cruise runs and smooths the whole profile. */
export function filterAltitudeFt(
  timeMs: Float64Array,
  altitudeFt: Float64Array,
  options: AltitudeFilterOptions = {},
): Float64Array {
  requireSameLength(altitudeFt, timeMs);
  const index = altitudeFt.findIndex((value) => !Number.isFinite(value));
  if (index >= 0) {
    throw new InputError(
      `altitude of waypoint ${index} is ${altitudeFt[index]}; the filter needs known altitudes`,
      {
        field: 'altitude',
        index,
      },
    );
  }
  const kernel = oddWindow(options.kernelSize ?? 17, altitudeFt.length);
  const level = smoothLinearInto(
    new Float64Array(altitudeFt.length),
    runningMedian(altitudeFt, kernel),
    kernel,
  );
  roundCruiseLevels(level);
  const merged = replaceCruise(altitudeFt, level, timeMs, options.cruiseThresholdS ?? 120);
  return smoothLinearInto(new Float64Array(altitudeFt.length), merged, kernel);
}

/** {@link filterAltitudeFt} where samples are dense (median spacing at most 10 s), then resampling. */
export function cleanAndResample(
  flight: FlightWith<'altitudeM'>,
  options: CleanOptions = {},
): FlightWith<'altitudeM'> {
  if (!hasDenseReports(flight.timeMs) && options.forceFilter !== true)
    return resampleAndFill(flight, options);
  const altitudeFt = filterAltitudeFt(flight.timeMs, flight.altitudeM.map(metresToFeet), options);
  return resampleAndFill({ ...flight, altitudeM: altitudeFt.map(feetToMetres) }, options);
}

/** Whether reports are so close that their altitudes are mostly noise: a median spacing of at most 10 s. */
export function hasDenseReports(timeMs: Float64Array): boolean {
  const spacings = timeMs.length - 1;
  let [dense, longestDenseMs, shortestOtherMs] = [0, 0, Number.POSITIVE_INFINITY];
  for (let i = 1; i < timeMs.length; i++) {
    const spacingMs = (timeMs[i] as number) - (timeMs[i - 1] as number);
    if (spacingMs <= DENSE_MEDIAN_MS) {
      dense++;
      if (spacingMs > longestDenseMs) longestDenseMs = spacingMs;
    } else if (spacingMs < shortestOtherMs) shortestOtherMs = spacingMs;
  }
  if (spacings < 1 || 2 * dense !== spacings) return 2 * dense >= spacings;
  return (longestDenseMs / 1000 + shortestOtherMs / 1000) / 2 <= DENSE_MEDIAN_MS / 1000;
}

/** Median of the `width` samples around each; samples beyond the ends count as 0. */
function runningMedian(values: Float64Array, width: number): Float64Array {
  if (width <= 1) return values.slice();
  const half = (width - 1) / 2;
  const sorted: number[] = new Array(width).fill(0);
  for (let k = 0; k < half; k++) replaceSorted(sorted, 0, values[k] ?? 0);
  const medians = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const leaves = i > half ? (values[i - half - 1] as number) : 0;
    const enters = i + half < values.length ? (values[i + half] as number) : 0;
    if (leaves !== enters) replaceSorted(sorted, leaves, enters);
    medians[i] = sorted[half] as number;
  }
  return medians;
}

function replaceSorted(sorted: number[], leaves: number, enters: number): void {
  let i = sorted.indexOf(leaves);
  for (; i > 0 && (sorted[i - 1] as number) > enters; i--) sorted[i] = sorted[i - 1] as number;
  for (; i + 1 < sorted.length && (sorted[i + 1] as number) < enters; i++)
    sorted[i] = sorted[i + 1] as number;
  sorted[i] = enters;
}

function roundCruiseLevels(altitudeFt: Float64Array): void {
  for (let i = 0; i + 1 < altitudeFt.length; i++) {
    const value = altitudeFt[i] as number;
    const step = Math.abs((altitudeFt[i + 1] as number) - value);
    if (step <= NOISE_FT + NOISE_MARGIN_FT && value > ROUNDING_FLOOR_FT) {
      altitudeFt[i] = roundHalfEven(value / FLIGHT_LEVEL_STEP_FT) * FLIGHT_LEVEL_STEP_FT;
    }
  }
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** The original altitudes with the filtered ones over every long cruise run but its last sample. */
function replaceCruise(
  original: Float64Array,
  level: Float64Array,
  timeMs: Float64Array,
  thresholdS: number,
): Float64Array {
  const runs = cruiseRuns(level, timeMs).filter((run) => run.durationS > thresholdS);
  const merged = original.slice();
  // The reference copies nothing when the only long run begins with the flight.
  if (runs.length === 1 && runs[0]?.first === 0) return merged;
  for (const { first, last } of runs) merged.set(level.subarray(first, last), first);
  return merged;
}

interface CruiseRun {
  readonly first: number;
  readonly last: number;
  readonly durationS: number;
}

function cruiseRuns(level: Float64Array, timeMs: Float64Array): CruiseRun[] {
  const runs: CruiseRun[] = [];
  let first = -1;
  let durationS = 0;
  for (let i = 0; i < level.length; i++) {
    // The reference holds these durations in single precision, which decides at rates of exactly 250 ft/min.
    const seconds = Math.fround(((timeMs[i + 1] ?? Number.NaN) - (timeMs[i] as number)) / 1000);
    const rocd = ((level[i + 1] ?? Number.NaN) - (level[i] as number)) / Math.fround(seconds / 60);
    if (flightPhase(rocd, level[i] as number) === FLIGHT_PHASE.cruise) {
      if (first < 0) [first, durationS] = [i, 0];
      durationS += seconds;
    } else if (first >= 0) {
      runs.push({ first, last: i - 1, durationS });
      first = -1;
    }
  }
  return runs;
}
