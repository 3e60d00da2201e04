import type { FieldError } from '@contrails/runtime/errors';
import { ContrailsError } from '@contrails/runtime/errors';

/** One kind of error response, with the texts of its page. */
export interface ProblemKind {
  readonly title: string;
  readonly status: number;
  /** What the response means. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

/** Kinds of errors that families add, by name. */
export type ProblemKinds = Readonly<Record<string, ProblemKind>>;

/** A kind of error with its name. */
export interface NamedProblem extends ProblemKind {
  readonly name: string;
}

/** Kinds of errors that every service returns; `/problems/<name>` documents each. Titles are part of the HTTP response. */
export const PROBLEMS = {
  validation: {
    title: 'The request is not valid',
    status: 422,
    meaning:
      'A parameter or the body is not valid. `errors` in the response lists what is wrong: the location (`loc`), the message (`msg`) and the kind of error (`type`). It has at most 50 entries; `more_errors` is the number of the others. The status is 422 under /v0 and 400 elsewhere. Nothing was computed.',
    remedy: 'Correct every field that `errors` lists and send the request again.',
  },
  'bad-request': {
    title: 'The request cannot be understood',
    status: 400,
    meaning: 'The request is not valid HTTP, or its URL is not percent-encoded correctly.',
    remedy: 'Check the URL and the headers that your client actually sends.',
  },
  unauthorized: {
    title: 'A valid key is needed',
    status: 401,
    meaning: 'The header `x-api-key` is missing, or the key in it is unknown, revoked or expired.',
    remedy:
      'Send a key of this service in the header `x-api-key`. `GET /v0/auth/validate-key` checks whether a key works. Do not retry with the same key.',
  },
  forbidden: {
    title: 'The key may not do this',
    status: 403,
    meaning:
      'The key is valid, but it does not have the scope that this endpoint requires; `detail` names the scope.',
    remedy: 'Ask the operator of the service for a key with that scope.',
  },
  'not-found': {
    title: 'There is nothing here',
    status: 404,
    meaning:
      'The path does not exist, or nothing is stored for the requested time, date or flight level; `detail` gives the available range.',
    remedy:
      'Check the path and the range. If the response has a `Retry-After` header, the product is being computed: send the request again after that many seconds.',
  },
  'method-not-allowed': {
    title: 'This method is not served here',
    status: 405,
    meaning: 'The path does not support this HTTP method; the header `Allow` lists the supported methods.',
    remedy: 'Use one of the methods in `Allow`.',
  },
  'not-acceptable': {
    title: 'The answer cannot have an accepted type',
    status: 406,
    meaning:
      'The header `Accept` allows none of the media types that the answer can have; `types` in the response lists these. Parameters such as `format` select one of several.',
    remedy: 'Send one of `types` in `Accept`, or `*/*`, or leave the header out.',
  },
  timeout: {
    title: 'The request did not arrive in time',
    status: 408,
    meaning:
      'The connection stayed open, but the complete request did not arrive within the time limit of the server.',
    remedy: 'Send the request again over a faster connection, or compress its body with gzip.',
  },
  conflict: {
    title: 'Conflict with another change',
    status: 409,
    meaning: 'The resource that the request creates already exists, or it has changed in the meantime.',
    remedy: 'Read the current state and decide whether to send the request again.',
  },
  'payload-too-large': {
    title: 'The body is too large',
    status: 413,
    meaning: 'After decompression, the body is larger than the server accepts; `detail` gives the limit.',
    remedy:
      'Split the request. You can split a fleet into several requests; each flight gets the same result.',
  },
  'unsupported-media-type': {
    title: 'The body has a type that is not read',
    status: 415,
    meaning: 'The service accepts JSON in UTF-8, uncompressed or compressed with gzip.',
    remedy: 'Send `Content-Type: application/json` and, for a compressed body, `Content-Encoding: gzip`.',
  },
  'range-not-satisfiable': {
    title: 'The file does not have these bytes',
    status: 416,
    meaning:
      'The header `Range` requests bytes beyond the end of the file; the header `Content-Range` gives its size.',
    remedy: 'Request a range within the size, or the whole file without `Range`.',
  },
  'rate-limited': {
    title: 'Too many requests',
    status: 429,
    meaning:
      'The key has reached its limit of requests per minute or of concurrent requests; `detail` names the limit.',
    remedy:
      'Wait for the number of seconds in `Retry-After`. `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` report the current state of the limit.',
  },
  'headers-too-large': {
    title: 'The headers are too large',
    status: 431,
    meaning: 'The URL and headers of the request are larger than the server accepts.',
    remedy: 'Send shorter headers and a shorter query string.',
  },
  overloaded: {
    title: 'The server is busy',
    status: 503,
    meaning:
      'The server is at the limit of its capacity, or is shutting down. It rejected the request before it did any work.',
    remedy: 'Wait for the number of seconds in `Retry-After` and send the same request again.',
  },
  unavailable: {
    title: 'The service cannot answer now',
    status: 503,
    meaning:
      'The database, the store or the compute threads do not respond at the moment. The request and the key can both be valid.',
    remedy: 'Wait for the number of seconds in `Retry-After` and send the same request again.',
  },
  internal: {
    title: 'Internal error',
    status: 500,
    meaning:
      'The service has a bug or failed unexpectedly. The log of the server contains the error under the request id in `instance`.',
    remedy: 'Report the request id to the operator of the service. The same request may work later.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemName = keyof typeof PROBLEMS;

export function isProblemName(name: string): name is ProblemName {
  return Object.hasOwn(PROBLEMS, name);
}

/** An error response as defined by RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly FieldError[];
  readonly more_errors?: number;
  readonly [extension: string]: unknown;
}

export interface ProblemOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the response. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An error that defines its own HTTP response. */
export class ProblemError extends ContrailsError {
  readonly problem: NamedProblem;
  readonly options: ProblemOptions;

  constructor(problem: ProblemName | NamedProblem, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.problem = named(problem);
    this.options = options;
  }
}

export function makeProblem(
  problem: ProblemName | NamedProblem,
  detail: string,
  instance: string,
  { status, members = {} }: ProblemOptions = {},
): Problem {
  const { name, title, status: usual } = named(problem);
  return { type: `/problems/${name}`, title, status: status ?? usual, detail, instance, ...members };
}

function named(problem: ProblemName | NamedProblem): NamedProblem {
  return typeof problem === 'string' ? { name: problem, ...PROBLEMS[problem] } : problem;
}
