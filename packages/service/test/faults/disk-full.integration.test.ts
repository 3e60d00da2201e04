import { setTimeout as sleep } from 'node:timers/promises';
import type { JobRecord } from '@contrails/platform/jobs';
import { createLog } from '@contrails/platform/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresDatabases } from '../../../../test/support/postgres.ts';
import { usePostgres } from '../../../../test/support/shared-server.ts';
import { fillDisk, mountSmallDisk, NO_SMALL_DISK, unmount } from '../../../../test/support/small-disk.ts';
import { until } from '../../../../test/support/until.ts';
import { loadConfig } from '../../src/configuration.ts';
import { openJobsOnly } from '../../src/open.ts';
import { type Client, createClient, createKey } from '../support/client.ts';
import { type ServiceProcess, type ServiceSettings, startService } from '../support/service.ts';
import { productBytes } from '../support/trial/products.ts';

const DISK_BYTES = 24 * 2 ** 20;
/** It ends while the disk is full. */
const SLOW_JOB_MS = 3000;
const LIMIT = { timeout: 180_000 };

const disks = [await mountSmallDisk(DISK_BYTES), await mountSmallDisk(DISK_BYTES)];
const missing = disks.includes(undefined) ? ` ${NO_SMALL_DISK}` : '';

let postgres: PostgresDatabases;
beforeAll(async () => {
  postgres = await usePostgres();
});
afterAll(() => postgres.close());

describe.skipIf(missing !== '').each([
  ['the embedded database', disks[0] ?? '', async () => 'embedded'],
  ['no database', disks[1] ?? '', () => postgres.createDatabase()],
])(`a full disk with the store and %s on it${missing}`, (_name, data, openDatabase) => {
  let service: ServiceProcess;
  let client: Client;
  let free: () => Promise<void>;
  let slowJob: string;
  let settings: ServiceSettings;

  beforeAll(async () => {
    settings = { data, database: await openDatabase() };
    const { text } = await createKey(settings);
    service = await startService('both', settings);
    client = createClient(service.address, text);
    expect((await client.put('/v0/trial/products/3')).status).toBe(201);
    slowJob = await made(client.post('/v0/trial/slow-jobs', { ms: SLOW_JOB_MS }));
    free = await fillDisk(data);
  }, 120_000);
  afterAll(async () => {
    await service.kill();
    unmount(data);
  });

  test('writing is answered 503, nothing 401 or 500, and the process lives', LIMIT, async () => {
    for (let i = 0; i < 5; i += 1) {
      const put = await client.put(`/v0/trial/products/${10 + i}`);
      expect(put.status).toBe(503);
      expect(Number(put.headers.get('retry-after'))).toBeGreaterThan(0);
      for (const path of ['/v0/auth/validate-key', '/v0/trial/products/3']) {
        expect([200, 503]).toContain((await client.get(path)).status);
      }
    }
    expect((await client.get('/healthz')).status).toBe(200);
  });

  test('the service reports that it is not ready', LIMIT, async () => {
    await untilStatus(client, '/readyz', 503);
  });

  test('a job reports why it waits', LIMIT, async () => {
    const answer = await client.post('/v0/trial/batches', { n: 1 });
    if (answer.status === 503) return;
    expect(answer.status).toBe(202);
    const error = await untilPartFails(settings);
    expect(error).toMatch(/disk is full/);
  });

  test('when space is freed it goes on by itself, and nothing is torn', LIMIT, async () => {
    await sleep(SLOW_JOB_MS);
    await free();
    await untilStatus(client, '/readyz', 200);
    expect((await client.put('/v0/trial/products/4')).status).toBe(201);
    for (const n of [3, 4]) {
      const read = await client.get(`/v0/trial/products/${n}`);
      expect([read.status, read.bytes.equals(productBytes(n))]).toEqual([200, true]);
    }
    expect((await client.get('/v0/trial/products/10')).status).toBe(404);
    await untilDone(client, await made(client.post('/v0/trial/batches', { n: 1 })));
    await untilDone(client, slowJob);
  });
});

async function made(answer: Promise<{ json<T>(): T }>): Promise<string> {
  return (await answer).json<{ id: string }>().id;
}

async function untilStatus(client: Client, path: string, status: number): Promise<void> {
  await until(`${path} answers ${status}`, async () => (await client.get(path)).status === status);
}

async function untilDone(client: Client, id: string): Promise<void> {
  await until(`job ${id} is done`, async () => {
    const job = (await client.get(`/v0/trial/jobs/${id}`)).json<JobRecord>();
    expect(['failed', 'cancelled']).not.toContain(job.state);
    return job.state === 'done';
  });
}

/** What the jobs that write say while they cannot. */
async function untilPartFails({ data, database = '' }: ServiceSettings): Promise<string> {
  const environment = { CONTRAILS_DATA: data, CONTRAILS_DATABASE: database };
  const config = loadConfig({ environment, directory: data });
  const { jobs, close } = await openJobsOnly(config, createLog({ level: 'error', format: 'json' }));
  try {
    return await until('a job has an error', async () => {
      const failed = (await jobs.list({ kind: 'trial.part' })).jobs.find((job) => job.error !== null);
      return failed?.error;
    });
  } finally {
    await close();
  }
}
