import { isRecord } from '@contrails/runtime/is-record';

type Json = Record<string, unknown>;

/** Keys whose values are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

/**
 * Moves every schema with a `title` to `components`, so a generated client has one type for it under that name.
 * The same schema may occur in many places; two different ones with one title are a mistake in a declaration.
 */
export function shareSchemas(paths: Json, components: Json): void {
  for (const [name, schema] of Object.entries(components)) components[name] = children(schema, components);
  for (const [path, item] of Object.entries(paths)) paths[path] = children(item, components);
}

function shared(value: unknown, components: Json): unknown {
  const copy = children(value, components);
  if (!isRecord(copy) || typeof copy.title !== 'string') return copy;
  const { title, ...schema } = copy;
  const known = components[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`two different schemas have the title ${title}; give one of them another title`);
  }
  components[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}

function children(value: unknown, components: Json): unknown {
  if (Array.isArray(value)) return value.map((entry) => shared(entry, components));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, DATA.has(key) ? entry : shared(entry, components)]),
  );
}
