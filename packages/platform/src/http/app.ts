import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Key } from '../keys/index.ts';
import type { Exchange } from './exchange.ts';

/** The server as a family sees it: routes typed by their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Declares routes on the server it is given. */
export type Routes = (app: App) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
    /** The key of the caller; only on routes that need one. */
    readonly key: Key;
    /** What the request costs; handlers add their compute time. */
    readonly usage: Pick<Exchange, 'computeSeconds'>;
    /**
     * Aborts when the client goes away before it has its answer. (The framework's own `request.signal` already aborts
     * when the body of a POST has been read.)
     */
    readonly clientAborted: AbortSignal;
  }
  interface FastifyInstance {
    /** All bytes of a body that is not JSON, within the limit of the server; for parsers of other types. */
    collectBody(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer>;
  }
}

export function decorateRequests(app: App): void {
  app.decorateRequest('exchange');
  app.decorateRequest('key', {
    getter() {
      if (this.exchange.key === undefined) throw new Error('a public route has no key');
      return this.exchange.key;
    },
  });
  app.decorateRequest('usage', {
    getter() {
      return this.exchange;
    },
  });
  app.decorateRequest('clientAborted', {
    getter() {
      return this.exchange.clientAborted;
    },
  });
}
