/** Values of records: numbers, times and codes as sources write them, and as the telemetry table has them. */
import type { TelemetryColumnName } from '../telemetry/columns.ts';

/** What writers of tables put for an unknown value, in lower case. */
export const UNKNOWN_TEXTS = ['', 'nan', 'none', 'null', 'n/a', '<na>', 'nat'] as const;
const UNKNOWN: ReadonlySet<string> = new Set(UNKNOWN_TEXTS);

export function isUnknown(text: string): boolean {
  return UNKNOWN.has(text.trim().toLowerCase());
}

/** A value that is there, but not readable. */
export const UNREADABLE = Symbol('unreadable');

/** A value in a message. A line may hold lists that are nested deeper than they can be written. */
export function shown(value: unknown): string {
  const text = jsonOf(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return 'a value that is nested too deep';
    throw error;
  }
}

/** A list or an object is not a code, but it is shown in messages. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? shown(value) : String(value);
}

/** NaN where the value is unknown. */
export function numberOf(value: unknown): number | typeof UNREADABLE {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined) return Number.NaN;
  return typeof value === 'string' ? numberOfText(value) : UNREADABLE;
}

/** `Number` also takes 0x1F, 1_000 is not a number, and no value of a report is infinite. */
const DECIMAL = /^[ \t\n\v\f\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[ \t\n\v\f\r]*$/i;

function numberOfText(text: string): number | typeof UNREADABLE {
  if (!DECIMAL.test(text)) return isUnknown(text) ? Number.NaN : UNREADABLE;
  const value = Number(text);
  return Number.isFinite(value) ? value : UNREADABLE;
}

/** Columns that also have unknown values are often written as 1.0 and 0.0. */
export function flagOf(value: unknown): boolean | typeof UNREADABLE {
  if (typeof value === 'boolean') return value;
  if (value === 'false') return false;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text === 'true' || text === 't') return true;
  if (text === 'false' || text === 'f') return false;
  const number = numberOf(value);
  if (number === UNREADABLE || !(number === 0 || number === 1 || Number.isNaN(number))) return UNREADABLE;
  return number === 1;
}

/** Year, month, day, hour, minute, second, fraction and zone; JavaScript and RE2 read it alike. */
export const ISO_TIME_PATTERN =
  '(\\d{4})-(\\d\\d)-(\\d\\d)(?:[Tt ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)?[ \\t]*([Zz]|[Uu][Tt][Cc]|[+-]\\d\\d(?::?\\d\\d)?)?)?';
const ISO_TIME = new RegExp(`^${ISO_TIME_PATTERN}$`);
/** The calendar repeats itself. */
const YEARS_400_MS = Date.UTC(2400, 0) - Date.UTC(2000, 0);
/** Numbers up to the first are seconds since 1970, then milliseconds, microseconds and nanoseconds. */
export const MAX_NUMBER_OF = { s: 1e11, ms: 1e14, us: 1e17 } as const;
/** Of a date. */
export const MAX_TIME_MS = 8.64e15;

/** A time [ms since 1970], NaN where it is unknown. Texts without a zone are UTC; numbers are seconds or milliseconds. */
export function timeOf(value: unknown): number | typeof UNREADABLE {
  const match = typeof value === 'string' && value.includes('-', 1) ? ISO_TIME.exec(value.trim()) : null;
  if (match === null) {
    const number = numberOf(value);
    return number === UNREADABLE ? UNREADABLE : msOfNumber(number);
  }
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', zone = ''] = match;
  // Date.UTC takes years below 100 for years of the last century.
  const dayMs = Date.UTC(Number(year) + 400, Number(month) - 1, Number(day)) - YEARS_400_MS;
  const isDay = new Date(dayMs).getUTCMonth() === Number(month) - 1 && Number(day) > 0;
  if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return UNREADABLE;
  const clockMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const parts = fraction === '' ? 0 : Number(`0.${fraction}`) * 1000;
  return Math.round(dayMs + clockMs + parts) - zoneMs(zone);
}

/** Seconds, or the finer unit in which the number is a time of this age. */
export function msOfNumber(value: number): number | typeof UNREADABLE {
  const size = Math.abs(value);
  if (size <= MAX_NUMBER_OF.s) return wholeMs(value * 1000);
  if (size <= MAX_NUMBER_OF.ms) return wholeMs(value);
  return wholeMs(size <= MAX_NUMBER_OF.us ? value / 1e3 : value / 1e6);
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

/** How a text of the table is written; one that is not like this is unknown. */
export interface CodeRule {
  /** A regular expression that JavaScript and RE2 read alike. */
  readonly pattern: string;
  readonly letters: 'upper' | 'lower';
  /** Texts that stand for an unknown one. */
  readonly except?: readonly string[];
}

const ANY_TEXT: CodeRule = { pattern: '[^\n\r\u2028\u2029]{1,20}', letters: 'upper' };
const AIRPORT: CodeRule = { pattern: '[A-Z0-9]{3,4}', letters: 'upper' };

export const CODE_RULES = {
  flight_id: { pattern: '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', letters: 'lower' },
  callsign: { pattern: '[A-Z0-9-]{1,8}', letters: 'upper' },
  tail_number: ANY_TEXT,
  flight_number: ANY_TEXT,
  aircraft_type_icao: {
    pattern: '[A-Z0-9]{2,4}',
    letters: 'upper',
    except: ['GRND', 'GNDT', 'ZZZZ'],
  },
  airline_iata: { pattern: '[A-Z0-9]{2}', letters: 'upper' },
  departure_airport_icao: AIRPORT,
  arrival_airport_icao: AIRPORT,
} as const satisfies Readonly<Partial<Record<TelemetryColumnName, CodeRule>>>;

export type CodeName = keyof typeof CODE_RULES;
export const CODE_NAMES = Object.keys(CODE_RULES) as CodeName[];

const PATTERNS = Object.fromEntries(
  CODE_NAMES.map((name) => [name, new RegExp(`^${CODE_RULES[name].pattern}$`, 'u')]),
) as Readonly<Record<CodeName, RegExp>>;

/** A trimmed text as the table has it; null where it is not allowed. */
function codeOf(name: CodeName, text: string): string | null {
  const { letters, except = [] }: CodeRule = CODE_RULES[name];
  const code = letters === 'upper' ? asciiUpper(text) : asciiLower(text);
  return PATTERNS[name].test(code) && !except.includes(code) ? code : null;
}

/** Letters beyond ASCII stay: their other case depends on the library, and the same text has to be the same everywhere. */
function asciiUpper(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const MAX_CACHED = 50_000;
/** No code is as long. */
const MAX_LENGTH = 100;

/**
 * Writes codes as the table has them. The same few texts come again and again, so each is looked up; the copies that
 * are kept do not hold the text of the input that they were cut from.
 */
export class CodeReader {
  private readonly known = Object.fromEntries(
    ['address', ...CODE_NAMES].map((name) => [name, new Map<string, string | null>()]),
  ) as Readonly<Record<CodeName | 'address', Map<string, string | null>>>;

  /** A transponder address, which need not be a right one; null when there is none. */
  address(value: unknown): string | null {
    const text = value === null || value === undefined ? '' : textOf(value);
    const short = text.length > MAX_LENGTH ? text.trim().slice(0, MAX_LENGTH) : text;
    return this.known.address.get(short) ?? this.learn('address', short);
  }

  read(name: CodeName, value: unknown): string | null {
    if (value === null || value === undefined) return null;
    const text = typeof value === 'string' ? value : textOf(value);
    const short = text.length > MAX_LENGTH ? text.trim() : text;
    if (short.length > MAX_LENGTH) return null;
    const found = this.known[name].get(short);
    return found === undefined ? this.learn(name, short) : found;
  }

  private learn(name: CodeName | 'address', text: string): string | null {
    const known = this.known[name];
    if (known.size >= MAX_CACHED) known.clear();
    const trimmed = detached(text.trim());
    const code = isUnknown(trimmed) ? null : name === 'address' ? addressOf(trimmed) : codeOf(name, trimmed);
    known.set(detached(text), code);
    return code;
  }
}

function addressOf(text: string): string {
  return text.startsWith('~') ? text : asciiUpper(text);
}

/** A copy: a slice of a long text keeps all of it in memory. */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}
