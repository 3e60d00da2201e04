const LONGEST = 60;

/** A value of a caller as a message may repeat it: short, on one line, quoted unless it is a plain word; `missing` without one. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  if (value === '') return 'an empty text';
  const text = value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
  return /^[\w.+:/-]+…?$/.test(text) ? text : JSON.stringify(text);
}
