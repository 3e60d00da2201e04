import { createHash } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { MINUTE_MS, SECOND_MS, withRetry } from '@contrails/runtime';
import { USER_AGENT } from '@contrails/runtime/user-agent';
import { RemoteFailure } from './failures.ts';
import type { Throttle } from './throttle.ts';

export interface RemoteOptions {
  /** At the same time. */
  readonly connections: number;
  /** Shared by all roots of a command. */
  readonly throttle?: Throttle;
  readonly requestsPerMinute?: number;
  readonly signal?: AbortSignal;
  /** Pause before the second try, doubled before each further one [ms]. */
  readonly pauseMs?: number;
  /** How long a server may send nothing before a try fails [ms]. */
  readonly stallMs?: number;
  /** Called for every body received, retries included. */
  readonly onBytes?: (bytes: number) => void;
  /** Proxies by their usual names, `HTTPS_PROXY` and so on. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Metadata of a remote file. */
export interface RemoteFile {
  readonly size: number;
  readonly etag: string | undefined;
}

export interface RangeOptions {
  readonly first: number;
  readonly last: number;
  /** The file must still be this one. */
  readonly etag: string | undefined;
  /** Memory for the bytes, reused from range to range. */
  readonly room?: Buffer;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Status codes that are an answer and no failure. */
  readonly expects?: readonly number[];
  /** HTML is what is asked for, as with listings. */
  readonly isHtml?: boolean;
}

/** A body that has arrived. */
export interface Answer extends Pick<IncomingMessage, 'headers'> {
  readonly status: number;
  readonly bytes: Buffer;
}

const TRIES = 5;
const MAX_PAUSE_MS = 300 * SECOND_MS;
const MAX_REDIRECTS = 3;
const TRANSIENT = new Set([401, 408, 425, 429]);

/** A server that weather comes from, below one address; tries again what may work the next time. */
export class Remote {
  readonly root: string;
  readonly #options: RemoteOptions;
  readonly #agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };
  /** The server ignores ranges: files are read from their beginning. */
  hasRanges = true;
  #nextMs = 0;

  constructor(root: string, options: RemoteOptions) {
    this.root = root.replace(/\/+$/, '');
    this.#options = options;
    const settings = {
      keepAlive: true,
      maxSockets: options.connections,
      ...(options.environment === undefined ? {} : { proxyEnv: options.environment }),
    };
    this.#agents = { 'http:': new HttpAgent(settings), 'https:': new HttpsAgent(settings) };
  }

  get connections(): number {
    return this.#options.connections;
  }

  /** A pause in the measure of this server's: shorter in tests. */
  scaled(ms: number): number {
    return (ms * (this.#options.pauseMs ?? SECOND_MS)) / SECOND_MS;
  }

  urlOf(path: string): string {
    return /^https?:/.test(path) ? path : `${this.root}/${path}`;
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** Undefined when there is no such file. */
  async head(path: string): Promise<RemoteFile | undefined> {
    const answer = await this.request(path, { method: 'HEAD', expects: [200, 404] });
    if (answer.status === 404) return undefined;
    const size = Number(answer.headers['content-length']);
    if (!Number.isInteger(size)) {
      throw new RemoteFailure('refused', `${this.urlOf(path)} has no length`, 'has no length');
    }
    return { size, etag: answer.headers.etag };
  }

  /** Undefined when there is no such file. */
  async text(
    path: string,
  ): Promise<{ readonly text: string; readonly etag: string | undefined } | undefined> {
    return this.tried(path, async () => {
      const { status, bytes, headers } = await this.#receive(path, { expects: [200, 404] });
      if (status === 404) return undefined;
      requireMd5(headers.etag, createHash('md5').update(bytes).digest('hex'), path);
      return { text: bytes.toString('utf8'), etag: headers.etag };
    });
  }

  /** One body, tried again where that may help. */
  request(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.tried(path, () => this.#receive(path, options));
  }

  /**
   * The bytes of a range, exactly. Throws `no-ranges` where the server sends the whole file, and `replaced` where the file is
   * another one by now.
   */
  range(path: string, range: RangeOptions): Promise<Buffer> {
    return this.tried(path, () => this.#receiveRange(path, range));
  }

  /** Reads a file from its beginning, piece by piece; `take` returns false when it has all it needs. One try. Returns the tag of the file. */
  async stream(
    path: string,
    etag: string | undefined,
    take: (piece: Buffer) => boolean | Promise<boolean>,
  ): Promise<string | undefined> {
    const response = await this.#send(this.urlOf(path), {});
    requireStatus(response, [200], path);
    requireData(response, path);
    requireSame(response, etag, path);
    const expected = Number(response.headers['content-length'] ?? Number.NaN);
    let received = 0;
    for await (const piece of this.#pieces(response, path)) {
      received += piece.length;
      if (!(await take(piece))) {
        response.destroy();
        return response.headers.etag;
      }
    }
    requireLength(received, expected, path);
    return response.headers.etag;
  }

  /** Repeats what failed for a reason that may pass, up to five times in all. */
  tried<T>(path: string, step: () => Promise<T>): Promise<T> {
    const { pauseMs = SECOND_MS, signal } = this.#options;
    let tries = 0;
    return withRetry(
      () => {
        tries += 1;
        return step();
      },
      {
        attempts: TRIES,
        pauseMs: pauseMs * (0.75 + Math.random() / 2),
        maxPauseMs: MAX_PAUSE_MS,
        ...(signal === undefined ? {} : { signal }),
        isTransient: (error) => error instanceof RemoteFailure && error.kind === 'transient',
        pauseOf: (error) => (error instanceof RemoteFailure ? error.retryAfterMs : undefined),
      },
    ).catch((error: unknown) => {
      if (!(error instanceof RemoteFailure) || error.kind !== 'transient') throw error;
      throw error.afterTries(tries, this.urlOf(path));
    });
  }

  async #receive(path: string, options: RequestOptions): Promise<Answer> {
    const { expects = [200] } = options;
    const response = await this.#send(this.urlOf(path), options);
    requireStatus(response, expects, path);
    if (!options.isHtml && response.statusCode === 200) requireData(response, path);
    const pieces: Buffer[] = [];
    for await (const piece of this.#pieces(response, path)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    if (options.method !== 'HEAD') {
      requireLength(bytes.length, Number(response.headers['content-length'] ?? Number.NaN), path);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, bytes };
  }

  async #receiveRange(path: string, { first, last, etag, room }: RangeOptions): Promise<Buffer> {
    const isStrong = etag !== undefined && !etag.startsWith('W/');
    const headers = { range: `bytes=${first}-${last}`, ...(isStrong ? { 'if-range': etag } : {}) };
    const response = await this.#send(this.urlOf(path), { headers });
    requireStatus(response, [200, 206], path);
    requireData(response, path);
    requireSame(response, etag, path);
    if (response.statusCode === 200) {
      response.destroy();
      this.hasRanges = false;
      throw new RemoteFailure('no-ranges', `${this.urlOf(path)} ignores ranges`, 'ignores ranges');
    }
    const shown = response.headers['content-range'] ?? '';
    if (!shown.startsWith(`bytes ${first}-${last}/`)) {
      response.destroy();
      throw new RemoteFailure(
        'transient',
        `${this.urlOf(path)} sends the range ${shown || 'unknown'} instead of ${first}-${last}`,
        'sent another range',
      );
    }
    const length = last - first + 1;
    const bytes = room?.subarray(0, length) ?? Buffer.allocUnsafe(length);
    let received = 0;
    for await (const piece of this.#pieces(response, path)) {
      if (received + piece.length <= length) piece.copy(bytes, received);
      received += piece.length;
    }
    requireLength(received, length, path);
    return bytes;
  }

  async *#pieces(response: IncomingMessage, path: string): AsyncGenerator<Buffer> {
    const { throttle, onBytes, signal } = this.#options;
    try {
      for await (const piece of response as AsyncIterable<Buffer>) {
        onBytes?.(piece.length);
        yield piece;
        await throttle?.passed(piece.length, signal);
      }
    } catch (error) {
      throw this.#asFailure(error, this.urlOf(path));
    }
  }

  async #send(url: string, options: RequestOptions, redirects = 0): Promise<IncomingMessage> {
    await this.#turn();
    const response = await this.#open(url, options);
    const { location } = response.headers;
    const status = response.statusCode ?? 0;
    if (status < 300 || status > 399 || location === undefined) return response;
    response.destroy();
    const target = new URL(location, url);
    if (target.host !== new URL(url).host || redirects >= MAX_REDIRECTS) {
      throw new RemoteFailure('transient', `${url} redirects to ${target.host}`, `answered ${status}`);
    }
    return this.#send(target.href, options, redirects + 1);
  }

  /** Servers that count requests are asked evenly. */
  async #turn(): Promise<void> {
    const { requestsPerMinute, signal } = this.#options;
    signal?.throwIfAborted();
    if (requestsPerMinute === undefined) return;
    const nowMs = performance.now();
    const waitMs = Math.max(this.#nextMs - nowMs, 0);
    this.#nextMs = Math.max(this.#nextMs, nowMs) + MINUTE_MS / requestsPerMinute;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }

  #open(url: string, { method = 'GET', headers, body }: RequestOptions): Promise<IncomingMessage> {
    const { stallMs = 30 * SECOND_MS, signal } = this.#options;
    const target = new URL(url);
    const isPlain = target.protocol === 'http:';
    return new Promise((resolve, reject) => {
      const send = isPlain ? httpRequest : httpsRequest;
      const sent = send(
        target,
        {
          method,
          agent: isPlain ? this.#agents['http:'] : this.#agents['https:'],
          headers: {
            'user-agent': USER_AGENT,
            'accept-encoding': 'identity',
            ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
            ...headers,
          },
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      sent.setTimeout(stallMs, () =>
        sent.destroy(
          new RemoteFailure('transient', `${url} sends nothing for ${stallMs / SECOND_MS} s`, 'stalled'),
        ),
      );
      sent.on('error', (error) => reject(this.#asFailure(error, target.origin)));
      sent.end(body);
    });
  }

  #asFailure(error: unknown, where: string): unknown {
    if (error instanceof RemoteFailure || this.#options.signal?.aborted) return error;
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    return new RemoteFailure(
      'transient',
      `${where} cannot be reached (${code}); check the network or HTTPS_PROXY, or use --root`,
      `failed (${code})`,
      { cause: error },
    );
  }
}

function requireStatus(response: IncomingMessage, expects: readonly number[], path: string): void {
  const status = response.statusCode ?? 0;
  if (expects.includes(status)) return;
  response.destroy();
  const isTransient = TRANSIENT.has(status) || status >= 500;
  const retryAfterMs = pauseAsked(response.headers['retry-after']);
  throw new RemoteFailure(
    isTransient ? 'transient' : 'refused',
    `${path} is answered with ${status}`,
    `answered ${status}`,
    {
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
}

/** Seconds, or a date. */
function pauseAsked(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

/** An HTML page in place of data means that the server is closed or limited. */
function requireData(response: IncomingMessage, path: string): void {
  if (!/^text\/html/i.test(response.headers['content-type'] ?? '')) return;
  response.destroy();
  throw new RemoteFailure('refused', `${path} is answered with a page of HTML`, 'sent HTML');
}

function requireSame(response: IncomingMessage, etag: string | undefined, path: string): void {
  if (etag === undefined || response.headers.etag === undefined || response.headers.etag === etag) return;
  response.destroy();
  throw new RemoteFailure('replaced', `${path} was replaced after its index was read`, 'replaced the file');
}

/** Archives of objects give the checksum of whole files as their tag. */
export function requireMd5(etag: string | undefined, found: string, path: string): void {
  const [, expected] = /^"?([0-9a-f]{32})"?$/.exec(etag ?? '') ?? [];
  if (expected === undefined || expected === found) return;
  throw new RemoteFailure('transient', `${path} arrives damaged`, 'sent a damaged file');
}

function requireLength(received: number, expected: number, path: string): void {
  if (Number.isNaN(expected) || received === expected) return;
  throw new RemoteFailure(
    'transient',
    `${path} sends ${received} bytes instead of ${expected}`,
    `sent ${received} of ${expected} bytes`,
  );
}
