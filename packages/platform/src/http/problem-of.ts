import {
  CancelledError,
  ConflictError,
  NotFoundError,
  RefusedError,
  UnavailableError,
  ValidationError,
} from '@contrails/runtime/errors';
import { ProblemError, type ProblemKinds, type ProblemName } from './problem.ts';

/** Converts any error into a `ProblemError` that contains only what callers may know; `kinds` explain refusals by their reason. */
export function problemOf(error: unknown, path: string, kinds: ProblemKinds = {}): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof ValidationError) return ofValidation(error, path);
  if (error instanceof NotFoundError) {
    return new ProblemError('not-found', error.message, retryAfter(error.retryAfterSeconds));
  }
  const kind = error instanceof RefusedError ? kinds[error.reason] : undefined;
  if (error instanceof RefusedError && kind !== undefined) {
    return new ProblemError({ name: error.reason, ...kind }, error.message);
  }
  if (error instanceof ConflictError) return new ProblemError('conflict', error.message);
  if (error instanceof UnavailableError) {
    const seconds = Math.max(1, Math.ceil(error.retryAfterSeconds));
    // The message names databases, buckets and files, so it goes to the log only.
    return new ProblemError(
      'unavailable',
      `the service cannot answer at the moment; try again in ${seconds} s`,
      retryAfter(seconds),
    );
  }
  if (error instanceof CancelledError) {
    return new ProblemError('unavailable', 'the work was cancelled; send the request again', retryAfter(1));
  }
  return (
    ofFramework(error) ??
    new ProblemError('internal', 'internal error; include the request id in `instance` when you report it')
  );
}

function retryAfter(seconds: number | undefined): { headers?: Record<string, string> } {
  return seconds === undefined ? {} : { headers: { 'retry-after': String(seconds) } };
}

/** Each API version keeps its published status of requests that are not valid: 422 under /v0, 400 under /v1. */
export function invalidStatus(path: string): 422 | 400 {
  return /^\/v0(\/|$)/.test(path) ? 422 : 400;
}

function ofValidation({ message, errors, more }: ValidationError, path: string): ProblemError {
  const others = errors.length - 1 + more;
  return new ProblemError('validation', others > 0 ? `${message} (and ${others} more)` : message, {
    status: invalidStatus(path),
    members: { errors: errors, ...(more > 0 ? { more_errors: more } : {}) },
  });
}

/** Errors of the framework that a request can cause. */
function ofFramework(error: unknown): ProblemError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return undefined;
  const [problem, detail] = FRAMEWORK_ERRORS[code] ?? [];
  return problem === undefined || detail === undefined ? undefined : new ProblemError(problem, detail);
}

const JSON_ONLY = 'send the body as application/json, optionally with Content-Encoding: gzip';

const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ProblemName, string]>> = {
  FST_ERR_BAD_URL: ['bad-request', 'the path is not validly percent-encoded UTF-8; encode it and try again'],
  FST_ERR_MAX_PARAM_LENGTH: [
    'not-found',
    'a part of the path is longer than any that exists; check the path',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported-media-type', JSON_ONLY],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['unsupported-media-type', JSON_ONLY],
  ECONNRESET: ['bad-request', 'the connection was closed before the request had arrived'],
};
