import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packChunk } from '../../src/netcdf/chunks.ts';

/** Puts bytes back to where they were. */
function unshuffled(bytes: Uint8Array, valueSize: number): Uint8Array {
  const count = bytes.length / valueSize;
  return bytes.map((_, at) => bytes[(at % valueSize) * count + Math.floor(at / valueSize)] as number);
}

test('chunks of any size, one after the other, unpack to their values', () => {
  fc.assert(
    fc.property(fc.array(fc.float32Array({ maxLength: 50 }), { minLength: 2, maxLength: 5 }), (chunks) => {
      const packed = chunks.map((values) => packChunk(values).packed);
      packed.forEach((bytes, index) => {
        const values = chunks[index] as Float32Array;
        const original = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
        expect(unshuffled(inflateSync(bytes), 4)).toEqual(Buffer.from(original));
      });
    }),
    { numRuns: 100 },
  );
});

test('single bytes are packed as they are', () => {
  expect([...inflateSync(packChunk(Uint8Array.of(3, 1, 2)).packed)]).toEqual([3, 1, 2]);
});
