import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withNullForNaN } from '../../src/json/nan-tokens.ts';

test('NaN and Infinity become null outside of quotes', () => {
  const text = '{"a": [NaN, -Infinity,Infinity, 1], "NaN": "say \\"NaN\\" and \\\\", "b": NaN}';
  expect(JSON.parse(withNullForNaN(text))).toEqual({
    a: [null, null, null, 1],
    NaN: 'say "NaN" and \\',
    b: null,
  });
});

test('JSON stays what it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(withNullForNaN(text)).toBe(text);
    }),
  );
});

test('a quote that is not closed ends with the text', () => {
  expect(withNullForNaN('["NaN\\')).toBe('["NaN\\');
});
