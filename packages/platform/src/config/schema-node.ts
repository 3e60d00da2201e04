/** What the loader and the manual read of a schema: the few JSON Schema words and annotations `schema.ts` uses. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly allowed?: string;
  readonly secret?: boolean;
  readonly mayHoldPassword?: boolean;
}

export type KeyPath = readonly (string | number)[];

/** One key of the schema: its path and its node; sections come before the keys in them. */
export interface SchemaKey {
  readonly path: readonly string[];
  readonly node: SchemaNode;
}

export function schemaKeys(node: SchemaNode, path: readonly string[] = []): SchemaKey[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const here = [...path, name];
    return [{ path: here, node: child }, ...schemaKeys(child, here)];
  });
}

export function dotted(path: KeyPath): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}

/** `server.port` is set by `CONTRAILS_SERVER__PORT`. */
export function variableName(path: readonly string[]): string {
  return `CONTRAILS_${path.join('__').toUpperCase()}`;
}

/** Whether a key's value must stay out of the file and of every message. */
export function isConfidential(node: SchemaNode): boolean {
  return node.secret === true || node.mayHoldPassword === true;
}

/** What a key accepts, in words. */
export function allowedValues(node: SchemaNode): string {
  if (node.allowed !== undefined) return node.allowed;
  if (node.anyOf !== undefined) return alternatives(node.anyOf.map(allowedValues));
  if (node.const !== undefined) return String(node.const);
  if (node.properties !== undefined) return `a section with ${Object.keys(node.properties).join(', ')}`;
  if (node.items !== undefined) return `a list, each entry ${allowedValues(node.items)}`;
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'integer' || node.type === 'number') return numberRange(node);
  return 'a text';
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function numberRange(node: SchemaNode): string {
  const noun = node.type === 'integer' ? 'an integer' : 'a number';
  if (node.minimum !== undefined && node.maximum !== undefined) {
    return `${noun} from ${node.minimum} to ${node.maximum}`;
  }
  if (node.minimum !== undefined) return `${noun} of at least ${node.minimum}`;
  return node.maximum === undefined ? noun : `${noun} of at most ${node.maximum}`;
}
