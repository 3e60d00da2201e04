import { promisify } from 'node:util';
import { gunzip, inflate, zstdDecompress } from 'node:zlib';
import { registry } from 'zarrita';
import { crc32c } from './crc32c.ts';

type Unpack = (bytes: Uint8Array) => Promise<Uint8Array>;

/**
 * Has what Node can unpack itself unpacked by it: several times quicker than WebAssembly, and beside other work. The
 * others are checked first, because they make numbers of damaged bytes without a word.
 */
export function registerCodecs(): void {
  register('gzip', async () => promisify(gunzip));
  register('zlib', async () => promisify(inflate));
  register('zstd', async () => promisify(zstdDecompress));
  register('blosc', async () =>
    checked(requireBlosc, (await import('numcodecs/blosc')).default.fromConfig({})),
  );
  register('lz4', async () => checked(requireLz4, (await import('numcodecs/lz4')).default.fromConfig({})));
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

function checked(
  require: (bytes: Uint8Array) => number,
  { decode }: { decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> },
): Unpack {
  return async (bytes) => {
    const length = require(bytes);
    const unpacked = await decode(bytes);
    if (unpacked.length === length) return unpacked;
    throw new RangeError(`${unpacked.length} bytes were unpacked instead of ${length}`);
  };
}

/** The header says how long the packed bytes are, and how long they get. */
function requireBlosc(bytes: Uint8Array): number {
  const packed = bytes.length < 16 ? -1 : viewOf(bytes).getUint32(12, true);
  if (packed !== bytes.length) throw new RangeError(`${bytes.length} packed bytes of ${packed}`);
  return viewOf(bytes).getUint32(4, true);
}

function requireLz4(bytes: Uint8Array): number {
  if (bytes.length < 4) throw new RangeError('the packed bytes end early');
  return viewOf(bytes).getUint32(0, true);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
