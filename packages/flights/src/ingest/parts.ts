/** Archives that `split` has cut into `day.tar.aa`, `day.tar.ab`, …: one stream, in this order. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FormatError } from './errors.ts';

const PART = /^(.+\.(?:tar|tgz|tar\.gz|tar\.zst))\.([a-z]{2})$/;
const READ_BYTES = 2 ** 18;

/** All parts of the archive that a file is a part of, in their order; the file alone where it is not one. */
export async function partsOf(path: string): Promise<string[]> {
  const [, stem] = PART.exec(basename(path)) ?? [];
  if (stem === undefined) return [path];
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => [basename(path)]);
  const suffixes = names
    .map((name) => PART.exec(name))
    .filter((match) => match?.[1] === stem)
    .map((match) => match?.[2] as string)
    .sort();
  // A compressed archive is called day.tar.gz; that is not a part.
  if (!suffixes.includes('aa') && path.endsWith('.gz')) return [path];
  const missing = suffixes.findIndex((suffix, k) => suffix !== suffixAt(k));
  if (missing !== -1) {
    const name = `${stem}.${suffixAt(missing)}`;
    throw new FormatError(
      `${name} is missing: parts of an archive are read together; put it beside the others`,
      {
        code: 'missing_part',
        missing: name,
      },
    );
  }
  return suffixes.map((suffix) => join(folder, `${stem}.${suffix}`));
}

/** `aa`, `ab`, … `az`, `ba`, … */
export function suffixAt(index: number): string {
  const letter = (k: number) => String.fromCharCode(0x61 + k);
  return letter(Math.floor(index / 26)) + letter(index % 26);
}

/** Files without those that are parts of an archive of which another part stands before them. */
export async function withoutOtherParts(paths: readonly string[]): Promise<string[]> {
  const seen = new Set<string>();
  const kept: string[] = [];
  for (const path of paths) {
    const [first = path] = PART.test(basename(path)) ? await partsOf(path) : [path];
    if (seen.has(first)) continue;
    seen.add(first);
    kept.push(path);
  }
  return kept;
}

/** The bytes of files, in turn. */
export async function* readParts(paths: readonly string[], readBytes = READ_BYTES): AsyncGenerator<Buffer> {
  for (const path of paths) yield* createReadStream(path, { highWaterMark: readBytes });
}
