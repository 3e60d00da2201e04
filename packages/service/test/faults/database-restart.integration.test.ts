import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { JobRecord } from '../../src/jobs/index.ts';
import { startClients } from '../chaos/service-kill-clients.ts';
import { type Client, createClient, createKey } from '../support/client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type Role, type ServiceProcess, type ServiceSettings, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const LIMIT = { timeout: 240_000 };
let postgres: TestPostgres;
let settings: ServiceSettings;
let key: string;
let processes: ServiceProcess[];

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

beforeEach(async () => {
  settings = { data: await temporaryDirectory(), database: await postgres.createDatabase() };
  key = (await createKey(settings, { ratePerMinute: 1_000_000, concurrency: 1000 })).text;
  processes = [];
});
afterEach(async () => {
  await Promise.all(processes.map((service) => service.kill()));
});

async function start(role: Role, more: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startService(role, { ...settings, more });
  processes.push(service);
  return service;
}

test(
  'a database that stops and starts again under load causes 503 in between, then all goes on by itself',
  LIMIT,
  async () => {
    const servers = [await start('serve'), await start('serve')];
    await start('worker');
    const client = createClient(servers[0]?.address ?? '', key);
    const { id } = (await client.post('/v0/trial/slow-jobs', { ms: 4000 })).json<{ id: string }>();
    const clients = startClients(
      3,
      servers.map((server) => server.address),
      key,
    );
    const { outcomes, violations } = clients.ledger;
    const served = () => outcomes.get('served') ?? 0;
    await until('20 requests are served', () => served() >= 20);

    await postgres.stop();
    await until('20 requests are refused', () => (outcomes.get('unavailable') ?? 0) >= 20);
    expect((await client.get('/healthz')).status).toBe(200);
    expect((await client.get('/readyz')).status).toBe(503);

    const servedBefore = served();
    await postgres.start();
    await until('50 more requests are served', () => served() >= servedBefore + 50);
    await untilStatus(client, '/readyz', 200);
    await clients.stop();

    expect(violations).toEqual([]);
    expect([...outcomes.keys()].sort()).toEqual(['served', 'unavailable']);
    expect(await untilDone(client, id)).toMatchObject({ attempts: expect.any(Number), error: null });
    for (const batch of clients.ledger.batches) {
      const made = (await client.post('/v0/trial/batches', { n: batch })).json<{
        id: string;
        created: boolean;
      }>();
      expect(made.created).toBe(false);
      await untilDone(client, made.id);
    }
    for (const { log } of processes) {
      expect(log()).toContain('does not serve');
      expect(log()).not.toContain('"stack"');
    }
  },
);

test('a server and a worker can be stopped while the database is away', LIMIT, async () => {
  const more = { CONTRAILS_SERVER__SHUTDOWN_SECONDS: '2' };
  const server = await start('serve', more);
  const worker = await start('worker', more);
  const client = createClient(server.address, key);
  const { id } = (await client.post('/v0/trial/slow-jobs', { ms: 600_000 })).json<{ id: string }>();
  await until('the job runs', async () => (await readJob(client, id)).state === 'running');
  await postgres.stop();
  try {
    server.send('SIGTERM');
    worker.send('SIGTERM');
    expect(await Promise.all([server.ended, worker.ended])).toEqual([0, 0]);
  } finally {
    await postgres.start();
  }
});

test('a server that starts while the database is away reports it and ends', LIMIT, async () => {
  await postgres.stop();
  try {
    await expect(start('serve')).rejects.toThrow(/ended with 1 before it was ready/);
  } finally {
    await postgres.start();
  }
});

async function readJob(client: Client, id: string): Promise<JobRecord> {
  return (await client.get(`/v0/trial/jobs/${id}`)).json<JobRecord>();
}

async function untilDone(client: Client, id: string): Promise<JobRecord> {
  return until(`job ${id} is done`, async () => {
    const job = await readJob(client, id);
    expect(['failed', 'cancelled']).not.toContain(job.state);
    return job.state === 'done' && job;
  });
}

async function untilStatus(client: Client, path: string, status: number): Promise<void> {
  await until(`${path} answers ${status}`, async () => (await client.get(path)).status === status);
}
