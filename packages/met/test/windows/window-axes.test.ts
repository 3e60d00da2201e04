import { HOUR_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MetError } from '../../src/errors.ts';
import { EDGE_DEG, isGlobal } from '../../src/field/longitudes.ts';
import { requireNoGap, timeGaps } from '../../src/windows/time-gaps.ts';
import { gridAxes, windowAxes } from '../../src/windows/window-axes.ts';

const circle = (step: number) => Array.from({ length: 360 / step }, (_, i) => i * step);
const stored = {
  longitude: circle(10),
  latitude: [60, 50, 40, 30],
  level: [300, 250, 200],
  time: [2 * HOUR_MS, 0, HOUR_MS, HOUR_MS],
};
const window = {
  variables: ['air_temperature'],
  time: [0, 2 * HOUR_MS] as const,
  level: [200, 300] as const,
  latitude: [30, 60] as const,
  longitude: [-180, 180] as const,
};

describe('axes of a grid', () => {
  test('every axis increases and holds each value once', () => {
    const grid = gridAxes(stored);
    expect([...grid.latitude]).toEqual([30, 40, 50, 60]);
    expect([...grid.level]).toEqual([200, 250, 300]);
    expect([...grid.time]).toEqual([0, HOUR_MS, 2 * HOUR_MS]);
  });

  test('a globe reaches from −180 to 180', () => {
    const { longitude } = gridAxes(stored);
    expect([longitude[0], longitude.at(-1), longitude.length]).toEqual([-180, 180, 37]);
  });

  test('a globe whose meridians miss the antimeridian covers it with a cell', () => {
    const { longitude } = gridAxes({ ...stored, longitude: circle(10).map((x) => x + 5) });
    expect([longitude[0], longitude.at(-1)]).toEqual([-185, 185]);
  });

  test.each([{ meridians: [170, 175, 180, 185, 190] }, { meridians: [-180, -175, -170, 170, 175] }])(
    'a region across the antimeridian ($meridians) is wrapped, and the rest of the circle is empty',
    ({ meridians }) => {
      const { longitude } = gridAxes({ ...stored, longitude: meridians });
      expect([...longitude]).toEqual([-180, -175, -170, -170 + EDGE_DEG, 0, 170, 175, 180]);
    },
  );

  test('a region across the antimeridian holds its own longitudes and no others, in any window', () => {
    const region = gridAxes({ ...stored, longitude: [160, 165, 170, 175, 180, 185, 190, 195, 200] });
    const degrees = fc.integer({ min: -180, max: 180 });
    fc.assert(
      fc.property(degrees, degrees, fc.integer({ min: 0, max: 360 }), (west, east, beyond) => {
        fc.pre(west > east);
        const { longitude } = windowAxes(region, { ...window, longitude: [west, east] });
        const x = west + beyond > 180 ? west + beyond - 360 : west + beyond;
        fc.pre(beyond <= east - west + 360);
        const cell = Math.min(
          longitude.findLastIndex((knot) => knot <= x),
          longitude.length - 2,
        );
        const isStored = (knot: number) =>
          Math.abs(Math.round(knot / 5) * 5 - knot) < 1e-5 && Math.abs(knot) >= 160 - 1e-5;
        const isInside = [longitude[cell], longitude[cell + 1]].every((knot) => isStored(knot as number));
        expect(isInside).toBe(Math.abs(x) >= 160);
      }),
    );
  });

  test('a region that ends at the antimeridian stays in one piece', () => {
    const { longitude } = gridAxes({ ...stored, longitude: [160, 170, 180] });
    expect([...longitude]).toEqual([160, 170, 180]);
  });

  test('a region across Greenwich, stored in 0…360, becomes one piece', () => {
    const { longitude } = gridAxes({ ...stored, longitude: [350, 355, 0, 5, 10] });
    expect([...longitude]).toEqual([-10, -5, 0, 5, 10]);
  });

  test('regions are not globes, whatever side of the antimeridian they lie on', () => {
    expect(isGlobal([170, 175, 180, 185, 190])).toBe(false);
    expect(isGlobal([-10, 0, 10])).toBe(false);
    expect(isGlobal([-90, 90])).toBe(false);
    expect(isGlobal([-120, 0, 120])).toBe(false);
    expect(isGlobal([-180, -90, 0, 45])).toBe(false);
    expect(isGlobal([-180, -90, 0, 90])).toBe(true);
    expect(isGlobal(circle(0.25))).toBe(true);
    expect(isGlobal([...circle(0.25), 360])).toBe(true);
  });

  test.each([
    ['latitude', [91]],
    ['longitude', [Number.NaN]],
    ['level', [0]],
    ['time', []],
  ])('an impossible %s is refused', (name, values) => {
    expect(() => gridAxes({ ...stored, [name]: values })).toThrow(MetError);
  });
});

describe('the window of a grid', () => {
  const grid = gridAxes(stored);

  test('a bound between knots reaches to the next knot outside', () => {
    const axes = windowAxes(grid, { ...window, latitude: [41, 49], level: [201, 249], longitude: [-5, 5] });
    expect([...axes.latitude]).toEqual([40, 50]);
    expect([...axes.level]).toEqual([200, 250]);
    expect([...axes.longitude]).toEqual([-10, 0, 10]);
  });

  test('bounds beyond the grid give what the grid has', () => {
    expect([...windowAxes(grid, { ...window, latitude: [-90, 35] }).latitude]).toEqual([30, 40]);
  });

  test('a window beside the grid is refused with both ranges', () => {
    const beside = () => windowAxes(grid, { ...window, time: [5 * HOUR_MS, 6 * HOUR_MS] });
    expect(beside).toThrow(/1970-01-01T05:00:00.000Z.*1970-01-01T02:00:00.000Z/);
  });

  test('a window across the antimeridian has two parts and nothing between them', () => {
    const { longitude } = windowAxes(grid, { ...window, longitude: [170, -170] });
    expect([...longitude]).toEqual([-180, -170, -160, -155, 160, 170, 180]);
  });

  test('every longitude inside any window lies in a cell whose ends are stored', () => {
    const degrees = fc.double({ min: -180, max: 180, noNaN: true });
    const meridians = new Set(circle(10));
    fc.assert(
      fc.property(degrees, degrees, fc.double({ min: 0, max: 1, noNaN: true }), (west, east, share) => {
        const { longitude } = windowAxes(grid, { ...window, longitude: [west, east] });
        const width = west <= east ? east - west : east - west + 360;
        let x = west + share * width;
        if (x > 180) x -= 360;
        const cell = Math.min(
          longitude.findLastIndex((knot) => knot <= x),
          longitude.length - 2,
        );
        const ends = longitude.length === 1 ? [...longitude] : [longitude[cell], longitude[cell + 1]];
        for (const end of ends) expect(meridians.has(((end as number) + 360) % 360)).toBe(true);
      }),
    );
  });

  test('a grid without levels keeps its single level', () => {
    expect([...windowAxes(gridAxes({ ...stored, level: [] }), window).level]).toEqual([-1]);
  });
});

describe('holes in a series of times', () => {
  const hours = (...values: number[]) => values.map((value) => value * HOUR_MS);

  test('one missing hour is one gap', () => {
    expect(timeGaps(hours(0, 1, 3, 4), 'reanalysis')).toEqual([{ after: HOUR_MS, before: 3 * HOUR_MS }]);
  });

  test('a reanalysis that ends with a longer step has a gap there', () => {
    expect(timeGaps(hours(0, 1, 3), 'reanalysis')).toHaveLength(1);
  });

  test('the longer steps at the end of a forecast are none', () => {
    expect(timeGaps(hours(0, 1, 2, 3, 6, 9, 15), 'forecast')).toEqual([]);
  });

  test('a longer step before shorter ones is one in a forecast too', () => {
    expect(timeGaps(hours(0, 1, 3, 5, 6), 'forecast')).toHaveLength(2);
  });

  test('a gap beside the wanted times does not matter, one inside does', () => {
    const series = hours(0, 1, 3, 4);
    expect(() => requireNoGap(series, 'reanalysis', [3 * HOUR_MS, 4 * HOUR_MS])).not.toThrow();
    expect(() => requireNoGap(series, 'reanalysis', [HOUR_MS, 3 * HOUR_MS])).toThrow(/1970-01-01T01.*T03/);
  });
});
