import { expect, test } from 'vitest';
import {
  colorAt,
  cssColor,
  FORCING_COLORS,
  HUMIDITY_COLORS,
  INDEX_COLORS,
  legendColors,
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

test('a legend has the colour of the middle of each step', () => {
  const colors = legendColors(INDEX_COLORS, 4);
  expect(colors).toHaveLength(4);
  expect(colors[1]).toBe(cssColor(colorAt(INDEX_COLORS, 0.375)));
});
