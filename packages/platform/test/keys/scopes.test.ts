import { UsageError } from '@contrails/runtime/errors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_SCOPES, DEFAULT_SCOPES, parseScopes } from '../../src/keys/scopes.ts';

test('an ordinary key has the five open scopes', () => {
  expect(DEFAULT_SCOPES).toEqual(['research', 'forecast', 'planning', 'observations', 'inventory']);
});

test('any choice of scopes is read in any order, with any repetition and separator', () => {
  const choice = fc.array(fc.constantFrom(...ALL_SCOPES), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(choice, fc.constantFrom(',', ' ', ', ', ',,'), (names, separator) => {
      const parsed = parseScopes(names.join(separator));
      expect(new Set(parsed)).toEqual(new Set(names));
      expect(parsed).toEqual(ALL_SCOPES.filter((scope) => parsed.includes(scope)));
    }),
  );
});

test('unknown scopes are all named together with what is allowed', () => {
  const parse = () => parseScopes('adsb,admin,Forecast');
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(
    'scope admin, Forecast does not exist; choose from research, forecast, planning, observations, inventory, adsb, adsb:write, inventory:segments',
  );
});

test.each(['', ' , ', ','])('%j names no scope', (text) => {
  expect(() => parseScopes(text)).toThrow(/no scope was given; choose from research/);
});
