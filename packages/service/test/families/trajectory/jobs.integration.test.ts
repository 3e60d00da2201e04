import { randomUUID } from 'node:crypto';
import { serialize } from 'node:v8';
import type { JobHandler, Worker } from '@contrails/platform/jobs';
import { forgetResults, resultKeyOf } from '@contrails/platform/jobs/results';
import { createLog } from '@contrails/platform/log';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { trajectoryHandler } from '../../../src/families/trajectory/job.ts';
import { flightBody, startTrial } from './support.ts';

const trial = await startTrial();
const { services, config } = trial;
const FLIGHT = {
  ...flightBody({ latitude: 40, longitude: -180, stepS: 120, eastward: 0.45, cruiseFt: 33_000 }),
  aircraft_type: 'B738',
  flight_id: 'one',
};
const PREFER = { prefer: 'respond-async' };

interface Job {
  readonly id: string;
  readonly state: string;
  readonly progress: number;
  readonly error?: string;
  readonly result?: Record<string, unknown> | null;
  readonly result_url?: string;
  readonly warnings?: readonly string[];
}

const get = (url: string, key = trial.key) => trial.send({ url, headers: { 'x-api-key': key } });

async function enqueue(body: object = FLIGHT): Promise<string> {
  const accepted = await trial.post('cocip?include=contrail', body, PREFER);
  expect(accepted.status).toBe(202);
  return String(accepted.headers.location);
}

async function untilEnded(location: string): Promise<Job> {
  return until(`${location} has ended`, async () => {
    const job = (await get(location)).json<Job>();
    return ['done', 'failed', 'cancelled'].includes(job.state) && job;
  });
}

describe('without a worker', () => {
  test('the response is 202 with the location of the job', async () => {
    const accepted = await trial.post('cocip', FLIGHT, { prefer: 'wait=5, respond-async' });
    expect(accepted.status).toBe(202);
    expect(accepted.headers).toMatchObject({ 'preference-applied': 'respond-async', 'retry-after': '2' });
    const location = String(accepted.headers.location);
    expect(accepted.json()).toMatchObject({ state: 'queued', location });
    const state = await get(location);
    expect(state.headers['retry-after']).toBe('2');
    expect(state.json<Job>()).toMatchObject({ state: 'queued', progress: 0 });
    expect((await get(`${location}/result`)).status).toBe(404);
    await trial.send({ method: 'DELETE', url: location, headers: { 'x-api-key': trial.key } });
  });

  test('bad input and flights outside the weather are refused at once', async () => {
    const bad = await trial.post('cocip', { ...FLIGHT, aircraft_mass: -5 }, PREFER);
    const far = { ...FLIGHT, ...flightBody({ start: '2150-01-01T00:00:00Z' }) };
    const outside = await trial.post('cocip', far, PREFER);
    expect([bad.status, outside.status]).toEqual([422, 422]);
  });

  test('a cancelled job is cancelled, and cannot be cancelled twice', async () => {
    const location = await enqueue();
    const remove = () => trial.send({ method: 'DELETE', url: location, headers: { 'x-api-key': trial.key } });
    expect((await remove()).status).toBe(204);
    expect((await get(location)).json<Job>().state).toBe('cancelled');
    expect((await remove()).status).toBe(409);
    expect((await get(`${location}/result`)).problem().detail).toMatch(/been cancelled; it has no result/);
  });

  test('a job that is cancelled with its result already stored is cancelled at once and serves no result', async () => {
    const computed = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const { kind, run } = trajectoryHandler(services);
    const late: JobHandler = {
      kind,
      async run(payload, context) {
        const result = await run(payload, context);
        computed.resolve();
        await finish.promise;
        return result;
      },
    };
    const worker = services.jobs.work([late], { concurrency: 1, log: createLog(config.log) });
    const location = await enqueue();
    try {
      await computed.promise;
      const headers = { 'x-api-key': trial.key };
      const removed = await trial.send({ method: 'DELETE', url: location, headers });
      finish.resolve();
      const isCancelled = async () => {
        const job = await get(location);
        expect(job.json<Job>()).toMatchObject({ state: 'cancelled', finished: expect.any(String) });
        expect(job.json<Job>()).not.toHaveProperty('result_url');
        expect(job.headers).not.toHaveProperty('retry-after');
        expect((await get(`${location}/result`)).problem().detail).toMatch(
          /been cancelled; it has no result/,
        );
      };
      expect(removed.status).toBe(204);
      await isCancelled();
      await until('the worker is idle', () => worker.running === 0);
      await isCancelled();
      expect(await services.store.head(resultKeyOf(location.slice('/v0/jobs/'.length)))).toBeDefined();
    } finally {
      finish.resolve();
      await worker.stop({ graceSeconds: 0 });
    }
  });

  test('a job that is cancelled between two attempts does not announce another one', async () => {
    const location = await enqueue();
    const queued = await services.jobs.get(location.slice('/v0/jobs/'.length));
    if (queued === undefined) throw new Error('the job is gone');
    const id = randomUUID();
    await services.jobs.adopt([{ ...queued, id, error: 'the disk is full' }]);
    const url = `/v0/jobs/${id}`;
    expect((await get(url)).json<Job>().error).toMatch(/the job is tried again by itself/);
    for (const each of [url, location]) {
      await trial.send({ method: 'DELETE', url: each, headers: { 'x-api-key': trial.key } });
    }
    expect((await get(url)).json<Job>()).toMatchObject({ state: 'cancelled' });
    expect((await get(url)).json<Job>()).not.toHaveProperty('error');
  });

  test('another key sees no job, and a malformed id is not found', async () => {
    const location = await enqueue();
    const stranger = await trial.newKey();
    expect((await get(location, stranger)).status).toBe(404);
    expect((await get(`${location}/result`, stranger)).status).toBe(404);
    const removed = await trial.send({ method: 'DELETE', url: location, headers: { 'x-api-key': stranger } });
    expect(removed.status).toBe(404);
    expect((await get('/v0/jobs/..%2f..%2fx')).status).toBe(404);
    await trial.send({ method: 'DELETE', url: location, headers: { 'x-api-key': trial.key } });
  });
});

describe('with a worker', () => {
  let worker: Worker;
  beforeAll(() => {
    worker = services.jobs.work([trajectoryHandler(services)], {
      concurrency: 2,
      log: createLog(config.log),
    });
  });
  afterAll(() => worker.stop({ graceSeconds: 0 }));

  test('the result equals the direct response', async () => {
    const direct = (await trial.post('cocip?include=contrail', FLIGHT)).json();
    const location = await enqueue();
    const job = await untilEnded(location);
    expect(job).toMatchObject({ state: 'done', progress: 1, result_url: `${location}/result` });
    expect(job.result).toEqual(direct);
    const file = await get(`${location}/result`);
    expect(file.json()).toEqual(direct);
    expect(file.headers.etag).toMatch(/^"[0-9a-f]{64}"$/);
  });

  test.each([
    ['application/vnd.apache.parquet', 'cocip?table=contrail', 'PAR1', 'cocip_contrail.parquet'],
    ['application/netcdf', 'cocip?include=contrail', '\x89HDF', 'cocip_waypoints.nc'],
  ])('a result as %s equals the direct response', async (accept, path, magic, name) => {
    const direct = await trial.post(path, FLIGHT, { accept });
    const queued = await trial.post(path, FLIGHT, { accept, prefer: 'respond-async' });
    expect(queued.status).toBe(202);
    const location = String(queued.headers.location);
    const job = await untilEnded(location);
    expect(job).toMatchObject({ state: 'done', result_url: `${location}/result` });
    expect(job).not.toHaveProperty('result');
    const file = await get(`${location}/result`);
    expect(file.headers['content-type']).toBe(accept);
    expect(String(file.headers['content-disposition'])).toContain(name);
    expect(file.bytes.toString('latin1', 0, 4)).toBe(magic);
    expect(file.bytes.length).toBe(direct.bytes.length);
  });

  test('warnings come with the job and with the file', async () => {
    const coarse = flightBody({ latitude: 40, longitude: -180, stepS: 240, eastward: 0.9, cruiseFt: 33_000 });
    const location = await enqueue({ ...FLIGHT, ...coarse });
    const job = await untilEnded(location);
    expect(job.warnings).toEqual([
      expect.stringMatching(/^59 segments of flight one: longer than 40 km.*add resample=60/),
    ]);
    const file = await get(`${location}/result`);
    expect(JSON.parse(String(file.headers['contrails-warnings']))).toEqual(job.warnings);
  });

  test('flights that another release queued fail the job with a sentence', async () => {
    const key = `jobs/requests/${randomUUID()}`;
    await services.store.put(key, serialize({ timeMs: new Float64Array(2) }));
    const kind = trajectoryHandler(services).kind;
    const { id } = await services.jobs.enqueue(kind, { model: 'cocip', options: {}, fleet: key });
    const job = await until(`job ${id} has failed`, async () => {
      const found = await services.jobs.get(id);
      expect(found?.state).not.toBe('done');
      return found?.state === 'failed' && found;
    });
    expect(job.error).toMatch(
      /stored in an unknown format, and this release reads format 1; send the request/,
    );
    expect(job.attempt).toBe(1);
  });

  test('a flight before 2000 is computed', async () => {
    const old = { ...FLIGHT, ...flightBody({ start: '1999-06-03T00:00:00Z' }) };
    expect(await untilEnded(await enqueue(old))).toMatchObject({ state: 'done' });
  });

  test('errors outside the request are reported without internals and with the remedy', async () => {
    const ended = await services.jobs.get((await untilEnded(await enqueue())).id);
    if (ended === undefined) throw new Error('the job is gone');
    const id = randomUUID();
    const error = "TypeError: Cannot read properties of undefined (reading 'length')";
    await services.jobs.adopt([{ ...ended, id, state: 'failed', error }]);
    const job = (await get(`/v0/jobs/${id}`)).json<Job>();
    expect(job.error).toBe(
      'the service could not compute this; send the request again, and give the operator the id of this job if that fails too',
    );
    const file = await get(`/v0/jobs/${id}/result`);
    expect(file.problem().detail).toMatch(/^the job has failed and has no result: the service could not/);
  });

  test('a result is kept for a day', async () => {
    const location = await enqueue();
    const { id } = await untilEnded(location);
    const none = new AbortController().signal;
    expect(await forgetResults(services.store, Date.now() + 23 * HOUR_MS, none)).toBe(0);
    expect(await forgetResults(services.store, Date.now() + 25 * HOUR_MS, none)).toBeGreaterThan(0);
    expect(await services.store.head(resultKeyOf(id))).toBeUndefined();
    const job = (await get(location)).json<Job & { detail: string }>();
    expect(job).toMatchObject({
      state: 'done',
      result: null,
      detail: expect.stringMatching(/kept for 24 hours/),
    });
    expect((await get(`${location}/result`)).status).toBe(404);
  });
});
