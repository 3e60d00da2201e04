import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { readAt } from '../dataset/read-at.ts';
import { RemoteFailure } from './failures.ts';
import type { FetchTools, Piece, PlannedFile } from './provider.ts';
import { mergeRanges } from './ranges.ts';
import type { Remote } from './remote.ts';

/** Throws a `damaged` failure for bytes that are not this piece. */
export type CheckPiece = (bytes: Uint8Array, piece: Piece) => void | Promise<void>;

/** Gathers the pieces of a remote file in a local one; only verified ones are ever written, and none is fetched again. Returns its SHA-256. */
export async function fetchPieces(
  remote: Remote,
  file: PlannedFile,
  check: CheckPiece,
  tools: FetchTools,
): Promise<string> {
  const handle = await open(tools.part, 'a+').then(async (created) => {
    await created.close();
    return open(tools.part, 'r+');
  });
  try {
    const gathering = new Gathering(handle, file.pieces, check, tools);
    await gathering.resume();
    let isSecond = false;
    while (gathering.rest.length > 0) {
      try {
        await (remote.hasRanges ? fetchRanges(remote, file, gathering) : fetchWhole(remote, file, gathering));
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        if (error.kind === 'no-ranges') continue;
        if (error.kind !== 'damaged' || isSecond) throw error;
        isSecond = true;
      }
    }
    await handle.sync();
    return gathering.sha256();
  } finally {
    await handle.close();
  }
}

async function fetchRanges(remote: Remote, file: PlannedFile, gathering: Gathering): Promise<void> {
  const requests = mergeRanges(gathering.rest);
  const room = Buffer.allocUnsafe(Math.max(...requests.map(({ first, last }) => last - first + 1)));
  for (const { first, last, holds } of requests) {
    const bytes = await remote.range(file.path, { first, last, etag: file.etag, room });
    await gathering.add(
      holds.map(({ offset, length }) => bytes.subarray(offset - first, offset - first + length)),
    );
  }
}

/** Reads past everything that is not wanted; a try that fails continues after the last piece that is there. */
async function fetchWhole(remote: Remote, file: PlannedFile, gathering: Gathering): Promise<void> {
  await remote.tried(file.path, async () => {
    let position = 0;
    let kept: Buffer[] = [];
    await remote.stream(file.path, file.etag, async (arrived) => {
      let unread = arrived;
      while (unread.length > 0) {
        const [wanted] = gathering.rest;
        if (wanted === undefined) return false;
        const end = wanted.offset + wanted.length;
        const from = Math.max(wanted.offset - position, 0);
        const taken = unread.subarray(from, Math.max(end - position, 0));
        if (taken.length > 0) kept.push(taken);
        const used = Math.min(unread.length, Math.max(end - position, 0));
        position += used;
        unread = unread.subarray(used);
        if (position < end) break;
        await gathering.add([Buffer.concat(kept)]);
        kept = [];
      }
      return gathering.rest.length > 0;
    });
  });
}

/** Pieces in the order of the remote file, contiguous in the local one. */
class Gathering {
  readonly #handle: FileHandle;
  readonly #pieces: readonly Piece[];
  readonly #check: CheckPiece;
  readonly #tools: FetchTools;
  readonly #hash = createHash('sha256');
  #count = 0;
  #bytes = 0;

  constructor(handle: FileHandle, pieces: readonly Piece[], check: CheckPiece, tools: FetchTools) {
    this.#handle = handle;
    this.#pieces = pieces;
    this.#check = check;
    this.#tools = tools;
  }

  get rest(): readonly Piece[] {
    return this.#pieces.slice(this.#count);
  }

  /** Keeps the whole pieces that are there, and cuts off what follows them. */
  async resume(): Promise<void> {
    for (const piece of this.#pieces) {
      const bytes = await readAt(this.#handle, this.#bytes, piece.length);
      if (bytes.length < piece.length) break;
      try {
        await this.#check(bytes, piece);
      } catch (error) {
        if (error instanceof RemoteFailure) break;
        throw error;
      }
      this.#hash.update(bytes);
      this.#count += 1;
      this.#bytes += piece.length;
    }
    await this.#handle.truncate(this.#bytes);
    this.#tools.onProgress(this.#bytes);
  }

  /** Of all pieces; the last call. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  /** The next pieces; those before a damaged one are kept. */
  async add(pieces: readonly Uint8Array[]): Promise<void> {
    const verified: Uint8Array[] = [];
    try {
      for (const bytes of pieces) {
        await this.#check(bytes, this.#pieces[this.#count + verified.length] as Piece);
        verified.push(bytes);
      }
    } finally {
      if (verified.length > 0) await this.#write(verified);
    }
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    const end = this.#bytes + pieces.reduce((sum, { length }) => sum + length, 0);
    let position = this.#bytes;
    const unwritten = [...pieces];
    try {
      while (unwritten[0] !== undefined) {
        const { bytesWritten } = await this.#handle.writev(unwritten, position);
        position += bytesWritten;
        let passed = bytesWritten;
        while (unwritten[0] !== undefined && passed >= unwritten[0].length)
          passed -= (unwritten.shift() as Uint8Array).length;
        if (unwritten[0] !== undefined) unwritten[0] = unwritten[0].subarray(passed);
      }
    } finally {
      for (const bytes of pieces.slice(0, pieces.length - unwritten.length)) {
        this.#hash.update(bytes);
        this.#count += 1;
        this.#bytes += bytes.length;
      }
      // A full disk must not leave part of a piece behind.
      if (this.#bytes < end) await this.#handle.truncate(this.#bytes).catch(() => undefined);
    }
    this.#tools.onProgress(this.#bytes);
  }
}
