import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The id the caller gave the request if it is a sane one, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) && !HOLDS_KEY.test(given) ? given : newRequestId();
}

/** Unique over processes and restarts, and cheap: a random part per process and a counter. */
export function newRequestId(): string {
  count += 1;
  return `${PROCESS}-${count.toString(36)}`;
}

const SANE = /^[\w.:@+/=-]{1,128}$/;
/** Ids are logged; a key that was put into the wrong header must not be. */
const HOLDS_KEY = /ctr_/i;
const PROCESS = randomBytes(6).toString('hex');
let count = 0;
