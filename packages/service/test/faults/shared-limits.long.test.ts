import { MINUTE_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresDatabases } from '../../../../test/support/postgres.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { type Answer, type Client, createClient, createKey, untilBusy } from '../support/client.ts';
import { type ServiceProcess, type ServiceSettings, startService } from '../support/service.ts';

const LIMIT = { timeout: 180_000 };

let postgres: PostgresDatabases;
beforeAll(async () => {
  postgres = await usePostgres();
});
afterAll(() => postgres.close());

describe.each([
  ['an embedded database', async () => 'embedded'],
  ['PostgreSQL', () => postgres.createDatabase()],
])('limits of a key that two servers share, on %s', (_name, openDatabase) => {
  let settings: ServiceSettings;
  let servers: ServiceProcess[];
  beforeAll(async () => {
    settings = { data: await temporaryDirectory(), database: await openDatabase() };
    servers = await Promise.all([startService('serve', settings), startService('serve', settings)]);
  }, 120_000);
  afterAll(() => Promise.all(servers.map((server) => server.kill())));

  const clientsOf = (key: string): Client[] => servers.map(({ address }) => createClient(address, key));
  /** Sends all at once, in turn to one server and the other. */
  const sendAll = (clients: readonly Client[], count: number, path: string): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => clients[i % clients.length]?.get(path))).then(
      (answers) => answers.filter((answer) => answer !== undefined),
    );

  test('two servers together grant the rate of one', LIMIT, async () => {
    const ratePerMinute = 60;
    const { text } = await createKey(settings, { ratePerMinute, concurrency: 1000 });
    const beganMs = Date.now();
    const answers = await sendAll(clientsOf(text), 160, '/v0/auth/validate-key');
    const earned = Math.ceil(((Date.now() - beganMs) / MINUTE_MS) * ratePerMinute) + 1;
    const granted = answers.filter(({ status }) => status === 200).length;
    expect(granted).toBeGreaterThanOrEqual(50);
    expect(granted).toBeLessThanOrEqual(ratePerMinute + earned);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    for (const { headers } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('ratelimit-limit')).toBe('60');
    }
  });

  test('two servers together run no more requests at once than one may', LIMIT, async () => {
    const concurrency = 4;
    const { text } = await createKey(settings, { concurrency });
    const clients = clientsOf(text);
    const answers = await sendAll(clients, 16, '/v0/trial/wait?ms=3000');
    const granted = answers.filter(({ status }) => status === 200);
    expect(mostAtOnce(granted.map((answer) => answer.json()))).toBeLessThanOrEqual(concurrency);
    expect(granted.length).toBeGreaterThanOrEqual(concurrency - 1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    // What was held is free again, on either server.
    for (const client of clients) await untilGranted(client);
  });

  test('a killed server does not keep what it held of a key', LIMIT, async () => {
    const { text } = await createKey(settings, { concurrency: 1 });
    const [first, second] = clientsOf(text);
    const dependents = first?.get('/v0/trial/wait?ms=600000').catch(() => 'cut off');
    await untilBusy(createClient(servers[0]?.address ?? '', (await createKey(settings)).text), 1);
    expect((await second?.get('/v0/auth/validate-key'))?.status).toBe(429);
    await servers[0]?.kill();
    expect(await dependents).toBe('cut off');
    if (second !== undefined) await untilGranted(second);
  });
});

async function untilGranted(client: Client): Promise<void> {
  const isGranted = async () => {
    const { status } = await client.get('/v0/auth/validate-key');
    expect([200, 429]).toContain(status);
    return status === 200;
  };
  await until('a request is granted', isGranted, { pauseMs: 200 });
}

interface Span {
  readonly beganMs: number;
  readonly endedMs: number;
}

function mostAtOnce(spans: readonly Span[]): number {
  return Math.max(
    ...spans.map(({ beganMs }) => spans.filter((o) => o.beganMs <= beganMs && beganMs < o.endedMs).length),
  );
}
