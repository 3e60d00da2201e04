import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { kernelAt } from '@contrails/engine/compute';
import type { App, Routes } from '@contrails/platform/http/app';
import { sendFile, storedFile } from '@contrails/platform/http/files';
import { ConflictError, NotFoundError } from '@contrails/runtime/errors';
import { number } from '@contrails/runtime/options/number';
import { path, query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { Type } from 'typebox';
import type { Services } from '../../../src/services.ts';
import { batchKind, enterProduct, slowKind } from './jobs.ts';
import { productBytes, productKey } from './products.ts';

const spin = kernelAt<typeof import('../../../../runtime/test/compute/kernels/spin.kernel.ts').default>(
  new URL('../../../../runtime/test/compute/kernels/spin.kernel.ts', import.meta.url),
);

const fault = kernelAt<typeof import('../../../../runtime/test/compute/kernels/fault.kernel.ts').default>(
  new URL('../../../../runtime/test/compute/kernels/fault.kernel.ts', import.meta.url),
);

const COUNTER = 'trial/counter.json';
const whole = { integer: true, minimum: 0 };
const productNumber = path({ n: number(whole) });
const config = { scope: 'research' } as const;

/** Endpoints that use every part of the service, for tests that look at it from outside. */
export function trialFamily(services: Services): Routes {
  return (app: App) => {
    writeProducts(app, services);
    readProducts(app, services);
    countSteps(app, services);
    makeJobs(app, services);
    takeTime(app, services);
  };
}

function writeProducts(app: App, services: Services): void {
  app.put(
    '/v0/trial/products/:n',
    { config, schema: { params: productNumber } },
    async ({ params }, reply) => {
      const key = productKey('request', params.n);
      const { sha256, size } = await services.store.put(key, productBytes(params.n));
      await enterProduct(services, key, sha256, size);
      return reply.code(201).send({ sha256 });
    },
  );
}

function readProducts(app: App, { store }: Services): void {
  app.get('/v0/trial/products/:n', { config, schema: { params: productNumber } }, async (request, reply) => {
    const file = await storedFile(store, productKey('request', request.params.n));
    return sendFile(request, reply, file, { contentType: 'application/octet-stream' });
  });
}

/** Each client has its own step in one manifest that all of them change. */
function countSteps(app: App, { store }: Services): void {
  const body = Type.Object({ client: Type.String(), step: Type.Integer() });
  app.post('/v0/trial/steps', { config, schema: { body } }, async ({ body: { client, step } }) => {
    for (;;) {
      const found = await store.read(COUNTER);
      const steps = found ? ((await json(found.body)) as Record<string, number>) : {};
      if ((steps[client] ?? 0) >= step) return { steps };
      const next = Buffer.from(JSON.stringify({ ...steps, [client]: step }));
      try {
        await store.replace(COUNTER, next, found?.info.sha256 ?? null);
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  });
}

function makeJobs(app: App, { jobs }: Services): void {
  app.post(
    '/v0/trial/batches',
    { config, schema: { body: Type.Object({ n: Type.Integer() }) } },
    async (request, reply) => {
      const { n } = request.body;
      const made = await jobs.enqueue(batchKind, { n }, { key: `batch ${n}`, owner: request.key.id });
      return reply.code(202).send(made);
    },
  );
  const slow = Type.Object({ ms: Type.Integer() });
  app.post('/v0/trial/slow-jobs', { config, schema: { body: slow } }, async ({ body: { ms } }, reply) => {
    return reply.code(202).send(await jobs.enqueue(slowKind, { ms }));
  });
  const params = path({ id: text() });
  app.get('/v0/trial/jobs/:id', { config, schema: { params } }, async ({ params: { id } }) => {
    const job = await jobs.get(id);
    if (job === undefined) throw new NotFoundError('there is no such job');
    return job;
  });
}

/** Requests that take the time they are told to, and how many of them this server is working on. */
function takeTime(app: App, { compute }: Services): void {
  const schema = { querystring: query({ ms: number(whole) }) };
  let busy = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    busy += 1;
    return work().finally(() => {
      busy -= 1;
    });
  };
  app.get('/v0/trial/busy', { config }, () => ({ busy }));
  app.get('/v0/trial/wait', { config, schema }, ({ query: { ms } }) =>
    counted(async () => {
      const beganMs = Date.now();
      await sleep(ms);
      return { beganMs, endedMs: Date.now() };
    }),
  );
  app.get('/v0/trial/compute', { config, schema }, (request) => {
    const onComputeMs = (ms: number) => {
      request.usage.computeSeconds += ms / 1000;
    };
    const { ms } = request.query;
    return counted(async () => ({
      answer: await compute.run(spin, { ms, polite: true }, { signal: request.clientAborted, onComputeMs }),
    }));
  });
  app.get('/v0/trial/crash', { config }, async () => ({
    answer: await compute.run(fault, { fault: 'exit', inBlock: 0 }),
  }));
}
