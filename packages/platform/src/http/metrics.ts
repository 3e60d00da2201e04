import { createServer, type Server } from 'node:http';
import { NotFoundError } from '@contrails/runtime/errors';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { App } from './app.ts';
import type { OpenConnections } from './open-connections.ts';
import type { Overload } from './overload.ts';
import { RequestDurations } from './request-durations.ts';

/** Adds metrics of this process and of its requests to the registry that all parts share. */
export function measureRequests(
  registry: Registry,
  overload: Overload,
  connections: OpenConnections,
): RequestDurations {
  collectDefaultMetrics({ register: registry });
  const durations = new RequestDurations();
  registry.registerMetric(durations.asMetric());
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `contrails_http_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('requests_in_flight', 'Requests that are being worked on.', () => overload.inFlight);
  gauge('connections', 'Connections that are open.', () => connections.count);
  return durations;
}

/** `/metrics` on the public port, where it is wanted there; else a hint where it is. */
export function serveMetrics(app: App, registry: Registry | undefined): void {
  app.get(
    '/metrics',
    { config: { scope: 'public', vital: true }, schema: { hide: true } },
    async (_request, reply) => {
      if (registry === undefined) {
        throw new NotFoundError(
          'metrics are not served on this port; set metrics.serve in the configuration to own and read them at metrics.host and metrics.port, or to public',
        );
      }
      return reply.type(registry.contentType).send(await registry.metrics());
    },
  );
}

/** A separate listener for `/metrics`, to be bound to an address that only the operator reaches. */
export function createMetricsServer(registry: Registry): Server {
  const server = createServer(async (request, response) => {
    const isWanted =
      request.url?.split('?')[0] === '/metrics' && (request.method === 'GET' || request.method === 'HEAD');
    if (!isWanted) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('metrics are at /metrics\n');
      return;
    }
    try {
      response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    } catch {
      response.destroy();
    }
  });
  server.maxConnections = MAX_SCRAPERS;
  return server;
}

const MAX_SCRAPERS = 20;
