import { parse } from 'yaml';
import type { SchemaNode } from './schema-node.ts';

/**
 * The value a text from the environment or a flag stands for. A text key takes it as it is, a list also takes
 * `a,b`; everything else is read as YAML (of which JSON is a part). A text that is neither stays a text, and the
 * check then reports what is allowed.
 */
export function parseText(node: SchemaNode, text: string): unknown {
  if (node.type === 'string') return text;
  const trimmed = text.trim();
  if (node.items !== undefined && !trimmed.startsWith('[')) {
    const { items } = node;
    return trimmed
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => parseText(items, entry));
  }
  try {
    return parse(trimmed, { logLevel: 'silent' });
  } catch {
    return text;
  }
}
