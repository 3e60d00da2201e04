import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { NotFoundError } from '../errors.ts';
import type { App } from './app.ts';

/** Notes one finished request. */
export type ObserveRequest = (route: string, method: string, status: number, seconds: number) => void;

/** Adds metrics of this process and of its requests to the registry that all parts share. */
export function measureRequests(registry: Registry, inFlight: () => number): ObserveRequest {
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'contrails_http_request_duration_seconds',
    help: 'Time from the first byte of a request until its answer is sent, by route, method and status.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  new Gauge({
    name: 'contrails_http_requests_in_flight',
    help: 'Requests that are being worked on.',
    registers: [registry],
    collect() {
      this.set(inFlight());
    },
  });
  return (route, method, status, seconds) => duration.observe({ route, method, status }, seconds);
}

/** `/metrics` on the public port, where it is wanted there; else a hint where it is. */
export function serveMetrics(app: App, registry: Registry | undefined): void {
  app.get(
    '/metrics',
    { config: { scope: 'public', vital: true }, schema: { hide: true } },
    async (_request, reply) => {
      if (registry === undefined) {
        throw new NotFoundError(
          'metrics are not served on this port; set metrics.enabled to true in the configuration and read them at metrics.host and metrics.port',
        );
      }
      return reply.type(registry.contentType).send(await registry.metrics());
    },
  );
}

/** A listener of its own for `/metrics`, to be bound to an address that only the operator reaches. */
export function createMetricsServer(registry: Registry): Server {
  return createServer(async (request, response) => {
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
}
