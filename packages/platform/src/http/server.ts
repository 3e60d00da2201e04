import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MemoryBudget } from '@contrails/runtime';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type RawServerDefault,
} from 'fastify';
import type { Registry } from 'prom-client';
import type { UsageRecorder } from '../keys/index.ts';
import type { Log } from '../log.ts';
import { requestLogger } from './access-log.ts';
import { finishAnswers } from './answers.ts';
import { type App, decorateRequests, type Routes } from './app.ts';
import type { AuthDependencies } from './auth.ts';
import { readJsonBodies } from './body.ts';
import { answerBrokenRequest, answerExpectation } from './client-error.ts';
import { drainOnClose } from './connections.ts';
import { corsFor } from './cors.ts';
import { errorSender, type SendError } from './error-handler.ts';
import { type Check, serveHealth } from './health.ts';
import { answerJson } from './json.ts';
import { measureRequests, serveMetrics } from './metrics.ts';
import { answerUnmatched } from './not-found.ts';
import { OpenConnections } from './open-connections.ts';
import { describeRoutes, serveOpenApi } from './openapi.ts';
import { type HttpOptions, httpDefaults } from './options.ts';
import { Overload } from './overload.ts';
import { PressureGauge } from './pressure.ts';
import { ProblemError } from './problem.ts';
import { serveProblemPages } from './problem-pages.ts';
import { requestIdOf } from './request-id.ts';
import { type RequestTracker, trackRequest } from './request-tracker.ts';
import { ResourceWarnings } from './resource-warnings.ts';
import { guardRoutes, type RouteEntry } from './route.ts';
import { validateRequests } from './validation.ts';
import { serveVisitorKey, visitorKeyOf } from './visitor-key.ts';

/** The other parts of the service that the HTTP server works with. */
export interface HttpServices extends AuthDependencies {
  readonly log: Log;
  readonly usage: Pick<UsageRecorder, 'record'>;
  /** What `/readyz` checks. */
  readonly checks: Readonly<Record<string, Check>>;
  /** Absent: no metrics are kept. */
  readonly registry?: Registry;
  /** The memory that bodies are counted in. */
  readonly memory?: Pick<MemoryBudget, 'take'>;
}

export interface HttpServer {
  readonly app: App;
  /** Every route with its scope. */
  readonly routes: readonly RouteEntry[];
}

/** The HTTP server with all its rules and the routes of the given families, ready to listen. */
export async function buildServer(
  services: HttpServices,
  options: Partial<HttpOptions>,
  families: readonly Routes[],
): Promise<HttpServer> {
  const settings = { ...httpDefaults(), ...options };
  const warnings = new ResourceWarnings(services.log);
  const gauge = new PressureGauge(warnings);
  const overload = new Overload(settings, gauge, services.memory);
  const sendError = errorSender(settings.api.problems);
  const app = createApp(settings, sendError, (request, reply) => trackRequest(tracker, request, reply));
  const connections = new OpenConnections(app.server, settings.maxConnections, warnings);
  const tracker: RequestTracker = {
    log: services.log,
    logRequest: requestLogger(services.log),
    server: app.server,
    connections,
    overload,
    usage: services.usage,
    cors: corsFor(settings.corsOrigins),
    durations: services.registry && measureRequests(services.registry, overload, connections),
  };
  app.addHook('onClose', () => gauge.close());

  const table = guardRoutes(app, services, overload, settings.api.scopes);
  await describeRoutes(app, table, settings.api, settings.version);
  decorateRequests(app);
  app.addHook('onRequest', (request, reply, next) => {
    trackRequest(tracker, request, reply);
    if (request.is404) answerUnmatched(app, request, reply);
    else next(hostError(request));
  });
  readJsonBodies(app, settings.bodyLimitBytes, overload);
  validateRequests(app, settings.api.tags);
  app.setErrorHandler(sendError);
  answerJson(app);
  finishAnswers(app, overload, settings.stalledReaderMs);
  drainOnClose(app, overload, settings.drainMs);

  serveHealth(app, { ...services.checks, process: async () => warnings.recent() }, overload);
  serveMetrics(app, settings.publicMetrics ? services.registry : undefined);
  serveProblemPages(app, settings.api.problems);
  const keyFor = visitorKeyOf(settings);
  serveOpenApi(app, keyFor);
  serveVisitorKey(app, keyFor);
  for (const routes of families) await app.register(async (scope: App) => routes(scope));
  await app.ready();
  return { app, routes: table };
}

function createApp(settings: HttpOptions, sendError: SendError, follow: TrackRequest): App {
  const app = fastify<
    RawServerDefault,
    IncomingMessage,
    ServerResponse,
    FastifyBaseLogger,
    TypeBoxTypeProvider
  >({
    // Without a logger the framework skips much of its work for each request; `trackRequest` logs instead.
    logController: new Quiet(),
    genReqId: requestIdOf,
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveMs,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors(error, request, reply) {
      follow(request, reply);
      sendError(error, request, reply);
    },
    http: {
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, settings.requestTimeoutMs),
      connectionsCheckingInterval: 1_000,
      // Answered by `hostError` instead, in the shape of every other error.
      requireHostHeader: false,
    },
  });
  app.server.on('checkExpectation', answerExpectation);
  return app;
}

type TrackRequest = (request: FastifyRequest, reply: FastifyReply) => void;

const HEADERS_TIMEOUT_MS = 20_000;

function hostError({ raw, headers }: FastifyRequest): ProblemError | undefined {
  return headers.host === undefined && raw.httpVersion === '1.1'
    ? new ProblemError('bad-request', 'the header Host is missing, which HTTP/1.1 requires; send it')
    : undefined;
}

/** One line for each request is written when it is over; these would be the second and third. */
class Quiet extends LogController {
  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') request.log.warn({ err: error }, 'answer broken off');
  }
}
