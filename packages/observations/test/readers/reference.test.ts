import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { scanOffsetsOf } from '../../src/frame/index.ts';
import { crsOf, windowPosition } from '../../src/navigation/index.ts';
import { readBand } from '../../src/readers/abi.ts';
import { openImageFile } from '../../src/readers/hdf5.ts';
import { readFrame } from '../../src/readers/index.ts';
import { because, isPresent, REFERENCE } from '../support/reference.ts';

const fileAt = (path: string) => fileURLToPath(new URL(path, REFERENCE));
const jsonAt = (path: string) => JSON.parse(readFileSync(new URL(path, REFERENCE), 'utf8'));

describe.skipIf(!isPresent)(`reference imagery${because}`, () => {
  test('radiances become the brightness temperatures of the case', () => {
    const { tolerance_K, invalid, samples } = jsonAt('radiance/l1b_expected.json') as {
      tolerance_K: number;
      invalid: [number, number][];
      samples: { row: number; column: number; brightness_temperature: number }[];
    };
    const file = openImageFile(fileAt('radiance/l1b_radiance.nc'));
    const band = readBand({ file, values: 'Rad', quality: 'DQF' }, { rows: 64, columns: 64 });
    file.close();
    const differences = samples.map((sample) =>
      Math.abs((band[sample.row * 64 + sample.column] as number) - sample.brightness_temperature),
    );
    expect(differences.length).toBeGreaterThan(50);
    expect(Math.max(...differences)).toBeLessThan(tolerance_K);
    for (const [row, column] of invalid) expect(band[row * 64 + column]).toBeNaN();
  });

  test.each(['scene-a', 'scene-b'])('a frame of %s is a window of GOES-East', (scene) => {
    const stated = jsonAt(`${scene}/scene.json`);
    const frame = readFrame([fileAt(`${scene}/frame_01.nc`)]);
    expect(frame).toMatchObject({
      satellite: 'goes-east',
      instrument: 'ABI',
      time: Date.parse(stated.start) + 600_000,
      rows: stated.size,
      columns: stated.size,
    });
    expect(crsOf(frame.grid)).toBe(stated.crs);
    expect(windowPosition(frame.grid)).toEqual({
      firstRow: stated.first_row,
      firstColumn: stated.first_column,
      rows: 5424,
      columns: 5424,
    });
    expect(scanOffsetsOf(frame)[10]).toBeCloseTo((stated.scan_seconds * (stated.first_row + 10)) / 5424, 4);
    for (const band of [frame.t8, frame.t11, frame.t12]) {
      expect(band?.every((value) => value > 190 && value < 320)).toBe(true);
    }
  });
});
