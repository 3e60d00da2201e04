import type { FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';

/** One line for each request that is over; keys never get into it. */
export function logRequest(log: Log, request: FastifyRequest, status: number, elapsedMs: number): void {
  const level = PROBES.has(request.exchange.route) ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const { exchange } = request;
  const line = {
    request_id: request.id,
    method: request.method,
    url: redacted(request.url),
    status,
    bytes: exchange.bytesSent(),
    ms: Math.round(elapsedMs * 100) / 100,
    key: exchange.key?.id,
  };
  log[level](line, 'request');
}

/** Asked every few seconds by whoever watches the server. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

const LONGEST_URL = 2000;

/** The address without anything that looks like a key, which people put into the wrong place. */
export function redacted(url: string): string {
  const short = url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
  return /ctr|api.?key/i.test(short)
    ? short.replace(/ctr(_|%5f)[^&/?#\s]*/gi, 'ctr_***').replace(/(api[-_]?key=)[^&]*/gi, '$1***')
    : short;
}
