import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authentication, Decision, Key, Keyring, Limits } from '../keys/index.ts';
import { ProblemError } from './problem.ts';

export interface AuthDependencies {
  readonly keyring: Pick<Keyring, 'authenticate'>;
  readonly limits: Pick<Limits, 'acquire'>;
}

/**
 * Authenticates the caller, checks its scope and its limits; `done` gets the problem if not. All
 * of it happens at once where it can: a promise more would be felt by every request.
 */
export function admit(
  { keyring, limits }: AuthDependencies,
  scope: string,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (problem?: Error) => void,
): void {
  const { exchange } = request;
  const decided = (key: Key, decision: Decision) => {
    if (!decision.granted) return done(rateLimited(key, decision));
    // The client may have gone while the limits were asked; nothing would give the place back later.
    if (reply.raw.closed) decision.release();
    else exchange.grant = decision;
    done();
  };
  const authenticated = (authentication: Authentication) => {
    if (!authentication.ok) return done(unauthorized(authentication.reason));
    const { key } = authentication;
    exchange.key = key;
    if (scope !== 'any-key' && !key.scopes.includes(scope)) return done(forbidden(key, scope));
    // A cache that others share must not hand on what a key was needed for.
    reply.header('cache-control', 'private, no-cache');
    const decision = limits.acquire(key);
    if (decision instanceof Promise) decision.then((later) => decided(key, later), done);
    else decided(key, decision);
  };
  const authentication = keyring.authenticate(request.headers['x-api-key']);
  if (authentication instanceof Promise) authentication.then(authenticated, done);
  else authenticated(authentication);
}

type Reason = Extract<Authentication, { ok: false }>['reason'];

const REASONS: Readonly<Record<Reason, string>> = {
  missing: 'the header x-api-key is missing; send your key in it',
  malformed: 'the header x-api-key does not hold a key of this service (ctr_…); check that it is complete',
  unknown: 'the key in x-api-key is not known; check that it is complete and belongs to this service',
  revoked: 'the key in x-api-key was revoked; ask the operator for a new one',
  expired: 'the key in x-api-key has expired; ask the operator for a new one',
};

function unauthorized(reason: Reason): ProblemError {
  return new ProblemError('unauthorized', REASONS[reason], { headers: { 'www-authenticate': 'ApiKey' } });
}

function forbidden({ id, scopes }: Key, scope: string): ProblemError {
  return new ProblemError(
    'forbidden',
    `this needs the scope ${scope}; the key has ${scopes.length === 0 ? 'none' : scopes.join(', ')}. The operator adds it with: contrails keys update ${id} --scopes ${[...scopes, scope].join(',')}`,
    { members: { scope } },
  );
}

function rateLimited(key: Key, { reason, retryAfterSeconds, headers }: Refusal): ProblemError {
  const what =
    reason === 'rate'
      ? `the key has used its ${key.ratePerMinute} requests per minute`
      : `the key has ${key.concurrency} requests open, as many as it may`;
  return new ProblemError('rate-limited', `${what}; try again in ${retryAfterSeconds} s`, {
    headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
  });
}

type Refusal = Extract<Decision, { granted: false }>;
