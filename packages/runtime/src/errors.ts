export type Facts = Readonly<Record<string, unknown>>;

/**
 * An error whose message states what is wrong and what to do. `facts` holds the values, so callers need not parse the
 * message.
 */
export class ErrorWithFacts extends Error {
  readonly facts: Facts;

  constructor(message: string, options: { cause?: unknown; facts?: Facts } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.facts = options.facts ?? {};
  }
}

/** The root of the errors that the service reports as they are. */
export class ContrailsError extends ErrorWithFacts {}

/** The configuration, a flag or an argument is wrong; nothing was started (exit 2 on the command line). */
export class UsageError extends ContrailsError {}

/** A service that the work depends on (database, store, compute) cannot respond now; trying again later may work. */
export class UnavailableError extends ContrailsError {
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number; facts?: Facts } = {}) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds ?? 5;
  }
}

/** The caller cancelled the work. */
export class CancelledError extends ContrailsError {}

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

/** The input is well-formed, but nothing can be computed from it; `reason` is a short name of why. */
export class RefusedError extends ContrailsError {
  readonly reason: string;

  constructor(reason: string, message: string, options: { cause?: unknown; facts?: Facts } = {}) {
    super(message, options);
    this.reason = reason;
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
