import { availableParallelism } from 'node:os';
import { describeRuns } from '../../dataset/description.ts';
import { FileIndex, type FilesOptions } from '../../dataset/file-index.ts';
import { entriesOf, type FileEntry } from '../../dataset/layout.ts';
import { fillJobs } from '../../dataset/plan.ts';
import type { RadiationOrigin } from '../../radiation/radiation-convention.ts';
import type { MetSource } from '../../source.ts';
import type { ThreadsOptions } from '../../threads/threads.ts';
import { inSource } from '../in-source.ts';
import { formatOf } from './file.ts';
import { Readers } from './readers.ts';

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
