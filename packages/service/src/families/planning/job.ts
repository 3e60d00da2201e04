/** Plans as a background job. */
import { buffer } from 'node:stream/consumers';
import { requestFromBytes, requestToBytes } from '@contrails/engine/flights/request-bytes';
import { computePlans, type PlanningServices } from '@contrails/engine/planning/compute';
import { PLAN_KINDS, type PlanKind, type PlanningOptions } from '@contrails/engine/planning/options';
import type { PlanningRequest } from '@contrails/engine/planning/read-body';
import { toJsonInTurns } from '@contrails/formats/json/writer';
import { defineJob, handleJob, type JobHandler, type Jobs } from '@contrails/platform/jobs';
import { FinalJobError } from '@contrails/platform/jobs/outcome';
import { jobError, newRequestKey, resultKeyOf } from '@contrails/platform/jobs/results';
import type { UsageRecorder } from '@contrails/platform/keys';
import type { Store } from '@contrails/platform/store';
import { type Static, Type } from 'typebox';

/** What a plan has besides its flights; written by the service itself, so its shape needs no second check. */
type PlanPayload = Pick<PlanningRequest, 'avoid' | 'warnings'> & {
  readonly planning: PlanningOptions;
  readonly nvpmEiN?: number | undefined;
};

const payload = Type.Object({
  kind: Type.Unsafe<PlanKind>({ type: 'string', enum: [...PLAN_KINDS] }),
  /** Where the flights are, with the options of the models. */
  fleet: Type.String(),
  plan: Type.Unsafe<PlanPayload>(Type.Object({}, { additionalProperties: true })),
});

/** A client waits for it. */
export const planningKind = defineJob({
  name: 'planning',
  payload,
  client: true,
  attempts: 3,
  priority: 900,
  subject: ({ kind }) => kind,
});

export interface EnqueueServices {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly store: Pick<Store, 'put'>;
}

/** Stores the flights and returns the id of the job that will plan them. */
export async function enqueuePlan(
  { jobs, store }: EnqueueServices,
  { fleet, options, planning, avoid, warnings, nvpmEiN }: PlanningRequest,
  owner: string,
): Promise<string> {
  const key = newRequestKey();
  await store.put(key, requestToBytes({ model: 'cocip', fleet, options, unitWarnings: [] }));
  const plan: PlanPayload = { planning, avoid, warnings, ...(nvpmEiN === undefined ? {} : { nvpmEiN }) };
  const { id } = await jobs.enqueue(planningKind, { kind: planning.kind, fleet: key, plan }, { owner });
  return id;
}

export interface HandlerServices extends PlanningServices {
  readonly store: Pick<Store, 'put' | 'read'>;
  readonly usage: Pick<UsageRecorder, 'record'>;
}

export function planningHandler(services: HandlerServices): JobHandler {
  return handleJob(planningKind, async (work, { id, owner, signal, progress }) => {
    let computeMs = 0;
    const compute = async () =>
      computePlans(services, await readRequest(services, work), {
        signal,
        onProgress: progress,
        onComputeMs: (ms) => {
          computeMs += ms;
        },
      });
    const answer = await compute().catch((error: unknown) => {
      throw jobError(error);
    });
    const { size, sha256 } = await services.store.put(resultKeyOf(id), await toJsonInTurns(answer), {
      signal,
    });
    if (owner !== null) {
      services.usage.record({
        keyId: owner,
        endpoint: 'planning job',
        bytes: 0,
        computeSeconds: computeMs / 1000,
      });
    }
    return { size, sha256, warnings: [] };
  }) as JobHandler;
}

async function readRequest(
  { store }: HandlerServices,
  { fleet: key, plan }: Static<typeof payload>,
): Promise<PlanningRequest> {
  const stored = await store.read(key);
  if (stored === undefined)
    throw new FinalJobError('the flights of this job are no longer stored; send the request again');
  const { fleet, options } = requestFromBytes(await buffer(stored.body));
  return { fleet, options, nvpmEiN: plan.nvpmEiN, ...plan };
}
