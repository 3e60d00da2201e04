import { promisify } from 'node:util';
import { gunzip, inflate, zstdDecompress } from 'node:zlib';
import { registry } from 'zarrita';
import { unpackBlosc } from './blosc.ts';
import { unpackLz4 } from './lz4.ts';

type Unpack = (bytes: Uint8Array) => Promise<Uint8Array>;

/**
 * Replaces codecs of the library by those of Node where there are any: several times faster than WebAssembly, and parallel
 * to other work. Blosc and LZ4 are ours, because the library returns numbers for damaged bytes without an error.
 */
export function registerCodecs(): void {
  register('gzip', async () => promisify(gunzip));
  register('zlib', async () => promisify(inflate));
  register('zstd', async () => promisify(zstdDecompress));
  register('blosc', async () => unpackBlosc);
  register('lz4', async () => unpackSizedLz4);
  const checksum = bytesCodec(async (bytes) => {
    const end = bytes.length - CRC_LENGTH;
    if (end < 0 || crc32c(bytes.subarray(0, end)) !== viewOf(bytes).getUint32(end, true)) {
      throw new RangeError('its checksum is wrong');
    }
    return bytes.subarray(0, end);
  });
  const codec = { ...checksum, computeEncodedSize: (size: number) => size + CRC_LENGTH };
  registry.set('crc32c', async () => ({ kind: codec.kind, fromConfig: () => codec }));
}

const CRC_LENGTH = 4;

function register(name: string, unpacker: () => Promise<Unpack>): void {
  const entry = async () => {
    const codec = bytesCodec(await unpacker());
    return { kind: codec.kind, fromConfig: () => codec };
  };
  registry.set(name, entry);
  registry.set(`numcodecs.${name}`, entry);
}

function bytesCodec(decode: Unpack) {
  return {
    kind: 'bytes_to_bytes' as const,
    encode: (): never => {
      throw new Error('stores are not written');
    },
    decode,
  };
}

/** The length precedes the block. */
async function unpackSizedLz4(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length < 4) throw new RangeError('the packed bytes end early');
  const unpacked = new Uint8Array(viewOf(bytes).getUint32(0, true));
  unpackLz4(bytes.subarray(4), unpacked);
  return unpacked;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Checksum of Castagnoli (RFC 3720), which guards the index of a shard. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffff_ffff) >>> 0;
}

const POLYNOMIAL = 0x82f6_3b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});
