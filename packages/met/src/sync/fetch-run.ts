import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { atOnce } from '@contrails/runtime';
import { RemoteFailure } from './failures.ts';
import type { FoundRun } from './find-run.ts';
import {
  linkOrCopy,
  type ManifestFile,
  type RunFlags,
  type SourceFolder,
  type StoredPlan,
  sha256,
  sizeOf,
} from './folder.ts';
import type { PlannedFile, RunsOnRoot } from './provider.ts';
import { asSyncError, type RootFailure, stepFailed } from './refusals.ts';
import type { Remote } from './remote.ts';
import type { Roots } from './roots.ts';

export interface RunFetchOptions {
  readonly folder: SourceFolder;
  readonly roots: Roots;
  /** Those which are tried for each file, in their order; the run was planned on the first. */
  readonly order: readonly [string, ...string[]];
  readonly flags: RunFlags;
  readonly signal?: AbortSignal | undefined;
  /** Receives how many planned bytes are there. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly onNotice?: ((text: string) => void) | undefined;
}

interface FetchedFile {
  readonly file: PlannedFile;
  readonly root: Remote;
  readonly path: string;
  /** SHA-256, where it is known. */
  readonly checksum?: string | undefined;
}

/** What an attempt may leave of a file, behind its name. */
const LEFT_OVER = ['', '.part', '.part.parts', '.part.job'];

/** How often a file may be replaced while it is read. */
const MAX_RESTARTS = 3;

/** Gathers the files of a planned run below `.partial`. */
export class RunFetch {
  readonly #name: string;
  readonly #run: FoundRun;
  readonly #options: RunFetchOptions;
  readonly #noticed = new Set<string>();
  #kept: ReadonlySet<string> = new Set();

  /** `name` is that of the folder of the run. */
  constructor(name: string, run: FoundRun, options: RunFetchOptions) {
    this.#name = name;
    this.#run = run;
    this.#options = options;
  }

  /** Takes over what is there already: complete files of an earlier attempt or of the published run. Returns what is missing [bytes]. */
  async begin(): Promise<number> {
    const { folder, flags } = this.#options;
    const partial = folder.partial(this.#name);
    const plan = await folder.plan(this.#name);
    const planned = new Map(plan?.files.map((file) => [file.name, file]));
    const published = await folder.manifest(this.#name);
    const listed = new Map(published?.files.map((file) => [file.name, file]));
    await mkdir(partial, { recursive: true });
    const kept = new Set<string>();
    for (const file of this.#run.files) {
      const path = join(partial, file.name);
      const url = this.#planned.remote.urlOf(file.path);
      const before = planned.get(file.name);
      const isContinued =
        before !== undefined &&
        isSameFile(file, url, before, before.url) &&
        (!isConverted(file) || cutsSame(flags, plan?.flags));
      if (before !== undefined && !isContinued) {
        for (const suffix of LEFT_OVER) await rm(path + suffix, { recursive: true, force: true });
      }
      const earlier = listed.get(file.name);
      const isPublished =
        earlier !== undefined &&
        isListed(file, url, earlier) &&
        (!isConverted(file) || cutsSame(flags, published?.flags));
      if (!existsSync(path) && isPublished) {
        await linkOrCopy(join(folder.path, this.#name, file.name), path);
      }
      if (existsSync(path)) kept.add(file.name);
    }
    await this.#savePlan(this.#run.files);
    this.#kept = kept;
    return this.#run.files.reduce((sum, file) => sum + (kept.has(file.name) ? 0 : file.bytes), 0);
  }

  /** Fetches what is missing, and lists all files for the manifest. */
  async finish(): Promise<ManifestFile[]> {
    const fetched = await this.#fetchAll();
    const listed: ManifestFile[] = [];
    for (const file of fetched) listed.push(await manifestFile(file));
    return listed;
  }

  pathOf(name: string): string {
    return join(this.#options.folder.partial(this.#name), name);
  }

  /** The server that the run was planned on. */
  get #planned() {
    return this.#options.roots.at(this.#options.order[0]);
  }

  async #savePlan(files: readonly PlannedFile[]): Promise<void> {
    const { remote } = this.#planned;
    const plan: StoredPlan = {
      format: 1,
      root: this.#options.order[0],
      flags: this.#options.flags,
      files: files.map((file) => ({ ...file, url: remote.urlOf(file.path) })),
    };
    await this.#options.folder.savePlan(this.#name, plan);
  }

  async #fetchAll(): Promise<FetchedFile[]> {
    const { files } = this.#run;
    const { onProgress, signal } = this.#options;
    const { remote } = this.#planned;
    const done = new Map(files.map((file) => [file.name, this.#kept.has(file.name) ? file.bytes : 0]));
    // What is read of a file that is converted is an estimate before, and more where a server has no ranges.
    const tell = (file: PlannedFile, bytes: number) => {
      done.set(file.name, Math.min(bytes, file.bytes));
      onProgress?.([...done.values()].reduce((sum, one) => sum + one, 0));
    };
    const fetched: FetchedFile[] = files.map((file) => ({
      file,
      root: remote,
      path: this.pathOf(file.name),
    }));
    let plan = [...files];
    await atOnce(
      remote.connections,
      files,
      async (file, index, stop) => {
        if (this.#kept.has(file.name)) return;
        fetched[index] = await this.#fetchFile(file, {
          signal: stop,
          onProgress: (bytes) => tell(file, bytes),
          onChanged: async (changed) => {
            plan = plan.map((one) => (one.name === changed.name ? changed : one));
            await this.#savePlan(plan);
          },
        });
        tell(file, file.bytes);
      },
      signal,
    ).catch((error: unknown) => {
      throw asSyncError(error);
    });
    return fetched;
  }

  /** One file, from the first root that can give it. */
  async #fetchFile(
    planned: PlannedFile,
    tools: {
      readonly signal: AbortSignal;
      readonly onProgress: (bytes: number) => void;
      readonly onChanged: (file: PlannedFile) => Promise<void>;
    },
  ): Promise<FetchedFile> {
    const { order, roots } = this.#options;
    const { runMs } = this.#run;
    const path = this.pathOf(planned.name);
    const part = `${path}.part`;
    const failures: RootFailure[] = [];
    for (const root of order) {
      const { remote, runs } = roots.at(root);
      let file: PlannedFile | undefined = planned;
      let checksum: string | undefined;
      try {
        if (root !== order[0]) {
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
              onNotice: (notice) => this.#options.onNotice?.(notice),
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

  #noticeNoRanges(root: string): void {
    if (this.#noticed.has(root)) return;
    this.#noticed.add(root);
    this.#options.onNotice?.(
      `${root} ignores ranges: whole files are read, of which the wanted part is kept`,
    );
  }
}

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

function isListed(file: PlannedFile, url: string, { ranges, url: listedUrl, etag }: ManifestFile): boolean {
  const same = file.pieces.map(({ offset, length }) => [offset, length]);
  return (
    JSON.stringify(same) === JSON.stringify(ranges) &&
    // Only its address shows what a converted file was made of.
    (url === listedUrl ? (file.etag ?? null) === etag : !isConverted(file))
  );
}

/** It holds part of what it was made of, which its flags decide. */
const isConverted = ({ pieces }: PlannedFile) => pieces.length === 0;

function cutsSame(one: RunFlags, other: RunFlags | undefined): boolean {
  const cut = ({ levels, bbox }: RunFlags) => JSON.stringify([levels, bbox]);
  return other !== undefined && cut(one) === cut(other);
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
