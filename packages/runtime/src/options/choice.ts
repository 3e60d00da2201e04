import { Type } from 'typebox';
import { invalid, type Parameter, single } from './parameter.ts';
import { shown } from './shown.ts';

/** One of a few words, written exactly so. */
export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
  description?: string,
): Parameter<Words[number]> {
  const schema = Type.Unsafe<Words[number]>({
    type: 'string',
    enum: [...words],
    ...(description === undefined ? {} : { description }),
  });
  return single<Words[number]>(schema, (name, text) => {
    const value = words.find((word) => word === text);
    return value === undefined
      ? invalid(`${name} ${shown(text)} is not served; choose from ${words.join(', ')}`, 'choice')
      : { value };
  });
}
