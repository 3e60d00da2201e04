import { expect, test } from 'vitest';
import { linesOf } from '../../src/chart/lines.ts';

test('texts of pictures are broken between words where they would leave the picture', () => {
  const lines = (text: string) => linesOf(text, (line) => line.length <= 12);
  expect(lines('Inventory of 29 Feb 2024, UTC')).toEqual(['Inventory of', '29 Feb 2024,', 'UTC']);
  expect(lines('FL350')).toEqual(['FL350']);
  expect(lines('of supersaturation')).toEqual(['of', 'supersaturation']);
});
