import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { MetError } from '../errors.ts';
import type { Attributes } from './conventions.ts';

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  nanosecond: 1e-6,
  microsecond: 1e-3,
  millisecond: 1,
  msec: 1,
  ms: 1,
  second: SECOND_MS,
  sec: SECOND_MS,
  s: SECOND_MS,
  minute: MINUTE_MS,
  min: MINUTE_MS,
  hour: HOUR_MS,
  hr: HOUR_MS,
  h: HOUR_MS,
  day: DAY_MS,
  d: DAY_MS,
};

const CALENDARS = ['standard', 'gregorian', 'proleptic_gregorian'];

/** Days after which the calendar of the netCDF conventions is the Gregorian one [ms since 1970]: 1582-10-15. */
const GREGORIAN_REFORM_MS = Date.UTC(1582, 9, 15);

/** Stored times such as "hours since 1900-01-01" → ms since 1970. */
export function decodeTimes(
  stored: ArrayLike<number | bigint>,
  name: string,
  attributes: Attributes,
): Float64Array {
  const { perUnitMs, originMs } = timeEncoding(name, attributes);
  return Float64Array.from(stored, (value) =>
    // A double of days holds a millisecond, not its fraction: what remains is rounding.
    Math.round(originMs + Number(value) * perUnitMs),
  );
}

function timeEncoding(name: string, attributes: Attributes): { perUnitMs: number; originMs: number } {
  const units = String(attributes.units ?? '');
  const calendar = String(attributes.calendar ?? 'standard').toLowerCase();
  const [, unit = '', since = ''] = /^\s*([a-z]+)\s+since\s+(.+?)\s*$/i.exec(units) ?? [];
  const perUnitMs = MS_PER_UNIT[unit.toLowerCase()] ?? MS_PER_UNIT[unit.toLowerCase().replace(/s$/, '')];
  const originMs = parseOrigin(since, calendar);
  if (perUnitMs === undefined || Number.isNaN(originMs) || !CALENDARS.includes(calendar)) {
    throw new MetError(
      'unreadable',
      `the times (${name}) are in ${JSON.stringify(units)} of the ${calendar} calendar; ` +
        'understood are seconds, minutes, hours or days since a date, in the gregorian calendars',
      { variable: name, units, calendar },
    );
  }
  return { perUnitMs, originMs };
}

/** "1900-01-01 00:00:00.0", "2024-1-1T06", "1970-01-01 00:00:00 +01:00" … → ms since 1970; NaN for anything else. */
function parseOrigin(text: string, calendar: string): number {
  const match =
    /^(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2})(?::(\d{1,2}))?(?::(\d{1,2})(\.\d*)?)?)?\s*(?:Z|UTC|GMT|([+-])(\d{1,2}):?(\d{2})?)?$/i.exec(
      text,
    );
  if (match === null) return Number.NaN;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const fraction = Number(`0${match[7] ?? '.0'}`);
  const date = new Date(0);
  date.setUTCFullYear(year as number, (month as number) - 1, day);
  date.setUTCHours(hour as number, minute, second, fraction * 1000);
  const zoneMinutes = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0);
  const gregorianMs = date.getTime() - (match[8] === '-' ? -1 : 1) * zoneMinutes * MINUTE_MS;
  const mixed = calendar !== 'proleptic_gregorian';
  return mixed && gregorianMs < GREGORIAN_REFORM_MS ? gregorianMs + julianLagMs(date) : gregorianMs;
}

/** A date before the reform is one of the Julian calendar, which lay this much behind the Gregorian one. */
function julianLagMs(date: Date): number {
  const year = date.getUTCMonth() < 2 ? date.getUTCFullYear() - 1 : date.getUTCFullYear();
  const days = Math.floor(year / 100) - Math.floor(year / 400) - 2;
  return days * DAY_MS;
}
