/** One request with its retries. Everything that the client sends goes through `send`. */
import { ContrailsError, errorOf } from './error.ts';

export interface RetryOptions {
  /** How often a request is sent at most. Default 5; 1 turns retries off. */
  readonly attempts?: number;
  /** Pause before the second attempt, doubled before each further one [ms]. Default 500. */
  readonly pauseMs?: number;
  /** The longest pause; where the service asks for a longer one, the error is thrown at once [ms]. Default 60,000. */
  readonly maxPauseMs?: number;
}

export interface TransportOptions {
  /** Address of the service; in a browser, that of the page unless given. */
  readonly baseUrl?: string | URL | undefined;
  /** Sent in the header `x-api-key`; a function is called for every request. */
  readonly apiKey?: string | (() => string | undefined) | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface Exchange {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Below the base address, from its first slash on. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;
  readonly signal?: AbortSignal | undefined;
  /** Sending it twice does no more than sending it once. Default: all methods but POST. */
  readonly isRepeatable?: boolean;
  /** Instead of the configured number. */
  readonly attempts?: number;
  /** How long to wait for a product that is being computed: a 404 that asks to come back [ms]. */
  readonly waitMs?: number | undefined;
  /** Lets the request outlive the page. */
  readonly keepalive?: boolean;
}

export interface Transport {
  /** Ends with `/`. */
  readonly base: string;
  /** Sends a request until it is answered; `read` belongs to the attempt, so a response that breaks off is asked for again. */
  send<T>(exchange: Exchange, read: (response: Response) => Promise<T>): Promise<T>;
}

export function createTransport(options: TransportOptions): Transport {
  const base = baseOf(options.baseUrl);
  const { attempts: allAttempts = 5, pauseMs = 500, maxPauseMs = 60_000 } = options.retry ?? {};
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const key = () => (typeof options.apiKey === 'function' ? options.apiKey() : options.apiKey);

  const attempt = async <T>(exchange: Exchange, read: (response: Response) => Promise<T>): Promise<T> => {
    const { method, body, signal, keepalive } = exchange;
    const url = addressOf(base, exchange);
    const request = `${method} ${url}`;
    const apiKey = key();
    try {
      const response = await fetch(url, {
        method,
        headers: { ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }), ...exchange.headers },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
        ...(keepalive === undefined ? {} : { keepalive }),
      });
      if (!response.ok && response.status !== 304) throw await errorOf(response, request, base);
      return await read(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ContrailsError) throw error;
      throw new ContrailsError(`${request} got no complete response: ${reasonOf(error)}`, {
        code: 'network',
        request,
        cause: error,
      });
    }
  };

  const send = async <T>(exchange: Exchange, read: (response: Response) => Promise<T>): Promise<T> => {
    const { attempts = allAttempts, signal, waitMs = 0 } = exchange;
    const deadlineMs = Date.now() + waitMs;
    for (let count = 1; ; count++) {
      try {
        signal?.throwIfAborted();
        return await attempt(exchange, read);
      } catch (error) {
        if (!(error instanceof ContrailsError)) throw error;
        const asked = error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
        if (error.status === 404 && asked !== undefined) {
          if (Date.now() + asked > deadlineMs) throw error;
          await pause(asked, signal);
          count -= 1;
          continue;
        }
        if (count >= attempts || !isWorthRepeating(error, exchange)) throw error;
        if (asked !== undefined && asked > maxPauseMs) throw error;
        // Clients that failed together do not come back together.
        const ownPauseMs = Math.min(pauseMs * 2 ** (count - 1), maxPauseMs) * (0.5 + Math.random() / 2);
        await pause(asked ?? ownPauseMs, signal);
      }
    }
  };

  return { base, send };
}

/** A request that must not run twice is repeated only where the service states that it has not begun. */
function isWorthRepeating(
  { code, status, retryAfterSeconds }: ContrailsError,
  { method, isRepeatable = method !== 'POST' }: Exchange,
): boolean {
  if (!isRepeatable) return (status === 429 || status === 503) && retryAfterSeconds !== undefined;
  if (code === 'weather-unusable') return false;
  return code === 'network' || [408, 429, 502, 503, 504].includes(status ?? 0);
}

function baseOf(given: string | URL | undefined): string {
  const page = (globalThis as { document?: { baseURI: string } }).document?.baseURI;
  if (given === undefined && page === undefined) {
    throw new TypeError('baseUrl is missing: give the address of the service, such as http://127.0.0.1:8080');
  }
  const wanted = String(given ?? '.');
  const url = URL.canParse(wanted, page) ? new URL(wanted, page) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`baseUrl ${given} is not an address: give one such as http://127.0.0.1:8080`);
  }
  url.search = '';
  url.hash = '';
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

function addressOf(base: string, { path, query = {} }: Exchange): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, queryValue(value)]),
  );
  return `${base}${path.replace(/^\//, '')}${given.length === 0 ? '' : `?${search}`}`;
}

/** Lists are written with commas, times in UTC. */
function queryValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(queryValue).join(',') : String(value);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause]
    .filter((one) => one instanceof Error)
    .map(({ message }) => message)
    .join(': ');
}

/** Aborting ends the pause with the reason of the signal. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
