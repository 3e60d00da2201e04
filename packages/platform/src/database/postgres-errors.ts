import { ConflictError, ContrailsError, UnavailableError } from '@contrails/runtime/errors';

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
]);

/** SQLSTATE classes and codes (PostgreSQL manual, appendix A) of a server that cannot serve now. */
const SQLSTATES: readonly (readonly [prefix: string, reason: string])[] = [
  ['08', 'the connection failed'],
  ['28', 'it refused the user name or password'],
  ['3D000', 'it has no database of this name; create it first'],
  ['53100', 'its disk is full'],
  ['53', 'it is out of resources or connections'],
  ['57014', 'the statement took too long'],
  ['57P', 'it is starting or stopping'],
  ['58', 'it has a system error'],
  ['25006', 'it only allows reading'],
  ['40001', 'too many transactions collided'],
  ['40P01', 'too many transactions collided'],
  ['55P03', 'the rows are locked'],
];

const UNIQUE_VIOLATION = '23505';

/** Errors that the client library throws without a code. */
const CLIENT_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed',
  'Query read timeout',
  'Cannot use a pool after calling end',
  'The server does not support SSL',
  'SASL',
];

/**
 * The error of the service's tree for an error of the client library; anything else comes back as it is.
 * `place` is the server's address without user and password.
 */
export function postgresError(error: unknown, place: string): unknown {
  if (error instanceof ContrailsError || !(error instanceof Error)) return error;
  if (codeOf(error) === UNIQUE_VIOLATION) {
    return new ConflictError('a row with this key already exists', { cause: error });
  }
  const reason = unavailableReason(error);
  if (reason === undefined) return error;
  return new UnavailableError(`the database ${place} does not serve: ${reason}`, {
    facts: { place },
    cause: error,
  });
}

function unavailableReason(error: Error): string | undefined {
  // A host with several addresses fails with one error for each.
  if (error instanceof AggregateError) {
    const first: unknown = error.errors[0];
    return first instanceof Error ? unavailableReason(first) : 'it cannot be reached';
  }
  const code = codeOf(error);
  if (code !== undefined && SYSTEM_CODES.has(code)) return `it cannot be reached (${code})`;
  const state = SQLSTATES.find(([prefix]) => code?.startsWith(prefix));
  if (state !== undefined) return state[1];
  return CLIENT_MESSAGES.find((message) => error.message.includes(message));
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
