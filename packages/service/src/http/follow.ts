import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UsageRecorder } from '../keys/index.ts';
import { logRequest } from './access-log.ts';
import type { CorsHeaders } from './cors.ts';
import { Exchange } from './exchange.ts';
import type { ObserveRequest } from './metrics.ts';
import type { Overload } from './overload.ts';
import { protectAnswer } from './security-headers.ts';

export interface Follower {
  readonly overload: Overload;
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly cors: CorsHeaders;
  readonly observe: ObserveRequest | undefined;
}

/** Status in log and metrics for a client that went away without its answer. */
const CLIENT_WENT_AWAY = 499;

/** Notes that a request has begun, and sees to it that all that is kept of it is let go when it is over. */
export function followRequest(follower: Follower, request: FastifyRequest, reply: FastifyReply): void {
  request.exchange = new Exchange(request, reply);
  follower.overload.inFlight += 1;
  // Not the framework's onResponse, which does not come when the client hangs up.
  reply.raw.once('close', () => finish(follower, request, reply));
  reply.header('x-request-id', request.id);
  protectAnswer(reply);
  follower.cors(request, reply);
}

function finish({ overload, usage, observe }: Follower, request: FastifyRequest, reply: FastifyReply): void {
  const { exchange } = request;
  overload.inFlight -= 1;
  overload.bodyBytes -= exchange.bodyBytes;
  exchange.noteClosed();
  if (exchange.release !== undefined && exchange.key !== undefined) {
    exchange.release();
    usage.record({
      keyId: exchange.key.id,
      endpoint: exchange.route,
      bytes: exchange.bytesSent(),
      computeSeconds: exchange.computeSeconds,
    });
  }
  const elapsedMs = performance.now() - exchange.startedMs;
  const status = exchange.answered ? reply.statusCode : CLIENT_WENT_AWAY;
  observe?.(exchange.route, request.method, status, elapsedMs / 1000);
  logRequest(request, status, elapsedMs);
}
