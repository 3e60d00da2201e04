import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import h5wasm, { type Dataset } from 'h5wasm/node';
import { afterAll, expect, test } from 'vitest';
import { lookup3 } from '../../src/netcdf/checksum.ts';
import type { NetcdfFile } from '../../src/netcdf/file.ts';
import { shuffle } from '../../src/netcdf/shuffle.ts';
import type { NumericArray } from '../../src/netcdf/types.ts';
import { encodeNetcdf } from '../../src/netcdf/write.ts';

const folder = mkdtempSync(join(tmpdir(), 'contrails-netcdf-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Raw bytes of every variable as h5wasm reads them. */
async function readBack(file: NetcdfFile): Promise<Record<string, Uint8Array>> {
  await h5wasm.ready;
  const path = join(folder, 'back.nc');
  writeFileSync(path, Buffer.concat(await encodeNetcdf(file)));
  const opened = new h5wasm.File(path, 'r');
  const found = Object.fromEntries(
    opened.keys().map((name) => {
      const values = (opened.get(name) as Dataset).value as NumericArray;
      return [name, new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice()];
    }),
  );
  opened.close();
  return found;
}

test('the checksum is that of its author', () => {
  expect(lookup3(new Uint8Array())).toBe(0xdeadbeef);
  expect(lookup3(new TextEncoder().encode('Four score and seven years ago'))).toBe(0x17770551);
});

test('shuffling brings the bytes of equal rank together and loses none', () => {
  fc.assert(
    fc.property(fc.constantFrom(1, 2, 4, 8), fc.uint8Array({ maxLength: 64 }), (size, raw) => {
      const bytes = raw.slice(0, raw.length - (raw.length % size));
      const count = bytes.length / size;
      const shuffled = shuffle(bytes, size);
      bytes.forEach((byte, at) => {
        expect(shuffled[(at % size) * count + Math.floor(at / size)]).toBe(byte);
      });
    }),
  );
});

test('shuffling does not depend on where in a buffer the bytes begin', () => {
  const buffer = Uint8Array.from({ length: 17 }, (_, k) => k);
  expect(shuffle(buffer.subarray(1), 4)).toEqual(shuffle(buffer.slice(1), 4));
});

const arrayTypes = [
  Int8Array,
  Uint8Array,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  Float32Array,
  Float64Array,
] as const;

test('values of every type, shape and chunking come back bit by bit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...arrayTypes),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 })), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.boolean(),
      fc.integer({ min: 0, max: 0xffff_ffff }),
      async (ArrayType, axes, chunked, seed) => {
        const shape = axes.map(([length]) => length);
        const count = shape.reduce((product, length) => product * length, 1);
        const bytes = Uint8Array.from(
          { length: count * ArrayType.BYTES_PER_ELEMENT },
          (_, k) => Math.imul(seed ^ k, 2_654_435_761) >>> 24,
        );
        const names = shape.map((_, axis) => `axis${axis}`);
        const back = await readBack({
          dimensions: Object.fromEntries(names.map((name, axis) => [name, shape[axis] as number])),
          variables: [
            ...names.map((name, axis) => ({
              name,
              dimensions: [name],
              data: Int32Array.from({ length: shape[axis] as number }, (_, k) => k),
            })),
            {
              name: 'values',
              dimensions: names,
              data: new ArrayType(bytes.buffer),
              ...(chunked ? { chunks: axes.map(([length, chunk]) => Math.min(length, chunk)) } : {}),
            },
          ],
        });
        expect(back.values).toEqual(bytes);
      },
    ),
    { numRuns: 150 },
  );
});

test('a variable without dimensions is a scalar', async () => {
  await h5wasm.ready;
  const path = join(folder, 'scalar.nc');
  const variables = [{ name: 'mapping', dimensions: [], data: Int32Array.of(7) }];
  writeFileSync(path, Buffer.concat(await encodeNetcdf({ dimensions: {}, variables })));
  const opened = new h5wasm.File(path, 'r');
  const { value, shape } = opened.get('mapping') as Dataset;
  opened.close();
  expect([value, shape]).toEqual([7, []]);
});

const AXIS = { name: 'x', dimensions: ['x'], data: Int32Array.of(1, 2) };

test.each([
  [
    'a dimension without coordinate',
    { dimensions: { x: 2, y: 3 }, variables: [AXIS] },
    'y has no coordinate',
  ],
  [
    'an unknown dimension',
    { dimensions: { x: 2 }, variables: [AXIS, { name: 'v', dimensions: ['z'], data: Int8Array.of(1) }] },
    'unknown dimension z',
  ],
  [
    'too few values',
    { dimensions: { x: 2 }, variables: [AXIS, { name: 'v', dimensions: ['x'], data: Int8Array.of(1) }] },
    'v has 1 values instead of 2',
  ],
  [
    'chunks on demand without a type',
    {
      dimensions: { x: 2 },
      variables: [AXIS, { name: 'v', dimensions: ['x'], chunks: [2], data: () => Int8Array.of(1, 2) }],
    },
    'needs a type',
  ],
  [
    'an attribute of more than 64 KiB',
    { dimensions: { x: 2 }, variables: [AXIS], attributes: { note: 'x'.repeat(70_000) } },
    'shorten it',
  ],
] satisfies [string, NetcdfFile, string][])('%s is refused', async (_, file, message) => {
  await expect(encodeNetcdf(file)).rejects.toThrow(message);
});
