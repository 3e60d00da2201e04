import { readFileSync } from 'node:fs';
import { nearMatches } from '@contrails/runtime';
import { checkSettings } from './check.ts';
import { parseText } from './parse-text.ts';
import {
  dotted,
  isConfidential,
  type SchemaKey,
  type SchemaNode,
  schemaKeys,
  variableName,
} from './schema-node.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting that came from a variable or a flag. */
export interface NamedSetting {
  readonly name: string;
  readonly key: SchemaKey;
  readonly value: unknown;
}

/** The variable that names the configuration file; it is not a key of the file itself. */
export const CONFIG_VARIABLE = 'CONTRAILS_CONFIG';

/**
 * Settings from `CONTRAILS_…` variables, sections before the keys in them: the more exact variable wins.
 * An empty variable counts as not set.
 */
export function readEnvironment(schema: SchemaNode, environment: Environment) {
  const keys = new Map(schemaKeys(schema).map((key) => [variableName(key.path), key]));
  const settings: NamedSetting[] = [];
  const errors: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('CONTRAILS_') || !text || name === CONFIG_VARIABLE || isServiceLink(name, text))
      continue;
    const key = keys.get(name);
    const fileKey = name.endsWith('_FILE') ? keys.get(name.slice(0, -'_FILE'.length)) : undefined;
    if (key !== undefined) {
      settings.push({ name, key, value: parseText(key.node, text) });
    } else if (fileKey !== undefined && isConfidential(fileKey.node)) {
      const named = variableName(fileKey.path);
      if (environment[named]) errors.push(`${name} and ${named} are both set; remove one of them`);
      else readSecretFile(name, text, fileKey, settings, errors);
    } else {
      errors.push(unknownVariable(name, keys));
    }
  }
  for (const setting of settings) errors.push(...describeErrors(setting));
  return { settings: settings.sort((a, b) => a.key.path.length - b.key.path.length), errors };
}

/** Each error of a named setting as a sentence that starts with the variable or flag. */
export function describeErrors({ name, key, value }: NamedSetting): string[] {
  return checkSettings(key.node, value, key.path).map(({ path, message }) =>
    path.length === key.path.length ? `${name} ${message}` : `${name}: ${dotted(path)} ${message}`,
  );
}

function readSecretFile(
  name: string,
  file: string,
  key: SchemaKey,
  settings: NamedSetting[],
  errors: string[],
): void {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text === '') errors.push(`${name} names ${file}, which is empty; write the secret into it`);
    else settings.push({ name, key, value: text });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    errors.push(`${name} names ${file}, which cannot be read (${code}); check the path and its permissions`);
  }
}

function unknownVariable(name: string, keys: ReadonlyMap<string, SchemaKey>): string {
  const names = [...keys].flatMap(([known, { node }]) =>
    isConfidential(node) ? [known, `${known}_FILE`] : [known],
  );
  const [near] = nearMatches(name, names, 1);
  return near === undefined
    ? `${name} sets no known key; remove it or see docs/configuration.md for the variables there are`
    : `${name} sets no known key; did you mean ${near}?`;
}

/** Kubernetes describes a service called `contrails` to every pod in variables that look like ours. */
function isServiceLink(name: string, text: string): boolean {
  if (/^CONTRAILS_PORT$/.test(name)) return /^(tcp|udp|sctp):\/\//.test(text);
  return /^CONTRAILS_(SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(
    name,
  );
}
