import { once } from 'node:events';
import { connect } from 'node:net';
import type { JobRecord } from '@contrails/platform/jobs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { until } from '../../../../test/support/until.ts';
import { type Client, createClient, createKey, untilBusy } from '../support/client.ts';
import { type Role, type ServiceProcess, type ServiceSettings, startService } from '../support/service.ts';

const LIMIT = { timeout: 120_000 };

/** One process after the other works on the same data. */
const settings: ServiceSettings = { data: await temporaryDirectory() };
const key = (await createKey(settings)).text;
const started: ServiceProcess[] = [];
afterAll(() => Promise.all(started.map((service) => service.kill())));

async function start(role: Role, shutdownSeconds = 30) {
  const more = { CONTRAILS_SERVER__SHUTDOWN_SECONDS: String(shutdownSeconds) };
  const service = await startService(role, { ...settings, more });
  started.push(service);
  const client = createClient(service.address, key);
  if (role !== 'worker') await client.get('/v0/auth/validate-key');
  return { service, client };
}

/** Requests that are being worked on when this resolves. */
async function inFlight(client: Client, paths: readonly string[]) {
  const answers = paths.map((path) => client.get(path));
  await untilBusy(client, paths.length);
  return answers;
}

describe('a server that is told to stop', () => {
  test('by SIGTERM finishes requests in flight, and does not wait for idle connections', LIMIT, async () => {
    const { service, client } = await start('serve');
    const idle = connect(Number(new URL(service.address).port), '127.0.0.1');
    await once(idle, 'connect');
    const closed = once(idle, 'close');
    const answers = await inFlight(client, ['/v0/trial/wait?ms=4000', '/v0/trial/compute?ms=2000']);
    service.send('SIGTERM');
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 200]);
    expect(await service.ended).toBe(0);
    await closed;
  });

  test(
    'by SIGINT does the same, refuses new requests or answers 503, and begins nothing',
    LIMIT,
    async () => {
      const { service, client } = await start('serve');
      const answers = await inFlight(client, ['/v0/trial/wait?ms=6000']);
      service.send('SIGINT');
      const readiness = () => client.get('/readyz').catch(() => undefined);
      await until('the server is not ready', async () => (await readiness())?.status !== 200);
      const outcomes = await Promise.allSettled([client.put('/v0/trial/products/1'), client.get('/readyz')]);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') expect(outcome.value.status).toBe(503);
      }
      expect((await answers[0])?.status).toBe(200);
      expect(await service.ended).toBe(0);
    },
  );
});

describe('a worker that is told to stop', () => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start('serve', 1);
  });

  test('finishes the job it runs', LIMIT, async () => {
    const { client } = server;
    const { service: worker } = await start('worker');
    const { id } = (await client.post('/v0/trial/slow-jobs', { ms: 2000 })).json<{ id: string }>();
    await jobReaches(client, id, 'running');
    worker.send('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect((await readJob(client, id)).state).toBe('done');
  });

  test(
    'hands back what it cannot finish, without spending an attempt; another one does it',
    LIMIT,
    async () => {
      const { client } = server;
      const { service: worker } = await start('worker', 1);
      const { id } = (await client.post('/v0/trial/slow-jobs', { ms: 8000 })).json<{ id: string }>();
      await jobReaches(client, id, 'running');
      worker.send('SIGTERM');
      expect(await worker.ended).toBe(0);
      expect(await readJob(client, id)).toMatchObject({ state: 'queued', attempt: 0 });
      await start('worker');
      expect(await jobReaches(client, id, 'done')).toMatchObject({ attempt: 1 });
    },
  );

  test(
    'a server beside it has nothing of what was refused, and cuts off what takes longer than it may',
    LIMIT,
    async () => {
      const { service, client } = server;
      expect((await client.get('/v0/trial/products/1')).status).toBe(404);
      const [endless] = await inFlight(client, ['/v0/trial/wait?ms=600000']);
      const settled = Promise.allSettled([endless]);
      service.send('SIGTERM');
      expect(await service.ended).toBe(0);
      expect((await settled)[0]?.status).toBe('rejected');
    },
  );
});

async function readJob(client: Client, id: string): Promise<JobRecord> {
  return (await client.get(`/v0/trial/jobs/${id}`)).json<JobRecord>();
}

async function jobReaches(client: Client, id: string, state: JobRecord['state']): Promise<JobRecord> {
  return until(`job ${id} is ${state}`, async () => {
    const job = await readJob(client, id);
    return job.state === state && job;
  });
}
