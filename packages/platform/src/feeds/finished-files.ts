import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UnavailableError } from '@contrails/runtime/errors';

/** A file that was not written to for so long is finished; one that is renamed into the folder usually is older. */
const QUIET_MS = 5_000;
/** Names that programs give to files they are still writing. */
const UNFINISHED = /(^\.|\.(tmp|temp|part|partial|incomplete|crdownload|swp)$|~$)/i;

export interface FinishedFile {
  readonly path: string;
  readonly bytes: number;
  /** Changes when the file does. */
  readonly signature: string;
}

/** Files of a folder and the folders in it that are not being written, in the order of their paths. */
export async function finishedFiles(directory: string, setting: string): Promise<FinishedFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      throw new UnavailableError(`the folder ${directory} cannot be read; check ${setting}`, {
        cause: error,
      });
    },
  );
  const files: FinishedFile[] = [];
  for (const entry of entries) {
    if (entry.isDirectory() || UNFINISHED.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || !found.isFile() || found.size === 0) continue;
    const changedMs = Math.max(found.mtimeMs, found.ctimeMs);
    if (Date.now() - changedMs < QUIET_MS) continue;
    files.push({ path, bytes: found.size, signature: `${found.size}:${Math.round(found.mtimeMs)}` });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
