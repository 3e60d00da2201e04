import fc from 'fast-check';
import Blosc from 'numcodecs/blosc';
import { expect, test } from 'vitest';
import {
  BLOSC_HEADER_BYTES,
  blockBytes,
  readBloscIndex,
  unpackBlock,
  unpackBlosc,
} from '../../../src/sources/zarr/blosc.ts';

/** Bytes that compress more or less, as numbers of weather do. */
const contents = fc
  .record({
    length: fc.integer({ min: 1, max: 150_000 }),
    period: fc.integer({ min: 1, max: 5000 }),
    noise: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ length, period, noise }) =>
    Uint8Array.from(
      { length },
      (_, i) => ((i % period) * 31 + ((Math.imul(i, 2_654_435_761) >>> 24) & noise)) & 255,
    ),
  );
const options = fc.record({
  cname: fc.constantFrom('blosclz', 'lz4', 'lz4hc', 'zlib', 'zstd'),
  shuffle: fc.constantFrom(0, 1, 2),
  clevel: fc.integer({ min: 0, max: 9 }),
  blocksize: fc.constantFrom(0, 512, 4096, 65_536),
});

const pack = async (
  bytes: Uint8Array,
  how: { cname: string; shuffle: number; clevel: number; blocksize: number },
) => Blosc.fromConfig({ id: 'blosc', ...how }).encode(bytes);

test('whatever the library packs is unpacked to the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(contents, options, async (bytes, how) => {
      expect(Buffer.compare(await unpackBlosc(await pack(bytes, how)), bytes)).toBe(0);
    }),
    { numRuns: 25 },
  );
});

test('any block is unpacked without the others', async () => {
  await fc.assert(
    fc.asyncProperty(contents, options, fc.nat(), async (bytes, how, number) => {
      const packed = await pack(bytes, how);
      const index = readBloscIndex(packed);
      const block = number % index.starts.length;
      const first = block * index.blockLength;
      const to = new Uint8Array(blockBytes(index, block));
      const own = packed.slice(index.starts[block], index.ends[block]);
      await unpackBlock(index, own, to, new Uint8Array(to.length));
      expect(Buffer.compare(to, bytes.subarray(first, first + to.length))).toBe(0);
    }),
    { numRuns: 25 },
  );
});

test('damaged bytes are refused or give the right length, and never hang', async () => {
  const damage = fc.record({ at: fc.nat(), xor: fc.integer({ min: 1, max: 255 }) });
  const rare = new Set(['blosclz']);
  const ours = options.filter(({ cname, shuffle }) => !rare.has(cname) && shuffle < 2);
  await fc.assert(
    fc.asyncProperty(contents, ours, damage, async (bytes, how, { at, xor }) => {
      const packed = Uint8Array.from(await pack(bytes, how));
      const place = BLOSC_HEADER_BYTES + (at % Math.max(packed.length - BLOSC_HEADER_BYTES, 1));
      packed[place] = (packed[place] as number) ^ xor;
      const outcome = await unpackBlosc(packed).catch((error: unknown) => error);
      if (outcome instanceof Uint8Array) expect(outcome.length).toBe(bytes.length);
      else expect(outcome).toBeInstanceOf(Error);
    }),
    { numRuns: 25 },
  );
});

test('bytes that end early are refused', async () => {
  const packed = await pack(new Uint8Array(100_000).fill(7), {
    cname: 'lz4',
    shuffle: 1,
    clevel: 5,
    blocksize: 4096,
  });
  for (const length of [0, 8, 16, 20, packed.length - 1]) {
    await expect(unpackBlosc(packed.subarray(0, length))).rejects.toThrow(RangeError);
  }
});
