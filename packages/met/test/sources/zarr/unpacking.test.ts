import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { StoredObject } from '../../../src/sources/zarr/object-store.ts';
import { openUnpacked } from '../../../src/sources/zarr/unpacking.ts';

/** Overwrites each piece with the next one, as it may. */
function objectOf(bytes: Uint8Array, pieceBytes: number): StoredObject {
  const room = new Uint8Array(bytes.length);
  return {
    name: 'chunk',
    pieceBytes,
    read: async (offset, length) => {
      const piece = bytes.subarray(offset, offset + length);
      room.fill(0xff);
      room.set(piece);
      return room.subarray(0, piece.length);
    },
    close: async () => {},
  };
}

test.each([
  ['gzip', gzipSync],
  ['zlib', deflateSync],
  ['zstd', zstdCompressSync],
] as const)(
  'a chunk packed with %s is unpacked from pieces that are good until the next',
  async (packing, pack) => {
    const bytes = Uint8Array.from({ length: 50_000 }, (_, i) => (i * i) >>> 5);
    const unpacked = await openUnpacked(objectOf(pack(bytes), 100), packing, bytes.length, []);
    const first = (await unpacked.read(0, 20_000)).slice();
    const rest = (await unpacked.read(20_000, bytes.length)).slice();
    await unpacked.close();
    expect(Buffer.concat([first, rest]).equals(bytes)).toBe(true);
  },
);
