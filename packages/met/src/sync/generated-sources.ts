/** `sources.json`: the weather sources that synced runs make. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECOND_MS } from '@contrails/runtime';
import { readJson, writeJson } from './folder.ts';
import { lockFolder } from './lock.ts';
import type { GeneratedSource, Provider } from './provider.ts';

export type { GeneratedSource } from './provider.ts';

export interface SourceChoices {
  /** Another source that radiation is taken from. */
  readonly radiationFrom?: string;
  /** Runs hold members of an ensemble. */
  readonly hasMembers?: boolean;
}

/** The source that reads what is synced into a directory. */
export function generatedSource(
  { name, origin, extension, attribution }: Pick<Provider, 'name' | 'origin' | 'extension' | 'attribution'>,
  directory: string,
  { radiationFrom, hasMembers = false }: SourceChoices,
): GeneratedSource {
  const pattern = join(directory.replace(/[*?[\]{}]/g, '[$&]'), name, `[0-9]*/*.${extension}`);
  return {
    name,
    ...origin,
    paths: [pattern],
    attribution,
    ...(radiationFrom === undefined ? {} : { radiation_from: radiationFrom }),
    ...(hasMembers ? { member: 'all' } : {}),
  };
}

/** Adds a source, or replaces the one of its name. */
export async function registerSource(directory: string, source: GeneratedSource): Promise<void> {
  // Sources sync concurrently, and each adds itself.
  const lock = await lockFolder(join(directory, '.registering'), 'the list of sources', {
    waitMs: 30 * SECOND_MS,
  });
  try {
    const path = join(directory, 'sources.json');
    const known = (await readJson<readonly GeneratedSource[]>(path)) ?? [];
    const others = known.filter(({ name }) => name !== source.name);
    const all = [...others, source].sort((one, other) => one.name.localeCompare(other.name));
    if (JSON.stringify(all) !== JSON.stringify(known)) await writeJson(path, all);
  } finally {
    lock.release();
  }
}

/** The sources that are registered in a directory; none where nothing was synced. */
export function registeredSources(directory: string): readonly GeneratedSource[] {
  try {
    const found: unknown = JSON.parse(readFileSync(join(directory, 'sources.json'), 'utf8'));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
