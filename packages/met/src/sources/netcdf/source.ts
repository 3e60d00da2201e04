import { availableParallelism } from 'node:os';
import { allocateField, type MetField } from '../../field.ts';
import type { RadiationOrigin } from '../../radiation-convention.ts';
import type { MetSource, SourceDescription } from '../../source.ts';
import { requireNoGap } from '../../time-gaps.ts';
import { windowAxes } from '../../window-axes.ts';
import { type FileStamp, isSameFile } from '../file-stamp.ts';
import { findFiles, generationOf } from '../find-files.ts';
import { chooseRun, describeRuns, type Run, runsOf, typeOf } from '../held/description.ts';
import { gridOf } from '../held/holdings.ts';
import { type FileParts, partsOf } from '../held/layout.ts';
import { fillJobs } from '../held/plan.ts';
import { inSource } from '../in-source.ts';
import { formatOf } from './file.ts';
import { Readers } from './readers.ts';

export interface NetcdfOptions extends RadiationOrigin {
  readonly name: string;
  /** Files and globs, relative to `directory`. */
  readonly paths: readonly string[];
  readonly directory: string;
  /** Position along the dimension of ensemble members, for files that hold several. */
  readonly member?: number;
  /** [hPa] to which model levels are brought; those between 20 000 and 50 000 ft unless given. */
  readonly levels?: readonly number[];
  /** Reading threads; as many as there are processors unless given. */
  readonly threads?: number;
}

interface Inventory {
  readonly generation: string;
  readonly stamps: readonly FileStamp[];
  readonly runs: readonly Run[];
}

/** Weather in netCDF files: ERA5 of the Copernicus store in its old and new layout, or any that follow CF. */
export function openNetcdf(options: NetcdfOptions): MetSource {
  const readers = new Readers(options.threads ?? availableParallelism());
  const known = new Map<string, { readonly stamp: FileStamp; readonly parts: Promise<FileParts> }>();
  let latest: Inventory | undefined;

  const inspect = async (stamp: FileStamp): Promise<FileParts> =>
    partsOf(stamp, formatOf(stamp.path), await readers.inspect(stamp), options.member);

  /** Headers are read again only for files that changed. */
  const takeInventory = async (): Promise<Inventory> => {
    const stamps = await findFiles(options.directory, options.paths);
    const generation = generationOf(options.directory, stamps);
    if (latest !== undefined && areSameFiles(latest.stamps, stamps)) return latest;
    const files = stamps.map((stamp) => {
      const entry = known.get(stamp.path);
      if (entry !== undefined && isSameFile(entry.stamp, stamp)) return entry.parts;
      const parts = inspect(stamp);
      known.set(stamp.path, { stamp, parts });
      parts.catch(() => known.delete(stamp.path));
      return parts;
    });
    latest = { generation, stamps, runs: runsOf(await Promise.all(files), options.levels) };
    return latest;
  };

  return {
    name: options.name,
    describe: () =>
      inSource(options.name, async (): Promise<SourceDescription> => {
        const { runs, generation } = await takeInventory();
        return describeRuns(runs, { ...options, kind: 'netcdf' }, generation);
      }),
    read: (window, { signal, allocate = allocateField } = {}) =>
      inSource(options.name, async (): Promise<MetField> => {
        const { runs } = await takeInventory();
        const { holdings } = chooseRun(runs, window);
        const grid = gridOf(holdings, window.variables);
        const axes = windowAxes(grid, window);
        const [first = 0] = axes.time;
        requireNoGap(grid.time, typeOf(runs, options), [first, axes.time.at(-1) ?? first]);
        const field = allocate(window.variables, axes);
        await readers.fill(fillJobs(field, holdings), signal);
        return field;
      }),
    close: () => readers.close(),
  };
}

/** Also where two look alike by name, size and time: a copy that kept them is another file. */
function areSameFiles(some: readonly FileStamp[], others: readonly FileStamp[]): boolean {
  return (
    some.length === others.length &&
    some.every((stamp, i) => {
      const other = others[i];
      return other !== undefined && other.path === stamp.path && isSameFile(stamp, other);
    })
  );
}
