/** Flights as a background job, for clients that do not keep a connection open. */
import { buffer } from 'node:stream/consumers';
import { computeTrajectories, type TrajectoryServices } from '@contrails/engine/flights/compute';
import { TRAJECTORY_MODELS, type TrajectoryModel } from '@contrails/engine/flights/models';
import type { TrajectoryRequest } from '@contrails/engine/flights/prepare-request';
import { requestFromBytes, requestToBytes } from '@contrails/engine/flights/request-bytes';
import { toJsonInTurns } from '@contrails/formats/json/writer';
import { defineJob, handleJob, type JobHandler, type Jobs } from '@contrails/platform/jobs';
import { FinalJobError } from '@contrails/platform/jobs/outcome';
import { jobError, newRequestKey, resultKeyOf } from '@contrails/platform/jobs/results';
import type { UsageRecorder } from '@contrails/platform/keys';
import type { Store } from '@contrails/platform/store';
import { type Static, Type } from 'typebox';
import { answerAsTable, TABLE_CONTENT, type TableFormat } from './tables.ts';

const payload = Type.Object({
  model: Type.Unsafe<TrajectoryModel>({ type: 'string', enum: [...TRAJECTORY_MODELS] }),
  /** Where the request is, with its options. */
  fleet: Type.String(),
  /** Of the result, where it is not JSON. */
  format: Type.Optional(Type.Unsafe<TableFormat>({ type: 'string', enum: Object.keys(TABLE_CONTENT) })),
});

/** A client waits for it. */
export const trajectoryKind = defineJob({
  name: 'trajectory',
  payload,
  client: true,
  attempts: 3,
  priority: 900,
  subject: ({ model }) => model,
});

export interface EnqueueServices {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly store: Pick<Store, 'put'>;
}

/** Stores the request and returns the id of the job that will compute it. */
export async function enqueueTrajectory(
  { jobs, store }: EnqueueServices,
  request: TrajectoryRequest,
  owner: string,
  format?: TableFormat,
): Promise<string> {
  const key = newRequestKey();
  await store.put(key, requestToBytes(request));
  const { id } = await jobs.enqueue(
    trajectoryKind,
    { model: request.model, fleet: key, ...(format === undefined ? {} : { format }) },
    { owner },
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
    const compute = async () => {
      const request = await readRequest(services, work);
      const hooks = {
        signal,
        onProgress: progress,
        onComputeMs: (ms: number) => {
          computeMs += ms;
        },
      };
      if (work.format !== undefined) return answerAsTable(services, request, work.format, hooks);
      const { answer, warnings } = await computeTrajectories(services, request, hooks);
      return { bytes: await toJsonInTurns(answer), warnings, content: {} };
    };
    const { bytes, warnings, content } = await compute().catch((error: unknown) => {
      throw jobError(error);
    });
    const { size, sha256 } = await services.store.put(resultKeyOf(id), bytes, { signal });
    if (owner !== null) {
      services.usage.record({
        keyId: owner,
        endpoint: 'trajectory job',
        bytes: 0,
        computeSeconds: computeMs / 1000,
      });
    }
    return { size, sha256, warnings, ...content };
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
