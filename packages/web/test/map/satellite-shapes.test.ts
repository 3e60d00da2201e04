import { expect, test } from 'vitest';
import { encodeL1 } from '../../../observations/src/l1/index.ts';
import {
  crsOf,
  type FixedGrid,
  fullDisk,
  toLonLat,
  windowOf,
} from '../../../observations/src/navigation/index.ts';
import { detectionShapes, imagedArea, segmentShapes } from '../../src/map/satellite-shapes.ts';

const [ROWS, COLUMNS] = [70, 90];
const grid: FixedGrid = windowOf(fullDisk('goes-east'), 900, 2000, ROWS, COLUMNS);

async function l1(stored: Uint8Array): Promise<ArrayBuffer> {
  const time = Date.UTC(2026, 0, 1, 12);
  const scanOffsets = new Float32Array(ROWS);
  const chunks = await encodeL1(
    { satellite: 'goes-east', time, grid, scanOffsets, stored },
    {
      instrument: 'synthetic',
      detector: 'ridge 1',
      detectorWeights: 'none',
      inputFiles: [],
      maxViewZenithDeg: 70,
      licence: '',
      createdMs: time,
      history: '',
    },
  );
  return (await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer()) as ArrayBuffer;
}

test('pixels of an L1 file are outlined around their centres, by confidence; fill values are left out', async () => {
  const stored = new Uint8Array(ROWS * COLUMNS).fill(10);
  const places = [
    [0, 0, 100],
    [69, 89, 240],
    [33, 64, 130],
  ] as const;
  for (const [row, column, value] of places) stored[row * COLUMNS + column] = value;
  stored[5] = 255;
  const { features } = await detectionShapes(await l1(stored));
  const found = features.flatMap(({ geometry, properties }) =>
    geometry.type === 'MultiPolygon'
      ? geometry.coordinates.map(([ring = []]) => ({ ring, confidence: properties?.confidence }))
      : [],
  );
  expect(found.map(({ confidence }) => confidence)).toEqual([0.3, 0.5, 0.9]);
  [places[0], places[2], places[1]].forEach(([row, column], k) => {
    const [longitude, latitude] = toLonLat(grid, grid.x0 + column * grid.dx, grid.y0 + row * grid.dy, 10_500);
    const ring = found[k]?.ring ?? [];
    const middle = (axis: 0 | 1) =>
      ring.slice(0, 4).reduce((sum, corner) => sum + (corner[axis] ?? 0), 0) / 4;
    expect(middle(0)).toBeCloseTo(longitude, 3);
    expect(middle(1)).toBeCloseTo(latitude, 3);
    expect(ring).toHaveLength(5);
  });
});

test('the imaged area is outlined by the edges of the image', async () => {
  const area = imagedArea(await l1(new Uint8Array(ROWS * COLUMNS)));
  const [ring = []] = area.geometry.coordinates;
  expect(ring[0]).toEqual(ring.at(-1));
  const [east] = toLonLat(grid, grid.x0 + (COLUMNS - 1) * grid.dx, grid.y0 + (ROWS / 2 - 0.5) * grid.dy, 0);
  expect(ring[0]?.[0]).toBeCloseTo(east, 6);
  expect(ring.flat().some(Number.isNaN)).toBe(false);
});

test('a noisy image keeps its most certain pixels', async () => {
  const stored = Uint8Array.from({ length: ROWS * COLUMNS }, (_, k) => k % 250);
  const { features } = await detectionShapes(await l1(stored));
  const count = features.reduce(
    (sum, { geometry }) => sum + (geometry.type === 'MultiPolygon' ? geometry.coordinates.length : 0),
    0,
  );
  expect(count).toBe(stored.filter((value) => value >= 75).length);
});

test('lines are placed where contrails appear, not on the ground below', () => {
  const angles = [
    [-0.02, 0.08],
    [-0.01, 0.085],
  ] as const;
  const wkt = `LINESTRING (${angles.map(([x, y]) => `${x * grid.height} ${y * grid.height}`).join(', ')})`;
  const { features } = segmentShapes([
    {
      id: 'a',
      time: '2026-01-01T12:00:00Z',
      scan_time: '2026-01-01T12:02:00Z',
      satellite: 'goes-east',
      crs: crsOf(grid),
      wkt,
      confidence: 0.8,
      length_m: 123_400,
      length_px: 60,
      width_px: 3,
      orientation_deg: 0,
      azimuth_deg: 90,
      pixel_count: 180,
      parallax_10km_m: [0, 0],
    },
  ]);
  const [line] = features;
  expect(line?.properties).toEqual({ id: 'a', confidence: 0.8, kilometres: 123 });
  const coordinates = line?.geometry.type === 'LineString' ? line.geometry.coordinates : [];
  angles.forEach(([x, y], k) => {
    const [longitude, latitude] = toLonLat(grid, x, y, 10_500);
    expect(coordinates[k]?.[0]).toBeCloseTo(longitude, 9);
    expect(coordinates[k]?.[1]).toBeCloseTo(latitude, 9);
  });
});
