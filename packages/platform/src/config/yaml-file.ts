import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { UsageError } from '@contrails/runtime/errors';
import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml';
import { holdsPassword } from './addresses.ts';
import { checkSettings, isSection, type SettingError } from './check.ts';
import { dotted, type KeyPath, type SchemaNode, schemaKeys, variableName } from './schema-node.ts';

/** The settings of a configuration file and what is wrong with them, each error with its line. */
export function readYamlFile(
  schema: SchemaNode,
  file: string,
): { values: Record<string, unknown>; errors: string[] } {
  const name = basename(file);
  const lines = new LineCounter();
  const document = parseDocument(readText(file), {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const at = (offset: number) => `${name} line ${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    // The library's own text may quote the file, and with it a secret; its code and the line say enough.
    const errors = document.errors.map(
      ({ code, pos }) =>
        `${at(pos[0])}: this is not YAML (${code.toLowerCase().replaceAll('_', ' ')}); correct the line`,
    );
    return { values: {}, errors };
  }
  const values = toValues(document, name);
  if (!isSection(values)) {
    return { values: {}, errors: [`${name}: the file must be a list of keys, such as "data: ./data"`] };
  }
  const lineOf = (path: KeyPath) => at(offsetOf(document, path));
  const secrets = exposedSecrets(schema, values);
  const errors = [
    ...secrets,
    ...checkSettings(schema, values).filter(
      ({ path }) => !secrets.some((found) => dotted(found.path) === dotted(path)),
    ),
  ];
  return { values, errors: errors.map(({ path, message }) => `${lineOf(path)}: ${dotted(path)} ${message}`) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error';
    throw new UsageError(
      `the configuration file ${file} cannot be read (${code}); check the path and its permissions`,
      { cause: error, facts: { file } },
    );
  }
}

function toValues(document: Document, name: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw new UsageError(`${name} uses an alias that cannot be resolved; write the value out`, {
      cause: error,
    });
  }
}

/** Secrets written in the file, where anyone who reads or copies it sees them. */
function exposedSecrets(schema: SchemaNode, values: Record<string, unknown>): SettingError[] {
  return schemaKeys(schema)
    .filter(({ path, node }) => {
      const value = valueAt(values, path) ?? undefined;
      if (value === undefined) return false;
      return node.secret === true || (node.mayHoldPassword === true && holdsPassword(String(value)));
    })
    .map(({ path, node }) => ({
      path,
      message:
        `${node.secret ? 'is a secret' : 'holds a password'} and must not be in the file; ` +
        `set ${variableName(path)}, or ${variableName(path)}_FILE to a file that has it, instead`,
    }));
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isSection(value) ? value[name] : undefined), values);
}

/** Where the key of a path starts in the text; the nearest enclosing place when the path is not there itself. */
function offsetOf(document: Document, path: KeyPath): number {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const last = path.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last);
    if (pair !== undefined && isNode(pair.key)) return pair.key.range?.[0] ?? 0;
  }
  const node = document.getIn(path, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return isNode(parent) ? (parent.range?.[0] ?? 0) : 0;
}
