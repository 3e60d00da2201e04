/** Files that are cut from stored ones on request and kept for a while, because clients ask for one range after the other. */
import { createHash, randomUUID } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createLimiter, type TemporaryFolder } from '@contrails/runtime';
import { streamFile } from '../store/directory/file-bytes.ts';
import { makeFolder } from '../workspace.ts';
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
  const queue = createLimiter(AT_ONCE, { maxWaiting: MAX_WAITING, what: 'filtered requests' });
  let folder: Promise<TemporaryFolder> | undefined;

  const cut = async (make: (path: string) => Promise<void>): Promise<Cut> => {
    folder ??= makeFolder('cut').catch((error: unknown) => {
      folder = undefined;
      throw error;
    });
    // A new name: the removal of a forgotten file cannot meet the one that replaces it.
    const path = join((await folder).path, randomUUID());
    await queue(() => make(path)).catch(async (error: unknown) => {
      await rm(path, { force: true });
      throw error;
    });
    return { path, size: (await stat(path)).size };
  };

  const forget = async (tag: string, { path }: Cut) => {
    kept.delete(tag);
    await rm(path, { force: true });
  };

  /** Forgets the oldest files; never the last one, which is about to be read. */
  const makeRoom = async () => {
    const made = [...kept].map(async ([tag, result]) => ({ tag, result, file: await result }));
    // A cut that fails does not affect the others.
    const files = (await Promise.allSettled(made)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    let bytes = files.reduce((sum, { file }) => sum + file.size, 0);
    for (const [index, { tag, result, file }] of files.slice(0, -1).entries()) {
      if (files.length - index <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) return;
      bytes -= file.size;
      // Another turn may have forgotten it while this one waited, and a client may have asked for it again.
      if (kept.get(tag) === result) await forget(tag, file);
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
        result = cut(make);
        kept.set(tag, result);
        result.then(makeRoom, () => kept.delete(tag)).catch(() => undefined);
      }
      const { path, size } = await result;
      return {
        size,
        sha256: tag,
        modifiedMs,
        // Opened at once: a file that is forgotten meanwhile can still be read to its end.
        async open(range) {
          return streamFile(await open(path), range ?? { first: 0, last: size - 1 }, path);
        },
      };
    },
    async close(): Promise<void> {
      await (await folder)?.remove();
    },
  };
}
