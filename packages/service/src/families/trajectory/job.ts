/** Flights as a background job, for those who do not want to keep a connection open. */
import { buffer } from 'node:stream/consumers';
import { type Static, Type } from 'typebox';
import { toJson } from '../../http/json.ts';
import { defineJob, handleJob, type JobHandler, type Jobs } from '../../jobs/index.ts';
import { FinalJobError } from '../../jobs/outcome.ts';
import type { UsageRecorder } from '../../keys/index.ts';
import type { Store } from '../../store/index.ts';
import { jobFault, newRequestKey, resultKeyOf } from '../jobs/results.ts';
import { computeTrajectories, type TrajectoryParts, type TrajectoryRequest } from './compute.ts';
import { fleetFromBytes, fleetToBytes } from './fleet-bytes.ts';
import { TRAJECTORY_MODELS, type TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';

const payload = Type.Object({
  model: Type.Unsafe<TrajectoryModel>({ type: 'string', enum: [...TRAJECTORY_MODELS] }),
  options: Type.Unsafe<TrajectoryOptions>({ type: 'object' }),
  /** Where the flights are. */
  fleet: Type.String(),
});

const trajectoryKind = defineJob({ name: 'trajectory', payload, attempts: 3 });

export interface EnqueueParts {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly store: Pick<Store, 'put'>;
}

/** Somebody waits for it: it goes before what is made for later. */
const PRIORITY = 900;

/** Puts the flights away and answers the id of the job that will evaluate them. */
export async function enqueueTrajectory(
  { jobs, store }: EnqueueParts,
  { model, fleet, options }: TrajectoryRequest,
  owner: string,
): Promise<string> {
  const key = newRequestKey();
  await store.put(key, fleetToBytes(fleet));
  const { id } = await jobs.enqueue(
    trajectoryKind,
    { model, options, fleet: key },
    { owner, priority: PRIORITY },
  );
  return id;
}

export interface HandlerParts extends TrajectoryParts {
  readonly store: Pick<Store, 'put' | 'read'>;
  readonly usage: Pick<UsageRecorder, 'record'>;
}

export function trajectoryHandler(parts: HandlerParts): JobHandler {
  return handleJob(trajectoryKind, async (work, { id, owner, signal, progress }) => {
    let computeMs = 0;
    const compute = async () =>
      computeTrajectories(parts, await readRequest(parts, work), {
        signal,
        onProgress: progress,
        onComputeMs: (ms) => {
          computeMs += ms;
        },
      });
    const { answer, warnings } = await compute().catch((error: unknown) => {
      throw jobFault(error);
    });
    const { size, sha256 } = await parts.store.put(resultKeyOf(id), Buffer.from(toJson(answer)), { signal });
    if (owner !== null) {
      parts.usage.record({
        keyId: owner,
        endpoint: 'trajectory job',
        bytes: 0,
        computeSeconds: computeMs / 1000,
      });
    }
    return { size, sha256, warnings };
  }) as JobHandler;
}

async function readRequest(
  { store }: HandlerParts,
  { model, options, fleet: key }: Static<typeof payload>,
): Promise<TrajectoryRequest> {
  const stored = await store.read(key);
  if (stored === undefined)
    throw new FinalJobError('the flights of this job are no longer stored; send the request again');
  return { model, options, fleet: fleetFromBytes(await buffer(stored.body)) };
}
