/**
 * Errors lose their class on the way between threads. A `CarriedError` keeps the name, the message, the stack, the causes
 * and, for an `ErrorWithFacts`, its fields; `reviveError` gives it back one of the caller's classes.
 */
import * as runtimeErrors from '../errors.ts';

const MAX_CAUSES = 4;

export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause: CarriedError | undefined;
}

export interface ErrorClass {
  readonly name: string;
  readonly prototype: Error;
}

export function carryError(thrown: unknown, causes = MAX_CAUSES): CarriedError {
  if (!(thrown instanceof Error)) {
    return { name: 'Error', message: String(thrown), stack: undefined, fields: {}, cause: undefined };
  }
  const { name, message, stack } = thrown;
  const fields = thrown instanceof runtimeErrors.ErrorWithFacts ? copyableFields(thrown) : {};
  const cause = thrown.cause === undefined || causes === 0 ? undefined : carryError(thrown.cause, causes - 1);
  return { name, message, stack, fields, cause };
}

/** The error as an instance of the class of its name: one of `classes`, or one of this package. */
export function reviveError(carried: CarriedError, classes: readonly ErrorClass[]): Error {
  const cause = carried.cause === undefined ? undefined : { cause: reviveError(carried.cause, classes) };
  const error = new Error(carried.message, cause);
  const known = [...classes, ...Object.values(runtimeErrors)].find(({ name }) => name === carried.name);
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype);
  Object.assign(error, { name: carried.name, stack: carried.stack ?? error.stack }, carried.fields);
  return error;
}

/** One field that cannot be copied must not hide the error itself. */
function copyableFields(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(error)) {
    try {
      fields[key] = structuredClone(value);
    } catch {
      fields[key] = String(value);
    }
  }
  return fields;
}
