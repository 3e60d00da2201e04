import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { readAt } from '../dataset/read-at.ts';
import { RemoteFailure } from '../sync/failures.ts';

const LOCAL_HEADER = 30;
const DIRECTORY_HEADER = 46;
const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const IN_ZIP64 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly method: number;
  readonly crc: number;
  /** Of the packed bytes in the archive. */
  readonly offset: number;
  readonly packed: number;
  readonly size: number;
}

/** Replaces a ZIP archive of one file by the file, piece by piece; leaves any other file as it is. */
export async function unzipInPlace(path: string): Promise<void> {
  const entry = await findEntry(path);
  if (entry === undefined) return;
  const { method, offset, packed, size } = entry;
  const temporary = `${path}.unpacked`;
  let [crc, length] = [0, 0];
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      crc = crc32(chunk, crc);
      length += chunk.length;
      done(null, chunk);
    },
  });
  const bytes = createReadStream(path, { start: offset, end: offset + packed - 1 });
  const out = createWriteStream(temporary, { flush: true });
  try {
    await (method === STORED ? pipeline(bytes, count, out) : pipeline(bytes, createInflateRaw(), count, out));
  } catch (error) {
    await rm(temporary, { force: true });
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
    throw damaged();
  }
  if (crc !== entry.crc || length !== size) throw damaged();
  await rename(temporary, path);
}

/** The one entry of an archive by its directory; undefined where the file is not an archive. */
async function findEntry(path: string): Promise<Entry | undefined> {
  const handle = await open(path, 'r');
  try {
    const start = await readAt(handle, 0, 4);
    if (Buffer.from(start).toString('latin1', 0, 2) !== 'PK') return undefined;
    const { size: bytes } = await handle.stat();
    const tailAt = Math.max(bytes - END_LENGTH - MAX_COMMENT, 0);
    const tail = Buffer.from(await readAt(handle, tailAt, bytes - tailAt));
    const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
    if (end < 0 || end + END_LENGTH > tail.length) throw damaged();
    const count = tail.readUInt16LE(end + 10);
    const directoryAt = tail.readUInt32LE(end + 16);
    if (count !== 1) throw notRead(`it holds ${count} files`);
    if (directoryAt === IN_ZIP64) throw notRead('it is larger than 4 GiB');
    const directory = Buffer.from(await readAt(handle, directoryAt, DIRECTORY_HEADER));
    if (directory.length < DIRECTORY_HEADER) throw damaged();
    const method = directory.readUInt16LE(10);
    if (method !== STORED && method !== DEFLATED) throw notRead(`its method is ${method}`);
    const at = directory.readUInt32LE(42);
    const local = Buffer.from(await readAt(handle, at, LOCAL_HEADER));
    if (local.length < LOCAL_HEADER) throw damaged();
    return {
      method,
      crc: directory.readUInt32LE(16),
      offset: at + LOCAL_HEADER + local.readUInt16LE(26) + local.readUInt16LE(28),
      packed: directory.readUInt32LE(20),
      size: directory.readUInt32LE(24),
    };
  } finally {
    await handle.close();
  }
}

const damaged = () => new RemoteFailure('damaged', 'a ZIP archive is damaged', 'sent a damaged ZIP archive');

const notRead = (why: string) =>
  new RemoteFailure(
    'refused',
    `a ZIP archive is not read: ${why}`,
    `sent a ZIP archive that is not read (${why})`,
  );
