/** Columns of a body: lists of numbers and times, checked value by value. */

import { sharedFloat64 } from '@contrails/runtime';
import { acceptedNumber } from '@contrails/runtime/options/number';
import type { ErrorList } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { explainTime, parseTimeMs } from '@contrails/runtime/options/time';
import { slices, type Work } from '@contrails/runtime/turns';
import type { NumberField } from './fields.ts';
import type { SharedColumn } from './fleet.ts';

const MAX_SHOWN = 40;

/** A list of one number per waypoint; otherwise undefined, with an error added. */
export function* readNumbers(
  name: string,
  raw: unknown,
  field: NumberField,
  mayBeNull: boolean,
  errors: ErrorList,
): Work<SharedColumn | undefined> {
  if (!isList(name, raw, errors)) return undefined;
  const column = sharedFloat64(raw.length);
  yield* slices(raw.length, (start, end) => {
    for (let i = start; i < end; i++) {
      const value: unknown = raw[i];
      if (value === null && mayBeNull) column[i] = Number.NaN;
      else column[i] = isWithin(value, field) ? value : refuse(name, i, value, field, mayBeNull, errors);
    }
  });
  return column;
}

/** One number; undefined, with an error in the list, where it is none. */
export function readNumber(
  name: string,
  raw: unknown,
  field: NumberField,
  errors: ErrorList,
  index?: number,
): number | undefined {
  if (isWithin(raw, field)) return raw;
  refuse(name, index, raw, field, false, errors);
  return undefined;
}

/** Times in ms since 1970. */
export function* readTimes(name: string, raw: unknown, errors: ErrorList): Work<SharedColumn | undefined> {
  if (!isList(name, raw, errors)) return undefined;
  const column = sharedFloat64(raw.length);
  yield* slices(raw.length, (start, end) => {
    for (let i = start; i < end; i++) {
      column[i] = parseTimeMs(raw[i]);
      if (Number.isNaN(column[i]))
        errors.addField(name, i, () => explainTime(`${name}[${i}]`, raw[i]), 'time');
    }
  });
  return column;
}

function isList(name: string, raw: unknown, errors: ErrorList): raw is readonly unknown[] {
  if (Array.isArray(raw)) return true;
  const isMissing = raw === undefined || raw === null;
  errors.addField(
    name,
    undefined,
    () =>
      isMissing
        ? `${name} is missing; give a list with one value for each waypoint`
        : `${name} ${shown(raw)} is not accepted; give a list with one value for each waypoint`,
    isMissing ? 'missing' : 'array',
  );
  return false;
}

function isWithin(value: unknown, rule: NumberField): value is number {
  return (
    typeof value === 'number' &&
    value >= (rule.minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (rule.maximum ?? Number.POSITIVE_INFINITY) &&
    (rule.exclusiveMinimum === undefined || value > rule.exclusiveMinimum) &&
    (rule.integer !== true || Number.isInteger(value))
  );
}

function refuse(
  name: string,
  index: number | undefined,
  value: unknown,
  rule: NumberField,
  mayBeNull: boolean,
  errors: ErrorList,
): number {
  const what = index === undefined ? name : `${name}[${index}]`;
  const isNumber = typeof value === 'number';
  errors.addField(
    name,
    index,
    () => {
      const unit = rule.unit === '1' ? '' : ` (${rule.unit})`;
      const orNull = mayBeNull ? ', or null where it is unknown' : '';
      const complaint = isNumber ? 'is out of range' : 'is not a number';
      // A number in quotes looks like one unless the quotes are shown.
      const said = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_SHOWN)) : shown(value);
      return `${what} ${said} ${complaint}; give ${acceptedNumber(rule)}${unit}${orNull}`;
    },
    isNumber ? 'range' : 'number',
  );
  return Number.NaN;
}
