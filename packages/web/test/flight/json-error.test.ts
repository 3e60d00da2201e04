import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonErrorOffset } from '../../src/flight/json-error.ts';

test('a whole document has its error at the end, where more would have to come', () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 4 }), (text, spaces) => {
      const pretty = JSON.stringify(JSON.parse(text), null, spaces);
      expect(jsonErrorOffset(pretty)).toBe(pretty.length);
    }),
  );
});

test('what stands before the error can be continued to a document, and is at most what was damaged', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      const place = at % (text.length + 1);
      const damaged = `${text.slice(0, place)}\u0001${text.slice(place)}`;
      expect(jsonErrorOffset(damaged)).toBeLessThanOrEqual(place);
    }),
  );
});

test.each([
  ['{"a": [1,\n],\n}', 10],
  ['{"a" 1}', 5],
  ['[1 2]', 3],
  ['{"a": 1,}', 8],
  ['{a: 1}', 1],
  ['[1', 2],
])('finds the place in %s', (text, offset) => {
  expect(jsonErrorOffset(text)).toBe(offset);
});
