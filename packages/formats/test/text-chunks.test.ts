import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextChunks } from '../src/text-chunks.ts';

function written(write: (chunks: TextChunks) => void): string {
  const chunks = new TextChunks();
  write(chunks);
  return new TextDecoder().decode(chunks.take());
}

test('numbers with up to five decimals are written as JavaScript prints them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }),
      fc.integer({ min: 0, max: 5 }),
      (digits, decimals) => {
        const value = digits / 10 ** decimals;
        expect(written((chunks) => chunks.number(value))).toBe(String(value));
      },
    ),
    { numRuns: 2000 },
  );
});

test('any other number can be read back as it was written', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(written((chunks) => chunks.number(value)))).toBe(value === 0 ? 0 : value);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  [0, '0'],
  [-0, '0'],
  [-0.00001, '-0.00001'],
  [100, '100'],
  [-179.88, '-179.88'],
  [90.000001, '90.000001'],
])('%s is written as %s', (value, text) => {
  expect(written((chunks) => chunks.number(value))).toBe(text);
});

test('text of any length and script comes out as UTF-8', () => {
  const text = '10⁸ J m⁻¹ 雲 '.repeat(50_000);
  expect(written((chunks) => chunks.text(text))).toBe(text);
});

test('what was taken is not changed by what is written later', () => {
  const chunks = new TextChunks();
  chunks.text('first');
  const taken = chunks.take();
  chunks.text('second');
  expect(new TextDecoder().decode(taken)).toBe('first');
  expect(new TextDecoder().decode(chunks.take())).toBe('second');
});
