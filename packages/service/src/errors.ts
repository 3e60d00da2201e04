/**
 * The one error tree of the service. Every error says in one sentence what is wrong and what to do;
 * `facts` carries the values so that callers need not parse the sentence.
 */
export class ContrailsError extends Error {
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, options: { cause?: unknown; facts?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.facts = options.facts ?? {};
  }
}

/** The configuration, a flag or an argument is wrong; nothing was started (exit 2 on the command line). */
export class UsageError extends ContrailsError {}

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

/** A part the service stands on (database, store, compute) cannot answer now; trying again later may work. */
export class UnavailableError extends ContrailsError {
  readonly retryAfterSeconds: number;

  constructor(
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; facts?: Record<string, unknown> } = {},
  ) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds ?? 5;
  }
}

/** The work was cancelled by whoever asked for it. */
export class CancelledError extends ContrailsError {}
