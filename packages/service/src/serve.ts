import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { watchIntegrity } from '@contrails/platform/database/watch-integrity';
import { createDisposables } from '@contrails/platform/disposables';
import type { Routes } from '@contrails/platform/http/app';
import { connectionsWithin, type HttpOptions } from '@contrails/platform/http/options';
import { buildServer } from '@contrails/platform/http/server';
import type { JobHandler } from '@contrails/platform/jobs';
import { withOwnKeys } from '@contrails/platform/keys';
import { addressOf, listenAddress, listening } from '@contrails/platform/listen';
import type { Log } from '@contrails/platform/log';
import { workMemoryBytes } from '@contrails/platform/memory-limit';
import { countLost } from '@contrails/platform/products/lost';
import { endSoon, untilStopped } from '@contrails/platform/signals';
import { SECOND_MS } from '@contrails/runtime';
import { collectGarbage } from '@contrails/runtime/threads';
import manifest from '../package.json' with { type: 'json' };
import type { Config } from './configuration.ts';
import {
  askFirst,
  type DemoKeys,
  demoJobs,
  demoKeys,
  demoLines,
  retireStoredDemoKey,
  type Send,
  withDemoWeather,
} from './demo.ts';
import { api, familyRoutes, productKinds } from './families/index.ts';
import { forRequests } from './for-requests.ts';
import { createRegistry, startMetrics } from './metrics.ts';
import { openServices } from './open.ts';
import { embeddedFile, type Services } from './services.ts';
import { prepareWorker, stopWorker } from './worker.ts';

export interface ServeOptions {
  /** Creates a key for trying the service, adds weather where none is configured, and prints how to try them. */
  readonly demo: boolean;
  /** Whether this process also runs background jobs. */
  readonly workers: boolean;
  readonly announce: (lines: string) => void;
  /** Routes and handlers beyond those of every service. */
  readonly families?: (services: Services) => readonly Routes[];
  readonly handlers?: (services: Services) => readonly JobHandler[];
}

const MEBIBYTE = 2 ** 20;

/** Serves until a signal comes, then finishes what is under way within the time the configuration gives. */
export async function serve(settings: Config, log: Log, options: ServeOptions): Promise<void> {
  deferGarbageCollection();
  const stopped = untilStopped(log);
  const config = options.demo ? withDemoWeather(settings) : settings;
  const services = await openServices(config, log);
  try {
    await serveUntil(stopped, services, config, log, { ...options, asksFirst: config !== settings });
  } finally {
    await services.close();
  }
  endSoon(log);
}

async function serveUntil(
  stopped: Promise<void>,
  services: Services,
  config: Config,
  log: Log,
  options: ServeOptions & { readonly asksFirst: boolean },
): Promise<void> {
  await retireStoredDemoKey(services, config);
  const keys = options.demo ? await demoKeys(config) : undefined;
  const http = await startHttp(services, config, log, keys, options.families?.(services));
  try {
    const work = options.workers
      ? await prepareWorker(services, config, log, options.handlers?.(services))
      : undefined;
    const demo = keys === undefined ? [] : demoLines(http.address, keys.own.text);
    options.announce([`contrails is ready at ${http.address}`, ...demo].join('\n'));
    // For threads that start now, and for the next start however this one ends.
    flushCompileCache();
    let isStopping = false;
    void stopped.then(() => {
      isStopping = true;
    });
    if (keys !== undefined && options.asksFirst) {
      await askFirst(http.sendAs(keys.own.text), stopped, log);
      if (work !== undefined && !isStopping)
        await services.jobs.enqueueAll(await demoJobs(config, Date.now()));
    }
    const worker = isStopping ? undefined : await work?.();
    await stopped;
    await Promise.all([http.close(), worker && stopWorker(worker, config)]);
  } finally {
    await http.close();
  }
}

/**
 * Defers garbage collection until the heap is nearly full, and then runs it between requests. By default V8 starts
 * marking as soon as the free space is smaller than the young generation. In a small heap that is always the case: V8
 * marks once a second, and requests that arrive meanwhile take 30 ms longer.
 */
function deferGarbageCollection(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=80');
  // The first one takes ten milliseconds more than others.
  collectGarbage('minor');
}

async function startHttp(
  services: Services,
  config: Config,
  log: Log,
  demo: DemoKeys | undefined,
  more: readonly Routes[] = [],
) {
  const disposables = createDisposables(log);
  const { serve: where } = config.metrics;
  const registry = where === 'off' ? undefined : createRegistry(services);
  const { database, store, keyring, limits, usage, met, memory } = services;
  const file = embeddedFile(config);
  const integrity = file === undefined ? undefined : watchIntegrity(file, log);
  if (integrity !== undefined) disposables.add('the integrity check', async () => integrity.close());
  const checks = {
    database: async () => {
      await database.ping();
      integrity?.requireWhole();
    },
    store: () => store.ping(),
    weather: () => met.check(),
    products: async () => {
      const lost = await countLost(database, productKinds);
      return lost === 0 ? undefined : `${lost} stored products are missing or damaged and are computed again`;
    },
  };
  const requests = forRequests(services, config.server.queue_seconds * SECOND_MS);
  const { app } = await buildServer(
    {
      log,
      keyring: demo === undefined ? keyring : withOwnKeys(keyring, [demo.own, demo.visitor]),
      limits,
      usage,
      checks,
      memory,
      ...(registry && { registry }),
    },
    { ...httpOptions(config), tryItKey: demo?.visitor.text },
    [...familyRoutes(requests.services, config).map(requests.limitWaits), ...more],
  );
  disposables.add('the HTTP server', () => app.close());
  try {
    await listening(app.listen(listenAddress(config.server)), config.server, '--port or server.port');
    if (where === 'own' && registry !== undefined)
      await startMetrics(registry, config.metrics, log, disposables);
  } catch (error) {
    await disposables.close();
    throw error;
  }
  return {
    address: addressOf(app.server),
    sendAs:
      (key: string): Send =>
      async ({ path, body }) => {
        const { statusCode, stream } = await app.inject({
          method: body === undefined ? 'GET' : 'POST',
          url: path,
          headers: { 'x-api-key': key },
          ...(body && { payload: body }),
          // As one text, a grid would block the event loop.
          payloadAsStream: true,
        });
        const parts: Buffer[] = [];
        for await (const part of stream()) if (statusCode >= 400) parts.push(part);
        return { statusCode, body: Buffer.concat(parts).toString() };
      },
    close: () => disposables.close(),
  };
}

function httpOptions(config: Config): Partial<HttpOptions> {
  const { server, metrics } = config;
  return {
    maxRssBytes: workMemoryBytes(config),
    bodyLimitBytes: server.body_limit_mib * MEBIBYTE,
    corsOrigins: server.cors_origins,
    maxInFlight: server.max_in_flight,
    maxConnections: connectionsWithin(server.max_connections),
    maxEventLoopDelayMs: server.max_event_loop_delay_ms,
    requestTimeoutMs: server.request_timeout_seconds * 1000,
    keepAliveMs: server.keep_alive_seconds * 1000,
    stalledReaderMs: server.stalled_reader_seconds * 1000,
    drainMs: server.shutdown_seconds * 1000,
    demoHosts: server.demo_hosts,
    publicMetrics: metrics.serve === 'public',
    version: manifest.version,
    api,
  };
}
