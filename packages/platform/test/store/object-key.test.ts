import { ValidationError } from '@contrails/runtime/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkKeyPrefix, checkObjectKey, isObjectKey } from '../../src/store/object-key.ts';
import { HOSTILE_KEYS, objectKeys } from './keys.ts';

describe('keys of the store', () => {
  test.each([
    'forecast/2026-01-01T00/FL350.nc',
    'adsb/date=2026-01-01/hour=07/current.json',
    'a',
    '_',
    `${'x'.repeat(200)}/y`,
  ])('%j is a key', (key) => {
    expect(isObjectKey(key)).toBe(true);
  });

  test.each(HOSTILE_KEYS)('%j is refused', (key) => {
    expect(() => checkObjectKey(key)).toThrow(ValidationError);
  });

  test('no key means a place outside of where it is put', () => {
    const unit = fc.constantFrom(...'a0_.=-/%2e\\:?#~');
    fc.assert(
      fc.property(fc.oneof(objectKeys(), fc.string({ unit, maxLength: 6 })), (key) => {
        fc.pre(isObjectKey(key));
        expect(new URL(key, 'http://host/root/').href).toBe(`http://host/root/${key}`);
        expect(decodeURIComponent(key)).toBe(key);
      }),
    );
  });

  test('every key made of allowed segments is accepted', () => {
    fc.assert(fc.property(objectKeys(), isObjectKey));
  });

  test('one character that is not allowed spoils a key, wherever it stands', () => {
    const spoilers = fc
      .oneof(fc.nat(0x7f), fc.nat(0x10ffff))
      .map((code) => String.fromCodePoint(code))
      .filter((character) => !/[A-Za-z0-9._=/-]/.test(character));
    fc.assert(
      fc.property(objectKeys(), spoilers, fc.nat(), (key, spoiler, where) => {
        const at = where % (key.length + 1);
        expect(isObjectKey(key.slice(0, at) + spoiler + key.slice(at))).toBe(false);
      }),
    );
  });

  test('the refusal shows the key, shortened, and what is allowed', () => {
    expect(() => checkObjectKey(`../${'x'.repeat(10_000)}`)).toThrow(
      /^"\.\.\/x{77}…" is not a key .* A-Z a-z, digits/,
    );
  });
});

describe('prefixes of keys', () => {
  test('every beginning of a key is one', () => {
    fc.assert(
      fc.property(objectKeys(), fc.nat(), (key, length) => {
        expect(() => checkKeyPrefix(key.slice(0, length % (key.length + 1)))).not.toThrow();
      }),
    );
  });

  test.each(HOSTILE_KEYS.filter((key) => key !== '' && !/^[\w/=-]*[\w=-]\.?\/?$/.test(key)))(
    '%j is refused',
    (prefix) => {
      expect(() => checkKeyPrefix(prefix)).toThrow(ValidationError);
    },
  );
});
