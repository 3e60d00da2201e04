import { type TSchema, type TUnsafe, Type } from 'typebox';
import type { FieldError } from '../errors.ts';
import type { Parameter, RawValue } from './parameter.ts';
import { Rejected } from './rejected.ts';

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What a handler finds in `request.query` for these parameters. */
export type Values<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};

type Reader = (raw: unknown) => unknown;

/** The reader of what a schema declares, stored separately so OpenAPI sees only the schema. */
const READERS = new WeakMap<object, Reader>();

/**
 * The query string of a route. One declaration serves three: Fastify reads requests with it, OpenAPI shows it, and
 * TypeScript knows what the handler gets. `query-names.ts` refuses
 * parameters that are not declared.
 */
export function query<P extends Parameters>(parameters: P): TUnsafe<Values<P>> {
  return declaration('query', parameters);
}

/** The parameters in the path of a route (`/v0/jobs/:id`). */
export function path<P extends Parameters>(parameters: P): TUnsafe<Values<P>> {
  return declaration('path', parameters);
}

/**
 * A body that is read by a separate function, which returns what the handler gets or a `Rejected` with all errors, or a
 * promise of them for a large body; the schema describes it. For bodies whose parts depend on one another.
 */
export function body<T>(
  schema: TSchema,
  read: (raw: unknown) => T | Rejected | Promise<T | Rejected>,
): TUnsafe<T> {
  const declared = Type.Unsafe<T>({ ...schema });
  READERS.set(declared, read);
  return declared;
}

function declaration<P extends Parameters>(where: 'query' | 'path', parameters: P): TUnsafe<Values<P>> {
  const entries = Object.entries(parameters);
  const required = entries.filter(([, { absent }]) => absent === undefined).map(([name]) => name);
  const schema = Type.Unsafe<Values<P>>({
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, parameter.schema])),
    required,
  });
  READERS.set(schema, (raw) => readParameters(where, entries, raw as Record<string, RawValue | undefined>));
  return schema;
}

function readParameters(
  where: string,
  parameters: readonly (readonly [string, Parameter<unknown>])[],
  raw: Readonly<Record<string, RawValue | undefined>>,
): Record<string, unknown> | Rejected {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const [name, parameter] of parameters) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined;
    if (given === undefined) {
      if (parameter.absent === undefined) {
        const msg = `${name} is missing; ${parameter.remedy ?? 'it has to be given'}`;
        errors.push({ loc: [where, name], msg, type: 'missing' });
      } else {
        values[name] = parameter.absent.value;
      }
      continue;
    }
    const read = parameter.read(name, given);
    if ('value' in read) values[name] = read.value;
    else for (const error of read.errors) errors.push(located(where, name, error));
  }
  return errors.length === 0 ? values : new Rejected(errors);
}

function located(
  where: string,
  name: string,
  error: { msg: string; type: string; index?: number },
): FieldError {
  const loc = error.index === undefined ? [where, name] : [where, name, error.index];
  return { loc, msg: error.msg, type: error.type };
}

/** The function that reads what this schema declares, if it came from `query`, `path` or `body`. */
export function readerOf(schema: object): Reader | undefined {
  return READERS.get(schema);
}
