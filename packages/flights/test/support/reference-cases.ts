/**
 * Recorded and made-up flights beside the repository (`../shared/reference/flights`). They rest on other people's
 * published samples, so they are not part of the repository; without them these tests are skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const FLIGHTS = new URL('../../../../../shared/reference/flights/', import.meta.url);

export const present = existsSync(FLIGHTS);
/** Ends the name of a group of tests that is skipped without the cases. */
export const where = present ? '' : ' (skipped: ../shared/reference/flights is not here)';

/** Cases of a kind by name, for `test.each`. */
export function casesOf<T extends { readonly id: string }>(kind: string): (readonly [string, T])[] {
  if (!present) return [];
  const folder = new URL(`${kind}/`, FLIGHTS);
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T)
    .map((item) => [item.id, item] as const);
}

export type Numbers = readonly (number | null)[];
export type Texts = readonly (string | null)[];

/** A column with NaN for null. */
export function numbers(values: Numbers): Float64Array {
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}

/** Largest absolute deviation of two columns; NaN must meet NaN. */
export function deviation(actual: ArrayLike<number>, expected: Numbers): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  return expected.reduce<number>((worst, value, i) => {
    const found = actual[i] as number;
    if (value === null) return Number.isNaN(found) ? worst : Number.POSITIVE_INFINITY;
    const difference = Math.abs(found - value);
    return Math.max(worst, Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference);
  }, 0);
}
