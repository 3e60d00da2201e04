import { existsSync } from 'node:fs';
import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { atOnce, DAY_MS, HOUR_MS, isoDate, isoSecond } from '@contrails/runtime';
import manifest from '../../package.json' with { type: 'json' };
import { RemoteFailure, SyncError } from './failures.ts';
import { candidates, type FoundRun, findRun, type IncompleteRun } from './find-run.ts';
import {
  linkOrCopy,
  type Manifest,
  type ManifestFile,
  type RunFlags,
  SourceFolder,
  type StoredPlan,
  sha256,
  sizeOf,
} from './folder.ts';
import { generatedSource, registerSource } from './generated-sources.ts';
import { lockFolder } from './lock.ts';
import type { PlannedFile, Provider, RunsOnRoot, Wants } from './provider.ts';
import { Remote } from './remote.ts';
import { Throttle } from './throttle.ts';

export interface SyncOptions {
  /** Where runs are kept. */
  readonly directory: string;
  /** [h] */
  readonly hours?: number;
  /** Start of the run [ms since 1970]; the newest complete one unless given. */
  readonly runMs?: number;
  /** Only runs that start before this time are looked at [ms since 1970]; now unless given. */
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
  readonly maxBytesPerSecond?: number;
  readonly connections?: number;
  readonly dryRun?: boolean;
  /** How long to wait for another process [ms]. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** See `RemoteOptions`. */
  readonly pauseMs?: number;
  readonly stallMs?: number;
  /** Told before the first byte of data; may refuse by throwing. */
  readonly onPlan?: (plan: SyncPlan) => void | Promise<void>;
  readonly onProgress?: (bytes: number) => void;
  /** Told of what a user should know, in a sentence. */
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

const DEFAULT_CONNECTIONS = 4;
const DEFAULT_KEEP_MS = 2 * DAY_MS;
const MEBIBYTE = 2 ** 20;

/** Brings the newest complete run of a source, or the days that are asked for, into a directory, and registers the source. */
export async function syncSource(provider: Provider, options: SyncOptions): Promise<SyncResult[]> {
  const folder = new SourceFolder(options.directory, provider.name);
  if (options.dryRun) return new Sync(provider, options, folder).runAll();
  const lock = await lockFolder(folder.path, provider.name, {
    ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  try {
    await folder.recover();
    return await new Sync(provider, options, folder).runAll();
  } finally {
    lock.release();
  }
}

class Sync {
  readonly #provider: Provider;
  readonly #options: SyncOptions;
  readonly #folder: SourceFolder;
  readonly #wants: Wants;
  readonly #flags: RunFlags;
  readonly #remotes = new Map<string, { readonly remote: Remote; readonly runs: RunsOnRoot }>();
  readonly #throttle: Throttle | undefined;
  readonly #startedMs = performance.now();
  #fetched = 0;
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
    this.#wants = { levels, ...some, ...(options.key === undefined ? {} : { key: options.key }) };
    const steps = provider.stepsTo(options.hours ?? provider.defaultHours);
    this.#flags = { hours: steps.at(-1) ?? 0, levels, ...some };
    this.#throttle =
      options.maxBytesPerSecond === undefined ? undefined : new Throttle(options.maxBytesPerSecond);
  }

  /** One run, or one after the other of the days of a reanalysis. */
  async runAll(): Promise<SyncResult[]> {
    try {
      const { days } = this.#options;
      if (days === undefined) return [await this.#run(this.#options.runMs)];
      const results: SyncResult[] = [];
      for (let day = days[0]; day <= days[1]; day += DAY_MS) results.push(await this.#run(day));
      return results;
    } finally {
      for (const { remote } of this.#remotes.values()) remote.close();
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
    const published = await this.#published();
    const failures: { readonly root: string; readonly error: RemoteFailure }[] = [];
    let newest: IncompleteRun | undefined;
    for (const root of roots) {
      try {
        const { runs: onRoot } = this.#on(root);
        const isThere = (runMs: number) => this.#holds(published.get(this.#nameOf(runMs)));
        const search = await findRun(provider, onRoot, runs, steps, asOfMs, isThere);
        this.#isNewerComing = fixedMs === undefined && search.incomplete !== undefined;
        if ('isThereAlready' in search) {
          return await this.#upToDate(search.runMs, published.get(this.#nameOf(search.runMs)) as Manifest);
        }
        if ('found' in search) {
          const others = roots.filter((other) => other !== root);
          return await this.#take(search.found, root, others);
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
    throw await this.#nothing(fixedMs, asOfMs, roots, newest, failures);
  }

  /** Fetches a planned run and publishes it. */
  async #take(run: FoundRun, root: string, others: readonly string[]): Promise<SyncResult> {
    const { onPlan, dryRun, keepMs } = this.#options;
    const name = this.#nameOf(run.runMs);
    const bytes = run.files.reduce((sum, file) => sum + file.bytes, 0);
    if (!dryRun) await this.#removeOld(run.runMs, keepMs ?? this.#defaultKeepMs);
    const kept = dryRun ? new Map<string, string>() : await this.#keep(name, run, root);
    const missingBytes = run.files
      .filter((file) => !kept.has(file.name))
      .reduce((sum, file) => sum + file.bytes, 0);
    const freeBytes = await freeSpace(this.#options.directory);
    const directory = join(this.#folder.path, name);
    const messages = run.files.reduce((sum, { pieces }) => sum + pieces.length, 0);
    const plan = { bytes, missingBytes, files: run.files.length, messages, root, freeBytes, directory };
    const last = run.steps.at(-1) ?? 0;
    if (last < this.#flags.hours) this.#options.onNotice?.(`run ${shownRun(run.runMs)} ends at ${last} h`);
    await onPlan?.({ source: this.#provider.name, runMs: run.runMs, steps: run.steps, ...plan });
    const missing = this.#provider.missing(run.files);
    if (dryRun) return this.#result('planned', run.runMs, run.steps, { ...plan, missing, deleted: [] });
    requireSpace(missingBytes, freeBytes, this.#options.directory);

    const files = await this.#fetchAll(name, run, root, others, kept);
    const listed: ManifestFile[] = [];
    for (const fetched of files) listed.push(await manifestFile(fetched));
    const written: Manifest = {
      format: 1,
      source: this.#provider.name,
      run: this.#provider.type === 'reanalysis' ? isoDate(run.runMs) : isoSecond(run.runMs),
      created: isoSecond(Date.now()),
      root,
      flags: this.#flags,
      files: listed,
      missing,
      attribution: this.#provider.attribution,
    };
    const paths = new Map(files.map(({ file, path }) => [file.name, path]));
    await this.#folder.publish(name, written, (fileName) => paths.get(fileName) ?? '');
    await this.#register();
    const deleted = await this.#removeOld(run.runMs, keepMs ?? this.#defaultKeepMs);
    const stored = listed.reduce((sum, file) => sum + file.bytes, 0);
    return this.#result('synced', run.runMs, run.steps, { ...plan, bytes: stored, missing, deleted });
  }

  async #upToDate(runMs: number, { files, root, missing }: Manifest): Promise<SyncResult> {
    if (!this.#options.dryRun) await this.#register();
    const steps = [...new Set(files.map(({ step }) => step))];
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const directory = join(this.#folder.path, this.#nameOf(runMs));
    const deleted = this.#options.dryRun
      ? []
      : await this.#removeOld(runMs, this.#options.keepMs ?? this.#defaultKeepMs);
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
      bytesFetched: this.#fetched,
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
    const published = [...(await this.#published()).values()];
    const choices = {
      ...(radiationFrom === undefined ? {} : { radiationFrom }),
      hasMembers: published.some(({ flags }) => flags.members !== undefined),
    };
    await registerSource(directory, generatedSource(this.#provider, directory, choices));
  }

  /** What is there of a run already, by the names of its files: complete files of an earlier attempt or of the published run. */
  async #keep(name: string, run: FoundRun, root: string): Promise<Map<string, string>> {
    const partial = this.#folder.partial(name);
    const plan = await this.#folder.plan(name);
    const planned = new Map(plan?.files.map((file) => [file.name, file]));
    const published = await this.#folder.manifest(name);
    const listed = new Map(published?.files.map((file) => [file.name, file]));
    await mkdir(partial, { recursive: true });
    const kept = new Map<string, string>();
    for (const file of run.files) {
      const path = join(partial, file.name);
      const url = this.#on(root).remote.urlOf(file.path);
      const before = planned.get(file.name);
      if (before !== undefined && !isSameFile(file, url, before, before.url)) {
        await rm(path, { force: true });
        await rm(`${path}.part`, { force: true });
      }
      const earlier = listed.get(file.name);
      if (!existsSync(path) && earlier !== undefined && isListed(file, url, earlier)) {
        await linkOrCopy(join(this.#folder.path, name, file.name), path);
      }
      if (existsSync(path)) kept.set(file.name, path);
    }
    await this.#savePlan(name, root, run.files);
    return kept;
  }

  async #savePlan(name: string, root: string, files: readonly PlannedFile[]): Promise<void> {
    const { remote } = this.#on(root);
    const plan: StoredPlan = {
      format: 1,
      root,
      flags: this.#flags,
      files: files.map((file) => ({ ...file, url: remote.urlOf(file.path) })),
    };
    await this.#folder.savePlan(name, plan);
  }

  async #fetchAll(
    name: string,
    run: FoundRun,
    root: string,
    others: readonly string[],
    kept: ReadonlyMap<string, string>,
  ): Promise<FetchedFile[]> {
    const { onProgress, signal } = this.#options;
    const done = new Map(run.files.map((file) => [file.name, kept.has(file.name) ? file.bytes : 0]));
    const tell = (file: PlannedFile, bytes: number) => {
      done.set(file.name, bytes);
      onProgress?.([...done.values()].reduce((sum, one) => sum + one, 0));
    };
    const fetched: FetchedFile[] = run.files.map((file) => ({
      file,
      root: this.#on(root).remote,
      path: join(this.#folder.partial(name), file.name),
    }));
    let plan = [...run.files];
    await atOnce(
      this.#on(root).remote.connections,
      run.files,
      async (file, index, stop) => {
        if (kept.has(file.name)) return;
        const got = await this.#fetchFile(name, run.runMs, file, [root, ...others], {
          signal: stop,
          onProgress: (bytes) => tell(file, bytes),
          onChanged: async (changed) => {
            plan = plan.map((one) => (one.name === changed.name ? changed : one));
            await this.#savePlan(name, root, plan);
          },
        });
        fetched[index] = got;
      },
      signal,
    ).catch((error: unknown) => {
      throw asSyncError(error);
    });
    return fetched;
  }

  /** One file, from the first root that can give it. */
  async #fetchFile(
    name: string,
    runMs: number,
    planned: PlannedFile,
    roots: readonly string[],
    tools: {
      readonly signal: AbortSignal;
      readonly onProgress: (bytes: number) => void;
      readonly onChanged: (file: PlannedFile) => Promise<void>;
    },
  ): Promise<FetchedFile> {
    const path = join(this.#folder.partial(name), planned.name);
    const part = `${path}.part`;
    const failures: { readonly root: string; readonly error: RemoteFailure }[] = [];
    for (const root of roots) {
      const { remote, runs } = this.#on(root);
      let file: PlannedFile | undefined = planned;
      let checksum: string | undefined;
      try {
        if (root !== roots[0]) {
          file = await planAgain(runs, runMs, planned);
          if (file === undefined) throw new RemoteFailure('refused', `${root} lacks the step`, 'lacks it');
          if (!namesSame(file, planned)) {
            throw new RemoteFailure('different', `${root} has other messages`, 'has other messages');
          }
        }
        for (let restarts = 0; ; restarts++) {
          try {
            checksum = await runs.fetch(runMs, file, {
              part,
              onProgress: tools.onProgress,
              signal: tools.signal,
            });
            break;
          } catch (error) {
            const isReplaced = error instanceof RemoteFailure && error.kind === 'replaced';
            if (!isReplaced || restarts >= MAX_RESTARTS) throw error;
            await rm(part, { force: true });
            file = await planAgain(runs, runMs, planned);
            if (file === undefined) throw error;
            await tools.onChanged(file);
          }
        }
        await rename(part, path);
        if (!remote.hasRanges) this.#noticeNoRanges(root);
        return { file, root: remote, path, checksum };
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        failures.push({ root, error });
      }
    }
    throw stepFailed(planned, runMs, failures);
  }

  readonly #noticed = new Set<string>();

  #noticeNoRanges(root: string): void {
    if (this.#noticed.has(root)) return;
    this.#noticed.add(root);
    this.#options.onNotice?.(
      `${root} ignores ranges: whole files are read, of which the wanted part is kept`,
    );
  }

  get #defaultKeepMs(): number | undefined {
    return this.#provider.type === 'reanalysis' ? undefined : DEFAULT_KEEP_MS;
  }

  /** Removes what starts more than an age before the newest complete run. */
  async #removeOld(newestMs: number, keepMs: number | undefined): Promise<string[]> {
    if (keepMs === undefined) return [];
    const runs = await this.#folder.runs();
    const times = runs.map((run) => this.#timeOf(run));
    const newest = Math.max(...times.filter((time) => Number.isFinite(time)), Number.NEGATIVE_INFINITY);
    const limit = Math.min(newest, newestMs) - keepMs;
    const removed: string[] = [];
    for (const [k, run] of runs.entries()) {
      if ((times[k] as number) < limit && (await this.#folder.remove(run))) removed.push(run);
    }
    return removed;
  }

  async #published(): Promise<Map<string, Manifest>> {
    const found = new Map<string, Manifest>();
    for (const run of await this.#folder.runs()) {
      const known = await this.#folder.manifest(run);
      if (known !== undefined) found.set(run, known);
    }
    return found;
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
    const compact = new Date(runMs).toISOString().replace(/[-:]/g, '');
    return this.#provider.type === 'reanalysis' ? compact.slice(0, 8) : compact.slice(0, 11);
  }

  #timeOf(name: string): number {
    const [, year, month, day, hour = '00'] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d))?$/.exec(name) ?? [];
    return Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`);
  }

  #on(root: string): { readonly remote: Remote; readonly runs: RunsOnRoot } {
    const known = this.#remotes.get(root);
    if (known !== undefined) return known;
    const { connections = DEFAULT_CONNECTIONS, signal, environment, pauseMs, stallMs } = this.#options;
    const polite = this.#provider.politeness(root);
    const remote = new Remote(root, {
      ...polite,
      connections: Math.min(connections, polite.connections),
      userAgent: `contrails/${manifest.version}`,
      onBytes: (bytes) => {
        this.#fetched += bytes;
      },
      ...(this.#throttle === undefined ? {} : { throttle: this.#throttle }),
      ...(signal === undefined ? {} : { signal }),
      ...(environment === undefined ? {} : { environment }),
      ...(pauseMs === undefined ? {} : { pauseMs }),
      ...(stallMs === undefined ? {} : { stallMs }),
    });
    const opened = { remote, runs: this.#provider.open(remote, this.#wants) };
    this.#remotes.set(root, opened);
    return opened;
  }

  async #nothing(
    fixedMs: number | undefined,
    asOfMs: number,
    roots: readonly string[],
    newest: IncompleteRun | undefined,
    failures: readonly { readonly root: string; readonly error: RemoteFailure }[],
  ): Promise<SyncError> {
    const { name, type } = this.#provider;
    if (failures.length === roots.length) {
      const shown = failures.map(({ root, error }) => `${root} ${error.did}`).join(', ');
      const cause = failures.at(-1)?.error.cause ?? failures.at(-1)?.error;
      return failures.length === 1 && /cannot be reached/.test(String((cause as Error)?.message))
        ? new SyncError(
            `${roots[0]} cannot be reached (${/\((.*?)\)/.exec((cause as Error).message)?.[1]})`,
            'check the network or HTTPS_PROXY, or use --root',
            { cause },
          )
        : new SyncError(`${name}: ${shown}`, 'run the command again, it continues', { cause });
    }
    const has = newest === undefined ? '' : `${newest.present} of ${newest.wanted} steps`;
    const wait =
      newest === undefined ? 0 : Math.ceil((9 * (newest.wanted - newest.present)) / newest.wanted) * 10;
    if (fixedMs !== undefined) {
      const what = type === 'reanalysis' ? isoDate(fixedMs) : `run ${shownRun(fixedMs)}`;
      if (newest === undefined) {
        const lastDay = await this.#on(roots[0] ?? '')
          .runs.lastDay?.()
          .catch(() => undefined);
        return new SyncError(
          `${what} of ${name} is not there at ${roots.join(', ')}${lastDay === undefined ? '' : `, which ends at ${lastDay}`}`,
          type === 'reanalysis' ? 'use era5-cds, or ARCO-ERA5 as a zarr source' : 'choose another --run',
        );
      }
      const shorter = newest.lastHour === undefined ? '' : `, or --hours ${newest.lastHour}`;
      return new SyncError(
        `${what} of ${name} is not complete: ${has}`,
        `try again in about ${wait} min${shorter}`,
      );
    }
    const shown = newest === undefined ? 'none' : `${shownRun(newest.runMs)}, ${has}`;
    return new SyncError(
      `no complete run of ${name} within 48 h before ${isoSecond(asOfMs)} at ${roots.join(', ')}; newest: ${shown}`,
      newest === undefined ? 'check --as-of and --root' : `try again in about ${wait} min, or --run`,
    );
  }
}

interface FetchedFile {
  readonly file: PlannedFile;
  readonly root: Remote;
  readonly path: string;
  /** SHA-256, where it is known. */
  readonly checksum?: string | undefined;
}

/** How often a file may be replaced while it is read. */
const MAX_RESTARTS = 3;

async function planAgain(
  runs: RunsOnRoot,
  runMs: number,
  { step, name }: PlannedFile,
): Promise<PlannedFile | undefined> {
  return (await runs.planStep(runMs, step))?.find((file) => file.name === name);
}

const keyOf = ({ param, level, step, member }: PlannedFile['pieces'][number]) =>
  [param, level, step, member].join(' ');

/** Whether two files hold the same fields; their lengths may differ. */
function namesSame(one: PlannedFile, other: PlannedFile): boolean {
  const keys = one.pieces.map(keyOf).sort().join();
  return keys === other.pieces.map(keyOf).sort().join();
}

function isSameFile(file: PlannedFile, url: string, before: PlannedFile, beforeUrl: string): boolean {
  const hasSamePieces = JSON.stringify(file.pieces) === JSON.stringify(before.pieces);
  const hasSameParts = JSON.stringify(file.parts) === JSON.stringify(before.parts);
  return hasSamePieces && hasSameParts && (url !== beforeUrl || file.etag === before.etag);
}

function isListed(
  file: PlannedFile,
  url: string,
  { ranges, url: listedUrl, etag, messages }: ManifestFile,
): boolean {
  const same = file.pieces.map(({ offset, length }) => [offset, length]);
  return (
    messages.length > 0 &&
    JSON.stringify(same) === JSON.stringify(ranges) &&
    (url !== listedUrl || (file.etag ?? null) === etag)
  );
}

async function manifestFile({ file, root, path, checksum }: FetchedFile): Promise<ManifestFile> {
  let offset = 0;
  return {
    name: file.name,
    step: file.step,
    bytes: (await sizeOf(path)) ?? 0,
    sha256: checksum ?? (await sha256(path)),
    url: root.urlOf(file.path),
    etag: file.etag ?? null,
    ranges: file.pieces.map((piece) => [piece.offset, piece.length] as const),
    messages: file.pieces.map(({ param, level, step, member, length }) => {
      const at = offset;
      offset += length;
      return { param, level, step, ...(member === undefined ? {} : { member }), offset: at, length };
    }),
  };
}

function stepFailed(
  { step }: PlannedFile,
  runMs: number,
  failures: readonly { readonly root: string; readonly error: RemoteFailure }[],
): SyncError {
  const where = `step ${step} h of run ${shownRun(runMs)}`;
  const cause = failures.find(({ error }) => error.kind === 'different')?.error ?? failures.at(-1)?.error;
  if (failures.every(({ error }) => error.kind === 'damaged')) {
    return new SyncError(
      `${where}: ${cause?.message.replace(' is damaged', ' is damaged on every root')}`,
      'run the command again later',
      { cause },
    );
  }
  const shown = failures.map(({ root, error }) => `${root} ${error.did}`).join(', ');
  return new SyncError(`${where}: ${shown}`, 'run the command again, it continues', { cause });
}

async function freeSpace(directory: string): Promise<number> {
  for (let path = directory; ; path = join(path, '..')) {
    const found = await statfs(path).catch(() => undefined);
    if (found !== undefined) return found.bavail * found.bsize;
  }
}

const mebibytes = (bytes: number) => Math.ceil(bytes / MEBIBYTE);

function requireSpace(bytes: number, free: number, directory: string): void {
  if (bytes === 0 || free > bytes * 1.05 + 200 * MEBIBYTE) return;
  throw new SyncError(
    `needs ${mebibytes(bytes * 1.05) + 200} MiB, ${mebibytes(free)} MiB are free in ${directory}`,
    'use --hours, --levels or --keep',
  );
}

function asSyncError(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
    return new SyncError('the disk is full', 'free some space and run the command again, it continues', {
      cause: error,
    });
  }
  return error;
}

/** An hour more than the delay, in which the run is written. */
function nextRunMs({ cycleMs, delayMs }: Provider, runMs: number): number {
  return runMs + cycleMs + delayMs + HOUR_MS;
}

/** `2026-09-14 00 UTC` */
export function shownRun(ms: number): string {
  return `${isoDate(ms)} ${String(Math.floor((ms % DAY_MS) / HOUR_MS)).padStart(2, '0')} UTC`;
}
