import { ConflictError } from '@contrails/runtime/errors';

/** The refusal of a conditional replace; `found` is undefined when the store did not say what is there now. */
export function changedSince(
  key: string,
  expected: string | null,
  found: string | null | undefined,
): ConflictError {
  const state = expected === null ? 'exists already' : found === null ? 'does not exist' : 'has changed';
  return new ConflictError(`${key} ${state}; read it again and decide again`, {
    facts: { key, expected, found },
  });
}
