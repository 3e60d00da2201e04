import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '@contrails/runtime';
import { changed, MetError } from '../errors.ts';
import { allocateField, type MetField } from '../field/field.ts';
import type { DataType, MetSource, QuarantinedFile, ReadOptions, SourceDescription } from '../source.ts';
import { ReadStalled } from '../threads/threads.ts';
import { requireNoGap } from '../windows/time-gaps.ts';
import { windowAxes } from '../windows/window-axes.ts';
import { type DatasetIndex, gridOf, type IndexEntry } from './dataset-index.ts';
import { type Contents, chooseRun, pathsHolding, type Run, runsOf, typeOf } from './description.ts';
import { type FileStamp, isSameFile, stampOf } from './file-stamp.ts';
import { inFile } from './in-file.ts';

/** Which files, and what they are in the words of the configuration. */
export interface FilesOptions {
  /** Files and globs, relative to `directory`. */
  readonly paths: readonly string[];
  readonly directory: string;
  readonly product: string;
  /** Whether the data are forecasts, where the files do not decide it. */
  readonly type?: DataType;
  /** [hPa] to which model levels are interpolated; those between 20 000 and 50 000 ft unless given. */
  readonly levels?: readonly number[];
  readonly onQuarantine?: (file: QuarantinedFile) => void;
}

/** What was found in one file. */
export interface InspectedFile<P extends IndexEntry> {
  readonly contents: Contents<P>;
  /** See `contentIdentity`. */
  readonly identity: string;
}

interface IndexedFiles<P extends IndexEntry> {
  readonly generation: string;
  readonly stamps: readonly FileStamp[];
  readonly runs: readonly Run<P>[];
  readonly fileGeneration: (file: FileStamp) => string;
}

/** A folder may take the place of another one while it is read. */
const LOOKS = 3;
const LOOK_AGAIN_MS = 20;

/** A disk stalls a reader as a damaged file does, and may have recovered by then. */
const QUARANTINE_MS = HOUR_MS;

/** What files hold; a file is inspected again only when it changed. */
export class FileIndex<P extends IndexEntry> {
  readonly #options: FilesOptions;
  readonly #inspect: (stamp: FileStamp) => Promise<InspectedFile<P>>;
  readonly #known = new Map<
    string,
    { readonly stamp: FileStamp; readonly inspected: Promise<InspectedFile<P>> }
  >();
  readonly #arrange: (files: readonly Contents<P>[]) => readonly Contents<P>[];
  readonly #quarantine = new Map<string, QuarantinedFile & { readonly stamp: FileStamp }>();
  /** As long as a description is in use, so are the files that it describes. */
  readonly #described = new WeakMap<SourceDescription, IndexedFiles<P>>();
  #latest: IndexedFiles<P> | undefined;

  /** `arrange` gets the contents of all files, where one file alone does not define what its entries mean. */
  constructor(
    options: FilesOptions,
    inspect: (stamp: FileStamp) => Promise<InspectedFile<P>>,
    arrange: (files: readonly Contents<P>[]) => readonly Contents<P>[] = (files) => files,
  ) {
    this.#options = options;
    this.#inspect = inspect;
    this.#arrange = arrange;
  }

  /** An index of the same files that arranges them in another way; each file is inspected once for both. */
  arrangedBy(arrange: (files: readonly Contents<P>[]) => readonly Contents<P>[]): FileIndex<P> {
    return new FileIndex(this.#options, (stamp) => this.#inspected(stamp), arrange);
  }

  async refresh(look = 1): Promise<IndexedFiles<P> & { readonly quarantined: readonly QuarantinedFile[] }> {
    const { directory, paths } = this.#options;
    const found = await findFiles(directory, paths);
    this.#forgetVanished(found);
    const stamps = this.#withoutQuarantined(found);
    const quarantined = this.quarantined();
    if (this.#latest !== undefined && areSameFiles(this.#latest.stamps, stamps)) {
      return { ...this.#latest, quarantined };
    }
    try {
      const inspected = await Promise.all(stamps.map((stamp) => this.#inspected(stamp)));
      const runs = runsOf(this.#arrange(inspected.map(({ contents }) => contents)), this.#options);
      const generation = generationOf(directory, stamps);
      const identities = new Map(stamps.map(({ path }, k) => [path, inspected[k]?.identity]));
      const fileGeneration = ({ path }: FileStamp) => identities.get(path) ?? generation;
      this.#latest = { generation, stamps, runs, fileGeneration };
      return { ...this.#latest, quarantined };
    } catch (error) {
      const haveMoved = stamps.some(({ path }) => !existsSync(path));
      if (!haveMoved || look === LOOKS) this.#quarantineFor(error, stamps);
      return this.refresh(haveMoved ? look + 1 : 1);
    }
  }

  /** Files that are left out. */
  quarantined(): QuarantinedFile[] {
    return Array.from(this.#quarantine.values(), ({ path, reason, sinceMs }) => ({ path, reason, sinceMs }));
  }

  /** The files as they are now; `read` finds them again by the description. */
  async describe(
    describeFiles: (
      files: Pick<IndexedFiles<P>, 'runs' | 'generation' | 'fileGeneration'>,
    ) => SourceDescription,
  ): Promise<SourceDescription> {
    const { quarantined, ...files } = await this.refresh();
    const description = { ...describeFiles(files), quarantined };
    this.#described.set(description, files);
    return description;
  }

  /** The field of a window, filled from the run that it names. */
  async read(
    window: Parameters<MetSource['read']>[0],
    { description, allocate = allocateField }: ReadOptions,
    fill: (field: MetField, dataset: DatasetIndex<P>) => Promise<unknown>,
  ): Promise<MetField> {
    const { runs, stamps } = description === undefined ? await this.refresh() : this.#filesOf(description);
    const { dataset } = chooseRun(runs, window);
    const grid = gridOf(dataset, window.variables);
    const axes = windowAxes(grid, window);
    const [first = 0] = axes.time;
    requireNoGap(grid.time, typeOf(runs, this.#options), [first, axes.time.at(-1) ?? first]);
    const field = await allocate(window.variables, axes);
    try {
      await fill(field, dataset);
      return field;
    } catch (error) {
      this.#quarantineFor(error, stamps);
      if (description !== undefined) throw changed(description.name);
      return this.read(window, { allocate }, fill);
    }
  }

  #filesOf(description: SourceDescription): IndexedFiles<P> {
    const files = this.#described.get(description);
    if (files === undefined || files.stamps.some((stamp) => this.#isQuarantined(stamp))) {
      throw changed(description.name);
    }
    return files;
  }

  #isQuarantined(stamp: FileStamp): boolean {
    const known = this.#quarantine.get(stamp.path);
    return known !== undefined && isSameFile(known.stamp, stamp);
  }

  /** Rethrows every error but that of a file that stalls its reader. */
  #quarantineFor(error: unknown, stamps: readonly FileStamp[]): void {
    const stamp = error instanceof ReadStalled ? stamps.find(({ path }) => path === error.path) : undefined;
    if (!(error instanceof ReadStalled) || stamp === undefined) throw error;
    if (this.#isQuarantined(stamp)) return;
    const file = { path: stamp.path, reason: error.message, sinceMs: Date.now() };
    this.#quarantine.set(stamp.path, { ...file, stamp });
    this.#options.onQuarantine?.(file);
  }

  /** Also ends the quarantine of files that were replaced, have vanished or have waited long enough. */
  #withoutQuarantined(found: readonly FileStamp[]): readonly FileStamp[] {
    for (const [path, { stamp, sinceMs }] of this.#quarantine) {
      const isThere = found.some((one) => one.path === path && isSameFile(one, stamp));
      if (!isThere || Date.now() - sinceMs > QUARANTINE_MS) this.#quarantine.delete(path);
    }
    const stamps = found.filter(({ path }) => !this.#quarantine.has(path));
    const [first] = this.#quarantine.values();
    if (stamps.length > 0 || first === undefined) return stamps;
    throw new MetError('unreadable', first.reason, { path: first.path });
  }

  /** Files that hold a variable at a time of a run. */
  async pathsOf(variable: string, timeMs: number, referenceTime: number | undefined): Promise<string[]> {
    const { runs } = await this.refresh();
    return pathsHolding(runs, variable, timeMs, referenceTime);
  }

  /** Runs come and go for months: the index drops files that are gone. */
  #forgetVanished(stamps: readonly FileStamp[]): void {
    const present = new Set(stamps.map(({ path }) => path));
    for (const path of this.#known.keys()) if (!present.has(path)) this.#known.delete(path);
  }

  #inspected(stamp: FileStamp): Promise<InspectedFile<P>> {
    const entry = this.#known.get(stamp.path);
    if (entry !== undefined && isSameFile(entry.stamp, stamp)) return entry.inspected;
    const inspected = inFile(stamp.path, () => this.#inspect(stamp));
    const looked = { stamp, inspected };
    this.#known.set(stamp.path, looked);
    inspected.catch(() => {
      if (this.#known.get(stamp.path) === looked) this.#known.delete(stamp.path);
    });
    return inspected;
  }
}

/** A copy with the same name, size and time is another file. */
function areSameFiles(some: readonly FileStamp[], others: readonly FileStamp[]): boolean {
  return (
    some.length === others.length &&
    some.every((stamp, i) => {
      const other = others[i];
      return other !== undefined && other.path === stamp.path && isSameFile(stamp, other);
    })
  );
}

/**
 * The files that paths and globs, relative to a directory, name: in the given order, those of a glob by name. A folder that is
 * replaced while it is listed is listed again.
 */
async function findFiles(directory: string, paths: readonly string[]): Promise<FileStamp[]> {
  for (let look = 1; ; look++) {
    try {
      return await listFiles(directory, paths);
    } catch (error) {
      if (look === LOOKS || !paths.some(isPattern)) throw error;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

const isPattern = (path: string) => /[*?[\]{}]/.test(path);

async function listFiles(directory: string, paths: readonly string[]): Promise<FileStamp[]> {
  const found = new Set<string>();
  for (const path of paths) {
    if (!isPattern(path)) {
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

/** Changes when a file is added, removed, renamed or written; on this machine alone. */
function generationOf(directory: string, files: readonly FileStamp[]): string {
  const hash = createHash('sha256');
  for (const { path, size, modifiedMs } of files) {
    hash.update(`${relative(directory, path)}\0${size}\0${modifiedMs}\n`);
  }
  return hash.digest('hex').slice(0, 32);
}
