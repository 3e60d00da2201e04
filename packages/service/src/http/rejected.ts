import { type Fault, ValidationError } from '../errors.ts';

/** How many faults an answer lists; the rest is counted. */
export const MAX_ERRORS = 50;

/**
 * Stands in the place of a query, path or body that is not acceptable until every part of the request has been
 * looked at, so that one answer names all faults.
 */
export class Rejected {
  readonly faults: readonly Fault[];
  readonly more: number;

  constructor(faults: readonly Fault[], more = 0) {
    this.faults = faults;
    this.more = more;
  }
}

/** All faults of the parts of a request in one error; undefined when every part is acceptable. */
export function faultsOf(params: unknown, query: unknown, body: unknown): ValidationError | undefined {
  const rejected = [params, query, body].filter((part) => part instanceof Rejected);
  if (rejected.length === 0) return undefined;
  const faults = rejected.flatMap((part) => part.faults);
  const more = rejected.reduce((sum, part) => sum + part.more, 0);
  return new ValidationError(faults.slice(0, MAX_ERRORS), more + Math.max(0, faults.length - MAX_ERRORS));
}
