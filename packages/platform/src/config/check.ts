import { nearMatches } from '@contrails/runtime';
import Schema from 'typebox/schema';
import { allowedValues, dotted, type KeyPath, type SchemaNode } from './schema-node.ts';

/** One wrong key or value: where it is, and the message that follows its name. */
export interface SettingError {
  readonly path: KeyPath;
  readonly message: string;
}

/** Every error in some settings; a key that is missing or null keeps its default and is never wrong. */
export function checkSettings(node: SchemaNode, value: unknown, path: KeyPath = []): SettingError[] {
  if (value === null || value === undefined) return [];
  if (node.properties !== undefined) return checkSection(node, node.properties, value, path);
  if (node.items !== undefined && Array.isArray(value)) return checkList(node, node.items, value, path);
  return Schema.Check(node, value) ? [] : [wrongValue(node, value, path)];
}

export function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function checkSection(
  node: SchemaNode,
  properties: Readonly<Record<string, SchemaNode>>,
  value: unknown,
  path: KeyPath,
): SettingError[] {
  if (!isSection(value)) return [wrongValue(node, value, path)];
  return Object.entries(value).flatMap(([name, entry]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return known === undefined
      ? [{ path: [...path, name], message: unknownKey(name, Object.keys(properties), path) }]
      : checkSettings(known, entry, [...path, name]);
  });
}

function checkList(node: SchemaNode, items: SchemaNode, value: unknown[], path: KeyPath): SettingError[] {
  const errors = value.flatMap((entry, index) =>
    entry === null
      ? [wrongValue(items, entry, [...path, index])]
      : checkSettings(items, entry, [...path, index]),
  );
  return errors.length > 0 || Schema.Check(node, value) ? errors : [wrongValue(node, value, path)];
}

function unknownKey(name: string, known: readonly string[], path: KeyPath): string {
  const [near] = nearMatches(name, known, 1);
  return near === undefined
    ? `is not a key; allowed ${path.length === 0 ? 'at the top' : `in ${dotted(path)}`}: ${known.join(', ')}`
    : `is not a key; did you mean ${dotted([...path, near])}?`;
}

function wrongValue(node: SchemaNode, value: unknown, path: KeyPath): SettingError {
  const came =
    node.secret || node.mayHoldPassword ? 'has a value that is not accepted' : `is ${shown(value)}`;
  return { path, message: `${came}; allowed: ${allowedValues(node)}` };
}

/** A value as a message may show it: short, on one line, without the credentials an address may carry. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isSection(value)) return 'a section';
  const text = JSON.stringify(value).replace(/\/\/[^/\s]*@/g, '//***@');
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
