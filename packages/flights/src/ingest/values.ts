/** Values of records: numbers, times and codes as sources write them, and as the telemetry table has them. */

/** What writers of tables put for an unknown value. */
const UNKNOWN: ReadonlySet<string> = new Set(['', 'nan', 'none', 'null', 'n/a', '<na>', 'nat']);

/** A value that is there, but not readable. */
export const UNREADABLE = Symbol('unreadable');

/** NaN where the value is unknown. */
export function numberOf(value: unknown): number | typeof UNREADABLE {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined) return Number.NaN;
  return typeof value === 'string' ? numberOfText(value) : UNREADABLE;
}

function numberOfText(text: string): number | typeof UNREADABLE {
  const value = text.length === 0 ? Number.NaN : Number(text);
  if (!Number.isNaN(value) && (value !== 0 || text.trim() !== '')) return value;
  return UNKNOWN.has(text.trim().toLowerCase()) ? Number.NaN : UNREADABLE;
}

export function flagOf(value: unknown): boolean | typeof UNREADABLE {
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) return false;
  switch (String(value).trim().toLowerCase()) {
    case 'true':
    case 't':
    case '1':
      return true;
    case 'false':
    case 'f':
    case '0':
      return false;
    default:
      return UNKNOWN.has(String(value).trim().toLowerCase()) ? false : UNREADABLE;
  }
}

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** Numbers above it are milliseconds since 1970, others seconds. */
const MAX_SECONDS = 1e11;
const MAX_TIME_MS = 8.64e15;

/** A time [ms since 1970], NaN where it is unknown. Texts without a zone are UTC; numbers are seconds or milliseconds. */
export function timeOf(value: unknown): number | typeof UNREADABLE {
  const match = typeof value === 'string' && value.includes('-', 1) ? ISO_TIME.exec(value.trim()) : null;
  if (match === null) {
    const number = numberOf(value);
    return number === UNREADABLE ? UNREADABLE : msOfNumber(number);
  }
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone = ''] = match;
  const dayMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const isDay = new Date(dayMs).getUTCMonth() === Number(month) - 1 && Number(day) > 0;
  if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return UNREADABLE;
  const clockMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const parts = fraction === '' ? 0 : Number(`0.${fraction}`) * 1000;
  return Math.round(dayMs + clockMs + parts) - zoneMs(zone);
}

/** Seconds, or milliseconds when the number is too large for seconds. */
export function msOfNumber(value: number): number | typeof UNREADABLE {
  return wholeMs(Math.abs(value) > MAX_SECONDS ? value : value * 1000);
}

/** A time as a date has it; NaN stays. */
export function wholeMs(value: number): number | typeof UNREADABLE {
  const ms = Math.round(value);
  return Math.abs(ms) > MAX_TIME_MS ? UNREADABLE : ms;
}

function zoneMs(zone: string): number {
  if (zone === '' || /^(Z|UTC)$/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Category 0 to 11; other numbers mean nothing. */
export function categoryOf(value: number): number {
  return value >= 0 && value <= 11 && Number.isInteger(value) ? value : Number.NaN;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NO_TYPES: ReadonlySet<string> = new Set(['GRND', 'GNDT', 'ZZZZ', 'N/A']);

/** How each text of the table is written; null where the given one is not allowed. */
const CODES = {
  address: (text: string) => (text.startsWith('~') ? text : text.toUpperCase()),
  flightId: (text: string) => matching(text.toLowerCase(), UUID),
  callsign: (text: string) => matching(text.toUpperCase(), /^[A-Z0-9-]{1,8}$/),
  tailNumber: (text: string) => matching(text.toUpperCase(), /^.{1,20}$/),
  flightNumber: (text: string) => matching(text.toUpperCase(), /^.{1,20}$/),
  aircraftType: (text: string) => {
    const type = matching(text.toUpperCase(), /^[A-Z0-9]{2,4}$/);
    return type !== null && NO_TYPES.has(type) ? null : type;
  },
  airline: (text: string) => matching(text.toUpperCase(), /^[A-Z0-9]{2}$/),
  airport: (text: string) => matching(text.toUpperCase(), /^[A-Z0-9]{3,4}$/),
} as const satisfies Readonly<Record<string, (text: string) => string | null>>;

type CodeName = keyof typeof CODES;

const MAX_CACHED = 50_000;
/** No code is as long. */
const MAX_LENGTH = 100;

/**
 * Writes codes as the table has them. The same few texts come again and again, so that each is looked up; the copies that
 * are kept do not hold the text of the input that they were cut from.
 */
export class CodeReader {
  private readonly known = Object.fromEntries(
    Object.keys(CODES).map((name) => [name, new Map<string, string | null>()]),
  ) as Readonly<Record<CodeName, Map<string, string | null>>>;

  /** A transponder address, which need not be a right one; null when there is none. */
  address(value: unknown): string | null {
    const text = value === null || value === undefined ? '' : String(value);
    return this.read('address', text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text);
  }

  read(name: CodeName, value: unknown): string | null {
    if (value === null || value === undefined) return null;
    const text = typeof value === 'string' ? value : String(value);
    if (text.length > MAX_LENGTH) return null;
    const known = this.known[name];
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= MAX_CACHED) known.clear();
    const trimmed = detached(text.trim());
    const code = UNKNOWN.has(trimmed.toLowerCase()) ? null : CODES[name](trimmed);
    known.set(detached(text), code);
    return code;
  }
}

function matching(text: string, pattern: RegExp): string | null {
  return pattern.test(text) ? text : null;
}

/** A copy: a slice of a long text keeps all of it in memory. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
