import { type TUnsafe, Type } from 'typebox';

/** The schema of a text that is one of some words. */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  options: { readonly description?: string; readonly default?: Words[number] } = {},
): TUnsafe<Words[number]> {
  return Type.Unsafe<Words[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      options,
    ),
  );
}
