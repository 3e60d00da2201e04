import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A digest of files and folders (by content and relative name) and of plain strings. */
export function digest(root, { paths = [], words = [] }) {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`word\0${word}\0`);
  for (const path of paths)
    for (const file of filesBelow(join(root, path))) {
      hash.update(`file\0${relative(root, file)}\0`);
      hash.update(readFileSync(file));
    }
  return hash.digest('hex');
}

/** True if the stamp file contains this digest: its step has run with the same inputs. */
export function isStamped(stampFile, value) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === value;
}

export function stamp(stampFile, value) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, value);
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules' && entry.name !== 'dist')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesBelow(join(path, entry.name)));
}
