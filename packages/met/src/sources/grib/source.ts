import { availableParallelism } from 'node:os';
import { MetError } from '../../errors.ts';
import { allocateField, type MetField } from '../../field.ts';
import type { RadiationOrigin } from '../../radiation-convention.ts';
import type { MetSource, SourceDescription } from '../../source.ts';
import { Threads } from '../../threads.ts';
import { requireNoGap } from '../../time-gaps.ts';
import { windowAxes } from '../../window-axes.ts';
import { type FileStamp, isSameFile } from '../file-stamp.ts';
import { findFiles, generationOf } from '../find-files.ts';
import { type Contents, chooseRun, describeRuns, type Run, runsOf, typeOf } from '../held/description.ts';
import { gridOf } from '../held/holdings.ts';
import { inSource } from '../in-source.ts';
import { type GribField, type IndexOptions, indexFile } from './index-file.ts';
import { type FillJob, fillJobs } from './plan.ts';
import { radiationOfFields } from './radiation.ts';

export interface GribOptions extends RadiationOrigin {
  readonly name: string;
  /** Files and globs, relative to `directory`. */
  readonly paths: readonly string[];
  readonly directory: string;
  /** Number of the ensemble member, for files that hold several. */
  readonly member?: number;
  /** [hPa] to which model levels are brought; those between 20 000 and 50 000 ft unless given. */
  readonly levels?: readonly number[];
  /** Decoding threads; as many as there are processors unless given. */
  readonly threads?: number;
}

interface Inventory {
  readonly generation: string;
  readonly runs: readonly Run<GribField>[];
}

/** Weather in GRIB2 files: open data of ECMWF, GFS, or anything on regular grids, on pressure levels or the model levels of ECMWF. */
export function openGrib(options: GribOptions): MetSource {
  const threads = new Threads<FillJob, void>(
    new URL('./reader.ts', import.meta.url),
    options.threads ?? availableParallelism(),
  );
  const indexOptions: IndexOptions = {
    asForecast: !/analysis/i.test(options.product),
    grids: new Map(),
  };
  const known = new Map<
    string,
    { readonly stamp: FileStamp; readonly contents: Promise<Contents<GribField>> }
  >();
  let latest: Inventory | undefined;

  /** Only files that changed are indexed again. */
  const takeInventory = async (): Promise<Inventory> => {
    const stamps = await findFiles(options.directory, options.paths);
    const generation = generationOf(options.directory, stamps);
    if (latest?.generation === generation) return latest;
    const files = stamps.map((stamp) => {
      const entry = known.get(stamp.path);
      if (entry !== undefined && isSameFile(entry.stamp, stamp)) return entry.contents;
      const contents = indexFile(stamp, indexOptions);
      known.set(stamp.path, { stamp, contents });
      contents.catch(() => known.delete(stamp.path));
      return contents;
    });
    const contents = (await Promise.all(files)).map((file) => ofMember(file, options.member));
    latest = { generation, runs: runsOf(contents, options.levels) };
    return latest;
  };

  return {
    name: options.name,
    describe: () =>
      inSource(options.name, async (): Promise<SourceDescription> => {
        const { runs, generation } = await takeInventory();
        const fields = [...(runs.at(-1)?.holdings.parts.values() ?? [])].flat();
        return {
          ...describeRuns(runs, { ...options, kind: 'grib' }, generation),
          radiation: radiationOfFields(fields, options),
        };
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
        await threads.run(fillJobs(field, holdings), signal);
        return field;
      }),
    close: () => threads.close(),
  };
}

/** The fields of one member; those that belong to none are every member's. */
function ofMember(contents: Contents<GribField>, member: number | undefined): Contents<GribField> {
  const members = new Set(
    contents.parts.map(({ product }) => product.member).filter((one) => one !== undefined),
  );
  if (member === undefined && members.size > 1) {
    throw new MetError(
      'unreadable',
      `${contents.parts[0]?.file.path} holds ${members.size} ensemble members; name one of them ` +
        `(member: ${Math.min(...members)} … ${Math.max(...members)})`,
      { members: [...members] },
    );
  }
  return {
    ...contents,
    parts: contents.parts.filter(
      ({ product }) => member === undefined || product.member === undefined || product.member === member,
    ),
  };
}
