import type { FileKind } from '@contrails/met/source';
import { UsageError } from '@contrails/runtime/errors';
import { type MetSettings, SOURCE_KINDS } from './met-schema.ts';

type SourceSetting = MetSettings['sources'][number];

/** A weather source, complete for its kind. */
export type MetSourceConfig =
  | { readonly name: string; readonly kind: 'synthetic'; readonly resolution: number; readonly seed: number }
  | FileSourceConfig;

/** A source that is read from files or stores. */
export interface FileSourceConfig {
  readonly name: string;
  readonly kind: FileKind;
  readonly paths: readonly string[];
  /** Where relative paths start. */
  readonly directory: string;
  readonly provider: string;
  readonly dataset: string;
  readonly product: string;
  /** The files and the product decide where it is not given. */
  readonly type: 'reanalysis' | 'forecast' | undefined;
  readonly radiationAccumulated: boolean;
  readonly radiationHours: 1 | 3 | undefined;
  readonly radiationIntervals?: boolean | undefined;
  readonly estimateRadiation?: boolean | undefined;
  readonly radiationFrom?: string | undefined;
  readonly attribution?: string | undefined;
  readonly member: number | 'all' | undefined;
  readonly levels: readonly number[] | undefined;
  /** Where `s3://` stores are found. */
  readonly s3Endpoint: string | undefined;
  readonly s3Region: string | undefined;
  /** Requests to them carry the keys of the section `s3`. */
  readonly s3Signed: boolean;
}

export interface MetConfig extends Omit<MetSettings, 'sources'> {
  readonly sources: readonly MetSourceConfig[];
}

/** Sources as they may be used, or what is missing or superfluous in them. */
export function metConfig(met: MetSettings): MetConfig {
  const sources = met.sources.map((source, index) => completeSource(source, `met.sources[${index}]`));
  sources.forEach(({ name }, index) => {
    if (sources.findIndex((other) => other.name === name) < index) {
      throw new UsageError(
        `met.sources[${index}].name is ${name}, which an earlier source has already; give it another name`,
      );
    }
  });
  for (const [index, source] of sources.entries()) {
    requireRadiationSource(sources, source, `met.sources[${index}]`);
  }
  return { ...met, sources };
}

/** Radiation comes from a source that has its own; the types are compared when the data are known. */
function requireRadiationSource(
  sources: readonly MetSourceConfig[],
  source: MetSourceConfig,
  path: string,
): void {
  if (source.kind === 'synthetic' || source.radiationFrom === undefined) return;
  const { name, radiationFrom: from } = source;
  const fail = (what: string) => {
    throw new UsageError(`${path}.radiation_from is ${from}, ${what}`);
  };
  const other = sources.find((one) => one.name === from);
  if (from === name) fail('the source itself; remove it');
  if (other === undefined) fail(`but there is no such source; configure it, or remove radiation_from`);
  if (other?.kind === 'synthetic') fail('which is synthetic; name a source of real weather');
  else if (other?.radiationFrom !== undefined)
    fail(`which takes radiation from ${other.radiationFrom} itself; name ${other.radiationFrom}`);
  else if (source.type !== undefined && other?.type !== undefined && source.type !== other.type)
    fail(`which is a ${other.type}, but ${name} is a ${source.type}; name a source of the same type`);
}

const FILE_KEYS = [
  'paths',
  'provider',
  'dataset',
  'product',
  'type',
  'radiation_accumulated',
  'radiation_hours',
  'radiation_intervals',
  'estimate_radiation',
  'radiation_from',
  'attribution',
  'member',
  'levels',
  's3_endpoint',
  's3_region',
  's3_signed',
] as const;
const KIND_NAMES = `${SOURCE_KINDS.slice(0, -1).join(', ')} or ${SOURCE_KINDS.at(-1)}`;
const SYNTHETIC_KEYS = ['resolution', 'seed'] as const;

function completeSource(source: SourceSetting & { directory?: string }, path: string): MetSourceConfig {
  const name = required(source, 'name', path, 'a name of your choice');
  const kind = required(source, 'kind', path, KIND_NAMES);
  if (kind === 'synthetic') {
    refuse(source, FILE_KEYS, path, kind);
    const { resolution = 1, seed = 1 } = source;
    if (Math.abs(90 / resolution - Math.round(90 / resolution)) > 1e-9) {
      throw new UsageError(
        `${path}.resolution is ${resolution}, but 90 must be a multiple of it; choose for instance 1, 0.5 or 0.25`,
      );
    }
    return { name, kind, resolution, seed };
  }
  refuse(source, SYNTHETIC_KEYS, path, kind);
  if (kind === 'grib') refuse(source, ['radiation_hours'], path, kind);
  if (source.radiation_accumulated === true && source.radiation_hours !== undefined) {
    throw new UsageError(
      `${path}.radiation_hours is ${source.radiation_hours}, but radiation_accumulated means that radiation is summed since the start of the forecast; keep one of them`,
    );
  }
  if (kind === 'zarr' && (source.paths ?? []).length === 0) {
    throw new UsageError(`${path}.paths is missing; name the Zarr stores, such as gs://bucket/store.zarr`);
  }
  return {
    name,
    kind,
    paths: source.paths ?? [],
    directory: source.directory ?? '.',
    provider: required(source, 'provider', path, 'who made the data, such as ECMWF'),
    dataset: required(source, 'dataset', path, 'the name of the data set, such as ERA5'),
    product: required(source, 'product', path, 'its product, such as reanalysis or forecast'),
    type: source.type,
    radiationAccumulated: source.radiation_accumulated ?? false,
    radiationHours: source.radiation_hours,
    radiationIntervals: source.radiation_intervals,
    estimateRadiation: source.estimate_radiation,
    radiationFrom: source.radiation_from,
    attribution: source.attribution,
    member: source.member,
    levels: source.levels,
    s3Endpoint: source.s3_endpoint,
    s3Region: source.s3_region,
    s3Signed: source.s3_signed ?? false,
  };
}

function required<K extends 'name' | 'kind' | 'provider' | 'dataset' | 'product'>(
  source: SourceSetting,
  key: K,
  path: string,
  wanted: string,
): NonNullable<SourceSetting[K]> {
  const value = source[key];
  if (value === undefined || value === null) {
    throw new UsageError(`${path}.${key} is missing; set it to ${wanted}`);
  }
  return value;
}

function refuse(
  source: SourceSetting,
  keys: readonly (keyof SourceSetting)[],
  path: string,
  kind: string,
): void {
  const superfluous = keys.find((key) => source[key] !== undefined && source[key] !== null);
  if (superfluous === undefined) return;
  throw new UsageError(`${path}.${superfluous} has no meaning for a source of kind ${kind}; remove it`);
}
