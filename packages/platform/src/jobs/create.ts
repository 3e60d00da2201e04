import { ConflictError, NotFoundError, UsageError, ValidationError } from '@contrails/runtime/errors';
import type { Database } from '../database/database.ts';
import { requestJob } from './define.ts';
import type { Claim, Engine } from './engine.ts';
import { fanOutKey, isJobId } from './identity.ts';
import type { Enqueued, JobRequest, Jobs, Worker } from './jobs.ts';
import { prepareJobs } from './prepare.ts';
import { createSchedules } from './schedules.ts';
import { noSuchJob } from './sentences.ts';
import { startWorker } from './worker.ts';

const MAX_PAGE = 1000;

/** The jobs of the service on one of the two queues. */
export function createJobs(database: Database, engine: Engine): Jobs {
  const schedules = createSchedules(database, engine);
  const workers = new Set<Worker>();

  const enqueueAll = async (requests: readonly JobRequest[]): Promise<Enqueued[]> => {
    if (requests.length === 0) return [];
    const jobs = prepareJobs(requests);
    const unique = new Map(jobs.map((job) => [job.id, job]));
    const made = new Set(await engine.enqueue([...unique.values()]));
    return jobs.map(({ id }) => ({ id, created: made.delete(id) }));
  };

  return {
    enqueueAll,
    async enqueue(kind, payload, options) {
      const [enqueued] = await enqueueAll([requestJob(kind, payload, options)]);
      if (enqueued === undefined) throw new Error('the queue gave no answer');
      return enqueued;
    },
    adopt: (records) => engine.adopt(records),
    get: async (id) => (isJobId(id) ? engine.get(id) : undefined),
    async list(query = {}) {
      const { limit = 100, cursor } = query;
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
        throw refused('limit', limit, `a whole number from 1 to ${MAX_PAGE}`);
      }
      if (cursor !== undefined && !/^\d{1,16}\.[0-9a-f-]{36}$/.test(cursor)) {
        throw refused('cursor', cursor, 'the cursor of an earlier page');
      }
      return engine.list({ ...query, limit });
    },
    async counts() {
      const counts = await engine.counts();
      return { waiting: 0, queued: 0, running: 0, done: 0, failed: 0, cancelled: 0, ...counts };
    },
    async cancel(id) {
      if (!isJobId(id)) throw noSuchJob(id);
      await engine.cancel(id);
    },
    async retry(id) {
      if (!isJobId(id)) throw noSuchJob(id);
      await engine.retry(id);
    },
    async retryFailed(kind) {
      let retried = 0;
      for (const id of await engine.failedIds(kind)) {
        try {
          await engine.retry(id);
          retried += 1;
        } catch (error) {
          // Someone else retried or pruned it in the meantime.
          if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
        }
      }
      return retried;
    },
    work(handlers, options) {
      const names = handlers.map((handler) => handler.kind.name);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) throw new UsageError(`the job kind ${twice} has two handlers`);
      const worker = startWorker(handlers, options, {
        engine,
        fanOut: (claim) => (requests) => enqueueAll(fannedOut(claim, requests)),
        onUpkeep: () => schedules.tick(),
      });
      workers.add(worker);
      return worker;
    },
    schedule: (name, cron, kind, payload, options = {}) =>
      schedules.set(name, cron, kind, payload, options.priority),
    unschedule: (name) => schedules.remove(name),
    prune: (endedBeforeMs) => engine.prune(endedBeforeMs),
    async close() {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await engine.close();
    },
  };
}

/** Gives each request a key made from the job that asks, so a second run asks for the same jobs. */
function fannedOut({ id, owner }: Claim, requests: readonly JobRequest[]): JobRequest[] {
  const keyed = new Map<JobRequest, JobRequest>();
  const withKey = (request: JobRequest): JobRequest => {
    const known = keyed.get(request);
    if (known !== undefined) return known;
    const { options } = request;
    const made = {
      ...request,
      options: {
        key: fanOutKey(id, request.payload),
        ...(owner === null ? {} : { owner }),
        ...options,
        after: (options.after ?? []).map((parent) => (typeof parent === 'string' ? parent : withKey(parent))),
      },
    };
    keyed.set(request, made);
    return made;
  };
  return requests.map(withKey);
}

function refused(name: string, value: unknown, allowed: string): ValidationError {
  return new ValidationError([
    { loc: [name], msg: `${name} is ${value}; it must be ${allowed}`, type: 'value' },
  ]);
}
