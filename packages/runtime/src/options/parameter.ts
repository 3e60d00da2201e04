import { type TSchema, Type } from 'typebox';

/** What a query string holds for one name: a text, or several when the name was repeated. */
export type RawValue = string | readonly string[];

/** Something wrong with a parameter; `index` is its position in a list. */
export interface ParameterError {
  readonly msg: string;
  readonly type: string;
  readonly index?: number;
}

export type Read<T> = { readonly value: T } | { readonly errors: readonly ParameterError[] };

/** A kind of query or path parameter: its OpenAPI schema, and how its text is read. */
export interface Parameter<T> {
  readonly schema: TSchema;
  /** Absent means: the parameter has to be given. */
  readonly absent?: { readonly value: T };
  /** Part of the error when it is missing: what it can be. */
  readonly remedy?: string;
  read(name: string, raw: RawValue): Read<T>;
}

/** A parameter that has exactly one text. */
export function single<T>(schema: TSchema, read: (name: string, text: string) => Read<T>): Parameter<T> {
  return {
    schema,
    read: (name, raw) =>
      typeof raw === 'string'
        ? read(name, raw)
        : invalid(`${name} was given ${raw.length} times; give it once`, 'repeated'),
  };
}

/** The parameter may be left out and is then `undefined`. */
export function optional<T>(parameter: Parameter<T>): Parameter<T | undefined> {
  return { ...parameter, absent: { value: undefined } };
}

/** The parameter may be left out and then has this value; `shown` is the value as a caller would write it. */
export function byDefault<T>(parameter: Parameter<T>, value: T, shown: unknown = value): Parameter<T> {
  return { ...parameter, absent: { value }, schema: Type.Unsafe({ ...parameter.schema, default: shown }) };
}

export function invalid(msg: string, type: string): { errors: ParameterError[] } {
  return { errors: [{ msg, type }] };
}
