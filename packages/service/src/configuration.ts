/** The whole configuration: the core schema and the sections of all families. */
import type { Static, TSchema } from 'typebox';
import { configurationReference as referenceOf } from './config/docs.ts';
import { type ConfigSources, type CoreConfig, loadSettings } from './config/load.ts';
import { composeSettings } from './config/schema.ts';
import { type FamilyList, families } from './families/index.ts';

export type { ConfigSources, FlagSetting } from './config/load.ts';

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

export const settingsNode = composeSettings(
  Object.fromEntries(families.flatMap(({ name, config }) => (config === undefined ? [] : [[name, config]]))),
);

/** Settings of the file, over them those of the environment, over them the flags; all errors in one `UsageError`. */
export function loadConfig(sources: ConfigSources): Config {
  // The schema that checked the settings holds the section of every family.
  return loadSettings(settingsNode, sources) as Config;
}

/** The manual page of the configuration, in Markdown. */
export function configurationReference(): string {
  return referenceOf(settingsNode);
}
