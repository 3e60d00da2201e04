/**
 * Confidence intervals of a ratio of sums over days: bias-corrected and accelerated bootstrap (Efron 1987), with days as units and
 * random numbers of SplitMix64 (Steele et al. 2014).
 */
import { normalProbability, normalQuantile } from '@contrails/physics/uncertainty';

/** The two sums of one day. */
export interface DailySums {
  readonly part: number;
  readonly whole: number;
}

export type Interval = readonly [number, number];

const TAIL = 0.025;

/** How often each day is drawn, for every resample; all intervals over as many days share them. */
export function drawDays(days: number, resamples: number, seed: number): Uint16Array[] {
  const next = splitMix64(BigInt(seed));
  return Array.from({ length: resamples }, () => {
    const counts = new Uint16Array(days);
    for (let draw = 0; draw < days; draw++) {
      const day = Math.floor(next() * days);
      counts[day] = (counts[day] as number) + 1;
    }
    return counts;
  });
}

/** The 95 % interval of the sum of parts over the sum of wholes; undefined with fewer than two days or without any whole. */
export function ratioInterval(
  days: readonly DailySums[],
  draws: readonly Uint16Array[],
): Interval | undefined {
  const ratio = ratioOf(days, () => 1);
  if (days.length < 2 || Number.isNaN(ratio)) return undefined;
  const resampled = draws
    .map((counts) => ratioOf(days, (day) => counts[day] as number))
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  const below = resampled.filter((value) => value < ratio).length;
  const notAbove = resampled.filter((value) => value <= ratio).length;
  const share = (below + notAbove) / (2 * resampled.length);
  if (!(share > 0 && share < 1)) return [ratio, ratio];
  const bias = normalQuantile(share);
  const acceleration = accelerationOf(days, ratio);
  const end = (probability: number) => {
    const z = bias + normalQuantile(probability);
    return quantile(resampled, normalProbability(bias + z / (1 - acceleration * z)));
  };
  return [end(TAIL), end(1 - TAIL)];
}

/** NaN where no whole is left. */
function ratioOf(days: readonly DailySums[], countOf: (day: number) => number): number {
  let [part, whole] = [0, 0];
  days.forEach((sums, day) => {
    part += countOf(day) * sums.part;
    whole += countOf(day) * sums.whole;
  });
  return whole > 0 ? part / whole : Number.NaN;
}

/** From the jackknife over days. */
function accelerationOf(days: readonly DailySums[], ratio: number): number {
  const without = days.map((_, left) => {
    const value = ratioOf(days, (day) => (day === left ? 0 : 1));
    return Number.isNaN(value) ? ratio : value;
  });
  const mean = without.reduce((sum, value) => sum + value, 0) / without.length;
  let [squares, cubes] = [0, 0];
  for (const value of without) {
    squares += (mean - value) ** 2;
    cubes += (mean - value) ** 3;
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

/** Linear between sorted values. */
function quantile(sorted: readonly number[], probability: number): number {
  const at = probability * (sorted.length - 1);
  const index = Math.min(Math.floor(at), sorted.length - 1);
  const value = sorted[index] as number;
  return value + (at - index) * ((sorted[index + 1] ?? value) - value);
}

const MASK = (1n << 64n) - 1n;

/** Numbers in [0, 1) with 53 bits. */
function splitMix64(seed: bigint): () => number {
  let state = seed & MASK;
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & MASK;
    mixed ^= mixed >> 31n;
    return Number(mixed >> 11n) * 2 ** -53;
  };
}
