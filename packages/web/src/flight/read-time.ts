/** ISO 8601 (UTC where there is no zone), or seconds, ms, µs or ns since 1970; NaN for anything else. */
export function timeMsOf(value: unknown): number {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()))) {
    let seconds = Number(value);
    while (Math.abs(seconds) > 2e10) seconds /= 1000;
    return Math.round(seconds * 1000);
  }
  if (typeof value !== 'string') return Number.NaN;
  const text = value.trim().replace(' ', 'T');
  if (!/^\d{4}-\d\d-\d\dT\d\d/.test(text)) return Number.NaN;
  const hasMinutes = /T\d\d:\d\d/.test(text);
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  return Date.parse(`${text}${hasMinutes ? '' : ':00'}${hasZone ? '' : 'Z'}`);
}
