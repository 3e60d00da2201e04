/**
 * The folder of a source. Readers see run folders alone, which are complete when they appear and never change; what is being
 * fetched is below `.partial`.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { lockFile } from '@contrails/runtime';
import type { PlannedFile } from './provider.ts';

/** The flags that decide what a run holds. */
export interface RunFlags {
  readonly hours: number;
  readonly levels: readonly number[];
  readonly bbox?: readonly number[];
  readonly members?: number;
}

/** A file of a run, as its manifest lists it. */
export interface ManifestFile {
  readonly name: string;
  readonly step: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly url: string;
  readonly etag: string | null;
  readonly ranges: readonly (readonly [offset: number, length: number])[];
  readonly messages: readonly {
    readonly param: string;
    readonly level: number | null;
    readonly step: number;
    readonly member?: number;
    readonly offset: number;
    readonly length: number;
  }[];
}

export interface Manifest {
  readonly format: 1;
  readonly source: string;
  /** Start of the run, or the day. */
  readonly run: string;
  readonly created: string;
  readonly root: string;
  readonly flags: RunFlags;
  readonly files: readonly ManifestFile[];
  /** Variables that the run lacks. */
  readonly missing: readonly string[];
  readonly attribution: string;
}

/** State of a fetch, kept beside it: another process can resume it. */
export interface StoredPlan {
  readonly format: 1;
  readonly root: string;
  readonly flags: RunFlags;
  readonly files: readonly (PlannedFile & { readonly url: string })[];
}

const RUN_NAME = /^\d{8}(T\d{2})?$/;
/** The successor of a run folder of the same name, for the moment in which they are exchanged. */
const SUCCESSOR = '+';
const MANIFEST = 'manifest.json';
const PLAN = 'plan.json';

/** `20260914T00`, or `20260914` for a day of a reanalysis. */
export function runName(runMs: number, type: 'forecast' | 'reanalysis'): string {
  const compact = new Date(runMs).toISOString().replace(/[-:]/g, '');
  return compact.slice(0, type === 'reanalysis' ? 8 : 11);
}

/** [ms since 1970]; not a number where the name is not that of a run. */
function runTime(name: string): number {
  const [, year, month, day, hour = '00'] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d))?$/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`);
}

export class SourceFolder {
  readonly path: string;

  constructor(directory: string, source: string) {
    this.path = join(directory, source);
  }

  /** Names of the complete runs, the newest last. */
  async runs(): Promise<string[]> {
    const names = await readdir(this.path).catch(() => []);
    return names.filter((name) => RUN_NAME.test(name)).sort();
  }

  /** The manifests of complete runs, by their names. */
  async published(): Promise<Map<string, Manifest>> {
    const found = new Map<string, Manifest>();
    for (const run of await this.runs()) {
      const known = await this.manifest(run);
      if (known !== undefined) found.set(run, known);
    }
    return found;
  }

  manifest(run: string): Promise<Manifest | undefined> {
    return readJson<Manifest>(join(this.path, run, MANIFEST));
  }

  partial(run: string): string {
    return join(this.path, '.partial', run);
  }

  plan(run: string): Promise<StoredPlan | undefined> {
    return readJson<StoredPlan>(join(this.partial(run), PLAN));
  }

  async savePlan(run: string, plan: StoredPlan): Promise<void> {
    await mkdir(this.partial(run), { recursive: true });
    await writeJson(join(this.partial(run), PLAN), plan);
  }

  /** Ends what a process that was killed had begun; only the holder of the lock may. */
  async recover(): Promise<void> {
    await mkdir(join(this.path, '.partial'), { recursive: true });
    for (const name of await readdir(this.path)) {
      if (name.endsWith(SUCCESSOR)) await this.#exchange(name.slice(0, -SUCCESSOR.length));
    }
    await rm(this.#trash, { recursive: true, force: true });
  }

  /** Makes the run of its verified files: the folder appears, or takes the place of an earlier one, at once. */
  async publish(run: string, manifest: Manifest, sourceOf: (name: string) => string): Promise<void> {
    const made = join(this.partial(run), 'run');
    await rm(made, { recursive: true, force: true });
    await mkdir(made);
    for (const { name } of manifest.files) await linkOrCopy(sourceOf(name), join(made, name));
    await writeJson(join(made, MANIFEST), manifest);
    await syncFolder(made);
    if (existsSync(join(this.path, run))) {
      await rename(made, join(this.path, run + SUCCESSOR));
      await this.#exchange(run);
    } else {
      await rename(made, join(this.path, run));
    }
    await syncFolder(this.path);
    await rm(join(this.path, '.partial'), { recursive: true, force: true });
    await mkdir(join(this.path, '.partial'));
  }

  /** Removes a run, unless somebody reads it; it vanishes at once. */
  async remove(run: string): Promise<boolean> {
    const lock = await lockFile(await this.#readLock(run), 'exclusive');
    if (lock === undefined) return false;
    try {
      await rm(await this.#discard(run), { recursive: true, force: true });
      await rm(this.#readLockPath(run), { force: true });
    } finally {
      lock.release();
    }
    return true;
  }

  /** Removes what starts more than an age before a run, and before the newest complete one; returns the names. */
  async removeOld(newestMs: number, keepMs: number): Promise<string[]> {
    const runs = await this.runs();
    const newest = runTime(runs.at(-1) ?? '');
    const limit = Math.min(Number.isNaN(newest) ? newestMs : newest, newestMs) - keepMs;
    const removed: string[] = [];
    for (const run of runs) if (runTime(run) < limit && (await this.remove(run))) removed.push(run);
    return removed;
  }

  /** Keeps a run from being removed; undefined when it is being removed. */
  async hold(run: string): Promise<{ release(): void } | undefined> {
    return lockFile(await this.#readLock(run), 'shared');
  }

  get #trash(): string {
    return join(this.path, '.removed');
  }

  /** Both names can be seen for a moment, and hold the same wherever both hold something: readers take the first. */
  async #exchange(run: string): Promise<void> {
    const discarded = existsSync(join(this.path, run)) ? await this.#discard(run) : undefined;
    await rename(join(this.path, run + SUCCESSOR), join(this.path, run));
    if (discarded !== undefined) await rm(discarded, { recursive: true, force: true });
  }

  /** Takes a run away at once; returns where it is now. */
  async #discard(run: string): Promise<string> {
    await mkdir(this.#trash, { recursive: true });
    const discarded = join(this.#trash, `${run}-${process.pid}-${Date.now()}`);
    await rename(join(this.path, run), discarded);
    return discarded;
  }

  #readLockPath(run: string): string {
    return join(this.path, `.reading-${run}`);
  }

  async #readLock(run: string): Promise<string> {
    const path = this.#readLockPath(run);
    await writeFile(path, '', { flag: 'a' });
    return path;
  }
}

export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** The file is the old one or the new one, whenever the machine stops. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(value)}\n`, { flush: true });
  await rename(temporary, path);
}

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

export async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

export async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Files of published runs that are not as their manifests say, each with the reason. */
export async function damagedFiles(
  folder: SourceFolder,
): Promise<{ readonly path: string; readonly reason: string }[]> {
  const found: { path: string; reason: string }[] = [];
  for (const run of await folder.runs()) {
    const known = await folder.manifest(run);
    if (known === undefined) found.push({ path: join(folder.path, run), reason: 'it has no manifest' });
    for (const file of known?.files ?? []) {
      const path = join(folder.path, run, file.name);
      const size = await sizeOf(path);
      if (size === undefined) found.push({ path, reason: 'it is missing' });
      else if (size !== file.bytes || (await sha256(path)) !== file.sha256) {
        found.push({ path, reason: 'its checksum is not that of its manifest' });
      }
    }
  }
  return found;
}
