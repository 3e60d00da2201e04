/** Flights as a background job, for clients that do not keep a connection open. */
import { buffer } from 'node:stream/consumers';
import { type Static, Type } from 'typebox';
import { toJson } from '../../http/json.ts';
import { defineJob, handleJob, type JobHandler, type Jobs } from '../../jobs/index.ts';
import { FinalJobError } from '../../jobs/outcome.ts';
import { PRIORITY } from '../../jobs/priorities.ts';
import { jobError, newRequestKey, resultKeyOf } from '../../jobs/results.ts';
import type { UsageRecorder } from '../../keys/index.ts';
import type { Store } from '../../store/index.ts';
import { TRAJECTORY_MODELS, type TrajectoryModel } from '../../trajectories/models.ts';
import { computeTrajectories, type TrajectoryServices } from './compute.ts';
import type { TrajectoryRequest } from './prepare-request.ts';
import { requestFromBytes, requestToBytes } from './request-bytes.ts';

const payload = Type.Object({
  model: Type.Unsafe<TrajectoryModel>({ type: 'string', enum: [...TRAJECTORY_MODELS] }),
  /** Where the request is, with its options. */
  fleet: Type.String(),
});

const trajectoryKind = defineJob({ name: 'trajectory', payload, attempts: 3 });

export interface EnqueueServices {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly store: Pick<Store, 'put'>;
}

/** Stores the request and returns the id of the job that will compute it. */
export async function enqueueTrajectory(
  { jobs, store }: EnqueueServices,
  request: TrajectoryRequest,
  owner: string,
): Promise<string> {
  const key = newRequestKey();
  await store.put(key, requestToBytes(request));
  const { id } = await jobs.enqueue(
    trajectoryKind,
    { model: request.model, fleet: key },
    { owner, priority: PRIORITY.clientFleet },
  );
  return id;
}

export interface HandlerServices extends TrajectoryServices {
  readonly store: Pick<Store, 'put' | 'read'>;
  readonly usage: Pick<UsageRecorder, 'record'>;
}

export function trajectoryHandler(services: HandlerServices): JobHandler {
  return handleJob(trajectoryKind, async (work, { id, owner, signal, progress }) => {
    let computeMs = 0;
    const compute = async () =>
      computeTrajectories(services, await readRequest(services, work), {
        signal,
        onProgress: progress,
        onComputeMs: (ms) => {
          computeMs += ms;
        },
      });
    const { answer, warnings } = await compute().catch((error: unknown) => {
      throw jobError(error);
    });
    const { size, sha256 } = await services.store.put(resultKeyOf(id), Buffer.from(toJson(answer)), {
      signal,
    });
    if (owner !== null) {
      services.usage.record({
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
  { store }: HandlerServices,
  { fleet: key }: Static<typeof payload>,
): Promise<TrajectoryRequest> {
  const stored = await store.read(key);
  if (stored === undefined)
    throw new FinalJobError('the flights of this job are no longer stored; send the request again');
  return requestFromBytes(await buffer(stored.body));
}
