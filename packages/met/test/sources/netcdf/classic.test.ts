import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { MetError } from '../../../src/errors.ts';
import { openClassic } from '../../../src/sources/netcdf/classic.ts';

const directory = mkdtempSync(join(tmpdir(), 'contrails-classic-'));
afterAll(() => rmSync(directory, { recursive: true }));

const word = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const long = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};
const name = (text: string) => {
  const bytes = Buffer.alloc(Math.ceil(text.length / 4) * 4);
  bytes.write(text);
  return Buffer.concat([word(text.length), bytes]);
};
const FLOAT = 5;

/** The header of a file of version 2 with one variable `t` of floats at a given place; a length of 0 means records. */
function header(lengths: readonly number[], begin: number, records = 0): Buffer {
  return Buffer.concat([
    Buffer.from('CDF\u0002', 'latin1'),
    word(records),
    ...[word(10), word(lengths.length)],
    ...lengths.flatMap((length, d) => [name(`d${d}`), word(length)]),
    ...[word(0), word(0)],
    ...[word(11), word(1), name('t'), word(lengths.length), ...lengths.map((_, d) => word(d))],
    ...[word(0), word(0), word(FLOAT), word(0), long(begin)],
  ]);
}

function floats(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => {
    bytes.writeFloatBE(value, 4 * i);
  });
  return bytes;
}

describe('classic netCDF files', () => {
  test('values beyond 4 GB are found', () => {
    const path = join(directory, 'far.nc');
    const begin = 5_000_000_000;
    const file = openSync(path, 'w');
    writeSync(file, header([2, 3], begin));
    ftruncateSync(file, begin + 24);
    writeSync(file, floats(1, 2, 3, 4, 5, 6), 0, 24, begin);
    closeSync(file);
    const opened = openClassic(path);
    const [variable] = opened.header.variables;
    const values = opened.read(variable as NonNullable<typeof variable>, [1, 0], [1, 3]).values();
    opened.close();
    expect([...values]).toEqual([4, 5, 6]);
  });

  test('the records of a file that was being written follow from its size', () => {
    const path = join(directory, 'streaming.nc');
    const begin = header([0, 2], 0).length;
    writeFileSync(path, Buffer.concat([header([0, 2], begin, 0xff_ff_ff_ff), floats(1, 2, 3, 4, 5, 6)]));
    const opened = openClassic(path);
    opened.close();
    expect(opened.header.variables[0]?.shape).toEqual([3, 2]);
  });

  test('any box of any shape holds the values of its places', () => {
    const path = join(directory, 'boxes.nc');
    const dimension = fc.record({
      length: fc.integer({ min: 1, max: 6 }),
      first: fc.nat(5),
      count: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(dimension, { minLength: 1, maxLength: 4 }), (dimensions) => {
        const shape = dimensions.map(({ length }) => length);
        const size = shape.reduce((product, length) => product * length, 1);
        const begin = header(shape, 0).length;
        writeFileSync(path, Buffer.concat([header(shape, begin), floats(...Array(size).keys())]));
        const first = dimensions.map((one) => Math.min(one.first, one.length - 1));
        const count = dimensions.map((one, d) => Math.min(one.count, one.length - (first[d] as number)));
        const opened = openClassic(path);
        const [variable] = opened.header.variables;
        const values = opened.read(variable as NonNullable<typeof variable>, first, count).values();
        opened.close();
        let expected = [0];
        shape.forEach((length, d) => {
          const indices = Array.from({ length: count[d] as number }, (_, i) => (first[d] as number) + i);
          expected = expected.flatMap((outer) => indices.map((index) => outer * length + index));
        });
        expect([...values]).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('no header, however damaged, is taken for weather or hangs', () => {
    const good = header([2, 3], 100);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(good);
        bytes[at] = (bytes[at] as number) ^ flip;
        const path = join(directory, 'damaged.nc');
        writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(124)]));
        try {
          const opened = openClassic(path);
          opened.close();
          for (const { shape } of opened.header.variables) expect(shape.length).toBeLessThanOrEqual(2);
        } catch (error) {
          expect(error).toBeInstanceOf(MetError);
        }
      }),
    );
  });
});
