/**
 * Errors lose their class on the way between threads. This carries the name, the sentence, the stack, the causes and,
 * for errors of our own tree, the class and its facts: a `ValidationError` thrown by a kernel is one for the caller too.
 */
import * as tree from '../errors.ts';

const MAX_CAUSES = 4;

export interface CarriedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause: CarriedError | undefined;
}

export function carryError(thrown: unknown, causes = MAX_CAUSES): CarriedError {
  if (!(thrown instanceof Error)) {
    return { name: 'Error', message: String(thrown), stack: undefined, fields: {}, cause: undefined };
  }
  const { name, message, stack } = thrown;
  const fields = thrown instanceof tree.ContrailsError ? copyableFields(thrown) : {};
  const cause = thrown.cause === undefined || causes === 0 ? undefined : carryError(thrown.cause, causes - 1);
  return { name, message, stack, fields, cause };
}

export function reviveError(carried: CarriedError): Error {
  const cause = carried.cause === undefined ? undefined : { cause: reviveError(carried.cause) };
  const error = new Error(carried.message, cause);
  const ours = Object.values(tree).find((known) => known.name === carried.name);
  if (ours !== undefined) Object.setPrototypeOf(error, ours.prototype);
  Object.assign(error, { name: carried.name, stack: carried.stack ?? error.stack }, carried.fields);
  return error;
}

/** One field that cannot be copied must not hide the error itself. */
function copyableFields(error: tree.ContrailsError): Record<string, unknown> {
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
