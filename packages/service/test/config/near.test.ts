import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearMatch } from '../../src/config/near.ts';

const words = ['host', 'port', 'cors_origins', 'body_limit_mib'];

test.each([
  ['prot', 'port'],
  ['PORT', 'port'],
  ['cors_origin', 'cors_origins'],
  ['bodylimit_mib', 'body_limit_mib'],
])('%s is near %s', (word, near) => {
  expect(nearMatch(word, words)).toBe(near);
});

test('a word unlike any other has no near match', () => {
  expect(nearMatch('forecast', words)).toBeUndefined();
});

test('a word is its own nearest match', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, selector: (w) => w.toLowerCase() }),
      (list) => {
        for (const word of list) expect(nearMatch(word, list)).toBe(word);
      },
    ),
  );
});
