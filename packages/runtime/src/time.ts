export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The start of the hour of a time [ms since 1970]. */
export function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

/** A time [ms since 1970] as messages show it: UTC, without seconds that are zero. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/(:00)?\.000Z$/, 'Z');
}

/** UTC to the second, as files carry times: `2024-02-29T05:10:00Z`. */
export function isoSecond(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The hour of a time: `2024-02-29T05`. */
export function isoHour(ms: number): string {
  return new Date(ms).toISOString().slice(0, 13);
}

/** The day of a time: `2024-02-29`. */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
