import { expect, test } from 'vitest';
import {
  colorAt,
  FORCING_COLORS,
  HUMIDITY_COLORS,
  INDEX_COLORS,
  legendSteps,
  lookupTable,
  TEMPERATURE_COLORS,
} from '../../src/stage/color-scale.ts';

const SCALES = { FORCING_COLORS, HUMIDITY_COLORS, INDEX_COLORS, TEMPERATURE_COLORS };

test.each(Object.entries(SCALES))('%s begins at 0, ends at 1 and ascends', (_name, { stops }) => {
  const positions = stops.map(([unit]) => unit);
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
  expect([positions[0], positions.at(-1)]).toEqual([0, 1]);
});

test('no warming is transparent, and so is a forcing of zero', () => {
  expect(colorAt(INDEX_COLORS, 0).opacity).toBe(0);
  expect(colorAt(FORCING_COLORS, 0.5).opacity).toBe(0);
});

test('the table of the map is premultiplied', () => {
  const table = lookupTable(INDEX_COLORS);
  for (let k = 0; k < 256; k++) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = table.subarray(4 * k, 4 * k + 4);
    expect(Math.max(red, green, blue)).toBeLessThanOrEqual(alpha + 1);
  }
});

test('a legend goes from the least value to the largest', () => {
  expect(legendSteps(INDEX_COLORS, 5).map(({ value }) => value)).toEqual([0, 1, 2, 3, 4]);
  expect(legendSteps(FORCING_COLORS, 3).map(({ value }) => value)).toEqual([-2e9, 0, 2e9]);
});
