/** What the weather commands and the doctor report on the configured sources. */

import { asCommandError } from '@contrails/engine/weather/errors';
import {
  type CatalogueEntry,
  checkValues,
  createCatalogue,
  datasetFindings,
  type MetSource,
  openMet,
  type PointSample,
  type SampleRequest,
  type SourceFinding,
  type SourceSummary,
  samplePoint,
  summarise,
  type ValueCheck,
} from '@contrails/met';
import { NotFoundError } from '@contrails/runtime/errors';
import type { CoreConfig } from '../config/core.ts';
import { syncDirectory } from '../config/met-sync.ts';
import { openConfigured, openSources, weatherThreads } from './sources.ts';

/** A source as it describes itself, or why it cannot. */
export type ListedSource =
  | (SourceSummary & { readonly findings: readonly SourceFinding[] })
  | { readonly name: string; readonly kind: string; readonly error: string };

export async function listWeather(config: CoreConfig): Promise<ListedSource[]> {
  const sources = await openSources(config);
  try {
    const entries = await createCatalogue(sources).list();
    return entries.map((entry) => listed(entry, config));
  } finally {
    await Promise.all(sources.map((source) => source.close()));
  }
}

export interface CheckedSource extends ValueCheck {
  readonly summary: SourceSummary;
}

export interface CheckOptions {
  readonly timeMs?: number;
  readonly levelHpa?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Reads one time of a source; findings are those about what it holds and those about the values. */
export async function checkWeather(
  config: CoreConfig,
  name: string,
  options: CheckOptions = {},
): Promise<CheckedSource> {
  const source = await openNamed(config, name);
  try {
    const description = await source.describe();
    const values = await checkValues(source, options);
    const known = new Set(values.findings.map(({ message }) => message.split(' ')[0]));
    // An unreadable variable is also missing: the reason is more specific.
    const dataset = datasetFindings(description).filter(
      ({ message }) => !known.has(/^there is no (\w+)/.exec(message)?.[1] ?? ''),
    );
    const findings = [...dataset, ...values.findings, ...(await checksumFindings(config, name))];
    return { ...values, findings, summary: summarise(description) };
  } catch (error) {
    throw asCommandError(error);
  } finally {
    await source.close();
  }
}

/** Files of a synced source that are not as they were fetched. */
async function checksumFindings(config: CoreConfig, name: string): Promise<SourceFinding[]> {
  const directory = syncDirectory(config, config.met.sync);
  if (directory === undefined) return [];
  const { damagedFiles, SourceFolder } = await import('@contrails/met/sync');
  const damaged = await damagedFiles(new SourceFolder(directory, name));
  return damaged.map(({ path, reason }) => ({
    state: 'fail',
    message: `${path} is damaged: ${reason}`,
    remedy: `delete the folder of the run and run contrails met sync ${name}`,
  }));
}

/** Weather at a point as the models see it. */
export async function sampleWeather(config: CoreConfig, request: SampleRequest): Promise<PointSample> {
  const sources = await openSources(config);
  const met = openMet({ sources, memoryBytes: SAMPLE_MEMORY_BYTES, ...weatherThreads(config) });
  try {
    return await samplePoint(met, request);
  } catch (error) {
    throw asCommandError(error);
  } finally {
    await met.close();
  }
}

/** Small, so of a fine grid only the part around a point is read. */
const SAMPLE_MEMORY_BYTES = 256 * 2 ** 20;

async function openNamed(config: CoreConfig, name: string): Promise<MetSource> {
  const found = config.met.sources.find((source) => source.name === name);
  if (found !== undefined) return openConfigured(found, config);
  const names = config.met.sources.map((source) => source.name);
  const remedy =
    names.length === 0 ? 'add one under met.sources in the configuration' : `choose from ${names.join(', ')}`;
  throw new NotFoundError(`there is no weather source ${name}; ${remedy}`);
}

function listed(entry: CatalogueEntry, config: CoreConfig): ListedSource {
  if ('description' in entry) {
    return { ...summarise(entry.description), findings: datasetFindings(entry.description) };
  }
  const { name } = entry.source;
  const kind = config.met.sources.find((source) => source.name === name)?.kind ?? '';
  const message = entry.error instanceof Error ? entry.error.message : String(entry.error);
  return { name, kind, error: message.replace(`${name}: `, '') };
}
