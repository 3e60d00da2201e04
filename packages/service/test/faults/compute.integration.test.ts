import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { type Client, createClient, createKey, untilBusy } from '../support/client.ts';
import { type ServiceProcess, startService } from '../support/service.ts';

const LIMIT = { timeout: 120_000 };
let service: ServiceProcess;
let client: Client;
let key: string;

beforeAll(async () => {
  const settings = { data: await temporaryDirectory() };
  key = (await createKey(settings)).text;
  const more = { CONTRAILS_WORKERS__THREADS: '1', CONTRAILS_WORKERS__QUEUE: '0' };
  service = await startService('serve', { ...settings, more });
  client = createClient(service.address, key);
}, 120_000);
afterAll(() => service.kill());

test(
  'a request that finds all threads busy and the queue full gets 503 with Retry-After, and a client that aborts makes room',
  LIMIT,
  async () => {
    const leaving = new AbortController();
    const endless = fetch(`${service.address}/v0/trial/compute?ms=600000`, {
      headers: { 'x-api-key': key },
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await untilBusy(client, 1);
    const refused = await client.get('/v0/trial/compute?ms=1');
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    leaving.abort();
    expect(await endless).toBe('AbortError');
    await until(
      'there is room again',
      async () => (await client.get('/v0/trial/compute?ms=1')).status === 200,
    );
  },
);

test('a thread that dies costs one request, and the next one is served', LIMIT, async () => {
  const crashed = await client.get('/v0/trial/crash');
  expect(crashed.status).toBe(500);
  expect(crashed.json<{ detail: string }>().detail).not.toMatch(/kernel|thread|\//);
  expect((await client.get('/v0/trial/compute?ms=1')).status).toBe(200);
});
