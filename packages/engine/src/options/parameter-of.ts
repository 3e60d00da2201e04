import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional, type Parameter } from '@contrails/runtime/options/parameter';
import type { OptionEntry } from './entry.ts';

type Value<Entry> = Entry extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Entry extends { isBoolean: true }
    ? boolean
    : number;

type ParameterOf<Entry> = Parameter<
  Entry extends { default: unknown } ? Value<Entry> : Value<Entry> | undefined
>;

/** How a query reads an option that is a number, one of some words, or true or false, as its table declares it. */
export function parameterOf<const Entry extends OptionEntry>(entry: Entry): ParameterOf<Entry> {
  const { description = '', choices, isBoolean, number: limits, default: value } = entry;
  const parameter: Parameter<unknown> =
    choices !== undefined
      ? choice(choices as [string, ...string[]], description)
      : isBoolean
        ? boolean(description)
        : number({ description, ...limits });
  return (value === undefined ? optional(parameter) : byDefault(parameter, value)) as ParameterOf<Entry>;
}
