import { expect, test } from 'vitest';
import type { Frame } from '../../src/frame/index.ts';
import { toLonLat } from '../../src/navigation/index.ts';
import { composite, encodePng, frameOnMap } from '../../src/render/index.ts';

/** A few hundred kilometres around Florida, as GOES-East sees them. */
const GRID = {
  longitudeOfOrigin: -75,
  height: 35_786_023,
  semiMajor: 6_378_137,
  semiMinor: 6_356_752.31414,
  sweep: 'x',
  x0: -0.02,
  dx: 0.000056,
  columns: 200,
  y0: 0.085,
  dy: -0.000056,
  rows: 150,
} as unknown as Frame['grid'];

function frame(): Frame {
  const { rows, columns } = GRID;
  const t11 = Float32Array.from({ length: rows * columns }, (_, i) => 200 + Math.floor(i / columns));
  return { satellite: 'goes-east', gridName: 'x', time: 0, grid: GRID, t11, t12: t11, rows, columns };
}

test('pixels lie where the satellite sees them, in rows of equal steps of the Mercator projection', () => {
  const placed = frameOnMap(frame());
  if (placed === undefined) throw new Error('the frame is on the Earth');
  const [west, south, east, north] = placed.bounds;
  const { t11, rows, columns } = placed.frame;
  const mercator = (lat: number) => Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360));
  for (const [line, column] of [
    [20, 40],
    [75, 100],
    [130, 160],
  ] as const) {
    const [lon, lat] = toLonLat(GRID, GRID.x0 + column * GRID.dx, GRID.y0 + line * GRID.dy);
    const k = Math.floor(((lon - west) / (east - west)) * columns);
    const row = Math.floor(((mercator(north) - mercator(lat)) / (mercator(north) - mercator(south))) * rows);
    expect(Math.abs((t11[row * columns + k] as number) - (200 + line))).toBeLessThanOrEqual(1);
  }
});

test('what is off the image is transparent', async () => {
  const placed = frameOnMap(frame());
  if (placed === undefined) throw new Error('the frame is on the Earth');
  expect(placed.frame.t11.some(Number.isNaN)).toBe(true);
  const png = await encodePng(composite(placed.frame), [0, 0, 0]);
  expect(png.includes('tRNS')).toBe(true);
});

test('an image without the Earth has no picture', () => {
  expect(frameOnMap({ ...frame(), grid: { ...GRID, x0: 0.5 } })).toBeUndefined();
});
