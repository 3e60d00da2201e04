import { UsageError } from '@contrails/runtime/errors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testScopes } from '../support/api.ts';

const { all, ordinary, parse } = testScopes;

test('an ordinary key has the five open scopes', () => {
  expect(ordinary).toEqual(['research', 'forecast', 'planning', 'observations', 'inventory']);
});

test('any choice of scopes is read in any order, with any repetition and separator', () => {
  const choice = fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(choice, fc.constantFrom(',', ' ', ', ', ',,'), (names, separator) => {
      const parsed = parse(names.join(separator));
      expect(new Set(parsed)).toEqual(new Set(names));
      expect(parsed).toEqual(all.filter((scope) => parsed.includes(scope)));
    }),
  );
});

test('unknown scopes are all named together with what is allowed', () => {
  const parseUnknown = () => parse('adsb,admin,Forecast');
  expect(parseUnknown).toThrow(UsageError);
  expect(parseUnknown).toThrow(
    'scope admin, Forecast does not exist; choose from research, forecast, planning, observations, inventory, adsb, adsb:write, inventory:segments',
  );
});

test.each(['', ' , ', ','])('%j names no scope', (text) => {
  expect(() => parse(text)).toThrow(/no scope was given; choose from research/);
});
