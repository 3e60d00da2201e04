/**
 * The one error tree of the service. Every error states in one sentence what is wrong and what to do;
 * `facts` carries the values so that callers need not parse the sentence.
 */
import { ContrailsError } from '@contrails/runtime';

export { CancelledError, ContrailsError, UnavailableError, UsageError } from '@contrails/runtime';

/** One fault of a request, in the shape of the `errors` list of a validation problem. */
export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** The request is well-formed HTTP, but its parameters or body are not acceptable. */
export class ValidationError extends ContrailsError {
  readonly faults: readonly Fault[];
  /** How many more faults were found than are listed. */
  readonly more: number;

  constructor(faults: readonly Fault[], more = 0) {
    super(faults[0]?.msg ?? 'the request is not valid');
    this.faults = faults;
    this.more = more;
  }
}

/** What was asked for does not exist (yet). */
export class NotFoundError extends ContrailsError {
  /** Set when the thing is planned or being made: seconds after which asking again makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    options: { retryAfterSeconds?: number; facts?: Record<string, unknown> } = {},
  ) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Someone else changed the thing first, or it already exists. */
export class ConflictError extends ContrailsError {}
