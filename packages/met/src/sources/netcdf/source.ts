import { availableParallelism } from 'node:os';
import { describeRuns } from '../../dataset/description.ts';
import { FileIndex, type FilesOptions } from '../../dataset/file-index.ts';
import type { FileStamp } from '../../dataset/file-stamp.ts';
import { contentsOfMember, entriesOf, type FileEntry, membersOf } from '../../dataset/layout.ts';
import { type FillJob, fillJobs } from '../../dataset/plan.ts';
import type { RadiationOrigin } from '../../radiation/radiation-convention.ts';
import type { MetSource } from '../../source.ts';
import { type RunOptions, Threads, type ThreadsOptions } from '../../threads/threads.ts';
import { inSource } from '../in-source.ts';
import { describeMember, type MemberSetting, withMembers } from '../members.ts';
import { formatOf } from './file.ts';
import type { InspectedHeader, ReaderRequest } from './reader.ts';

export interface NetcdfOptions extends RadiationOrigin, FilesOptions, ThreadsOptions {
  readonly name: string;
  /** Position along the dimension of ensemble members, for files that hold several; or all of them. */
  readonly member?: MemberSetting;
  /** Reading threads; as many as there are processors unless given. */
  readonly threads?: number;
}

/** Weather in netCDF files: ERA5 of the Copernicus store in its old and new layout, or any that follow CF. */
export function openNetcdf(options: NetcdfOptions): MetSource {
  const readers = new Readers(options.threads ?? availableParallelism(), options);
  const isEnsemble = options.member === 'all';
  const fixed = options.member === 'all' ? 0 : options.member;
  const first = new FileIndex<FileEntry>(options, async (stamp) => {
    const { header, identity } = await readers.inspect(stamp);
    return { contents: entriesOf(stamp, formatOf(stamp.path), header, fixed), identity };
  });
  const sourceOf = (files: FileIndex<FileEntry>, member?: number): MetSource => ({
    name: options.name,
    describe: () =>
      inSource(options.name, () =>
        files.describe(({ runs, generation, fileGeneration }) => ({
          ...describeRuns(runs, { ...options, kind: 'netcdf' }, generation, fileGeneration),
          ...(isEnsemble ? describeMember(membersOf(runs), member) : {}),
        })),
      ),
    read: (window, given = {}) =>
      inSource(options.name, () =>
        files.read(window, given, (field, dataset) => readers.fill(fillJobs(field, dataset), given)),
      ),
    pathsOf: (...what) => files.pathsOf(...what),
    quarantined: () => files.quarantined(),
    close: () => readers.close(),
  });
  const source = sourceOf(first);
  if (!isEnsemble) return source;
  return withMembers(source, (member) =>
    sourceOf(
      first.arrangedBy((files) => files.map((contents) => contentsOfMember(contents, member))),
      member,
    ),
  );
}

/** Threads that read files. */
export class Readers {
  readonly #threads: Threads<ReaderRequest, InspectedHeader | undefined>;

  constructor(limit: number, options: ThreadsOptions = {}) {
    this.#threads = new Threads(new URL('./reader.ts', import.meta.url), limit, options);
  }

  async inspect(file: FileStamp): Promise<InspectedHeader> {
    const [inspected] = await this.#threads.run([{ kind: 'inspect', file }]);
    return inspected as InspectedHeader;
  }

  /** Fills pieces of a field. */
  async fill(jobs: readonly FillJob[], options: RunOptions): Promise<void> {
    await this.#threads.run(
      jobs.map((job) => ({ kind: 'fill', job }) as const),
      options,
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
