import { join } from 'node:path';
import { type MetSource, openSource, type QuarantinedFile, type SourceSettings } from '@contrails/met';
import type { CoreConfig } from '../config/core.ts';
import type { FileSourceConfig, MetSourceConfig } from '../config/met-sources.ts';

/** Opens every configured source, in the order of the configuration; nothing is read of them yet. */
export function openSources(
  config: CoreConfig,
  onQuarantine?: (source: string, file: QuarantinedFile) => void,
): Promise<MetSource[]> {
  return Promise.all(
    config.met.sources.map((source) =>
      openConfigured(source, config, onQuarantine && ((file) => onQuarantine(source.name, file))),
    ),
  );
}

/** Opens one source; nothing is read of it yet. */
export async function openConfigured(
  source: MetSourceConfig,
  config: CoreConfig,
  onQuarantine?: (file: QuarantinedFile) => void,
): Promise<MetSource> {
  if (source.kind !== 'synthetic') {
    return openSource({ ...settingsOf(source, config), ...(onQuarantine && { onQuarantine }) });
  }
  const { openSynthetic } = await import('@contrails/testbed/weather');
  const { name, resolution, seed } = source;
  return openSynthetic({ name, resolutionDeg: resolution, seed, ...weatherThreads(config) });
}

/** Where `contrails met import` puts the files of a source; undefined when data is a bucket. */
export function importDirectory({ data }: Pick<CoreConfig, 'data'>, name: string): string | undefined {
  return data.kind === 'directory' ? join(data.path, 'met', name) : undefined;
}

export function settingsOf(source: FileSourceConfig, config: CoreConfig): SourceSettings {
  const { name, kind, provider, dataset, product, directory, member, levels, type, radiationHours } = source;
  const { radiationIntervals, estimateRadiation, radiationFrom, attribution } = source;
  const imported = kind === 'zarr' ? undefined : importDirectory(config, name);
  return {
    name,
    kind,
    provider,
    dataset,
    product,
    directory,
    paths: imported === undefined ? source.paths : [...source.paths, `${escapePattern(imported)}/*`],
    accumulatedFromStart: source.radiationAccumulated,
    ...(type === undefined ? {} : { type }),
    ...(radiationHours === undefined ? {} : { radiationHours }),
    ...(radiationIntervals === undefined ? {} : { radiationIntervals }),
    ...(estimateRadiation === undefined ? {} : { estimateRadiation }),
    ...(radiationFrom === undefined ? {} : { radiationFrom }),
    ...(attribution === undefined ? {} : { attribution }),
    stallMs: config.met.read_timeout_seconds * 1000,
    ...(member === undefined ? {} : { member }),
    ...(levels === undefined ? {} : { levels }),
    // The threads of a store wait for its server.
    ...(kind === 'zarr' ? {} : weatherThreads(config)),
    ...s3Settings(source, config),
  };
}

/** How many threads of a kind read or prepare weather: as many as compute. */
export function weatherThreads({ workers }: Pick<CoreConfig, 'workers'>): { readonly threads?: number } {
  return workers.threads === 'auto' ? {} : { threads: workers.threads };
}

/** A source of one's own is on one's own server as a rule; one that everybody may read is on Amazon's. */
function s3Settings(
  { s3Endpoint, s3Region, s3Signed }: FileSourceConfig,
  { s3 }: Pick<CoreConfig, 's3'>,
): Pick<SourceSettings, 's3Endpoint' | 's3Region' | 's3Credentials'> {
  const endpoint = s3Endpoint ?? (s3Signed ? s3.endpoint : undefined);
  const region = s3Region ?? (s3Signed ? s3.region : undefined);
  const accessKeyId = s3.access_key_id?.reveal();
  const secretAccessKey = s3.secret_access_key?.reveal();
  const isSigned = s3Signed && accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    ...(endpoint === undefined ? {} : { s3Endpoint: endpoint }),
    ...(region === undefined ? {} : { s3Region: region }),
    ...(isSigned ? { s3Credentials: { accessKeyId, secretAccessKey } } : {}),
  };
}

/** A directory is not a pattern, whatever its name. */
export function escapePattern(path: string): string {
  return path.replace(/[*?[\]{}]/g, '[$&]');
}
