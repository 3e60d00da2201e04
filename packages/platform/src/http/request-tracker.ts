import type { Server } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UsageRecorder } from '../keys/index.ts';
import type { Log } from '../log.ts';
import type { LogRequest } from './access-log.ts';
import type { CorsHeaders } from './cors.ts';
import { Exchange } from './exchange.ts';
import type { OpenConnections } from './open-connections.ts';
import type { Overload } from './overload.ts';
import type { RequestDurations } from './request-durations.ts';
import { RequestLog } from './request-log.ts';

export interface RequestTracker {
  readonly log: Log;
  readonly logRequest: LogRequest;
  readonly overload: Overload;
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly cors: CorsHeaders;
  readonly durations: RequestDurations | undefined;
  readonly connections: OpenConnections;
  readonly server: Server;
}

/** Status in log and metrics for a client that went away without its answer. */
const CLIENT_WENT_AWAY = 499;

/** Registers a request, and releases all that is kept for it when it is over. */
export function trackRequest(tracker: RequestTracker, request: FastifyRequest, reply: FastifyReply): void {
  request.exchange = new Exchange(request, reply, () => becomeStream(tracker, request));
  request.log = new RequestLog(tracker.log, request.id);
  reply.log = request.log;
  tracker.overload.inFlight += 1;
  tracker.connections.noteRequest(request.raw.socket);
  // Not the framework's onResponse, which does not come when the client closes the connection.
  reply.raw.on('close', () => finish(tracker, request, reply));
  reply.header('x-request-id', request.id);
  tracker.cors(request, reply);
}

/** To be called when the answer of a request begins to go on for as long as its client stays. */
function becomeStream({ overload }: RequestTracker, { exchange }: FastifyRequest): void {
  if (exchange.isStream) return;
  exchange.isStream = true;
  overload.inFlight -= 1;
  exchange.grant?.release();
}

function finish(tracker: RequestTracker, request: FastifyRequest, reply: FastifyReply): void {
  const { overload, usage, durations, logRequest, connections, server } = tracker;
  const { exchange } = request;
  if (!exchange.isStream) overload.inFlight -= 1;
  overload.bodyBytes -= exchange.bodyBytes;
  exchange.bodyMemory?.release();
  exchange.noteClosed();
  if (exchange.grant !== undefined && exchange.key !== undefined) {
    if (!exchange.isStream) exchange.grant.release();
    usage.record({
      keyId: exchange.key.id,
      endpoint: exchange.route,
      bytes: exchange.bytesSent(),
      computeSeconds: exchange.computeSeconds,
    });
  }
  const elapsedMs = performance.now() - exchange.startedMs;
  const status = exchange.answered ? reply.statusCode : CLIENT_WENT_AWAY;
  durations?.observe(exchange.route, request.method, status, elapsedMs / 1000);
  logRequest(request, status, elapsedMs);
  connections.noteAnswered(request.raw.socket);
  // A connection whose answer began before the drain is still open when it is over.
  if (overload.isDraining) setImmediate(() => server.closeIdleConnections());
}
