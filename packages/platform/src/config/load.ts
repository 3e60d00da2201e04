import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '@contrails/runtime/errors';
import {
  absoluteData,
  type DataAddress,
  type DatabaseAddress,
  dataAddress,
  databaseAddress,
} from './addresses.ts';
import { isSection } from './check.ts';
import {
  CONFIG_VARIABLE,
  describeErrors,
  type Environment,
  type NamedSetting,
  readEnvironment,
} from './environment.ts';
import { parseText } from './parse-text.ts';
import type { PlatformSettings } from './schema.ts';
import { dotted, type SchemaNode, schemaKeys } from './schema-node.ts';
import { Secret } from './secret.ts';
import { readYamlFile } from './yaml-file.ts';

/** What the program runs with: checked, complete, addresses taken apart, secrets wrapped. A service adds its own sections. */
export interface PlatformConfig extends Omit<PlatformSettings, 'data' | 'database' | 'database_password'> {
  /** The file the settings came from, if there was one. */
  readonly file: string | undefined;
  /** Keys that are set, such as `forecast.hours`; the others have their defaults. */
  readonly given: ReadonlySet<string>;
  readonly data: DataAddress;
  readonly database: DatabaseAddress;
}

/** A command-line flag that sets a key, such as `--port` for `server.port`. */
export interface FlagSetting {
  readonly flag: string;
  readonly key: string;
  readonly text: string;
}

export interface ConfigSources {
  /** What `--config` names; otherwise `CONTRAILS_CONFIG`, otherwise `contrails.yaml` where it exists. */
  readonly file?: string | undefined;
  readonly environment: Environment;
  readonly flags?: readonly FlagSetting[];
  readonly directory: string;
}

/** Settings of the file, over them those of the environment, over them the flags; all errors in one `UsageError`. */
export function loadSettings(
  schema: SchemaNode,
  { file, environment, flags = [], directory }: ConfigSources,
): PlatformConfig {
  const path = findFile(file ?? environment[CONFIG_VARIABLE], directory);
  const fromFile = path === undefined ? { values: {}, errors: [] } : readYamlFile(schema, path);
  const fromEnvironment = readEnvironment(schema, environment);
  const fromFlags = flags.map((flag) => flagSetting(schema, flag));
  refuse([...fromFile.errors, ...fromEnvironment.errors, ...fromFlags.flatMap(describeErrors)]);

  const home = path === undefined ? directory : dirname(path);
  const values = anchored(merge(defaults(schema), fromFile.values), home);
  const named = [...fromEnvironment.settings, ...fromFlags]
    .map(nested)
    .map((layer) => anchored(layer, directory));
  const settings = wrapSecrets(schema, named.reduce(merge, values)) as PlatformSettings;
  return settle(settings, path, givenKeys(schema, [fromFile.values, ...named]));
}

function givenKeys(schema: SchemaNode, layers: readonly Record<string, unknown>[]): ReadonlySet<string> {
  const isGiven = (path: readonly string[]) =>
    layers.some((layer) => {
      const value = path.reduce<unknown>((at, name) => (isSection(at) ? at[name] : undefined), layer);
      return value !== undefined && value !== null;
    });
  const keys = schemaKeys(schema).filter(({ path }) => isGiven(path));
  return new Set(keys.map(({ path }) => dotted(path)));
}

function findFile(named: string | undefined, directory: string): string | undefined {
  if (named) return resolve(directory, named);
  const usual = resolve(directory, 'contrails.yaml');
  return existsSync(usual) ? usual : undefined;
}

function flagSetting(schema: SchemaNode, { flag, key, text }: FlagSetting): NamedSetting {
  const found = schemaKeys(schema).find(({ path }) => dotted(path) === key);
  if (found === undefined) throw new TypeError(`${flag} is wired to ${key}, which is not a key`);
  return { name: flag, key: found, value: parseText(found.node, text) };
}

function refuse(errors: readonly string[]): void {
  if (errors.length === 0) return;
  const [first] = errors;
  const message =
    errors.length === 1
      ? `${first}`
      : `the configuration has ${errors.length} errors:\n  ${errors.join('\n  ')}`;
  throw new UsageError(message, { facts: { errors } });
}

function defaults(node: SchemaNode): Record<string, unknown> {
  const entries = Object.entries(node.properties ?? {}).map(([name, child]): [string, unknown] => [
    name,
    child.properties === undefined ? structuredClone(child.default) : defaults(child),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function nested({ key, value }: NamedSetting): Record<string, unknown> {
  return key.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<
    string,
    unknown
  >;
}

/** Sections are merged key by key, everything else is replaced; null stands for "not set". */
function merge(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...under };
  for (const [name, value] of Object.entries(over)) {
    if (value === null || value === undefined) continue;
    const below = merged[name];
    merged[name] = isSection(value) && isSection(below) ? merge(below, value) : value;
  }
  return merged;
}

function anchored(values: Record<string, unknown>, directory: string): Record<string, unknown> {
  const sections = Object.entries(values).map(([name, value]) => [name, anchoredSources(value, directory)]);
  const data = typeof values.data === 'string' ? { data: absoluteData(values.data, directory) } : {};
  return { ...Object.fromEntries(sections), ...data };
}

/** Remembers with every source where its relative paths start, which differs between the file and the environment. */
function anchoredSources(section: unknown, directory: string): unknown {
  if (!isSection(section) || !Array.isArray(section.sources)) return section;
  return { ...section, sources: section.sources.map((source: object) => ({ directory, ...source })) };
}

function wrapSecrets(node: SchemaNode, values: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(values).map(([name, value]): [string, unknown] => {
    const child = node.properties?.[name];
    if (child?.secret && typeof value === 'string') return [name, new Secret(value)];
    return [name, child?.properties !== undefined && isSection(value) ? wrapSecrets(child, value) : value];
  });
  return Object.fromEntries(entries);
}

/** Takes the addresses apart and refuses combinations that cannot work. */
function settle(
  { data, database, database_password, ...settings }: PlatformSettings,
  file: string | undefined,
  given: ReadonlySet<string>,
): PlatformConfig {
  const config: PlatformConfig = {
    ...settings,
    file,
    given,
    data: dataAddress(data),
    database: databaseAddress(database, database_password),
  };
  if (config.data.kind === 's3' && config.database.kind === 'embedded') {
    throw new UsageError(
      'data is a bucket, but the embedded database needs a directory; set database to a postgres:// address (CONTRAILS_DATABASE) or data to a directory',
    );
  }
  if ((settings.s3.access_key_id === undefined) !== (settings.s3.secret_access_key === undefined)) {
    throw new UsageError(
      'only one half of the S3 credentials is set; set both CONTRAILS_S3__ACCESS_KEY_ID and CONTRAILS_S3__SECRET_ACCESS_KEY, or neither',
    );
  }
  return config;
}
