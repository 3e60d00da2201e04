import { Type } from 'typebox';
import { invalid, type Parameter, single } from './parameter.ts';
import { shown } from './shown.ts';

/** A flag in any of the spellings clients send; Python's `True` is one of them. */
export function boolean(description?: string): Parameter<boolean> {
  const schema = Type.Boolean(description === undefined ? {} : { description });
  return single(schema, (name, text) => {
    const value = SPELLINGS.get(text.toLowerCase());
    return value === undefined
      ? invalid(
          `${name} ${shown(text)} is not a flag; give true or false (also 1/0, yes/no, on/off)`,
          'boolean',
        )
      : { value };
  });
}

const SPELLINGS = new Map([
  ...['true', '1', 'on', 'yes', 't', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'off', 'no', 'f', 'n'].map((word) => [word, false] as const),
]);
