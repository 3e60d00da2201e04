import type { FastifyReply, FastifyRequest } from 'fastify';
import { WARNINGS_HEADER } from './warnings.ts';

/** Puts the headers on an answer that let pages of other origins read it. */
export type CorsHeaders = (request: FastifyRequest, reply: FastifyReply) => void;

/** Response headers that a page may read besides the few that are always readable. */
const EXPOSED = [
  'x-request-id',
  'etag',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'location',
  'retry-after',
  WARNINGS_HEADER,
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
].join(', ');

export function corsFor(origins: readonly string[]): CorsHeaders {
  if (origins.includes('*')) {
    return (request, reply) => {
      if (request.headers.origin === undefined) return;
      allow(reply, '*');
    };
  }
  const allowed = new Set(origins);
  return (request, reply) => {
    if (allowed.size > 0) reply.header('vary', 'origin');
    const { origin } = request.headers;
    if (origin !== undefined && allowed.has(origin)) allow(reply, origin);
  };
}

function allow(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED);
}

/** Answers the question a browser asks before it sends a request with a key or a JSON body. */
export function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): void {
  if (reply.hasHeader('access-control-allow-origin')) {
    const wanted = request.headers['access-control-request-headers'];
    reply.header('access-control-allow-methods', methods.join(', '));
    if (wanted !== undefined) reply.header('access-control-allow-headers', wanted);
    reply.header('access-control-max-age', '86400');
  }
  reply.code(204).header('allow', methods.join(', ')).send();
}
