import { checkPlans, computePlans, type PlanningServices } from '@contrails/engine/planning/compute';
import {
  PLAN_KINDS,
  type PlanKind,
  type PlanningQuery,
  planningOptionsOf,
  planningParameters,
} from '@contrails/engine/planning/options';
import { type PlanningBody, planningRequestOf } from '@contrails/engine/planning/read-body';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import type { Routes } from '@contrails/platform/http/app';
import { sendLargeJson } from '@contrails/platform/http/json';
import { acceptedResponse } from '@contrails/platform/http/openapi-responses';
import { sendAccepted, wantsJob } from '@contrails/platform/http/respond-async';
import { query } from '@contrails/runtime/options/query';
import { FILE_PARAMETERS, sendFileNotes } from '../../endpoints/flight-files.ts';
import { type EnqueueServices, enqueuePlan } from './job.ts';
import { planningBody, planningResponse } from './schema.ts';

export type PlanningRoutesServices = PlanningServices & EnqueueServices;

const SUMMARIES: Readonly<Record<PlanKind, readonly [summary: string, description: string]>> = {
  levels: [
    'Costs at other flight levels',
    'The flight along its own path at other levels: fuel, time, contrails and cost of each level, the best one, and whether a change is worth it.',
  ],
  profile: [
    'The best profile of a flight',
    'The cheapest sequence of levels at your prices for every number of level changes, each verified by the full models.',
  ],
};

const SHARED_DESCRIPTION =
  'The body is a flight or a fleet, as for a trajectory, or a flight file; every flight is planned independently. With `Prefer: respond-async` the response is 202 with the `Location` of a job.';

export function planningRoutes(services: PlanningRoutesServices, scaling: HumidityScalingChoice): Routes {
  return (app) => {
    for (const kind of PLAN_KINDS) {
      const [summary, description] = SUMMARIES[kind];
      app.post(
        `/v1/planning/${kind}`,
        {
          config: { scope: 'planning' },
          schema: {
            tags: ['planning'],
            summary,
            description: `${description} ${SHARED_DESCRIPTION}`,
            body: planningBody(kind),
            querystring: query({ ...planningParameters[kind], ...FILE_PARAMETERS }),
            response: { 200: planningResponse(kind), ...acceptedResponse },
          },
        },
        async (request, reply) => {
          const body = request.body as PlanningBody;
          sendFileNotes(request, reply);
          const { planning, options } = planningOptionsOf(kind, request.query as PlanningQuery, scaling);
          const wanted = planningRequestOf(body, planning, options);
          if (wantsJob(request)) {
            await checkPlans(services, wanted);
            const id = await enqueuePlan(services, wanted, request.key.id);
            return sendAccepted(reply, { id, state: 'queued' });
          }
          const answer = await computePlans(services, wanted, {
            signal: request.clientAborted,
            onComputeMs: (ms) => {
              request.usage.computeSeconds += ms / 1000;
            },
          });
          return sendLargeJson(reply, answer);
        },
      );
    }
  };
}
