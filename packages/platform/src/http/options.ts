import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';

import type { Api } from './api.ts';

/** What the HTTP server needs to know from the configuration. */
export interface HttpOptions {
  /** Largest body after decompression. */
  readonly bodyLimitBytes: number;
  /** Bodies held in memory at once; beyond it requests are refused as overload. */
  readonly maxBodyBytesInFlight: number;
  /** Origins whose pages may call; `*` is any. */
  readonly corsOrigins: readonly string[];
  readonly maxInFlight: number;
  readonly maxConnections: number;
  /** Mean delay of the event loop, over a second, beyond which requests are refused. */
  readonly maxEventLoopDelayMs: number;
  readonly maxHeapBytes: number;
  readonly maxRssBytes: number;
  /** Time for the whole request to arrive. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  /** How long a client may take nothing of its answer. */
  readonly stalledReaderMs: number;
  /** Time that `close` gives the requests in flight. */
  readonly drainMs: number;
  /** Scopes, tags and problems of the routes. */
  readonly api: Api;
  /** Version of the program, shown in the OpenAPI document. */
  readonly version: string;
  /** Whether `/metrics` is served on the public port. */
  readonly publicMetrics: boolean;
  /** Key that the app and the API page fill in for every visitor; only the demo has one. */
  readonly tryItKey: string | undefined;
  /** Host names of this server that get the key, as do addresses and `localhost`. */
  readonly demoHosts: readonly string[];
}

const MEBIBYTE = 2 ** 20;

export function httpDefaults(): HttpOptions {
  const bodyLimitBytes = 64 * MEBIBYTE;
  return {
    bodyLimitBytes,
    maxBodyBytesInFlight: 8 * bodyLimitBytes,
    corsOrigins: ['*'],
    maxInFlight: 256,
    maxConnections: connectionsWithin(10_000),
    maxEventLoopDelayMs: 300,
    maxHeapBytes: 0.9 * getHeapStatistics().heap_size_limit,
    // Where the process lives in a container, its memory is what kills it; elsewhere the heap alone is watched.
    maxRssBytes:
      process.constrainedMemory() > 0 ? 0.95 * process.constrainedMemory() : Number.POSITIVE_INFINITY,
    requestTimeoutMs: 120_000,
    keepAliveMs: 72_000,
    stalledReaderMs: 60_000,
    drainMs: 30_000,
    api: { scopes: [], tags: [], problems: {} },
    version: '0.0.0',
    publicMetrics: false,
    tryItKey: undefined,
    demoHosts: [],
  };
}

/**
 * As many connections as wanted, or as the limit of open files leaves. Each core has threads that compute and read
 * weather, which take descriptors for themselves and for files; the database, the store and feeds need some too.
 */
export function connectionsWithin(
  wanted: number,
  openFiles = openFileLimit(),
  cores = availableParallelism(),
): number {
  const reserve = OTHER_DESCRIPTORS + DESCRIPTORS_PER_CORE * cores;
  return Math.min(wanted, Math.max(openFiles - reserve, Math.floor(openFiles / 4)));
}

const OTHER_DESCRIPTORS = 100;
const DESCRIPTORS_PER_CORE = 20;

/** Node raises the soft limit to the hard one when it starts. */
function openFileLimit(): number {
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | 'unlimited' } };
  };
  const { soft } = report.userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
