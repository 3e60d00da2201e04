import { connect } from 'node:net';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import type { Registry } from 'prom-client';
import { afterAll } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import type { App, Routes } from '../../src/http/app.ts';
import type { Check } from '../../src/http/health.ts';
import type { HttpOptions } from '../../src/http/options.ts';
import type { Problem } from '../../src/http/problem.ts';
import type { RouteEntry } from '../../src/http/route.ts';
import { buildServer, type HttpServices } from '../../src/http/server.ts';
import {
  createKeyring,
  createKeys,
  createLimits,
  createUsageRecorder,
  type Keys,
  type NewKey,
  readUsage,
  type UsageRow,
} from '../../src/keys/index.ts';
import { composeScopes } from '../../src/keys/scopes.ts';
import { testApi } from '../support/api.ts';
import { openDatabase } from '../support/database.ts';

export interface Setup {
  readonly families?: readonly Routes[];
  readonly options?: Partial<HttpOptions>;
  readonly checks?: Readonly<Record<string, Check>>;
  readonly registry?: Registry;
  /** Services that take the place of the real ones. */
  readonly services?: Partial<HttpServices>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly bytes: Buffer;
  json<T = Record<string, unknown>>(): T;
  problem(): Problem;
}

export interface Server {
  readonly app: App;
  readonly routes: readonly RouteEntry[];
  readonly keys: Keys;
  /** A key with all ordinary scopes. */
  readonly key: string;
  /** Every line that was logged. */
  readonly log: string[];
  newKey(wanted?: Partial<NewKey>): Promise<string>;
  /** Sends a request without a network. */
  send(request: InjectOptions | string): Promise<Answer>;
  /** The address it listens on; it starts to when first asked. */
  address(): Promise<string>;
  /** Sends bytes over a new connection and returns what came back until it was closed or `until` came. */
  raw(text: string | Buffer, until?: RegExp): Promise<string>;
  usage(): Promise<UsageRow[]>;
  close(): Promise<void>;
}

/** The real server on its own database. */
export async function startServer(setup: Setup = {}): Promise<Server> {
  const database = await openDatabase({ database: 'embedded', directory: await temporaryDirectory() });
  const options = { api: testApi, ...setup.options };
  const keys = createKeys(database, composeScopes(options.api.scopes));
  const limits = createLimits(database);
  const usage = createUsageRecorder(database);
  const log: string[] = [];
  const { app, routes } = await buildServer(
    {
      log: pino({ level: 'debug', base: null }, { write: (line: string) => log.push(line) }),
      keyring: createKeyring(keys),
      limits,
      usage,
      checks: setup.checks ?? {},
      ...(setup.registry && { registry: setup.registry }),
      ...setup.services,
    },
    // The machine that runs the tests may be busy with others; overload has its own tests.
    { maxEventLoopDelayMs: Number.POSITIVE_INFINITY, ...options },
    setup.families ?? [],
  );
  const newKey = async (wanted: Partial<NewKey> = {}) =>
    (await keys.create({ name: 'test', ...wanted })).text;
  const address = once(() => app.listen({ host: '127.0.0.1', port: 0 }));
  const close = once(async () => {
    await app.close();
    await usage.close();
    await limits.close();
    await database.close();
  });
  afterAll(close);
  return {
    app,
    routes,
    keys,
    key: await newKey({ ratePerMinute: 1_000_000, concurrency: 1000 }),
    log,
    newKey,
    address,
    send: async (request) => toAnswer(await app.inject(request)),
    raw: async (text, until) => sendRaw(new URL(await address()), text, until),
    async usage() {
      await usage.flush();
      return readUsage(database);
    },
    close,
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function toAnswer(response: Awaited<ReturnType<App['inject']>>): Answer {
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    bytes: response.rawPayload,
    json: <T>() => JSON.parse(response.body) as T,
    problem: () => JSON.parse(response.body) as Problem,
  };
}

function sendRaw(address: URL, text: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(address.port), address.hostname, () => socket.write(text));
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (until?.test(received)) finish();
    });
    socket.on('error', finish).on('close', finish);
  });
}
