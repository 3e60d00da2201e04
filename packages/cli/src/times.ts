/** A time as listings show it: UTC to the second, or a dash. */
export function shownTime(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '-' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A time as machine-readable answers give it. */
export function jsonTime(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
