import { availableParallelism } from 'node:os';
import { HOUR_MS } from '@contrails/runtime';
import { type Contents, describeRuns, typeCalled } from '../../dataset/description.ts';
import { FileIndex, type FilesOptions } from '../../dataset/file-index.ts';
import { contentIdentity } from '../../dataset/file-stamp.ts';
import { MetError } from '../../errors.ts';
import type { RadiationOrigin } from '../../radiation/radiation-convention.ts';
import type { MetSource } from '../../source.ts';
import { Threads, type ThreadsOptions } from '../../threads/threads.ts';
import { inSource } from '../in-source.ts';
import { describeMember, type MemberSetting, withMembers } from '../members.ts';
import { type GribField, type IndexOptions, indexFile } from './index-file.ts';
import { type FillJob, fillJobs } from './plan.ts';
import { radiationOfFields, withStartFluxesAsSums } from './radiation.ts';

export interface GribOptions extends RadiationOrigin, FilesOptions, ThreadsOptions {
  readonly name: string;
  /** Number of the ensemble member, for files that hold several; or all of them. */
  readonly member?: MemberSetting;
  /** Decoding threads; as many as there are processors unless given. */
  readonly threads?: number;
}

/** Weather in GRIB2 files: open data of ECMWF, GFS, or anything on regular grids, on pressure levels or the model levels of ECMWF. */
export function openGrib(options: GribOptions): MetSource {
  const threadCount = options.threads ?? availableParallelism();
  const threads = new Threads<FillJob, void>(new URL('./reader.ts', import.meta.url), threadCount, options);
  const indexOptions: IndexOptions = {
    asForecast: (options.type ?? typeCalled(options.product) ?? 'forecast') === 'forecast',
    grids: new Map(),
  };
  const { member: setting } = options;
  const isEnsemble = setting === 'all';
  let members: readonly number[] = [];
  /** The member with the lowest number unless one is given: only all files together show which that is. */
  const arrangedFor = (member: number | undefined) => (files: readonly Contents<GribField>[]) => {
    const numbered = withControl(files);
    members = [...new Set(numbered.flatMap(numbersIn))].sort((one, other) => one - other);
    const chosen = member ?? members[0];
    return withStartFluxesAsSums(numbered.map((contents) => ofMember(contents, chosen)));
  };
  const first = new FileIndex<GribField>(
    options,
    async (stamp) => {
      const all = await indexFile(stamp, indexOptions);
      const contents = setting === 'all' ? all : ofMember(all, setting);
      if (options.type === undefined && !indexOptions.asForecast) requireNoSteps(contents, options.product);
      return { contents, identity: await contentIdentity(stamp) };
    },
    isEnsemble ? arrangedFor(undefined) : withStartFluxesAsSums,
  );
  const sourceOf = (files: FileIndex<GribField>, member?: number): MetSource => ({
    name: options.name,
    describe: () =>
      inSource(options.name, () =>
        files.describe(({ runs, generation, fileGeneration }) => {
          const fields = [...(runs.at(-1)?.dataset.entries.values() ?? [])].flat();
          const radiation = radiationOfFields(fields, options);
          return {
            ...describeRuns(runs, { ...options, kind: 'grib', radiation }, generation, fileGeneration),
            ...(isEnsemble ? describeMember(members, member) : {}),
          };
        }),
      ),
    read: (window, given = {}) =>
      inSource(options.name, () =>
        files.read(window, given, (field, dataset) =>
          threads.run(fillJobs(field, dataset, threadCount), given),
        ),
      ),
    pathsOf: (...what) => files.pathsOf(...what),
    quarantined: () => files.quarantined(),
    close: () => threads.close(),
  });
  const source = sourceOf(first);
  return isEnsemble
    ? withMembers(source, (member) => sourceOf(first.arrangedBy(arrangedFor(member)), member))
    : source;
}

/** Steps of several forecasts put in one series would be a mixture; radiation of a reanalysis comes from short ones. */
function requireNoSteps({ entries }: Contents<GribField>, product: string): void {
  const step = entries.find(
    ({ levelType, product: { timeMs, referenceTimeMs } }) => levelType !== 'none' && timeMs > referenceTimeMs,
  );
  if (step === undefined) return;
  const { timeMs, referenceTimeMs } = step.product;
  const hours = (timeMs - referenceTimeMs) / HOUR_MS;
  throw new MetError(
    'unreadable',
    `${step.variable} of ${step.file.path} is the step +${hours} h of a forecast, but the product ${JSON.stringify(product)} is taken for a reanalysis; ` +
      'set type of the source to forecast, or to reanalysis where all is one series by valid time',
    { path: step.file.path, product, stepHours: hours },
  );
}

function numbersIn({ entries }: Contents<GribField>): number[] {
  return entries.map(({ product }) => product.member).filter((member) => member !== undefined);
}

const CONTROL = 0;

/** An unnumbered field among those of members is from the forecast that they perturb: member 0. */
function withControl(files: readonly Contents<GribField>[]): readonly Contents<GribField>[] {
  const ofMembers = new Set<string>();
  for (const { entries } of files) {
    for (const { product, variable } of entries) if (product.member !== undefined) ofMembers.add(variable);
  }
  if (ofMembers.size === 0) return files;
  return files.map((contents) => ({
    ...contents,
    entries: contents.entries.map((field) =>
      field.product.member === undefined && ofMembers.has(field.variable)
        ? { ...field, product: { ...field.product, member: CONTROL } }
        : field,
    ),
  }));
}

/** The fields of one member; those that belong to none are every member's. */
function ofMember(contents: Contents<GribField>, member: number | undefined): Contents<GribField> {
  const members = new Set(numbersIn(contents));
  if (member === undefined && members.size > 1) {
    throw new MetError(
      'unreadable',
      `${contents.entries[0]?.file.path} holds ${members.size} ensemble members; name one of them ` +
        `(member: ${Math.min(...members)} … ${Math.max(...members)})`,
      { members: [...members] },
    );
  }
  return {
    ...contents,
    entries: contents.entries.filter(
      ({ product }) => member === undefined || product.member === undefined || product.member === member,
    ),
  };
}
