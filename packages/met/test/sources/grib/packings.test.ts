import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readGrid } from '../../../src/sources/grib/grid-definition.ts';
import { readProduct } from '../../../src/sources/grib/product.ts';
import { fieldsOf, type Section } from '../../../src/sources/grib/sections.ts';
import { decodeValues } from '../../../src/sources/grib/values.ts';

const directory = join(import.meta.dirname, '../../reference/grib');
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.grib2'))
  .map((name) => name.replace('.grib2', ''));

async function decodeFile(file: Uint8Array): Promise<Float32Array[]> {
  const decoded: Float32Array[] = [];
  const read = async (offset: number, length: number) => file.subarray(offset, offset + length);
  for await (const sections of fieldsOf(read, file.length)) {
    const bytesOf = ({ offset, length }: Section) => file.subarray(offset, offset + length);
    readProduct(sections.discipline, bytesOf(sections.identification), bytesOf(sections.product));
    const { longitudes, latitudes } = readGrid(bytesOf(sections.grid));
    decoded.push(
      await decodeValues(
        bytesOf(sections.representation),
        bytesOf(sections.bitmap),
        bytesOf(sections.data),
        longitudes.length * latitudes.length,
      ),
    );
  }
  return decoded;
}

describe('fields packed by ecCodes', () => {
  test.each(names)('%s is unpacked to the last bit', async (name) => {
    const expected = readFileSync(join(directory, `${name}.f32`));
    const [values] = await decodeFile(readFileSync(join(directory, `${name}.grib2`)));
    expect(Buffer.from(values?.buffer ?? new ArrayBuffer(0)).equals(expected)).toBe(true);
  });

  test('an unknown packing is reported with what would help', async () => {
    const file = Uint8Array.from(readFileSync(join(directory, 'simple-16.grib2')));
    const template = file.length - 4 - (5 + 36 * 19 * 2) - 6 - 21 + 9;
    expect(file[template + 1]).toBe(0);
    file[template + 1] = 50;
    await expect(decodeFile(file)).rejects.toThrow(/packing 5\.50 is not read; repack/);
  });
});

describe('damaged files', () => {
  test.each(names)('%s: any damage gives values or a RangeError, and ends', async (name) => {
    const whole = readFileSync(join(directory, `${name}.grib2`));
    // The JPEG 2000 codec reports damage in errors of its own; what matters there is the headers.
    const end = name.startsWith('jpeg') ? 150 : whole.length;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(end - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (damages) => {
          const file = Uint8Array.from(whole);
          for (const [position, value] of damages) file[position] = value;
          try {
            for (const values of await decodeFile(file)) expect(values).toBeInstanceOf(Float32Array);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test.each([0.1, 0.5, 0.9, 0.999])('a file cut to %d of its length is refused', async (share) => {
    const whole = readFileSync(join(directory, 'ccsds-16.grib2'));
    await expect(decodeFile(whole.subarray(0, Math.floor(whole.length * share)))).rejects.toThrow(RangeError);
  });
});

/** Section 3 of the first message of a file. */
async function wholeGrid(): Promise<Uint8Array> {
  const file = readFileSync(join(directory, `${names[0]}.grib2`));
  const read = async (offset: number, length: number) => file.subarray(offset, offset + length);
  const [first] = await Array.fromAsync(fieldsOf(read, file.length));
  const { offset, length } = first?.grid ?? { offset: 0, length: 0 };
  return file.subarray(offset, offset + length);
}

function withFlippedBit(whole: Uint8Array, number: number, bit: number): Uint8Array {
  const damaged = Uint8Array.from(whole);
  const at = number + (bit >> 3);
  damaged[at] = (damaged[at] as number) ^ (1 << (bit & 7));
  return damaged;
}

test('a flipped bit in the number of rows, columns or points is refused before anything is allocated', async () => {
  const whole = await wholeGrid();
  expect(readGrid(whole).latitudes.length).toBeGreaterThan(1);
  for (const number of [6, 30, 34]) {
    for (let bit = 0; bit < 32; bit++) {
      const damaged = withFlippedBit(whole, number, bit);
      expect(() => readGrid(damaged), `bit ${bit} of octet ${number}`).toThrow(RangeError);
    }
  }
});

test('a grid whose ends and distances contradict each other is refused', async () => {
  const whole = await wholeGrid();
  // The first and the last point, and the distances, in millionths of a degree: from a degree on.
  for (const number of [46, 50, 55, 59, 63, 67]) {
    for (const bit of [12, 13, 14, 15]) {
      const damaged = withFlippedBit(whole, number, bit);
      expect(() => readGrid(damaged), `bit ${bit} of octet ${number}`).toThrow(/apart/);
    }
  }
});

test('distances that are rounded or missing are not compared', async () => {
  const whole = await wholeGrid();
  const { latitudes } = readGrid(whole);
  const rounded = withFlippedBit(whole, 70, 0);
  const missing = Uint8Array.from(whole).fill(0xff, 63, 71);
  const notGiven = Uint8Array.from(whole).fill(0x77, 63, 71).fill(0, 54, 55);
  for (const section of [rounded, missing, notGiven]) expect(readGrid(section).latitudes).toEqual(latitudes);
});

test('the unit of coordinates is a basic angle over its subdivisions, of which either may be missing', async () => {
  const whole = await wholeGrid();
  const { latitudes } = readGrid(whole);
  const withUnit = (angle: number, subdivisions: number) => {
    const section = Uint8Array.from(whole);
    const view = new DataView(section.buffer);
    view.setUint32(38, angle);
    view.setUint32(42, subdivisions);
    return readGrid(section).latitudes;
  };
  expect(withUnit(0, 0)).toEqual(latitudes);
  expect(withUnit(0, 1_000_000)).toEqual(latitudes);
  expect(withUnit(2, 2_000_000)).toEqual(latitudes);
  expect(withUnit(0, 2_000_000)[0]).toBe((latitudes[0] as number) / 2);
  expect(withUnit(2, 0xffff_ffff)[0]).toBe(2 * (latitudes[0] as number));
});
