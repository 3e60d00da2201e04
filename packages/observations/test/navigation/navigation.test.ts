import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fullDisk,
  GRID_NAMES,
  toLonLat,
  toLonLats,
  toScanAngle,
  toScanAngles,
  truePosition,
  VIEW,
  viewMask,
  viewZenithDeg,
  windowOf,
  windowPosition,
} from '../../src/navigation/index.ts';

const grids = fc.constantFrom(...GRID_NAMES).map(fullDisk);
const pixels = grids.chain((grid) =>
  fc.record({
    grid: fc.constant(grid),
    row: fc.integer({ min: 0, max: grid.rows - 1 }),
    column: fc.integer({ min: 0, max: grid.columns - 1 }),
  }),
);

describe('scan angles and positions', () => {
  test('a pixel that sees the Earth is found again from its position, at any height', () => {
    fc.assert(
      fc.property(pixels, fc.integer({ min: 0, max: 14_000 }), ({ grid, row, column }, height) => {
        const x = grid.x0 + column * grid.dx;
        const y = grid.y0 + row * grid.dy;
        const [lon, lat] = toLonLat(grid, x, y, height);
        fc.pre(!Number.isNaN(lon) && viewZenithDeg(grid, lon, lat) < 80);
        const [x2, y2] = toScanAngle(grid, lon, lat, height);
        // The inflated ellipsoid is off by up to 0.1 m of 36,000 km.
        expect(Math.hypot(x2 - x, y2 - y)).toBeLessThan(height === 0 ? 1e-12 : 3e-9);
      }),
    );
  });

  test('a pixel in space has no position, and the far side of the Earth no scan angle', () => {
    for (const name of GRID_NAMES) {
      const grid = fullDisk(name);
      expect(toLonLat(grid, grid.x0, grid.y0)).toEqual([Number.NaN, Number.NaN]);
      expect(toScanAngle(grid, grid.longitudeOfOrigin + 180, 0)).toEqual([Number.NaN, Number.NaN]);
    }
  });

  test('longitudes cross 180° without leaving [-180, 180)', () => {
    const grid = fullDisk('himawari');
    const [x, y] = toScanAngle(grid, -170, 10);
    expect(toLonLat(grid, x, y)[0]).toBeCloseTo(-170, 9);
  });

  test('columns give the same values as single points', () => {
    const grid = fullDisk('goes-west');
    const lon = [-137, -120.5, 20];
    const lat = [0, 45.25, 0];
    const heights = Float64Array.of(0, 10_000, 0);
    const x = new Float64Array(3);
    const y = new Float64Array(3);
    toScanAngles(grid, lon, lat, x, y, heights);
    lon.forEach((_, i) => {
      expect([x[i], y[i]]).toEqual(
        toScanAngle(grid, lon[i] as number, lat[i] as number, heights[i] as number),
      );
    });
    const lon2 = new Float64Array(3);
    const lat2 = new Float64Array(3);
    toLonLats(grid, x, y, lon2, lat2, 10_000);
    expect([lon2[1], lat2[1]]).toEqual(toLonLat(grid, x[1] as number, y[1] as number, 10_000));
  });

  test('the wrong sweep axis moves a point by eleven pixels', () => {
    const grid = fullDisk('goes-east');
    const [x, y] = toScanAngle(grid, -30, 35);
    const [x2, y2] = toScanAngle({ ...grid, sweep: 'y' }, -30, 35);
    expect(Math.round(Math.hypot(x2 - x, y2 - y) / grid.dx)).toBe(11);
  });

  test.each([
    [23, 4.6],
    [41, 9],
    [52, 13],
    [63, 20],
    [73, 35],
  ])('parallax at view zenith %s° is %s km for 10.5 km', (zenith, km) => {
    const grid = fullDisk('mtg-0');
    let lon = 0;
    while (viewZenithDeg(grid, lon, 0) < zenith) lon += 0.01;
    const [trueLon] = truePosition(grid, lon, 0, 10_500);
    expect(Math.abs(111.32 * (lon - trueLon) - km)).toBeLessThan(0.04 * km);
  });
});

describe('viewMask', () => {
  test('shares of the full disk are those of a geostationary imager', () => {
    const grid = fullDisk('goes-east');
    const share = (mask: Uint8Array, value: number) =>
      mask.reduce((count, view) => count + (view === value ? 1 : 0), 0) / mask.length;
    const mask = viewMask(grid, 70);
    expect(1 - share(mask, VIEW.offEarth)).toBeCloseTo(0.78, 2);
    expect(share(mask, VIEW.withinLimit)).toBeCloseTo(0.69, 2);
    expect(share(viewMask(grid, 65), VIEW.withinLimit)).toBeCloseTo(0.64, 2);
  });

  test('agrees with the view zenith angle of the position of each pixel', () => {
    fc.assert(
      fc.property(pixels, ({ grid, row, column }) => {
        const [view] = viewMask(windowOf(grid, row, column, 1, 1), 70);
        const [lon, lat] = toLonLat(grid, grid.x0 + column * grid.dx, grid.y0 + row * grid.dy);
        const zenith = viewZenithDeg(grid, lon, lat);
        fc.pre(Math.abs(zenith - 70) > 1e-6);
        const expected = Number.isNaN(lon)
          ? VIEW.offEarth
          : zenith <= 70
            ? VIEW.withinLimit
            : VIEW.beyondLimit;
        expect(view).toBe(expected);
      }),
    );
  });
});

describe('windowPosition', () => {
  test('a window knows its place in the full disk', () => {
    fc.assert(
      fc.property(pixels, ({ grid, row, column }) => {
        const { rows, columns } = grid;
        expect(windowPosition(windowOf(grid, row, column, 8, 8))).toEqual({
          firstRow: row,
          firstColumn: column,
          rows,
          columns,
        });
      }),
    );
  });

  test('a grid of another name or step is another full disk', () => {
    const grid = windowOf(fullDisk('goes-east'), 100, 200, 8, 9);
    const own = { firstRow: 0, firstColumn: 0, rows: 8, columns: 9 };
    expect(windowPosition({ ...grid, name: 'moon' })).toEqual(own);
    expect(windowPosition({ ...grid, dx: 2 * grid.dx })).toEqual(own);
  });
});
