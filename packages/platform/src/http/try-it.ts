import { HOUR_MS, isoHour } from '@contrails/runtime';
import { INSTANT, parseTimeMs } from '@contrails/runtime/options/time';

type Json = Record<string, unknown>;

interface Parameter extends Json {
  required?: boolean;
  description?: string;
  schema?: Json;
}

interface Media {
  readonly examples?: Readonly<Record<string, { value: Json }>>;
}

/** The parts of the API description that the page changes. */
export interface ApiDocument extends Json {
  readonly info: Json & { readonly license?: Json };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components?: Json & { readonly parameters?: Readonly<Record<string, Parameter>> };
}

/**
 * The API description as the page shows it: pressing "Execute" sends a request that can be answered now. Times are the
 * current hour, and what may be left out is left out, with its default in words. In OpenAPI 3.0, which Swagger UI shows in
 * half the time that it takes for 3.1.
 */
export function tryItDocument(document: ApiDocument, nowMs: number): ApiDocument {
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const copy = { ...(inVersion30(document) as ApiDocument), openapi: '3.0.3' };
  // Which 3.0 does not know.
  delete copy.info.license?.identifier;
  copy.info.description = `${copy.info.description} The description itself is at [/openapi.json](/openapi.json).`;
  for (const parameter of Object.values(copy.components?.parameters ?? {})) prefill(parameter, hourMs);
  for (const operation of Object.values(copy.paths).flatMap((item) => Object.values(item))) {
    for (const parameter of (operation.parameters ?? []) as Parameter[]) {
      if (!('$ref' in parameter)) prefill(parameter, hourMs);
    }
    const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, Media> };
    for (const example of Object.values(content).flatMap(({ examples = {} }) => Object.values(examples))) {
      example.value = inHour(example.value, hourMs);
    }
  }
  return copy;
}

/** A copy in which schemas say in words of OpenAPI 3.0 what they say in those of JSON Schema. */
function inVersion30(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inVersion30);
  if (typeof value !== 'object' || value === null) return value;
  const node: Json = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, inVersion30(part)]),
  );
  if (Array.isArray(node.type))
    move(node, 'type', 'anyOf', (types: string[]) => types.map((type) => ({ type })));
  if (Array.isArray(node.anyOf)) takeNullOut(node, node.anyOf as Json[]);
  if (Array.isArray(node.examples)) move(node, 'examples', 'example', ([first]: unknown[]) => first);
  if (Array.isArray(node.prefixItems)) delete node.prefixItems;
  // A property of that name is described by an object.
  if ('const' in node && typeof node.const !== 'object') move(node, 'const', 'enum', (only) => [only]);
  for (const [limit, excluded] of EXCLUSIVE_LIMITS) {
    if (typeof node[excluded] === 'number')
      Object.assign(node, { [limit]: node[excluded], [excluded]: true });
  }
  return node;
}

const EXCLUSIVE_LIMITS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

function move<T>(node: Json, from: string, to: string, change: (value: T) => unknown): void {
  node[to] = change(node[from] as T);
  delete node[from];
}

/** `null` is not a type of its own, but something that a value may be. */
function takeNullOut(node: Json, choices: readonly Json[]): void {
  const others = choices.filter(({ type }) => type !== 'null');
  if (others.length === choices.length) return;
  delete node.anyOf;
  node.nullable = true;
  const [only = {}] = others;
  if (others.length > 1) node.anyOf = others;
  else if ('$ref' in only) node.allOf = others;
  else Object.assign(node, { ...only, ...node });
}

function prefill(parameter: Parameter, hourMs: number): void {
  if (parameter.required === true) prefillHour(parameter, hourMs);
  else leaveEmpty(parameter);
}

function prefillHour(parameter: Parameter, hourMs: number): void {
  if (parameter.schema?.pattern !== INSTANT.pattern) return;
  delete parameter.examples;
  parameter.schema = { type: 'string' };
  parameter.example = isoHour(hourMs);
}

function leaveEmpty(parameter: Parameter): void {
  delete parameter.example;
  delete parameter.examples;
  const { default: byDefault, ...schema } = parameter.schema ?? {};
  parameter.schema = schema.pattern === INSTANT.pattern ? { type: 'string' } : schema;
  if (byDefault !== undefined && !Array.isArray(byDefault)) {
    parameter.description = `${parameter.description ?? ''} Default: ${byDefault}.`.trim();
  }
}

/** An example with a list of times, moved as a whole so that it begins within the hour. */
function inHour(example: Json, hourMs: number): Json {
  if (!Array.isArray(example.time)) return example;
  const times = example.time.map(parseTimeMs);
  const shiftMs = hourMs - Math.floor((times[0] ?? 0) / HOUR_MS) * HOUR_MS;
  return { ...example, time: times.map((timeMs) => new Date(timeMs + shiftMs).toISOString()) };
}
