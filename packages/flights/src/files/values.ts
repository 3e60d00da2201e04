/** Numbers, times and texts as files have them. */
import { timeOf as parseTime, UNREADABLE } from '../ingest/values.ts';

/** NaN for anything that is not plainly a number. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? value : Number.NaN;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') return Number.NaN;
  const number = Number(value);
  if (!Number.isFinite(number)) return Number.NaN;
  // Zero may also be a blank, and any number may be written as 0x1F, 0b11 or 0o17.
  return number !== 0 && !value.includes('0') ? number : PLAIN.test(value.trim()) ? number : Number.NaN;
}

const PLAIN = /^[-+.\d][.\deE+-]*$/;

/** ISO 8601, UTC where it has no zone, or seconds (or finer) since 1970 [ms since 1970]; NaN for anything else. */
export function timeOf(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  const time = parseTime(typeof value === 'bigint' ? Number(value) : value);
  return time === UNREADABLE ? Number.NaN : time;
}

/** A calendar day [ms since 1970]; NaN where there is no such day. */
export function dayMs(year: number, month: number, day: number): number {
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : Number.NaN;
}

/** A clock within a day [ms]; NaN where there is no such clock. */
export function clockMs(hour: number, minute: number, second: number): number {
  return hour < 24 && minute < 60 && second < 61
    ? Math.round(((hour * 60 + minute) * 60 + second) * 1000)
    : Number.NaN;
}

const DATE_TIME = /^\d\d-\d\d-\d{4} \d\d:\d\d:\d\d$/;

/** `DD-MM-YYYY HH:MM:SS` in UTC [ms since 1970]; NaN for anything else. */
export function dayFirstTimeOf(cell: string): number {
  const text = cell.trim();
  if (!DATE_TIME.test(text)) return Number.NaN;
  const two = (at: number) => 10 * text.charCodeAt(at) + text.charCodeAt(at + 1) - 11 * 0x30;
  return knownDay(text) + clockMs(two(11), two(14), two(17));
}

let lastDay = { text: '', ms: Number.NaN };

/** Rows that follow each other are mostly of one day. */
function knownDay(text: string): number {
  const day = text.slice(0, 10);
  if (day !== lastDay.text) {
    lastDay = {
      text: day,
      ms: dayMs(Number(day.slice(6)), Number(day.slice(3, 5)), Number(day.slice(0, 2))),
    };
  }
  return lastDay.ms;
}

/** A text without outer blanks; null where there is none. Cut, because no name is longer. */
export function detailOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (text === '') return null;
  // A copy: a slice of a document would keep all of it in memory.
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : structuredClone(text);
}

const MAX_TEXT = 100;

export const KG_PER_POUND = 0.45359237;
export const METRES_PER_FOOT = 0.3048;
export const MS_PER_KNOT = 1852 / 3600;

/** The median; of an even number of values the lower of the two in the middle. NaN where there are none. */
export function lowerMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** The name of a file without its folder and its extensions. */
export function stemOf(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? name;
  return base.replace(/(\.[A-Za-z0-9+_]+)+$/, '') || base;
}

/** A value in a message. */
export function quoted(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return `“${short.replace(/[\p{Cc}\p{Cs}]+/gu, ' ')}”`;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** The object, or an empty one where the value is something else. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The list, or an empty one where the value is something else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
