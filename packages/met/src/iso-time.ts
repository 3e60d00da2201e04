/** A time as messages show it: UTC, without seconds that are zero. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/(:00)?\.000Z$/, 'Z');
}
