import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { FrameError, scanOffsetsOf } from '../../src/frame/index.ts';
import { encodeL1, l1FileName, QUALITY, qualityFlags, readL1 } from '../../src/l1/index.ts';
import { fullDisk, GRID_NAMES, VIEW, viewMask, windowOf } from '../../src/navigation/index.ts';
import { ORIGIN, sampleImage } from '../support/l1.ts';

const folder = mkdtempSync(join(tmpdir(), 'contrails-l1-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function write(...args: Parameters<typeof encodeL1>): Promise<string> {
  const path = join(folder, 'l1.nc');
  writeFileSync(path, Buffer.concat(await encodeL1(...args)));
  return path;
}

describe('L1 files', () => {
  test.each(GRID_NAMES)('a product of %s comes back as it was written', async (name) => {
    const image = sampleImage(windowOf(fullDisk(name), 800, 1000, 96, 128));
    const back = readL1(await write(image, ORIGIN));
    expect(back).toMatchObject({
      satellite: name,
      instrument: 'ABI',
      detector: 'ridge 1.0',
      detectorWeights: 'abc',
      inputFiles: ['a.nc', 'b.nc'],
      time: image.time,
    });
    expect(Buffer.from(back.stored)).toEqual(Buffer.from(image.stored));
    expect(back.scanOffsets).toEqual(scanOffsetsOf(image));
    const { x0, y0, dx, dy, ...exact } = image.grid;
    expect(back.grid).toMatchObject(exact);
    for (const key of ['x0', 'y0', 'dx', 'dy'] as const) {
      expect(back.grid[key]).toBeCloseTo({ x0, y0, dx, dy }[key], 14);
    }
  });

  test('scan times of single pixels come back', async () => {
    const image = sampleImage();
    const scanOffsets = Float32Array.from(image.stored, (_, i) => i / 50);
    expect(readL1(await write({ ...image, scanOffsets }, ORIGIN)).scanOffsets).toEqual(scanOffsets);
  });

  test('the same input gives the same bytes', async () => {
    const [a, b] = await Promise.all([encodeL1(sampleImage(), ORIGIN), encodeL1(sampleImage(), ORIGIN)]);
    expect(Buffer.concat(a).equals(Buffer.concat(b))).toBe(true);
  });

  test('the file is named after satellite and time', () => {
    expect(l1FileName(sampleImage())).toBe('goes-east_L1_20240307T1500Z.nc');
  });

  test('a file that is cut at any byte is a FrameError', async () => {
    const bytes = Buffer.concat(await encodeL1(sampleImage(), ORIGIN));
    const path = join(folder, 'cut.nc');
    for (let length = 0; length < bytes.length; length += 97) {
      writeFileSync(path, bytes.subarray(0, length));
      expect(() => readL1(path)).toThrow(FrameError);
    }
  });
});

describe('quality flags', () => {
  test('name what is off the Earth, beyond the limit, bad, and near the edge of what is seen', () => {
    const grid = windowOf(fullDisk('goes-east'), 0, 0, 1200, 5424);
    const view = viewMask(grid, 70);
    const centre = 1100 * 5424 + 2712;
    const flags = qualityFlags(grid, 70, (pixel) => pixel === centre);
    expect(flags[0]).toBe(QUALITY.offEarth);
    expect(flags[centre]).toBe(QUALITY.badInput);
    expect(flags[centre + 1]).toBe(0);
    const row = 1000 * 5424;
    const first = view.subarray(row, row + 5424).indexOf(VIEW.withinLimit);
    expect(flags[row + first - 1]).toBe(QUALITY.beyondLimit);
    expect(flags[row + first]).toBe(QUALITY.nearEdge);
    expect(flags[row + first + 40]).toBe(0);
    expect(flags[1199 * 5424 + 2712]).toBe(QUALITY.nearEdge);
    expect(flags[1185 * 5424 + 2712]).toBe(0);
    expect(flags[1186 * 5424 + 2712]).toBe(QUALITY.nearEdge);
  });
});
