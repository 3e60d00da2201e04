import { parseFileName } from '@contrails/observations/file-names';
import { finishedFiles } from '@contrails/platform/feeds/finished-files';
import { sha256OfFile } from '@contrails/platform/sha256';
import { knownFiles, noteFiles, type SeenFile } from './inputs.ts';
import type { Look } from './look.ts';

/** Frames further back than a folder's files ever are. */
const BEGINNING_MS = 0;

/** Notes the finished files of a folder that are new or have changed since. */
export const lookIntoFolder: Look = async ({ database }, source, detector, signal) => {
  const known = await knownFiles(database, source.name, BEGINNING_MS);
  const fresh: SeenFile[] = [];
  for (const { path, bytes, signature } of await finishedFiles(source.path, 'observations.sources')) {
    signal.throwIfAborted();
    if (known.get(path) === signature) continue;
    if (parseFileName(path)?.satellite !== source.satellite) continue;
    const checksum = await sha256OfFile(path).catch(() => undefined);
    // It went away, or cannot be opened: the next look sees.
    if (checksum !== undefined) fresh.push({ path, bytes, signature, checksum });
  }
  return noteFiles(database, source, fresh, detector, Date.now());
};
