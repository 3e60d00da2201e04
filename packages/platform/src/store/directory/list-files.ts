import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isObjectKey, isSegment } from '../object-key.ts';
import type { ListedObject } from '../store.ts';
import { isAbsent, isPlainDirectory } from './layout.ts';

/** How many files are checked together. */
const BATCH = 64;

/** The plain files below the root whose key starts with the prefix, in the order of the keys. */
export async function* listFiles(root: string, prefix: string): AsyncGenerator<ListedObject> {
  const slash = prefix.lastIndexOf('/') + 1;
  const start = join(root, ...prefix.slice(0, slash).split('/'));
  if (await isPlainDirectory(start)) yield* walk(start, prefix.slice(0, slash), prefix.slice(slash));
}

async function* walk(directory: string, parent: string, startOfName: string): AsyncGenerator<ListedObject> {
  const entries = (await entriesOf(directory))
    .filter((entry) => entry.name.startsWith(startOfName) && isSegment(entry.name))
    .map((entry) => ({ entry, name: entry.isDirectory() ? `${entry.name}/` : entry.name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (let first = 0; first < entries.length; first += BATCH) {
    const batch = entries.slice(first, first + BATCH);
    const files = await Promise.all(
      batch.map(({ entry }) => (entry.isFile() ? statOf(join(directory, entry.name)) : undefined)),
    );
    for (const [position, { entry, name }] of batch.entries()) {
      const key = parent + name;
      const file = files[position];
      if (entry.isDirectory()) yield* walk(join(directory, entry.name), key, '');
      else if (file?.isFile() && isObjectKey(key)) {
        yield { key, size: file.size, modifiedMs: Math.floor(file.mtimeMs) };
      }
    }
  }
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    // Removed since its name was read.
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
