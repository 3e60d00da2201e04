import { availableParallelism } from 'node:os';
import { DAY_MS } from '@contrails/runtime';
import type { BoxRead } from '../../dataset/box-read.ts';
import { type DatasetIndex, gridOf } from '../../dataset/dataset-index.ts';
import { chooseRun, pathsHolding, runsOf, typeOf } from '../../dataset/description.ts';
import { type FillJob, fillJobs } from '../../dataset/plan.ts';
import { changed } from '../../errors.ts';
import { allocateField, type MetField } from '../../field/field.ts';
import type { RadiationOrigin } from '../../radiation/radiation-convention.ts';
import type { MetSource, MetWindow, SourceDescription } from '../../source.ts';
import { Threads, type ThreadsOptions } from '../../threads/threads.ts';
import { requireNoGap } from '../../windows/time-gaps.ts';
import { windowAxes } from '../../windows/window-axes.ts';
import { inSource } from '../in-source.ts';
import { type MemberSetting, withMembers } from '../members.ts';
import { cutTimes } from './cut-times.ts';
import { HTTP_LIMITS, type HttpLimits } from './http-get.ts';
import { locateStore, nameOf, type S3Options } from './location.ts';
import type { AddressedRead, ZarrJob } from './reader.ts';
import { type Holder, indexOfMember, indexStores, type StoreIndex } from './store-index.ts';

export interface ZarrOptions extends RadiationOrigin, S3Options, ThreadsOptions {
  readonly name: string;
  /** Stores: directories relative to `directory`, `http(s)://`, `s3://` or `gs://`. */
  readonly paths: readonly string[];
  readonly directory: string;
  /** Position along the dimension of ensemble members, for stores that hold several; or all of them. */
  readonly member?: MemberSetting;
  /** [hPa] to which model levels are interpolated; those between 20 000 and 50 000 ft unless given. */
  readonly levels?: readonly number[];
  /** Reading threads; as many as there are processors unless given. */
  readonly threads?: number;
  readonly http?: Partial<HttpLimits>;
  /** How long the metadata of a store count as current [ms]. */
  readonly refreshMs?: number;
  /** What is unpacked at once of large chunks; for each variable, in each thread. */
  readonly pieceBytes?: number;
}

const REFRESH_MS = 30_000;
const UNPACKED_BYTES = 2 ** 20;

/** A chunk is fetched once however large it is, so pieces are only cut across chunks above this [bytes]. */
const PIECE_BYTES = 1024 * 1024 * 1024;

/** Weather in Zarr stores: ARCO-ERA5, or any whose arrays follow CF. */
export function openZarr(options: ZarrOptions): MetSource {
  const limits = { ...HTTP_LIMITS, ...options.http };
  const locations = options.paths.map((path) => locateStore(path, options.directory, options));
  const remote = locations.some(({ kind }) => kind === 'http');
  // Waiting for a server costs no processor.
  const threads = new Threads<ZarrJob, void>(
    new URL('./reader.ts', import.meta.url),
    options.threads ?? Math.max(availableParallelism(), remote ? 4 : 1),
    // A server that sends nothing is given up by its own limits, one that sends slowly is not.
    remote ? {} : options,
  );
  let latest: Promise<StoreIndex> | undefined;
  const refresh = async (): Promise<StoreIndex> => {
    const known = await latest?.catch(() => undefined);
    if (known !== undefined && Date.now() - known.takenMs < (options.refreshMs ?? REFRESH_MS)) return known;
    latest = indexStores(locations, options, limits, known);
    return latest;
  };

  const sourceOf = (indexNow: () => Promise<StoreIndex>): MetSource => {
    /** As long as a description is in use, so is the index that it describes. */
    const described = new WeakMap<SourceDescription, StoreIndex>();
    return {
      name: options.name,
      describe: () =>
        inSource(options.name, async () => {
          const index = await indexNow();
          const description = index.describe();
          described.set(description, index);
          return description;
        }),
      read: (window, { signal, isForJob, description, allocate = allocateField } = {}) =>
        inSource(options.name, async (): Promise<MetField> => {
          const index = description === undefined ? await indexNow() : described.get(description);
          if (index === undefined) throw changed(options.name);
          const dataset = datasetAround(index, window, options);
          const grid = gridOf(dataset, window.variables);
          const axes = windowAxes(grid, window);
          const [first = 0] = axes.time;
          requireNoGap(grid.time, typeOf(index.runs, options), [first, axes.time.at(-1) ?? first]);
          const field = await allocate(window.variables, axes);
          const jobs = fillJobs(field, dataset, PIECE_BYTES);
          await threads.run(
            jobs.map((job) => ({
              ...withAddresses(job, index.holders, limits),
              pieceBytes: options.pieceBytes ?? UNPACKED_BYTES,
            })),
            { signal, isForJob },
          );
          return field;
        }),
      pathsOf: async (...what) => pathsHolding((await indexNow()).runs, ...what),
      close: () => threads.close(),
    };
  };
  const source = sourceOf(refresh);
  if (options.member !== 'all') return source;
  return withMembers(source, (member) => {
    let known: StoreIndex | undefined;
    return sourceOf(async () => {
      const first = await refresh();
      if (known?.generation !== first.generation) known = indexOfMember(first, options, member);
      return known;
    });
  });
}

/** Enough to see the step of a series, so a missing time shows. */
const MARGIN_MS = 7 * DAY_MS;

/** The dataset of the run that a window names, around its times. */
function datasetAround(
  { holders }: StoreIndex,
  window: MetWindow,
  options: Pick<ZarrOptions, 'levels' | 'type'>,
): DatasetIndex {
  const range = [window.time[0] - MARGIN_MS, window.time[1] + MARGIN_MS] as const;
  const around = holders.map(({ contents }) => ({
    ...contents,
    entries: contents.entries.map((entry) => cutTimes(entry, range)),
  }));
  return chooseRun(runsOf(around, options), window).dataset;
}

/** A thread opens the arrays it reads from what is known of them, without asking the store again. */
function withAddresses(
  { slice, reads, model }: FillJob,
  holders: readonly Holder[],
  limits: HttpLimits,
): Omit<ZarrJob, 'pieceBytes'> {
  const addressed = (read: BoxRead): AddressedRead => {
    const holder = holders.find(({ location }) => nameOf(location) === read.file.path);
    const documents = holder?.documents.arrays.get(read.stored.name);
    if (holder === undefined || documents === undefined) {
      throw new RangeError(`no store holds ${read.stored.name} of ${read.file.path}`);
    }
    return { ...read, address: { location: holder.location, documents, limits } };
  };
  return {
    slice,
    reads: reads.map(addressed),
    ...(model === undefined ? {} : { model: { ...model, surface: model.surface.map(addressed) } }),
  };
}
