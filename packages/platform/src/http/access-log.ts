import type { FastifyRequest } from 'fastify';
import { symbols } from 'pino';
import type { Log } from '../log.ts';

export type LogRequest = (request: FastifyRequest, status: number, elapsedMs: number) => void;

/**
 * Writes one line for each request that is over; keys never get into it. The line is always of the same shape and made
 * here: the logger's general way would cost more than everything else the server does for a small request.
 */
export function requestLogger(log: Log): LogRequest {
  const { [symbols.streamSym]: stream, [symbols.chindingsSym]: bindings } = log as Log & LogInternals;
  return (request, status, elapsedMs) => {
    const { exchange } = request;
    const level = PROBES.has(exchange.route) ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const key = exchange.key === undefined ? '' : `,"key":"${exchange.key.id}"`;
    const ms = Math.round(elapsedMs * 100) / 100;
    stream.write(
      `{"level":${log.levels.values[level]},"time":"${new Date().toISOString()}"${bindings},"request_id":"${request.id}","method":"${request.method}","url":${JSON.stringify(redacted(request.url))},"status":${status},"bytes":${exchange.bytesSent()},"ms":${ms}${key},"msg":"request"}\n`,
    );
  };
}

/** What pino offers to integrations. */
interface LogInternals {
  readonly [symbols.streamSym]: { write(line: string): void };
  /** What every line of this logger has, as JSON with a comma before each. */
  readonly [symbols.chindingsSym]: string;
}

/** Requested every few seconds by monitoring. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

const MAX_URL_LENGTH = 2000;

/** The address without anything that looks like a key, which people put into the wrong place. */
export function redacted(url: string): string {
  const short = url.length > MAX_URL_LENGTH ? `${url.slice(0, MAX_URL_LENGTH)}…` : url;
  return /ctr|api.?key/i.test(short)
    ? short.replace(/ctr(_|%5f)[^&/?#\s]*/gi, 'ctr_***').replace(/(api[-_]?key=)[^&]*/gi, '$1***')
    : short;
}
