import { createHash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { errorCode } from '../disk-errors.ts';

const ABANDONED_AFTER_MS = HOUR_MS;

/** A file that becomes an object by being renamed, or nothing at all. */
interface TemporaryFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** The files being written below one directory, which is on the file system of the objects. */
export interface TemporaryFiles {
  create(): Promise<TemporaryFile>;
  /** Closes and removes the file, unless it was renamed away. */
  discard(file: TemporaryFile): Promise<void>;
}

/** Also removes what processes that are gone have left behind. */
export async function openTemporaryFiles(directory: string): Promise<TemporaryFiles> {
  await mkdir(directory, { recursive: true });
  await sweep(directory);
  return {
    async create() {
      const path = join(directory, `${OWNER}-${process.pid}-${randomBytes(8).toString('hex')}`);
      return { path, handle: await open(path, 'wx') };
    },
    async discard({ path, handle }) {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}

async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (isOrphan(name) || (await isOld(path))) await rm(path, { force: true });
  }
}

function isOrphan(name: string): boolean {
  const [owner, pid] = name.split('-');
  return owner === OWNER && !isAlive(Number(pid));
}

async function isOld(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_AFTER_MS;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Process ids only mean something within one machine and one container, which may share the directory with others. */
const OWNER = createHash('sha256').update(hostname()).update(processNamespace()).digest('hex').slice(0, 12);

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
