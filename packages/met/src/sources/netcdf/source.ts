import { availableParallelism } from 'node:os';
import { describeRuns } from '../../dataset/description.ts';
import { FileIndex, type FilesOptions } from '../../dataset/file-index.ts';
import type { FileStamp } from '../../dataset/file-stamp.ts';
import type { FileHeader } from '../../dataset/header.ts';
import { entriesOf, type FileEntry } from '../../dataset/layout.ts';
import { type FillJob, fillJobs } from '../../dataset/plan.ts';
import type { RadiationOrigin } from '../../radiation/radiation-convention.ts';
import type { MetSource } from '../../source.ts';
import { Threads, type ThreadsOptions } from '../../threads/threads.ts';
import { inSource } from '../in-source.ts';
import { formatOf } from './file.ts';
import type { ReaderRequest } from './reader.ts';

export interface NetcdfOptions extends RadiationOrigin, FilesOptions, ThreadsOptions {
  readonly name: string;
  /** Position along the dimension of ensemble members, for files that hold several. */
  readonly member?: number;
  /** Reading threads; as many as there are processors unless given. */
  readonly threads?: number;
}

/** Weather in netCDF files: ERA5 of the Copernicus store in its old and new layout, or any that follow CF. */
export function openNetcdf(options: NetcdfOptions): MetSource {
  const readers = new Readers(options.threads ?? availableParallelism(), options);
  const files = new FileIndex<FileEntry>(options, async (stamp) =>
    entriesOf(stamp, formatOf(stamp.path), await readers.inspect(stamp), options.member),
  );
  return {
    name: options.name,
    describe: () =>
      inSource(options.name, async () => {
        const { runs, generation, quarantined } = await files.refresh();
        return { ...describeRuns(runs, { ...options, kind: 'netcdf' }, generation), quarantined };
      }),
    read: (window, { signal, allocate } = {}) =>
      inSource(options.name, () =>
        files.read(window, allocate, (field, dataset) => readers.fill(fillJobs(field, dataset), signal)),
      ),
    pathsOf: (...what) => files.pathsOf(...what),
    quarantined: () => files.quarantined(),
    close: () => readers.close(),
  };
}

/** Threads that read files. */
export class Readers {
  readonly #threads: Threads<ReaderRequest, FileHeader | undefined>;

  constructor(limit: number, options: ThreadsOptions = {}) {
    this.#threads = new Threads(new URL('./reader.ts', import.meta.url), limit, options);
  }

  async inspect(file: FileStamp): Promise<FileHeader> {
    const [header] = await this.#threads.run([{ kind: 'inspect', file }]);
    return header as FileHeader;
  }

  /** Fills pieces of a field. */
  async fill(jobs: readonly FillJob[], signal: AbortSignal | undefined): Promise<void> {
    await this.#threads.run(
      jobs.map((job) => ({ kind: 'fill', job }) as const),
      signal,
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
