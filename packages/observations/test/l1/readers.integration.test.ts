import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeL1 } from '../../src/l1/index.ts';
import { fullDisk, GRID_NAMES, toLonLat, windowOf } from '../../src/navigation/index.ts';
import { pythonBecause, runPython, withoutPython } from '../support/imagery.ts';
import { ORIGIN, sampleImage } from '../support/l1.ts';

const folder = mkdtempSync(join(tmpdir(), 'contrails-l1-readers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PIXELS = [
  [0, 0],
  [3, 5],
  [50, 100],
  [95, 127],
] as const;

interface Found {
  readonly xarray: {
    readonly dimensions: string[];
    readonly values: (number | null)[];
    readonly time: string;
    readonly coordinates: string[];
    readonly cf: [number, number][];
    readonly wkt: [number, number][];
    readonly proj: [number, number][];
  };
  readonly netcdf: Record<
    string,
    { type: string; dimensions: string[]; chunks: number[] | string; filters: Record<string, unknown> }
  >;
  readonly attributes: Record<string, string>;
  readonly gdal: { shape: number[]; values: number[]; nodata: number; positions: [number, number][] };
}

describe.skipIf(withoutPython)(`L1 files in the readers of others${pythonBecause}`, () => {
  test.each(GRID_NAMES)('xarray, pyproj and GDAL place pixels of %s where we do', async (name) => {
    const grid = windowOf(fullDisk(name), 800, 1000, 96, 128);
    const image = sampleImage(grid);
    const path = join(folder, `${name}.nc`);
    writeFileSync(path, Buffer.concat(await encodeL1(image, ORIGIN)));
    const script = fileURLToPath(new URL('../support/l1_readers.py', import.meta.url));
    const found = JSON.parse(runPython([script, path, JSON.stringify(PIXELS)])) as Found;

    const ours = PIXELS.map(([r, c]) => toLonLat(grid, grid.x0 + c * grid.dx, grid.y0 + r * grid.dy));
    const largest = (theirs: readonly (readonly number[])[]) =>
      Math.max(...theirs.flat().map((value, i) => Math.abs(value - (ours.flat()[i] as number))));
    expect(largest(found.xarray.cf)).toBeLessThan(1e-9);
    expect(largest(found.xarray.wkt)).toBeLessThan(1e-9);
    // The PROJ string rounds the minor axis to 10 µm.
    expect(largest(found.xarray.proj)).toBeLessThan(1e-8);
    expect(largest(found.gdal.positions)).toBeLessThan(1e-6);

    const stored = PIXELS.map(([r, c]) => image.stored[r * grid.columns + c] as number);
    expect(found.gdal).toMatchObject({ shape: [96, 128], values: stored, nodata: 255 });
    expect(found.xarray).toMatchObject({
      dimensions: ['y', 'x'],
      time: '2024-03-07T15:00:00.000000000',
      coordinates: ['time', 'x', 'y'],
    });
    found.xarray.values.forEach((value, i) => {
      const expected = stored[i] as number;
      if (expected === 255) expect(value).toBeNull();
      else expect(value).toBeCloseTo(expected / 250, 6);
    });
  });

  test('variables have the types, chunks and filters of the product', async () => {
    const path = join(folder, 'goes-east.nc');
    const image = sampleImage(windowOf(fullDisk('goes-east'), 1000, 2000, 904, 678));
    writeFileSync(path, Buffer.concat(await encodeL1(image, ORIGIN)));
    const script = fileURLToPath(new URL('../support/l1_readers.py', import.meta.url));
    const { netcdf, attributes } = JSON.parse(runPython([script, path, '[[900, 600]]'])) as Found;
    const deflated = { zlib: true, shuffle: false, complevel: 4 };
    expect(netcdf).toMatchObject({
      contrail_confidence: { type: 'uint8', dimensions: ['y', 'x'], chunks: [452, 339], filters: deflated },
      quality_flag: { type: 'uint8', dimensions: ['y', 'x'], filters: deflated },
      scan_time_offset: { type: 'float32', dimensions: ['y'] },
      x: { type: 'float64' },
      y: { type: 'float64' },
      time: { type: 'int64', dimensions: [] },
      geostationary: { type: 'int32', dimensions: [] },
    });
    expect(attributes).toMatchObject({
      Conventions: 'CF-1.10',
      processing_level: 'L1',
      projection:
        '+proj=geos +lon_0=-75.0 +h=35786023.0 +a=6378137.0 +b=6356752.31414 +sweep=x +units=m +no_defs',
      time_coverage_start: '2024-03-07T15:01:45Z',
      date_created: '2024-03-07T16:00:00Z',
      licence: 'CC-BY-4.0',
    });
  });
});
