import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatKey,
  generateKey,
  hashSecret,
  parseKey,
  parseKeyId,
  secretMatches,
} from '../../src/keys/format.ts';

const key = formatKey(generateKey());

describe('a generated key', () => {
  test('is read back as what it was made of', () => {
    for (let count = 0; count < 200; count += 1) {
      const key = generateKey();
      expect(parseKey(formatKey(key))).toEqual(key);
    }
  });

  test('has an id of 8, and a secret of at least 160 bits that a URL can carry', () => {
    const { id, secret } = generateKey();
    expect(id).toMatch(/^[0-9a-z]{8}$/);
    expect(secret).toMatch(/^[0-9A-Za-z]+$/);
    expect(secret.length * Math.log2(62)).toBeGreaterThanOrEqual(160);
  });

  test('is never made twice, and uses the whole alphabet', () => {
    const made = Array.from({ length: 2_000 }, generateKey);
    expect(new Set(made.map((key) => key.id)).size).toBe(2_000);
    expect(new Set(made.flatMap((key) => [...key.secret])).size).toBe(62);
  });
});

describe('what is not a key', () => {
  test('no random text is one', () => {
    fc.assert(fc.property(fc.string({ maxLength: 100 }), (text) => parseKey(text) === undefined));
  });

  test('a key with any one character changed to another kind is none', () => {
    const foreign = fc.constantFrom('_', '-', ' ', '\n', '\0', 'é', '%', '"', "'", '٣');
    fc.assert(
      fc.property(fc.nat(key.length - 1), foreign, (index, character) => {
        fc.pre(key[index] !== character);
        expect(parseKey(key.slice(0, index) + character + key.slice(index + 1))).toBeUndefined();
      }),
    );
  });

  test.each([
    '',
    'ctr_',
    'ctr__',
    key.slice(0, -1),
    `${key}a`,
    ` ${key}`,
    `${key}\n`,
    key.toUpperCase(),
    `${key}, ${key}`,
    key.replace('ctr', 'CTR'),
    '_'.repeat(45),
    'ctr_'.repeat(2_000_000),
    'a'.repeat(8_000_000),
  ])('case %#', (text) => {
    expect(parseKey(text)).toBeUndefined();
  });
});

describe('naming a key', () => {
  test('by its id or by the whole key', () => {
    const key = generateKey();
    expect(parseKeyId(key.id)).toBe(key.id);
    expect(parseKeyId(formatKey(key))).toBe(key.id);
  });

  test.each(['', 'ABCDEFGH', '1234567', '123456789', 'ctr_12345678', '../12345'])('not by %j', (text) => {
    expect(parseKeyId(text)).toBeUndefined();
  });
});

describe('the hash of a secret', () => {
  test('is SHA-256', () => {
    expect(hashSecret('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  test('matches its secret alone', () => {
    const secret = generateKey().secret;
    const hash = hashSecret(secret);
    expect(secretMatches(secret, hash)).toBe(true);
    expect(secretMatches(generateKey().secret, hash)).toBe(false);
    expect(secretMatches(secret, hash.subarray(1))).toBe(false);
    expect(secretMatches(secret, new Uint8Array())).toBe(false);
  });
});
