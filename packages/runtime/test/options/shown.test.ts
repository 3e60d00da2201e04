import { expect, test } from 'vitest';
import { shown } from '../../src/options/shown.ts';

test.each([
  [undefined, 'missing'],
  [null, 'null'],
  ['', 'an empty text'],
  ['EGLL', 'EGLL'],
  ['two\nlines', '"two\\nlines"'],
  [[], 'an empty list'],
  [{}, 'an object'],
])('a message shows %o as %s', (value, text) => {
  expect(shown(value)).toBe(text);
});
