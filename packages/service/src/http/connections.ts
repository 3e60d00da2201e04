import type { App } from './app.ts';
import type { Overload } from './overload.ts';

/**
 * Decides which connections live on. `close` lets requests in flight finish, answers new ones 503, drops idle
 * connections, and cuts off what is left when the time is over.
 */
export function manageConnections(app: App, overload: Overload, drainMs: number): void {
  let cutOff: NodeJS.Timeout | undefined;
  app.addHook('preClose', (done) => {
    overload.isDraining = true;
    cutOff = setTimeout(() => app.server.closeAllConnections(), drainMs);
    done();
  });
  app.addHook('onClose', () => clearTimeout(cutOff));
  app.addHook('onSend', (request, reply, _payload, next) => {
    // A GET whose body never ends is answered without it, and nothing can follow on that connection.
    const isBodyLeft =
      (request.method === 'GET' || request.method === 'HEAD') && mayHaveBody(request.headers);
    if (overload.isDraining || (isBodyLeft && !request.raw.complete)) reply.header('connection', 'close');
    next();
  });
}

function mayHaveBody(headers: { 'transfer-encoding'?: unknown; 'content-length'?: unknown }): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}
