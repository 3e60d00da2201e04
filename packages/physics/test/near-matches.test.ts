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
