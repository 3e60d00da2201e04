/** The whole configuration: the sections of the platform, of the core and of all families. */

import { configurationReference as referenceOf } from '@contrails/platform/config/docs';
import { type ConfigSources, loadSettings } from '@contrails/platform/config/load';
import { composeSettings } from '@contrails/platform/config/schema';
import type { Static, TSchema } from 'typebox';
import { type CoreConfig, coreConfig, coreSections } from './config/core.ts';
import { type FamilyList, families } from './families/index.ts';

export type { ConfigSources, FlagSetting } from '@contrails/platform/config/load';

type SectionOf<F> = F extends { readonly name: infer Name extends string; readonly config: infer S }
  ? S extends TSchema
    ? { readonly [Key in Name]: Static<S> }
    : unknown
  : unknown;

type SectionsOf<List> = List extends readonly [infer First, ...infer Rest]
  ? SectionOf<First> & SectionsOf<Rest>
  : unknown;

/** What a process runs with: checked and complete. */
export type Config = CoreConfig & SectionsOf<FamilyList>;

export const settingsNode = composeSettings({
  ...coreSections,
  ...Object.fromEntries(
    families.flatMap(({ name, config }) => (config === undefined ? [] : [[name, config]])),
  ),
});

/** Settings of the file, over them those of the environment, over them the flags; all errors in one `UsageError`. */
export function loadConfig(sources: ConfigSources): Config {
  // The schema that checked the settings holds the sections of the core and of every family.
  const settings = loadSettings(settingsNode, sources) as Parameters<typeof coreConfig>[0];
  return coreConfig(settings) as Config;
}

/** The manual page of the configuration, in Markdown. */
export function configurationReference(): string {
  return referenceOf(settingsNode);
}
