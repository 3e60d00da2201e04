import type { Fault } from '../errors.ts';
import { ContrailsError } from '../errors.ts';

/** One kind of error answer, with the words of its page. */
interface ProblemKind {
  readonly title: string;
  readonly status: number;
  /** What the answer means. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

/** Every kind of error the service answers with; `/problems/<name>` documents each. */
export const PROBLEMS = {
  validation: {
    title: 'The request is not valid',
    status: 422,
    meaning:
      'A parameter or the body cannot be accepted. The answer lists all faults in `errors`: where each is (`loc`), what is wrong (`msg`) and of which kind it is (`type`); at most 50, with the number of the others in `more_errors`. The status is 422 under /v0 and 400 elsewhere. Nothing was computed.',
    remedy: 'Correct every field that `errors` names and send the request again.',
  },
  'bad-request': {
    title: 'The request cannot be understood',
    status: 400,
    meaning: 'The request breaks the rules of HTTP, or its address is not validly percent-encoded.',
    remedy: 'Look at the address and the headers that the client really sends.',
  },
  unauthorized: {
    title: 'A valid key is needed',
    status: 401,
    meaning: 'The header `x-api-key` is missing, or the key in it is unknown, revoked or expired.',
    remedy:
      'Send a key of this service as `x-api-key`; `GET /v0/auth/validate-key` tells whether a key works. Trying again with the same key does not help.',
  },
  forbidden: {
    title: 'The key may not do this',
    status: 403,
    meaning: 'The key is valid, but it does not have the scope that this endpoint needs; `detail` names it.',
    remedy: 'Ask the operator of the service for a key with that scope.',
  },
  'not-found': {
    title: 'There is nothing here',
    status: 404,
    meaning:
      'The path is unknown, or nothing is stored for the time, date or flight level that was asked for; `detail` gives the range that is served.',
    remedy:
      'Check the path and the range. With a `Retry-After` header the product is being made: ask again after that many seconds.',
  },
  'method-not-allowed': {
    title: 'This method is not served here',
    status: 405,
    meaning: 'The path exists, but not with this HTTP method; the header `Allow` lists the methods it has.',
    remedy: 'Use one of the methods in `Allow`.',
  },
  timeout: {
    title: 'The request did not arrive in time',
    status: 408,
    meaning:
      'The connection stayed open, but the whole request did not arrive in the time the server waits for it.',
    remedy: 'Send the request again over a faster connection, or compress its body with gzip.',
  },
  conflict: {
    title: 'Something else was first',
    status: 409,
    meaning: 'What the request wants to make exists already, or was changed meanwhile.',
    remedy: 'Read the current state and decide again.',
  },
  'payload-too-large': {
    title: 'The body is too large',
    status: 413,
    meaning: 'The body is larger than the server accepts after decompression; `detail` gives the limit.',
    remedy: 'Split the request: a fleet can be sent in several parts, and each flight gets the same result.',
  },
  'unsupported-media-type': {
    title: 'The body has a type that is not read',
    status: 415,
    meaning: 'Bodies are JSON in UTF-8, as they are or compressed with gzip.',
    remedy: 'Send `Content-Type: application/json` and, for a compressed body, `Content-Encoding: gzip`.',
  },
  'range-not-satisfiable': {
    title: 'The file does not have these bytes',
    status: 416,
    meaning: 'The header `Range` asks for bytes behind the end of the file; `Content-Range` gives its size.',
    remedy: 'Ask for a range within the size, or for the whole file without `Range`.',
  },
  'rate-limited': {
    title: 'Too many requests',
    status: 429,
    meaning:
      'The key has used up its requests per minute or has as many requests open as it may; `detail` tells which.',
    remedy:
      'Wait for the seconds in `Retry-After`. `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` tell how much is left.',
  },
  'headers-too-large': {
    title: 'The headers are too large',
    status: 431,
    meaning: 'The address and headers of the request are larger than the server reads.',
    remedy: 'Send shorter headers and a shorter query string.',
  },
  overloaded: {
    title: 'The server is busy',
    status: 503,
    meaning:
      'The server has as much work as it can do, or is about to stop. The request was refused before any work was done.',
    remedy: 'Wait for the seconds in `Retry-After` and send the same request again.',
  },
  unavailable: {
    title: 'The service cannot answer now',
    status: 503,
    meaning:
      'A part the service stands on (database, store, compute) does not answer at the moment. The request itself may be right, and so may the key.',
    remedy: 'Wait for the seconds in `Retry-After` and send the same request again.',
  },
  internal: {
    title: 'A fault of the service',
    status: 500,
    meaning:
      'Something went wrong that should not. The fault is in the log of the server under the request id in `instance`.',
    remedy: 'Report the request id to the operator of the service. The same request may work later.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemName = keyof typeof PROBLEMS;

/** An error answer after RFC 9457. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly Fault[];
  readonly more_errors?: number;
  readonly [extension: string]: unknown;
}

export interface ProblemOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the answer. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An error that already knows how it is answered. */
export class ProblemError extends ContrailsError {
  readonly problem: ProblemName;
  readonly options: ProblemOptions;

  constructor(problem: ProblemName, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.problem = problem;
    this.options = options;
  }
}

export function makeProblem(
  name: ProblemName,
  detail: string,
  instance: string,
  { status = PROBLEMS[name].status, members = {} }: ProblemOptions = {},
): Problem {
  return { type: `/problems/${name}`, title: PROBLEMS[name].title, status, detail, instance, ...members };
}
