import type { Problem } from './types.ts';

/** A field of a request that was refused. */
export interface FieldProblem {
  /** Where it is, such as `query.flight_level[0]` or `body.altitude[17]`. */
  readonly path: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
  readonly type: string;
}

/**
 * What went wrong. The name of a problem of the service (the last part of its `type`: `validation`, `unauthorized`,
 * `forbidden`, `not-found`, `rate-limited`, `overloaded`, …), or of the client: `network` (no response), `invalid-response`
 * (not a response of this API), `changed` (the file was replaced between two ranges), `job-failed`, `job-cancelled`.
 */
export type ErrorCode =
  | 'validation'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'rate-limited'
  | 'overloaded'
  | 'unavailable'
  | 'internal'
  | 'network'
  | 'invalid-response'
  | 'changed'
  | 'job-failed'
  | 'job-cancelled'
  | (string & {});

export interface ErrorFacts {
  readonly code: ErrorCode;
  /** Method and address of the request. */
  readonly request: string;
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly help?: string | undefined;
  readonly jobId?: string | undefined;
  readonly cause?: unknown;
}

/** The one error of the client. Aborting throws the reason of the signal instead. */
export class ContrailsError extends Error {
  override readonly name = 'ContrailsError';
  readonly code: ErrorCode;
  readonly request: string;
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** The document that the service sent (RFC 9457). */
  readonly problem: Problem | undefined;
  /** Every field that was refused, with the remedy in its message; empty for other problems. */
  readonly fields: readonly FieldProblem[];
  /** Quote it when you report a problem to the operator. */
  readonly requestId: string | undefined;
  /** When the same request is worth sending again [s]; undefined where it is not. */
  readonly retryAfterSeconds: number | undefined;
  /** Address of a page that explains the problem and its remedy. */
  readonly help: string | undefined;
  readonly jobId: string | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.request = facts.request;
    this.status = facts.status;
    this.problem = facts.problem;
    this.fields = (facts.problem?.errors ?? []).map(({ loc, msg, type }) => ({
      path: pathOf(loc),
      message: msg,
      type,
    }));
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.help = facts.help;
    this.jobId = facts.jobId;
  }
}

function pathOf(loc: readonly (string | number)[]): string {
  return loc
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${part}`))
    .join('');
}

/** The error that a response stands for; reads its body. */
export async function errorOf(response: Response, request: string, base: string): Promise<ContrailsError> {
  const text = await response.text().catch(() => '');
  const problem = readProblem(response, text);
  const code = problem?.type.split('/').at(-1) ?? codeOf(response.status);
  const message =
    problem === undefined
      ? `${request} returned ${response.status} ${response.statusText} without an explanation${excerpt(text)}; check the address of the service`
      : [problem.detail, ...furtherErrors(problem)].join('\n');
  return new ContrailsError(message, {
    code,
    request,
    status: response.status,
    problem,
    requestId: problem?.instance ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(response.headers),
    // The page of a problem is on the service itself.
    help: problem?.type.startsWith('/') ? new URL(`.${problem.type}`, base).href : undefined,
  });
}

function readProblem(response: Response, text: string): Problem | undefined {
  if (!/[+/]json\b/.test(response.headers.get('content-type') ?? '')) return undefined;
  try {
    const body = JSON.parse(text) as Partial<Problem> | null;
    const isProblem = typeof body?.type === 'string' && typeof body.detail === 'string';
    return isProblem ? (body as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** `detail` states the first error and the number of the others. */
function furtherErrors({ errors = [] }: Problem): string[] {
  return errors.length < 2 ? [] : errors.map(({ loc, msg }) => `- ${pathOf(loc)}: ${msg}`);
}

/** Of a response that has no problem document, such as that of a proxy. */
function codeOf(status: number): ErrorCode {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'unavailable' : 'invalid-response';
}

function excerpt(text: string): string {
  const words = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words === '' ? '' : ` (“${words.slice(0, 120)}”)`;
}

/** `Retry-After` is a number of seconds or a date. */
function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - Date.now()) / 1000);
}
