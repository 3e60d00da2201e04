import type { NewKey } from '@contrails/platform/keys';
import { until } from '../../../../test/support/until.ts';
import { loadConfig } from '../../src/configuration.ts';
import { openKeysOnly } from '../../src/open.ts';
import type { ServiceSettings } from './service.ts';

/** Longer than any answer takes, also on a busy machine: who waits for it would wait forever. */
const HANG_MS = 60_000;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  json<T>(): T;
}

export interface Client {
  get(path: string): Promise<Answer>;
  put(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
}

/** Sends requests with a key; rejects when there is no answer. */
export function createClient(address: string, key: string): Client {
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(HANG_MS),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status, headers } = response;
    return { status, headers, bytes, json: () => JSON.parse(bytes.toString()) };
  };
  return {
    get: (path) => send('GET', path),
    put: (path) => send('PUT', path),
    post: (path, body) => send('POST', path, body),
  };
}

/** A key in the database of a service, made as the command line makes it. */
export async function createKey(
  { data, database = 'embedded' }: ServiceSettings,
  wanted: Partial<NewKey> = {},
): Promise<{ id: string; text: string }> {
  const environment = { CONTRAILS_DATA: data, CONTRAILS_DATABASE: database };
  const { keys, close } = await openKeysOnly(loadConfig({ environment, directory: data }));
  try {
    const { key, text } = await keys.create({ name: 'trial', ...wanted });
    return { id: key.id, text };
  } finally {
    await close();
  }
}

/** Resolves when the server works on so many requests that take their time. */
export async function untilBusy(client: Client, requests: number): Promise<void> {
  const isBusy = async () => (await client.get('/v0/trial/busy')).json<{ busy: number }>().busy === requests;
  await until(`the server works on ${requests} requests`, isBusy);
}
