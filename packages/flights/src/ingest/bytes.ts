/** Bytes as they arrive: inspected before they are read, and decompressed. */
import * as zlib from 'node:zlib';
import { ContrailsError } from '@contrails/runtime';
import { DamagedError, TooLargeError } from './errors.ts';

export type Bytes = AsyncIterable<Uint8Array>;

/** The first bytes of an input, at least `length` unless it is shorter, and all of it, these included. */
async function peek(bytes: Bytes, length: number): Promise<Omit<Content, 'isPlain'>> {
  const source = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let damage: DamagedError | undefined;
  while (size < length) {
    try {
      const next = await source.next();
      if (next.done) break;
      chunks.push(next.value);
      size += next.value.length;
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      damage = error;
      break;
    }
  }
  const head = Buffer.concat(chunks);
  return { head, bytes: again(head, source, damage), damage };
}

async function* again(
  head: Buffer,
  source: AsyncIterator<Uint8Array>,
  damage: DamagedError | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    if (damage !== undefined) throw damage;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

const MAX_LAYERS = 3;

/** What may still be decompressed of an input: of all its layers and entries together. */
export class Allowance {
  private readonly maxBytes: number;
  private used = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Throws a `TooLargeError` when the bytes are more than is left. */
  take(bytes: number): void {
    this.used += bytes;
    if (this.used > this.maxBytes) throw new TooLargeError(this.maxBytes);
  }
}

/** Decompresses gzip and Zstandard, identified by their first bytes. */
export async function decompress(bytes: Bytes, allowance: Allowance): Promise<Content> {
  let content: Content = { ...(await peek(bytes, HEAD_BYTES)), isPlain: true };
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const create = decompressorOf(content.head);
    if (create === undefined) break;
    content = { ...(await peek(decompressed(content.bytes, create, allowance), HEAD_BYTES)), isPlain: false };
  }
  return content;
}

/** Decompresses bytes that are known to be compressed; throws a `DamagedError` where they break off. */
export function unpack(
  bytes: Bytes,
  kind: 'gzip' | 'deflate-raw' | 'zstd',
  maxBytes: number,
): AsyncGenerator<Buffer> {
  return decompressed(bytes, DECOMPRESSORS[kind], new Allowance(maxBytes));
}

const DECOMPRESSORS = {
  gzip: () => zlib.createGunzip(),
  'deflate-raw': () => zlib.createInflateRaw(),
  zstd: () => zlib.createZstdDecompress(),
} as const;

/** Bytes that are decompressed where they were compressed. */
export interface Content {
  /** The first of them. */
  readonly head: Buffer;
  readonly bytes: Bytes;
  /** What ends the bytes within `head`. */
  readonly damage: DamagedError | undefined;
  /** They were not compressed. */
  readonly isPlain: boolean;
}

/** Enough to tell formats apart. */
const HEAD_BYTES = 65_536;
const ZSTD = 0xfd2fb528;

type Decompressor = zlib.Gunzip | zlib.InflateRaw | zlib.ZstdDecompress;

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

/**
 * Compressed bytes that are decompressed at once. What comes out of them waits in memory, at most a thousand times as much;
 * and what is good among them is lost when damage follows within them.
 */
const SLICE_BYTES = 8192;

/** All that can be decompressed comes out, also before damage; then the error follows. */
async function* decompressed(
  source: Bytes,
  create: () => Decompressor,
  allowance: Allowance,
): AsyncGenerator<Buffer> {
  let input = 0;
  let stage = new Stage(create());
  const take = () => {
    const chunks = stage.take();
    for (const { length } of chunks) allowance.take(length);
    return chunks;
  };
  try {
    for await (const chunk of source) {
      for (let from = 0; from < chunk.length; ) {
        const slice = chunk.subarray(from, from + SLICE_BYTES);
        const used = await stage.write(slice);
        yield* take();
        from += used;
        input += used;
        // A stream of Zstandard ends with its first frame; others may follow.
        if (stage.hasEnded) stage = new Stage(create());
      }
    }
    await stage.end();
    yield* take();
  } catch (error) {
    yield* take();
    if (stage.failure === undefined || error !== stage.failure) throw error;
    throw new DamagedError(`the compressed data is damaged after byte ${input} (${stage.failure.message})`, {
      cause: error,
      facts: { byte: input },
    });
  } finally {
    stage.stream.destroy();
  }
}

/** One stream of zlib. What it has decompressed is taken from it at once: it would lose it when it fails. */
class Stage {
  readonly stream: Decompressor;
  failure: Error | undefined;
  hasEnded = false;
  private readonly ready: Buffer[] = [];
  private settle: () => void = () => {};

  constructor(stream: Decompressor) {
    this.stream = stream;
    stream.on('data', (chunk: Buffer) => this.ready.push(chunk));
    stream.on('end', () => {
      this.hasEnded = true;
      this.settle();
    });
    stream.on('error', (error) => {
      this.failure = error;
      this.settle();
    });
  }

  /** How many of the bytes were used. */
  async write(bytes: Uint8Array): Promise<number> {
    const before = this.stream.bytesWritten;
    await this.until((done) => this.stream.write(bytes, () => done()));
    return this.stream.bytesWritten - before;
  }

  async end(): Promise<void> {
    // A fresh stream reports nothing when it ends before any byte.
    if (this.stream.bytesWritten === 0) return;
    await this.until(() => this.stream.end());
  }

  take(): Buffer[] {
    return this.ready.splice(0);
  }

  private async until(act: (done: () => void) => void): Promise<void> {
    if (this.failure === undefined) {
      await new Promise<void>((resolve) => {
        this.settle = resolve;
        act(resolve);
      });
    }
    if (this.failure !== undefined) throw this.failure;
  }
}
