import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame } from '../../src/frame/index.ts';
import { fullDisk, windowOf } from '../../src/navigation/index.ts';
import {
  composite,
  confidencePicture,
  drawDetections,
  drawSegments,
  encodePng,
  type Picture,
} from '../../src/render/index.ts';

const grid = windowOf(fullDisk('goes-east'), 1000, 2000, 40, 60);
const PIXELS = 40 * 60;

function frameOf(t8: number | undefined, t11: number, t12: number): Frame {
  const filled = (value: number) => new Float32Array(PIXELS).fill(value);
  return {
    satellite: 'goes-east',
    gridName: 'goes-east',
    time: 0,
    grid,
    t11: filled(t11),
    t12: filled(t12),
    ...(t8 === undefined ? {} : { t8: filled(t8) }),
    rows: 40,
    columns: 60,
  };
}

const colourAt = ({ pixels, width }: Picture, row: number, column: number) =>
  Array.from(pixels.subarray(3 * (row * width + column), 3 * (row * width + column) + 3));

describe('composite', () => {
  test('maps the three differences linearly to colours and clips them', () => {
    expect(colourAt(composite(frameOf(272.5, 273, 272)), 3, 4)).toEqual([128, 128, 128]);
    expect(colourAt(composite(frameOf(320, 310, 320)), 0, 0)).toEqual([255, 0, 255]);
  });

  test('is grey without the 8.5 µm band, cold white', () => {
    expect(colourAt(composite(frameOf(undefined, 240, 239)), 0, 0)).toEqual([255, 255, 255]);
  });

  test('is black where there is no value', () => {
    expect(colourAt(composite(frameOf(280, Number.NaN, 279)), 0, 0)).toEqual([0, 0, 0]);
  });
});

describe('drawing', () => {
  test('detections are outlined and stay visible', () => {
    const stored = new Uint8Array(PIXELS);
    stored.fill(200, 20 * 60 + 10, 20 * 60 + 50);
    const picture = confidencePicture({ stored, grid });
    drawDetections(picture, { stored, grid });
    expect(colourAt(picture, 20, 30)).toEqual([204, 204, 204]);
    expect(colourAt(picture, 19, 30)).toEqual([255, 64, 255]);
    expect(colourAt(picture, 21, 30)).toEqual([255, 64, 255]);
    expect(colourAt(picture, 18, 30)).toEqual([0, 0, 0]);
  });

  test('segments are drawn on both sides of where they lie', () => {
    const picture = confidencePicture({ stored: new Uint8Array(PIXELS), grid });
    const metres = (row: number, column: number) =>
      `${Math.round((grid.x0 + column * grid.dx) * grid.height)} ${Math.round((grid.y0 + row * grid.dy) * grid.height)}`;
    drawSegments(picture, grid, [{ wkt: `LINESTRING (${metres(20, 10)}, ${metres(20, 50)})` }]);
    expect(colourAt(picture, 16, 30)).toEqual([255, 255, 0]);
    expect(colourAt(picture, 24, 30)).toEqual([255, 255, 0]);
    expect(colourAt(picture, 20, 30)).toEqual([0, 0, 0]);
  });

  test('segments that leave the picture are clipped', () => {
    const picture = confidencePicture({ stored: new Uint8Array(PIXELS), grid });
    drawSegments(picture, grid, [{ wkt: 'LINESTRING (-9000000 0, 9000000 100)' }, { wkt: 'POINT EMPTY' }]);
    expect(picture.pixels.length).toBe(3 * PIXELS);
  });
});

describe('encodePng', () => {
  test('pixels come back from the file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer(),
        async (width, height, seed) => {
          const pixels = Uint8Array.from(
            { length: 3 * width * height },
            (_, i) => Math.imul(seed ^ i, 2_654_435_761) >>> 24,
          );
          const file = await encodePng({ width, height, pixels });
          expect(file.readUInt32BE(16)).toBe(width);
          expect(file.readUInt32BE(20)).toBe(height);
          const dataLength = file.readUInt32BE(33);
          const rows = inflateSync(file.subarray(41, 41 + dataLength));
          const back = new Uint8Array(pixels.length);
          for (let i = 0; i < pixels.length; i++) {
            const row = Math.floor(i / (3 * width));
            back[i] = (rows[row + 1 + i] as number) + (row === 0 ? 0 : (back[i - 3 * width] as number));
          }
          expect(back).toEqual(pixels);
        },
      ),
    );
  });
});
