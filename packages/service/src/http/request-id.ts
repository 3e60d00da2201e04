import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The id the caller gave the request if it is a sane one, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
}

/** Unique over processes and restarts, and cheap: a random part per process and a counter. */
export function newRequestId(): string {
  count += 1;
  return `${PROCESS}-${count.toString(36)}`;
}

const SANE = /^[\w.:@+/=-]{1,128}$/;
const PROCESS = randomBytes(6).toString('hex');
let count = 0;
