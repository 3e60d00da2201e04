import { Type } from 'typebox';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../index.ts';
import { invalid, type Parameter, single } from './parameter.ts';
import { shown } from './shown.ts';

/** Larger magnitudes are milliseconds, larger again microseconds, then nanoseconds. */
const MAX_SECONDS = 2e10;
const FINEST_UNITS_PER_SECOND = 1e9;

const ACCEPTED =
  'write an ISO 8601 time such as 2024-02-29, 2024-02-29T06 or 2024-02-29T06:30:00Z, or seconds since 1970';

const YEAR = '(?!0000)[0-9]{4}';
const LEAP_YEAR = '(?!0000)(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DAY =
  '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])';
const HOUR = '(?:[01][0-9]|2[0-3])';
const CLOCK = `[Tt ]${HOUR}(?::[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?)?`;
const ZONE = `(?:[Zz]|[-+ ]${HOUR}(?::?[0-5][0-9])?)?`;

const DATE = `(?:${YEAR}-(?:${DAY})|${LEAP_YEAR}-02-29)`;

/** JSON Schema of all that `parseTimeMs` reads, except numbers that are written as texts. */
export const INSTANT = {
  type: ['string', 'number'],
  pattern: `^${DATE}(?:${CLOCK}${ZONE})?$`,
  minimum: -MAX_SECONDS * FINEST_UNITS_PER_SECOND,
  maximum: MAX_SECONDS * FINEST_UNITS_PER_SECOND,
} as const;

/** One instant, read as milliseconds since 1970. */
export function time(description = 'An instant; without a zone it is UTC.'): Parameter<number> {
  const schema = Type.Unsafe<string | number>({
    ...INSTANT,
    description: `${description} ISO 8601 (date, hour, minutes or seconds with up to 9 decimals) or seconds since 1970.`,
    examples: ['2024-02-29T06:00:00Z', '2024-02-29T06', 1_709_186_400],
  });
  return single(schema, (name, text) => {
    const value = parseTimeMs(text);
    return Number.isNaN(value) ? invalid(explainTime(name, text), 'time') : { value };
  });
}

/** One hour, read as an instant in it. A day alone would name its first hour without saying so. */
export function hourTime(description: string): Parameter<number> {
  const schema = Type.Unsafe<string | number>({
    ...INSTANT,
    pattern: `^${DATE}${CLOCK}${ZONE}$`,
    description: `${description} ISO 8601 with date and hour; minutes and seconds are ignored. Also seconds since 1970.`,
    examples: ['2024-02-29T06', '2024-02-29T06:00:00Z', 1_709_186_400],
  });
  const instant = time();
  return single(schema, (name, text) =>
    text.length === 10 && isDateShape(text) && !Number.isNaN(parseTimeMs(text))
      ? invalid(`${name} ${shown(text)} is a day; give the hour as well, such as ${text}T06`, 'time')
      : instant.read(name, text),
  );
}

/**
 * Milliseconds since 1970, parts of a millisecond cut off; NaN when the value is not a time, which `explainTime` puts
 * into words. Texts without a zone are UTC. Numbers and numeric texts are seconds since 1970, or, while they exceed
 * 2e10, thousandths of what came before.
 */
export function parseTimeMs(value: unknown): number {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return Number.NaN;
  if (isDateShape(value)) return fromIsoText(value);
  return NUMERIC.test(value) ? fromNumericText(value) : Number.NaN;
}

/** One sentence on what is wrong with a value that `parseTimeMs` refused. */
export function explainTime(name: string, value: unknown): string {
  const what = `${name} ${shown(value)}`;
  if (typeof value === 'number' || (typeof value === 'string' && NUMERIC.test(value))) {
    return `${what} is too large for a time since 1970; ${ACCEPTED}`;
  }
  if (typeof value !== 'string' || !isDateShape(value)) return `${what} is not a time; ${ACCEPTED}`;
  const problem = wrongDate(value) ?? wrongClock(value);
  return problem === undefined ? `${what} is not a time; ${ACCEPTED}` : `${what} is not a time: ${problem}`;
}

const NUMERIC = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

function fromNumber(value: number): number {
  let unitsPerSecond = 1;
  while (Math.abs(value) / unitsPerSecond > MAX_SECONDS) unitsPerSecond *= 1000;
  if (unitsPerSecond > FINEST_UNITS_PER_SECOND) return Number.NaN;
  const ms = unitsPerSecond === 1 ? value * 1000 : value / (unitsPerSecond / 1000);
  // 1.001 s is 1000.9999999999999 ms in binary; cut off only what is really below the next millisecond.
  const nearest = Math.round(ms) + 0;
  return Math.abs(ms - nearest) <= Math.abs(ms) * Number.EPSILON ? nearest : Math.floor(ms);
}

function fromNumericText(text: string): number {
  if (text.length > 40) return Number.NaN;
  if (text.length < 16 || !/^[+-]?\d+$/.test(text)) return fromNumber(Number(text));
  // More digits than a double holds: whole units, divided exactly.
  const units = BigInt(text.startsWith('+') ? text.slice(1) : text);
  const magnitude = units < 0n ? -units : units;
  if (magnitude <= BigInt(Number.MAX_SAFE_INTEGER)) return fromNumber(Number(units));
  let unitsPerMs = 1n;
  while (magnitude > BigInt(MAX_SECONDS) * 1000n * unitsPerMs) unitsPerMs *= 1000n;
  if (Number(unitsPerMs) * 1000 > FINEST_UNITS_PER_SECOND) return Number.NaN;
  const cut = units / unitsPerMs;
  return Number(units < 0n && cut * unitsPerMs !== units ? cut - 1n : cut);
}

/** `YYYY-MM-DD`, then optionally `T` or a blank and `HH[:MM[:SS[.fraction]]]` and a zone. */
function fromIsoText(text: string): number {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) {
    return Number.NaN;
  }
  const midnight = daysSince1970(year, month, day) * DAY_MS;
  if (text.length === 10) return midnight;
  const clock = readClock(text);
  if (Number.isNaN(clock.ms)) return Number.NaN;
  const offset = zoneOffsetMs(text, clock.end);
  return midnight + clock.ms - offset;
}

function isDateShape(text: string): boolean {
  return text.length >= 10 && text.length <= 40 && text[4] === '-' && text[7] === '-';
}

/** Time of day from the hour at index 11, and where its text ends. */
function readClock(text: string): { ms: number; end: number } {
  const bad = { ms: Number.NaN, end: 0 };
  const separator = text[10];
  if (separator !== 'T' && separator !== ' ' && separator !== 't') return bad;
  const hour = digits(text, 11, 2);
  if (!(hour <= 23)) return bad;
  let ms = hour * HOUR_MS;
  if (text[13] !== ':') return { ms, end: 13 };
  const minute = digits(text, 14, 2);
  if (!(minute <= 59)) return bad;
  ms += minute * MINUTE_MS;
  if (text[16] !== ':') return { ms, end: 16 };
  const second = digits(text, 17, 2);
  if (!(second <= 59)) return bad;
  ms += second * 1000;
  if (text[19] !== '.') return { ms, end: 19 };
  let end = 20;
  let scale = 100;
  while (end < text.length && isDigit(text.charCodeAt(end))) {
    if (end < 23) ms += (text.charCodeAt(end) - 48) * scale;
    scale /= 10;
    end++;
  }
  return end === 20 || end > 29 ? bad : { ms, end };
}

/** The zone that starts at `start`: nothing or `Z` is UTC, a blank is a `+` that a query string decoded. */
function zoneOffsetMs(text: string, start: number): number {
  const rest = text.length - start;
  if (rest === 0) return 0;
  const sign = text[start];
  if (sign === 'Z' || sign === 'z') return rest === 1 ? 0 : Number.NaN;
  if (sign !== '+' && sign !== '-' && sign !== ' ') return Number.NaN;
  const hours = digits(text, start + 1, 2);
  const colon = text[start + 3] === ':' ? 1 : 0;
  const minutes = rest === 3 ? 0 : rest === 5 + colon ? digits(text, start + 3 + colon, 2) : Number.NaN;
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN;
  const ms = (hours * 60 + minutes) * MINUTE_MS;
  return sign === '-' ? -ms : ms;
}

/** The number that `count` digits give from `start` on; NaN when one of them is not a digit. */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index++) {
    const code = text.charCodeAt(index);
    if (!isDigit(code)) return Number.NaN;
    value = value * 10 + code - 48;
  }
  return value;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Proleptic Gregorian day number; years start in March, which makes the leap day the last one. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function wrongDate(text: string): string | undefined {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  if (year === 0) return 'years go from 0001 to 9999';
  if (month < 1 || month > 12) return 'months go from 01 to 12';
  if (day < 1 || day > daysInMonth(year, month)) {
    return `${text.slice(0, 7)} has days 01 to ${daysInMonth(year, month)}`;
  }
  return undefined;
}

function wrongClock(text: string): string | undefined {
  if (digits(text, 11, 2) > 23) return 'hours go from 00 to 23';
  if (text[13] !== ':') return undefined;
  if (digits(text, 14, 2) > 59) return 'minutes go from 00 to 59';
  if (text[16] !== ':') return undefined;
  const second = digits(text, 17, 2);
  if (second === 60) return 'leap seconds are not accepted; use second 59 or the next minute';
  return second > 59 ? 'seconds go from 00 to 59' : undefined;
}
