import { isoDate, isoHour, MINUTE_MS } from '@contrails/runtime';
/** Which files the rows of a flight belong to. */

/** The day of the summary of a flight that starts at a time [ms since 1970]: `2025-01-01`. */
export function summaryDate(startMs: number): string {
  return isoDate(startMs);
}

/** Number of segments by hour (`2025-01-01T22`) of a flight between its first and last whole minute [ms since 1970]. */
export function segmentHours(startMs: number, endMs: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let ms = startMs; ms < endMs; ms += MINUTE_MS) {
    const hour = isoHour(ms);
    counts.set(hour, (counts.get(hour) ?? 0) + 1);
  }
  return counts;
}
