export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A time [ms since 1970] as messages show it: UTC, without seconds that are zero. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/(:00)?\.000Z$/, 'Z');
}
