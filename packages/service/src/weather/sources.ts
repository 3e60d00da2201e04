import { join } from 'node:path';
import { type MetSource, openSource, type SourceSettings } from '@contrails/met';
import type { Config } from '../config/load.ts';
import type { MetSourceConfig } from '../config/met-sources.ts';

/** Opens every configured source, in the order of the configuration; nothing is read of them yet. */
export function openSources(config: Config): Promise<MetSource[]> {
  return Promise.all(config.met.sources.map((source) => openSource(settingsOf(source, config))));
}

/** Where `contrails met import` puts the files of a source; undefined when data is a bucket. */
export function importDirectory({ data }: Pick<Config, 'data'>, name: string): string | undefined {
  return data.kind === 'directory' ? join(data.path, 'met', name) : undefined;
}

export function settingsOf(source: MetSourceConfig, config: Config): SourceSettings {
  if (source.kind === 'synthetic') {
    const { name, kind, resolution, seed } = source;
    return { ...SYNTHETIC, name, kind, resolutionDeg: resolution, seed };
  }
  const { name, kind, provider, dataset, product, directory, member, levels, s3Endpoint, s3Region } = source;
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
    ...(member === undefined ? {} : { member }),
    ...(levels === undefined ? {} : { levels }),
    ...(s3Endpoint === undefined ? {} : { s3Endpoint }),
    ...(s3Region === undefined ? {} : { s3Region }),
  };
}

/** It says itself what it is. */
const SYNTHETIC = { provider: '', dataset: '', product: '', paths: [], directory: '' } as const;

/** A directory is no pattern, whatever its name. */
export function escapePattern(path: string): string {
  return path.replace(/[*?[\]{}]/g, '[$&]');
}
