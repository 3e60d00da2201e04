import { Type } from 'typebox';
import { invalid, type Parameter, single } from './parameter.ts';
import { shown } from './shown.ts';

export interface TextRule {
  readonly description?: string;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  /** What the pattern accepts, in words: "an ICAO type designator such as B738". */
  readonly accepted?: string;
  readonly examples?: readonly string[];
}

/** A text that is not empty, of limited length and, where a pattern is given, of that shape. */
export function text({
  description,
  maxLength = 200,
  pattern,
  accepted,
  examples,
}: TextRule = {}): Parameter<string> {
  const schema = Type.String({
    minLength: 1,
    maxLength,
    ...(description === undefined ? {} : { description }),
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
    ...(examples === undefined ? {} : { examples: [...examples] }),
  });
  const give = accepted ?? `a text of 1 to ${maxLength} characters`;
  return single(schema, (name, value) =>
    value.length >= 1 && hasAtMost(value, maxLength) && (pattern === undefined || pattern.test(value))
      ? { value }
      : invalid(`${name} ${shown(value)} is not accepted; give ${give}`, 'text'),
  );
}

/** JSON Schema counts characters, a string of JavaScript has up to two units for each. */
function hasAtMost(value: string, maxLength: number): boolean {
  return value.length <= maxLength || (value.length <= 2 * maxLength && [...value].length <= maxLength);
}
