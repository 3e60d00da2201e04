import { HOUR_MS, isoHour } from '@contrails/runtime';
import { INSTANT, parseTimeMs } from '@contrails/runtime/options/time';

type Json = Record<string, unknown>;

interface Parameter extends Json {
  name?: string;
  required?: boolean;
  description?: string;
  schema?: Json;
}

interface Media {
  readonly examples?: Readonly<Record<string, { value: Json }>>;
}

/** The parts of the API description that the page changes. */
export interface ApiDocument extends Json {
  readonly info: Json;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components?: Json & { readonly parameters?: Readonly<Record<string, Parameter>> };
}

/**
 * The API description as the page shows it: pressing "Execute" sends a request that can be answered now. Times are the
 * current hour, and what may be left out is left out, with its default in words.
 */
export function tryItDocument(document: ApiDocument, nowMs: number): ApiDocument {
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const copy = structuredClone(document);
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

function prefill(parameter: Parameter, hourMs: number): void {
  // A time that one format does without is wanted by the others.
  if (parameter.required === true || parameter.name === 'time') prefillHour(parameter, hourMs);
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

/** An example with a list of times, moved as a whole to begin within the hour. */
function inHour(example: Json, hourMs: number): Json {
  if (!Array.isArray(example.time)) return example;
  const times = example.time.map(parseTimeMs);
  const shiftMs = hourMs - Math.floor((times[0] ?? 0) / HOUR_MS) * HOUR_MS;
  return { ...example, time: times.map((timeMs) => new Date(timeMs + shiftMs).toISOString()) };
}
