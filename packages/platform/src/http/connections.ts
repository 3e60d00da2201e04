import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from './app.ts';
import type { Overload } from './overload.ts';

/**
 * `close` lets requests in flight finish, answers new ones 503, drops idle connections, and cuts off the rest when time
 * is up.
 */
export function drainOnClose(app: App, overload: Overload, drainMs: number): void {
  let cutOff: NodeJS.Timeout | undefined;
  app.addHook('preClose', (done) => {
    overload.isDraining = true;
    cutOff = setTimeout(() => app.server.closeAllConnections(), drainMs);
    done();
  });
  app.addHook('onClose', () => clearTimeout(cutOff));
}

/** Closes the connection after this answer where nothing can follow on it. */
export function endConnectionWhenDue(request: FastifyRequest, reply: FastifyReply, overload: Overload): void {
  // A GET whose body never ends gets a response without it.
  const isBodyLeft =
    (request.method === 'GET' || request.method === 'HEAD') &&
    mayHaveBody(request.headers) &&
    !request.raw.complete;
  if (overload.isDraining || isBodyLeft) reply.header('connection', 'close');
}

function mayHaveBody(headers: { 'transfer-encoding'?: unknown; 'content-length'?: unknown }): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}
