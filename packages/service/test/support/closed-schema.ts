import type { TSchema } from 'typebox';
import Schema from 'typebox/schema';

/** What an answer has that its schema does not describe, and what it lacks; a field that is not declared counts. */
export function undescribed(schema: TSchema, answer: unknown): string[] {
  const [, errors] = Schema.Errors(closed(schema) as TSchema, answer);
  return errors.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}
