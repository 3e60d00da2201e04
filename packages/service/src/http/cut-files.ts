/** Files that are cut from stored ones on request and kept for a while, because clients ask for one range after the other. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnavailableError } from '../errors.ts';
import type { File } from './files.ts';

const AT_ONCE = 2;
const MAX_WAITING = 16;
const MAX_KEPT = 8;
const MAX_KEPT_BYTES = 2 ** 30;

interface Cut {
  readonly path: string;
  readonly size: number;
}

export function createCutFiles() {
  const kept = new Map<string, Promise<Cut>>();
  const queue = createQueue(AT_ONCE, MAX_WAITING);
  let folder: Promise<string> | undefined;

  const cut = async (tag: string, make: (path: string) => Promise<void>): Promise<Cut> => {
    folder ??= mkdtemp(join(tmpdir(), 'contrails-cut-'));
    const path = join(await folder, tag);
    await queue(async () => {
      await make(`${path}.part`);
      await rename(`${path}.part`, path);
    });
    return { path, size: (await stat(path)).size };
  };

  const forget = async (tag: string) => {
    const file = await kept.get(tag)?.catch(() => undefined);
    kept.delete(tag);
    if (file !== undefined) await rm(file.path, { force: true });
  };

  const makeRoom = async () => {
    const files = await Promise.all([...kept].map(async ([tag, file]) => ({ tag, size: (await file).size })));
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const [index, { tag, size }] of files.entries()) {
      if (files.length - index <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) return;
      bytes -= size;
      await forget(tag);
    }
  };

  return {
    /**
     * The file of a subject, which names everything that its bytes depend on; `make` writes it to a path where it is not
     * kept. The entity tag follows from the subject.
     */
    async open(subject: string, modifiedMs: number, make: (path: string) => Promise<void>): Promise<File> {
      const tag = createHash('sha256').update(subject).digest('hex');
      let result = kept.get(tag);
      if (result === undefined) {
        result = cut(tag, make);
        kept.set(tag, result);
        result.then(makeRoom).catch(() => kept.delete(tag));
      }
      const { path, size } = await result;
      return {
        size,
        sha256: tag,
        modifiedMs,
        // Opened at once: a file that is forgotten meanwhile can still be read to its end.
        async open(range) {
          const stream = createReadStream(
            path,
            range === undefined ? {} : { start: range.first, end: range.last },
          );
          await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject));
          return stream;
        },
      };
    },
    async close(): Promise<void> {
      if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
    },
  };
}

/** Runs so many at once; refuses when too many wait. */
function createQueue(atOnce: number, maxWaiting: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) {
        throw new UnavailableError('too many filtered requests wait', { retryAfterSeconds: 5 });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
