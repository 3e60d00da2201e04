import { createHash } from 'node:crypto';
import { glob } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { MetError } from '../errors.ts';
import { type FileStamp, stampOf } from './file-stamp.ts';

/** The files that paths and globs, relative to a directory, stand for: in the given order, each glob's by name. */
export async function findFiles(directory: string, paths: readonly string[]): Promise<FileStamp[]> {
  const found = new Set<string>();
  for (const path of paths) {
    if (!/[*?[\]{}]/.test(path)) {
      found.add(resolve(directory, path));
      continue;
    }
    const matches: string[] = [];
    for await (const match of glob(path, { cwd: isAbsolute(path) ? '/' : directory })) {
      matches.push(resolve(isAbsolute(path) ? '/' : directory, match));
    }
    for (const match of matches.sort()) found.add(match);
  }
  if (found.size === 0) {
    throw new MetError('unavailable', `no file matches ${paths.join(', ')} in ${directory}`, {
      directory,
      paths,
    });
  }
  return Array.from(found, stampOf);
}

/** Changes when a file is added, removed, renamed or written. */
export function generationOf(directory: string, files: readonly FileStamp[]): string {
  const hash = createHash('sha256');
  for (const { path, size, modifiedMs } of files) {
    hash.update(`${relative(directory, path)}\0${size}\0${modifiedMs}\n`);
  }
  return hash.digest('hex').slice(0, 32);
}
