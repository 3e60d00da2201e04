import { UnavailableError } from '@contrails/runtime/errors';

interface BucketLocation {
  readonly bucket: string;
  readonly endpoint: string | undefined;
}

const UNREACHABLE = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET',
  'EPIPE',
]);

/**
 * What went wrong with a request to a bucket, and what to do about it. The library's error is not kept as the
 * cause: it can carry the signed request.
 */
export function s3Error(error: unknown, place: BucketLocation): UnavailableError {
  const { name = 'unknown error', code, $metadata: answer } = (error ?? {}) as LibraryError;
  const where = `the bucket ${place.bucket} at ${place.endpoint ?? 'Amazon S3'}`;
  return new UnavailableError(`${where} ${explanation(name, code, answer?.httpStatusCode)}`, {
    facts: {
      ...place,
      error: name,
      code,
      status: answer?.httpStatusCode,
      requestId: answer?.requestId,
      attempts: answer?.attempts ?? 1,
    },
  });
}

/** There is no such object. */
export function isMissing(error: unknown): boolean {
  return factOf(error, 'status') === 404 && factOf(error, 'error') !== 'NoSuchBucket';
}

/** The asked part starts behind the end of the object. */
export function isBehindEnd(error: unknown): boolean {
  return factOf(error, 'status') === 416;
}

/** The condition of the request does not hold (412), or did not hold still (409). */
export function isPreconditionFailure(error: unknown): boolean {
  const status = factOf(error, 'status');
  return status === 412 || status === 409;
}

/** True when an earlier attempt of the request may have been carried out although its answer never came. */
export function wasRepeated(error: unknown): boolean {
  return Number(factOf(error, 'attempts')) > 1;
}

function factOf(error: unknown, name: string): unknown {
  return error instanceof UnavailableError ? error.facts[name] : undefined;
}

/** The parts of the client library's errors that are read. */
interface LibraryError {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { httpStatusCode?: number; requestId?: string; attempts?: number };
}

function explanation(name: string, code: string | undefined, status: number | undefined): string {
  if (name === 'NoSuchBucket') return 'does not exist; create it or correct the address of the data';
  if (name === 'CredentialsProviderError') {
    return 'cannot be used without credentials; set CONTRAILS_S3__ACCESS_KEY_ID and CONTRAILS_S3__SECRET_ACCESS_KEY';
  }
  if (name === 'RequestTimeTooSkewed') return "refuses this machine's clock; set it right";
  if (name === 'PermanentRedirect' || name === 'AuthorizationHeaderMalformed' || status === 301) {
    return 'is in another region; set s3.region';
  }
  if (status === 401 || status === 403) {
    return (
      `refuses access (${name}); check the access key and its secret, and that they may list the bucket and ` +
      'get, put and delete its objects'
    );
  }
  if (status === 501)
    return `lacks a function the store needs (${name}); use a server with conditional writes`;
  if (name === 'TimeoutError' || name === 'AbortError') {
    if (code !== undefined && UNREACHABLE.has(code)) return `cut the connection (${code}); check the server`;
    return 'did not answer in time; check the server and the network';
  }
  if (status !== undefined && status >= 300) return `answers ${status} (${name}); check the server`;
  if (code !== undefined && UNREACHABLE.has(code)) {
    return `cannot be reached (${code}); check s3.endpoint and the network`;
  }
  return `gave no usable answer (${code ?? name}); check s3.endpoint and the server`;
}
