import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, nearMatches } from '../src/near-matches.ts';

const types = ['A319', 'A320', 'A321', 'B738', 'B77W'];

test('nearest names come first', () => expect(nearMatches('A32O', types)[0]).toBe('A320'));
test('exchanged neighbours count once', () => expect(nearMatches('A302', types)[0]).toBe('A320'));
test('letter case does not count', () => expect(nearMatches('b77w', types)[0]).toBe('B77W'));
test('names that share too little are not offered', () => expect(nearMatches('ZZZZ', types)).toEqual([]));
test('a question is asked only where there is a near match', () => {
  expect(didYouMean([])).toBe('');
  expect(didYouMean(['A', 'B'])).toBe(' Did you mean A or B?');
});

test.each([
  ['prot', 'port'],
  ['PORT', 'port'],
  ['cors_origin', 'cors_origins'],
  ['bodylimit_mib', 'body_limit_mib'],
  ['forecast', undefined],
])('%s is near %s', (word, near) => {
  const [found] = nearMatches(word, ['host', 'port', 'cors_origins', 'body_limit_mib'], 1);
  expect(found).toBe(near);
});

test('a word is its own nearest match', () => {
  const words = fc.stringMatching(/^[a-z_]{1,12}$/);
  fc.assert(
    fc.property(fc.uniqueArray(words, { minLength: 1 }), (list) => {
      for (const word of list) expect(nearMatches(word, list, 1)).toEqual([word]);
    }),
  );
});
