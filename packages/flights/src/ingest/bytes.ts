/** Bytes as they arrive: looked at before they are read, and decompressed. */
import * as zlib from 'node:zlib';
import { ContrailsError } from '@contrails/runtime';
import { DamagedError } from './errors.ts';

export type Bytes = AsyncIterable<Uint8Array>;

/** The first bytes of an input, at least `length` unless it is shorter, and all of it, these included. */
async function peek(bytes: Bytes, length: number): Promise<{ head: Buffer; bytes: Bytes }> {
  const source = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ending: { readonly error: unknown } | undefined;
  while (size < length) {
    try {
      const next = await source.next();
      if (next.done) break;
      chunks.push(next.value);
      size += next.value.length;
    } catch (error) {
      ending = { error };
      break;
    }
  }
  const head = Buffer.concat(chunks);
  return { head, bytes: again(head, source, ending) };
}

async function* again(
  head: Buffer,
  source: AsyncIterator<Uint8Array>,
  ending: { readonly error: unknown } | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    if (ending !== undefined) throw ending.error;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

const MAX_LAYERS = 3;

/** Decompresses gzip and Zstandard, which are told by their first bytes. */
export async function decompress(bytes: Bytes): Promise<Content> {
  let content: Content = { ...(await peek(bytes, HEAD_BYTES)), isPlain: true };
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const create = decompressorOf(content.head);
    if (create === undefined) break;
    content = { ...(await peek(decompressed(content.bytes, create()), HEAD_BYTES)), isPlain: false };
  }
  return content;
}

/** Bytes that are decompressed where they were compressed. */
export interface Content {
  /** The first of them. */
  readonly head: Buffer;
  readonly bytes: Bytes;
  /** They were not compressed. */
  readonly isPlain: boolean;
}

/** Enough to tell formats apart. */
const HEAD_BYTES = 65_536;
const ZSTD = 0xfd2fb528;

type Decompressor = zlib.Gunzip | zlib.ZstdDecompress;

function decompressorOf(head: Buffer): (() => Decompressor) | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return zlib.createGunzip;
  if (head.length < 4 || head.readUInt32LE(0) !== ZSTD) return undefined;
  if (zlib.createZstdDecompress === undefined) {
    throw new ContrailsError(
      `the input is compressed with Zstandard, which Node ${process.version} cannot read; use Node 22.15 or later, or decompress it first with zstd -d`,
    );
  }
  return zlib.createZstdDecompress;
}

/** Compressed bytes that are decompressed at once. They become 64 MiB at most. */
const SLICE_BYTES = 65_536;

/** All that can be decompressed comes out, also before damage; then the error follows. */
async function* decompressed(source: Bytes, stream: Decompressor): AsyncGenerator<Buffer> {
  const ready: Buffer[] = [];
  let failure: Error | undefined;
  let onFailure = (_: Error) => {};
  // Waiting readers would lose what the stream holds when it fails, so that it never holds anything.
  stream.on('data', (chunk: Buffer) => ready.push(chunk));
  stream.on('error', (error) => {
    failure = error;
    onFailure(error);
  });
  const settled = (act: (done: () => void) => void) =>
    new Promise<void>((resolve, reject) => {
      onFailure = reject;
      if (failure === undefined) act(resolve);
      else reject(failure);
    });
  let input = 0;
  try {
    for await (const chunk of source) {
      for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
        const slice = chunk.subarray(from, from + SLICE_BYTES);
        await settled((done) => stream.write(slice, () => done()));
        input += slice.length;
        yield* ready.splice(0);
      }
    }
    await settled((done) => {
      stream.once('end', done);
      stream.end();
    });
    yield* ready.splice(0);
  } catch (error) {
    yield* ready.splice(0);
    if (failure === undefined || error !== failure) throw error;
    throw new DamagedError(`the compressed data is damaged after byte ${input} (${failure.message})`, {
      cause: error,
      facts: { byte: input },
    });
  } finally {
    stream.destroy();
  }
}
