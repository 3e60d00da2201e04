export type Facts = Readonly<Record<string, unknown>>;

/**
 * An error whose message states what is wrong and what to do. `facts` holds the values, so that callers need not parse the
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
