/** UTC to the second with Z, as files and polygons carry times. */
export function isoSecond(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
