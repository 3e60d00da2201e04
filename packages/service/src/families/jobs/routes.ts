import { Readable } from 'node:stream';
import type { App, Routes } from '@contrails/platform/http/app';
import { sendFile, storedFile } from '@contrails/platform/http/files';
import { fileResponses, warningsHeader } from '@contrails/platform/http/openapi-responses';
import { sendWarnings } from '@contrails/platform/http/warnings';
import type { JobKind, JobRecord, Jobs } from '@contrails/platform/jobs';
import { clientError, RESULT_HOURS, resultKeyOf } from '@contrails/platform/jobs/results';
import type { Store } from '@contrails/platform/store';
import { NotFoundError } from '@contrails/runtime/errors';
import { path } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { jobList, jobResponse, jobResult } from './schema.ts';

export interface JobsServices {
  readonly jobs: Pick<Jobs, 'get' | 'list' | 'cancel'>;
  readonly store: Store;
  /** Kinds of every family. */
  readonly jobKinds: () => Promise<readonly JobKind[]>;
}

/** A key that may start a job may also follow it, with any scope. */
const config = { scope: 'any-key', problems: ['not-found'] } as const;
const params = path({
  id: text({ description: 'The job, as given in `Location` of the 202 response.', maxLength: 64 }),
});
const tags = ['jobs'];
const file = Type.String({ format: 'binary' });
/** Seconds after which it is worth asking again. */
const POLL_SECONDS = 2;

/** Work that a request asked for and that goes on without it; each key sees its own. */
export function jobsRoutes(services: JobsServices): Routes {
  return (app) => {
    serveList(app, services);
    serveState(app, services);
    serveResult(app, services);
    serveCancel(app, services);
  };
}

const MAX_LISTED = 50;

function serveList(app: App, services: JobsServices): void {
  app.get(
    '/v0/jobs',
    {
      config: { scope: 'any-key' },
      schema: {
        operationId: 'listJobs',
        tags,
        summary: 'Jobs of the key',
        description: `The newest ${MAX_LISTED} jobs started with this key, newest first. Results are omitted; \`/v0/jobs/{id}\` returns them.`,
        response: { 200: jobList },
      },
    },
    async ({ key }, reply) => {
      reply.header('cache-control', 'no-store');
      const kinds = (await services.jobKinds()).filter(({ client }) => client);
      const pages = await Promise.all(
        kinds.map(({ name }) => services.jobs.list({ kind: name, owner: key.id, limit: MAX_LISTED })),
      );
      const newest = pages.flatMap(({ jobs }) => jobs).sort((a, b) => b.createdMs - a.createdMs);
      return { jobs: newest.slice(0, MAX_LISTED).map((job) => ({ kind: job.kind, ...describeJob(job) })) };
    },
  );
}

function serveState(app: App, services: JobsServices): void {
  app.get(
    '/v0/jobs/:id',
    {
      config: {
        ...config,
        links: {
          result: { operationId: 'getJobResult', parameters: { id: '$response.body#/id' } },
          cancel: { operationId: 'cancelJob', parameters: { id: '$response.body#/id' } },
        },
      },
      schema: {
        operationId: 'getJob',
        tags,
        params,
        summary: 'State of a job',
        description: `State, progress from 0 to 1 and, when it is done, the result, which is kept for ${RESULT_HOURS} hours.`,
        response: { 200: jobResponse },
      },
    },
    async ({ params: { id }, key }, reply) => {
      const job = await ownJob(services, id, key.id);
      reply.header('cache-control', 'no-store');
      if (job.finishedMs === null) reply.header('retry-after', String(POLL_SECONDS));
      return reply.send(job.state === 'done' ? await describeDone(services, job, reply) : describeJob(job));
    },
  );
}

function serveResult(app: App, services: JobsServices): void {
  app.get(
    '/v0/jobs/:id/result',
    {
      config,
      schema: {
        operationId: 'getJobResult',
        tags,
        params,
        summary: 'Result of a job',
        description:
          'The response that the request would have had; 404 until the job is done. For a job that made a product, returns 303 with the `Location` of the product.',
        response: {
          ...fileResponses(
            'The result, in the format that the request asked for.',
            {
              'application/json': { schema: jobResult },
              'application/vnd.apache.parquet': { schema: file },
              'application/netcdf': { schema: file },
            },
            warningsHeader,
          ),
          303: {
            description: 'The job made a product, which `Location` names.',
            headers: { Location: Type.String({ description: 'Path and query of the product.' }) },
            type: 'null',
          },
        },
      },
    },
    async (request, reply) => {
      const job = await ownJob(services, request.params.id, request.key.id);
      if (job.state !== 'done') throw notYet(job);
      const url = urlOf(job);
      if (url !== undefined) return reply.redirect(url, 303);
      const file = await storedFile(services.store, resultKeyOf(job.id)).catch((error: unknown) => {
        throw error instanceof NotFoundError ? expired() : error;
      });
      sendWarnings(reply, warningsOf(job));
      return sendFile(request, reply, file, contentOf(job));
    },
  );
}

function serveCancel(app: App, services: JobsServices): void {
  app.delete(
    '/v0/jobs/:id',
    {
      config: { ...config, problems: [...config.problems, 'conflict'] },
      schema: {
        operationId: 'cancelJob',
        tags,
        params,
        summary: 'Cancel a job',
        description:
          'Ends a job that has not ended; 409 when it has. Its state remains available as `cancelled` until the job is deleted; it never has a result.',
        response: { 204: { description: 'The job is cancelled.', type: 'null' } },
      },
    },
    async ({ params: { id }, key }, reply) => {
      const job = await ownJob(services, id, key.id);
      await services.jobs.cancel(job.id);
      return reply.code(204).send(null);
    },
  );
}

/** Does not reveal whether a job of another key exists. */
async function ownJob({ jobs }: JobsServices, id: string, keyId: string): Promise<JobRecord> {
  const job = /^[\w-]+$/.test(id) ? await jobs.get(id) : undefined;
  if (job !== undefined && job.owner === keyId) return job;
  throw new NotFoundError('this key has no such job; it may have been forgotten, or belongs to another key');
}

/** The result is not taken into memory: it is put into the answer as it comes from the store. */
async function describeDone({ store }: JobsServices, job: JobRecord, reply: FastifyReply) {
  const url = urlOf(job);
  if (url !== undefined) return { ...describeJob(job), result_url: url };
  const stored = await store.read(resultKeyOf(job.id));
  if (stored === undefined) return { ...describeJob(job), result: null, detail: expired().message };
  const described = { ...describeJob(job), result_url: `/v0/jobs/${job.id}/result` };
  if (contentOf(job).contentType !== JSON_TYPE) return described;
  const head = JSON.stringify(described);
  const join = async function* () {
    yield Buffer.from(`${head.slice(0, -1)},"result":`);
    yield* stored.body;
    yield Buffer.from('}');
  };
  reply.type(JSON_TYPE);
  return Readable.from(join(), { objectMode: false });
}

function describeJob(job: JobRecord) {
  const warnings = warningsOf(job);
  const error = clientError(job);
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: job.id,
    state: job.state,
    progress: job.state === 'done' ? 1 : job.progress,
    created: time(job.createdMs),
    started: time(job.startedMs),
    finished: time(job.finishedMs),
    ...(error === undefined ? {} : { error }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  };
}

/** Where the result of a job is served that made a product. */
function urlOf({ result }: JobRecord): string | undefined {
  return (result as { url?: string } | null)?.url;
}

const JSON_TYPE = 'application/json';

/** Type and name of the file that a job made. */
function contentOf({ id, result }: JobRecord): { readonly contentType: string; readonly name: string } {
  const { contentType = JSON_TYPE, name = `${id}.json` } = (result ?? {}) as {
    contentType?: string;
    name?: string;
  };
  return { contentType, name };
}

/** What a reader of the result should know. */
function warningsOf({ state, result }: JobRecord): readonly string[] {
  return state === 'done' ? ((result as { warnings?: string[] } | null)?.warnings ?? []) : [];
}

function notYet(job: JobRecord): NotFoundError {
  const { state } = job;
  if (state === 'failed')
    return new NotFoundError(`the job has failed and has no result: ${clientError(job)}`);
  if (state === 'cancelled') {
    return new NotFoundError('the job has been cancelled; it has no result; send the request again');
  }
  return new NotFoundError(`the job is ${state}; ask again in ${POLL_SECONDS} s`, {
    retryAfterSeconds: POLL_SECONDS,
  });
}

function expired(): NotFoundError {
  return new NotFoundError(
    `results are kept for ${RESULT_HOURS} hours, and this one is gone; send the request again`,
  );
}
