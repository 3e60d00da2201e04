/**
 * The one error tree of the service. Every error states in one sentence what is wrong and what to do;
 * `facts` carries the values so that callers need not parse the sentence.
 */
import { ContrailsError, UsageError } from '@contrails/runtime';

export { CancelledError, ContrailsError, UnavailableError, UsageError } from '@contrails/runtime';

/** One error of a request, in the shape of the `errors` list of a validation problem. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** The request is well-formed HTTP, but its parameters or body are not acceptable. */
export class ValidationError extends ContrailsError {
  readonly errors: readonly FieldError[];
  /** How many more errors were found than are listed. */
  readonly more: number;

  constructor(errors: readonly FieldError[], more = 0) {
    super(errors[0]?.msg ?? 'the request is not valid');
    this.errors = errors;
    this.more = more;
  }

  /** Every error in one line, for the command line. */
  get summary(): string {
    return `${this.errors.map(({ msg }) => msg).join('; ')}${this.more > 0 ? `; and ${this.more} more` : ''}`;
  }
}

/** For what reads flags by the rules of a request: what is wrong with them is wrong with the command line. */
export function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ValidationError ? new UsageError(error.summary, { cause: error }) : error;
  }
}

/** The weather that a request needs is damaged or contradicts itself: its operator has to correct the files. */
export class UnusableWeatherError extends ContrailsError {}

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
