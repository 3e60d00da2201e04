import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openSource, type SourceSummary, summarise } from '@contrails/met';
import { sha256OfFile } from '@contrails/platform/sha256';
import { ContrailsError, NotFoundError, UsageError } from '@contrails/runtime/errors';
import type { CoreConfig } from '../config/core.ts';
import type { FileSourceConfig } from '../config/met-sources.ts';
import { escapePattern, importDirectory, settingsOf } from './sources.ts';

export interface ImportOptions {
  /** Whether a file takes the place of another one of its name. */
  readonly replace: boolean;
  /** Receives how much of a file is copied. */
  readonly onProgress?: (file: string, done: number, total: number) => void;
}

/** What became of one file. */
export type ImportedFile =
  | { readonly file: string; readonly state: 'imported' | 'already there'; readonly holds: SourceSummary }
  | { readonly file: string; readonly state: 'refused'; readonly message: string };

/** Imports files into the data directory, where the source of that name reads them; each is checked first. */
export async function importWeather(
  config: CoreConfig,
  name: string,
  files: readonly string[],
  options: ImportOptions,
): Promise<ImportedFile[]> {
  const source = fileSource(config, name);
  const directory = importDirectory(config, name);
  if (directory === undefined) {
    throw new UsageError(
      'data is a bucket; weather is imported into a directory only, so name the files under paths of the source instead',
    );
  }
  await mkdir(directory, { recursive: true });
  const results: ImportedFile[] = [];
  for (const file of files) {
    try {
      results.push(await importFile(config, source, file, directory, options));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      results.push({ file, state: 'refused', message: error.message });
    }
  }
  return results;
}

function fileSource(config: CoreConfig, name: string): FileSourceConfig {
  const source = config.met.sources.find((one) => one.name === name);
  if (source === undefined) {
    throw new NotFoundError(
      `there is no weather source ${name}; add it to the configuration first: ` +
        `met: { sources: [ { name: ${name}, kind: netcdf, provider: ECMWF, dataset: ERA5, product: reanalysis } ] }`,
    );
  }
  if (source.kind === 'netcdf' || source.kind === 'grib') return source;
  const remedy = source.kind === 'zarr' ? 'its stores are used where they are' : 'it needs no files';
  throw new UsageError(`${name} is a source of kind ${source.kind}; ${remedy}`);
}

async function importFile(
  config: CoreConfig,
  source: FileSourceConfig,
  file: string,
  directory: string,
  { replace, onProgress }: ImportOptions,
): Promise<ImportedFile> {
  const path = resolve(file);
  const size = await sizeOf(path);
  const holds = await lookInto(config, source, path);
  const target = join(directory, basename(path));
  if (target === path) return { file, state: 'already there', holds };
  if (!replace && (await exists(target))) {
    if ((await sha256OfFile(path)) === (await sha256OfFile(target)))
      return { file, state: 'already there', holds };
    throw new ContrailsError(
      'another file of this name was imported before; give --replace to put this one in its place, or rename it',
    );
  }
  await requireSpace(directory, size);
  await copyWhole(path, target, (done) => onProgress?.(file, done, size));
  return { file, state: 'imported', holds };
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new ContrailsError(`it cannot be read (${error.code}); check the path`, { cause: error });
  });
  if (!found.isFile()) throw new ContrailsError('it is not a file; name the files themselves');
  return found.size;
}

/** Reads the header of one file as the source would read it. */
async function lookInto(config: CoreConfig, source: FileSourceConfig, path: string): Promise<SourceSummary> {
  const alone = { ...settingsOf(source, config), paths: [escapePattern(path)] };
  const opened = await openSource(alone);
  try {
    return summarise(await opened.describe());
  } finally {
    await opened.close();
  }
}

async function requireSpace(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= bytes) return;
  const mebibytes = (value: number) => Math.ceil(value / 2 ** 20);
  throw new ContrailsError(
    `it needs ${mebibytes(bytes)} MiB, but the disk of ${directory} has ${mebibytes(bavail * bsize)} MiB left; free some space`,
  );
}

/** A file whose copy ended early is never where the source looks for it. */
async function copyWhole(from: string, to: string, onProgress: (done: number) => void): Promise<void> {
  const incoming = join(to, '..', '..', '.incoming');
  await mkdir(incoming, { recursive: true });
  const part = join(incoming, `${basename(to)}.${process.pid}`);
  let done = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      onProgress(done);
      next(null, chunk);
    },
  });
  try {
    await pipeline(createReadStream(from), counting, createWriteStream(part, { flush: true }));
    await rename(part, to);
  } finally {
    await rm(part, { force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
