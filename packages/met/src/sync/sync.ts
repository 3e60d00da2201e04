import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, type FileLock, HOUR_MS, isoDate, isoSecond } from '@contrails/runtime';
import { RemoteFailure, SyncError } from './failures.ts';
import { RunFetch } from './fetch-run.ts';
import { candidates, type FoundRun, findRun, type IncompleteRun } from './find-run.ts';
import { type Manifest, type RunFlags, runName, SourceFolder } from './folder.ts';
import { generatedSource, registerSource } from './generated-sources.ts';
import { lockFolder } from './lock.ts';
import type { Provider, Wants } from './provider.ts';
import {
  allRootsFailed,
  asSyncError,
  noCompleteRun,
  type RootFailure,
  requireSpace,
  runNotThere,
  shownRun,
} from './refusals.ts';
import { Roots, type RootsOptions } from './roots.ts';

export interface SyncOptions extends RootsOptions {
  /** Where runs are kept. */
  readonly directory: string;
  /** [h] */
  readonly hours?: number;
  /** Start of the run [ms since 1970]; the newest complete one unless given. */
  readonly runMs?: number;
  /** Only runs that start before this time are used [ms since 1970]; now unless given. */
  readonly asOfMs?: number;
  /** First and last day of a reanalysis [ms since 1970]. */
  readonly days?: readonly [first: number, last: number];
  /** [hPa] */
  readonly levels?: readonly number[];
  readonly bbox?: NonNullable<Wants['bbox']>;
  readonly members?: number;
  /** For archives that ask for one; it is not stored. */
  readonly key?: string;
  readonly radiationFrom?: string;
  /** Runs that start so long before the newest one are removed [ms]. */
  readonly keepMs?: number;
  /** In the place of the provider's own. */
  readonly roots?: readonly string[];
  readonly dryRun?: boolean;
  /** How long to wait for another process [ms]. */
  readonly waitMs?: number;
  /** Called before the first byte of data; may throw to refuse. */
  readonly onPlan?: (plan: SyncPlan) => void | Promise<void>;
  /** Receives how many planned bytes are there. */
  readonly onProgress?: (bytes: number) => void;
  /** Receives user notices, one sentence each. */
  readonly onNotice?: (text: string) => void;
}

/** What will be fetched. */
export interface SyncPlan {
  readonly source: string;
  readonly runMs: number;
  readonly steps: readonly number[];
  /** All of the run [bytes]. */
  readonly bytes: number;
  /** What is not there yet [bytes]. */
  readonly missingBytes: number;
  readonly files: number;
  /** Fields that are taken from files with an index. */
  readonly messages: number;
  readonly root: string;
  readonly freeBytes: number;
  readonly directory: string;
}

/** How a sync ended. */
export interface SyncResult {
  readonly source: string;
  readonly state: 'synced' | 'up-to-date' | 'planned';
  readonly runMs: number;
  readonly steps: readonly number[];
  readonly levels: readonly number[];
  readonly files: number;
  readonly bytes: number;
  readonly bytesFetched: number;
  readonly root: string;
  readonly missing: readonly string[];
  readonly radiation: 'means' | 'estimated' | 'none';
  readonly radiationFrom: string | undefined;
  readonly directory: string;
  readonly deletedRuns: readonly string[];
  readonly seconds: number;
  readonly attribution: string;
  readonly type: Provider['type'];
  /** End of what the run covers [ms since 1970]. */
  readonly lastMs: number;
  /** When a newer run is expected [ms since 1970]. */
  readonly nextRunMs: number | undefined;
  /** A newer run is being written. */
  readonly isNewerComing: boolean;
  readonly warning: string | undefined;
}

const DEFAULT_KEEP_MS = 2 * DAY_MS;

/** Brings the newest complete run of a source, or the days that are asked for, into a directory, and registers the source. */
export async function syncSource(provider: Provider, options: SyncOptions): Promise<SyncResult[]> {
  const folder = new SourceFolder(options.directory, provider.name);
  if (options.dryRun) return new Sync(provider, options, folder).runAll();
  let lock: FileLock | undefined;
  try {
    lock = await lockFolder(folder.path, provider.name, {
      ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    await folder.recover();
    return await new Sync(provider, options, folder).runAll();
  } catch (error) {
    throw asSyncError(error);
  } finally {
    lock?.release();
  }
}

class Sync {
  readonly #provider: Provider;
  readonly #options: SyncOptions;
  readonly #folder: SourceFolder;
  readonly #flags: RunFlags;
  readonly #roots: Roots;
  readonly #startedMs = performance.now();
  #isNewerComing = false;

  constructor(provider: Provider, options: SyncOptions, folder: SourceFolder) {
    this.#provider = provider;
    this.#options = options;
    this.#folder = folder;
    const levels = [...(options.levels ?? provider.defaultLevels)].sort((one, other) => one - other);
    const some = {
      ...(options.bbox === undefined ? {} : { bbox: options.bbox }),
      ...(options.members === undefined ? {} : { members: options.members }),
    };
    const wants: Wants = { levels, ...some, ...(options.key === undefined ? {} : { key: options.key }) };
    this.#roots = new Roots(provider, wants, options);
    const steps = provider.stepsTo(options.hours ?? provider.defaultHours);
    this.#flags = { hours: steps.at(-1) ?? 0, levels, ...some };
  }

  /** One run, or the days of a reanalysis in turn. */
  async runAll(): Promise<SyncResult[]> {
    try {
      const { days } = this.#options;
      if (days === undefined) return [await this.#run(this.#options.runMs)];
      const results: SyncResult[] = [];
      for (let day = days[0]; day <= days[1]; day += DAY_MS) results.push(await this.#run(day));
      return results;
    } finally {
      this.#roots.close();
    }
  }

  async #run(fixedMs: number | undefined): Promise<SyncResult> {
    const { asOfMs = Date.now(), roots: given } = this.#options;
    const provider = this.#provider;
    const runs = fixedMs === undefined ? candidates(provider, asOfMs) : [fixedMs];
    const refusal = fixedMs === undefined ? undefined : provider.refuses?.(fixedMs);
    if (refusal !== undefined) throw new SyncError(refusal, 'choose a later run', { kind: 'usage' });
    const roots = given ?? provider.roots(runs[0] ?? asOfMs, Date.now());
    const steps = provider.stepsTo(this.#flags.hours);
    const published = await this.#folder.published();
    const failures: RootFailure[] = [];
    let newest: IncompleteRun | undefined;
    for (const root of roots) {
      try {
        const { runs: onRoot } = this.#roots.at(root);
        const isThere = (runMs: number) => this.#holds(published.get(this.#nameOf(runMs)));
        const search = await findRun(provider, onRoot, runs, steps, asOfMs, isThere);
        this.#isNewerComing = fixedMs === undefined && search.incomplete !== undefined;
        if ('isThereAlready' in search) {
          return await this.#upToDate(search.runMs, published.get(this.#nameOf(search.runMs)) as Manifest);
        }
        if ('found' in search) {
          const others = roots.filter((other) => other !== root);
          return await this.#take(search.found, [root, ...others]);
        }
        if ((search.incomplete?.runMs ?? 0) > (newest?.runMs ?? 0)) newest = search.incomplete;
      } catch (error) {
        const failure = error instanceof SyncError ? error.cause : error;
        // A root whose steps hold other messages is taken for the whole run.
        const isOther = failure instanceof RemoteFailure && failure.kind === 'different';
        if (!(failure instanceof RemoteFailure) || (error instanceof SyncError && !isOther))
          throw asSyncError(error);
        failures.push({ root, error: failure });
      }
    }
    if (failures.length === roots.length) throw allRootsFailed(provider.name, failures);
    if (fixedMs === undefined) throw noCompleteRun(provider, asOfMs, roots, newest);
    throw runNotThere(provider, fixedMs, roots, newest, await this.#lastDay(roots[0] ?? ''));
  }

  /** Fetches a planned run and publishes it. */
  async #take(run: FoundRun, order: readonly [string, ...string[]]): Promise<SyncResult> {
    const { onPlan, dryRun, onProgress, onNotice, signal } = this.#options;
    const [root] = order;
    const name = this.#nameOf(run.runMs);
    const bytes = run.files.reduce((sum, file) => sum + file.bytes, 0);
    if (!dryRun) await this.#removeOld(run.runMs);
    const fetching = new RunFetch(name, run, {
      folder: this.#folder,
      roots: this.#roots,
      order,
      flags: this.#flags,
      signal,
      onProgress,
      onNotice,
    });
    const missingBytes = dryRun ? bytes : await fetching.begin();
    const freeBytes = await freeSpace(this.#options.directory);
    const directory = join(this.#folder.path, name);
    const messages = run.files.reduce((sum, { pieces }) => sum + pieces.length, 0);
    const plan = { bytes, missingBytes, files: run.files.length, messages, root, freeBytes, directory };
    const last = run.steps.at(-1) ?? 0;
    if (last < this.#flags.hours) onNotice?.(`run ${shownRun(run.runMs)} ends at ${last} h`);
    await onPlan?.({ source: this.#provider.name, runMs: run.runMs, steps: run.steps, ...plan });
    const missing = this.#provider.missing(run.files);
    if (dryRun) return this.#result('planned', run.runMs, run.steps, { ...plan, missing, deleted: [] });
    requireSpace(missingBytes, freeBytes, this.#options.directory);

    const files = await fetching.finish();
    const written: Manifest = {
      format: 1,
      source: this.#provider.name,
      run: this.#provider.type === 'reanalysis' ? isoDate(run.runMs) : isoSecond(run.runMs),
      created: isoSecond(Date.now()),
      root,
      flags: this.#flags,
      files,
      missing,
      attribution: this.#provider.attribution,
    };
    await this.#folder.publish(name, written, (fileName) => fetching.pathOf(fileName));
    await this.#register();
    const deleted = await this.#removeOld(run.runMs);
    const stored = files.reduce((sum, file) => sum + file.bytes, 0);
    return this.#result('synced', run.runMs, run.steps, { ...plan, bytes: stored, missing, deleted });
  }

  async #upToDate(runMs: number, { files, root, missing }: Manifest): Promise<SyncResult> {
    if (!this.#options.dryRun) await this.#register();
    const steps = [...new Set(files.map(({ step }) => step))];
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const directory = join(this.#folder.path, this.#nameOf(runMs));
    const deleted = this.#options.dryRun ? [] : await this.#removeOld(runMs);
    const facts = { bytes, files: files.length, root, missing, directory, deleted };
    return this.#result('up-to-date', runMs, steps, facts);
  }

  #result(
    state: SyncResult['state'],
    runMs: number,
    steps: readonly number[],
    facts: Pick<SyncResult, 'bytes' | 'files' | 'root' | 'missing' | 'directory'> & {
      readonly deleted: readonly string[];
    },
  ): SyncResult {
    const { deleted, bytes, files, root, missing, directory } = facts;
    const isReanalysis = this.#provider.type === 'reanalysis';
    return {
      source: this.#provider.name,
      state,
      runMs,
      steps,
      levels: this.#flags.levels,
      files,
      bytes,
      bytesFetched: this.#roots.bytesFetched,
      root,
      missing,
      radiation: this.#provider.radiation(missing),
      radiationFrom: this.#options.radiationFrom,
      directory,
      deletedRuns: deleted,
      seconds: Math.round(performance.now() - this.#startedMs) / 1000,
      attribution: this.#provider.attribution,
      type: this.#provider.type,
      lastMs: runMs + (isReanalysis ? DAY_MS : (steps.at(-1) ?? 0) * HOUR_MS),
      nextRunMs: isReanalysis ? undefined : nextRunMs(this.#provider, runMs),
      isNewerComing: this.#isNewerComing,
      warning: this.#provider.warning,
    };
  }

  async #register(): Promise<void> {
    const { directory, radiationFrom } = this.#options;
    const published = [...(await this.#folder.published()).values()];
    const choices = {
      ...(radiationFrom === undefined ? {} : { radiationFrom }),
      hasMembers: published.some(({ flags }) => flags.members !== undefined),
    };
    await registerSource(directory, generatedSource(this.#provider, directory, choices));
  }

  async #removeOld(newestMs: number): Promise<string[]> {
    const { keepMs = this.#provider.type === 'reanalysis' ? undefined : DEFAULT_KEEP_MS } = this.#options;
    return keepMs === undefined ? [] : this.#folder.removeOld(newestMs, keepMs);
  }

  /** Whether a published run has all that is wanted. */
  #holds(published: Manifest | undefined): boolean {
    if (published === undefined) return false;
    const { hours, levels, bbox, members = 0 } = published.flags;
    return (
      hours >= this.#flags.hours &&
      this.#flags.levels.every((level) => levels.includes(level)) &&
      JSON.stringify(bbox) === JSON.stringify(this.#flags.bbox) &&
      members >= (this.#flags.members ?? 0)
    );
  }

  #nameOf(runMs: number): string {
    return runName(runMs, this.#provider.type);
  }

  #lastDay(root: string): Promise<string | undefined> | undefined {
    return this.#roots
      .at(root)
      .runs.lastDay?.()
      .catch(() => undefined);
  }
}

async function freeSpace(directory: string): Promise<number> {
  for (let path = directory; ; path = join(path, '..')) {
    const found = await statfs(path).catch(() => undefined);
    if (found !== undefined) return found.bavail * found.bsize;
  }
}

/** An hour more than the delay, in which the run is written. */
function nextRunMs({ cycleMs, delayMs }: Provider, runMs: number): number {
  return runMs + cycleMs + delayMs + HOUR_MS;
}
