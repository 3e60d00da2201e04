/** `POST /v1/planning/route`: the cheapest way across, up and down, for one flight or many as a job. */
import { buffer } from 'node:stream/consumers';
import type { PlanningServices } from '@contrails/engine/planning/compute';
import type { Answer } from '@contrails/engine/planning/describe-flight';
import { computeRoute, type RouteRequest } from '@contrails/engine/routes/compute';
import {
  type RouteBody,
  type RouteOptions,
  type RouteQuery,
  readRouteBody,
  routeOptionsOf,
  routeParameters,
} from '@contrails/engine/routes/request';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import { toJsonInTurns } from '@contrails/formats/json/writer';
import type { Routes } from '@contrails/platform/http/app';
import { acceptedResponse } from '@contrails/platform/http/openapi-responses';
import { sendAccepted, wantsJob } from '@contrails/platform/http/respond-async';
import { defineJob, handleJob, type JobHandler } from '@contrails/platform/jobs';
import { FinalJobError } from '@contrails/platform/jobs/outcome';
import { jobError, newRequestKey, resultKeyOf } from '@contrails/platform/jobs/results';
import { RefusedError, ValidationError } from '@contrails/runtime/errors';
import { isRecord } from '@contrails/runtime/is-record';
import { body, query } from '@contrails/runtime/options/query';
import { ErrorList, Rejected } from '@contrails/runtime/options/rejected';
import { Type } from 'typebox';
import type { EnqueueServices, HandlerServices } from './job.ts';
import { describeProblem } from './problems.ts';
import { MAX_ROUTES, MAX_ROUTES_AT_ONCE, ROUTE_ANSWER, ROUTE_BODY } from './route-schema.ts';

/** One body, or a list of them. */
interface GivenRoutes {
  readonly bodies: readonly RouteBody[];
  readonly isList: boolean;
}

function readBodies(raw: unknown): GivenRoutes | Rejected {
  const list = isRecord(raw) ? raw.routes : undefined;
  if (list === undefined) {
    const one = readRouteBody(raw);
    return one instanceof Rejected ? one : { bodies: [one], isList: false };
  }
  const errors = new ErrorList();
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ROUTES) {
    errors.addField('routes', undefined, () => `routes is not a list of 1 to ${MAX_ROUTES} routes`, 'length');
    return errors.rejected();
  }
  const bodies = list.flatMap((one, index) => {
    const read = readRouteBody(one);
    if (!(read instanceof Rejected)) return [read];
    for (const { loc, msg, type } of read.errors)
      errors.add(['body', 'routes', index, ...loc.slice(1)], `routes[${index}]: ${msg}`, type);
    return [];
  });
  return errors.isEmpty ? { bodies, isList: true } : errors.rejected();
}

export type RouteEndpointServices = PlanningServices & EnqueueServices;

export function routeRoutes(services: RouteEndpointServices, scaling: HumidityScalingChoice): Routes {
  return (app) => {
    app.post(
      '/v1/planning/route',
      {
        config: { scope: 'planning', problems: ['not-found'] },
        schema: {
          tags: ['planning'],
          summary: 'The cheapest route between two points',
          description:
            'Searches routes and levels at your prices, verifies them with the full models, and recommends a change if it pays. With `Prefer: respond-async` the answer is 202 with the `Location` of a job.',
          body: body<GivenRoutes>(ROUTE_BODY, readBodies),
          querystring: query(routeParameters),
          response: {
            200: {
              description: 'The routes that were found, and the one that is chosen.',
              content: {
                'application/json': {
                  schema: Type.Unsafe<Answer>(ROUTE_ANSWER),
                },
              },
            },
            ...acceptedResponse,
          },
        },
      },
      async (request, reply) => {
        const given = request.body as GivenRoutes;
        const route = routeOptionsOf(request.query as RouteQuery, scaling);
        if (wantsJob(request)) {
          const id = await enqueueRoutes(services, given, route, request.key.id);
          return sendAccepted(reply, { id, state: 'queued' });
        }
        if (given.bodies.length > MAX_ROUTES_AT_ONCE) throw tooMany(given.bodies.length);
        return planRoutes(services, given, route, {
          signal: request.clientAborted,
          onComputeMs: (ms) => {
            request.usage.computeSeconds += ms / 1000;
          },
        });
      },
    );
  };
}

function tooMany(count: number): ValidationError {
  const msg = `routes has ${count} routes; at most ${MAX_ROUTES_AT_ONCE} are planned while a client waits: send Prefer: respond-async`;
  return new ValidationError([{ loc: ['body', 'routes'], msg, type: 'length' }]);
}

/** One after the other, for each uses all threads; of a list, one that fails has its problem in its place. */
async function planRoutes(
  services: PlanningServices,
  { bodies, isList }: GivenRoutes,
  route: RouteOptions,
  hooks: Parameters<typeof computeRoute>[2],
): Promise<Answer> {
  const routes: Answer[] = [];
  for (const one of bodies) {
    const answer = computeRoute(services, { body: one, route } satisfies RouteRequest, hooks);
    routes.push(isList ? await answer.catch(problemOf) : await answer);
    hooks.onProgress?.(routes.length / bodies.length);
  }
  return isList ? { routes } : (routes[0] as Answer);
}

/** What is wrong with one of several routes; throws what is wrong with the service. */
function problemOf(error: unknown): Answer {
  if (error instanceof ValidationError)
    return {
      problem: { ...describeProblem({ name: 'validation', detail: error.message, errors: error.errors }) },
    };
  if (error instanceof RefusedError)
    return { problem: { ...describeProblem({ name: error.reason, detail: error.message }) } };
  throw error;
}

/** Written by the service itself, so its shape needs no second check. */
const payload = Type.Object({ request: Type.String(), routes: Type.Integer() });

/** A client waits for it. */
export const routeKind = defineJob({
  name: 'route',
  payload,
  client: true,
  attempts: 3,
  priority: 900,
  subject: ({ routes }) => `${routes} routes`,
});

interface StoredRoutes {
  readonly given: GivenRoutes;
  readonly route: RouteOptions;
}

async function enqueueRoutes(
  { jobs, store }: EnqueueServices,
  given: GivenRoutes,
  route: RouteOptions,
  owner: string,
): Promise<string> {
  const key = newRequestKey();
  const stored: StoredRoutes = { given, route };
  await store.put(key, Buffer.from(JSON.stringify(stored, encodeSpecial)));
  const { id } = await jobs.enqueue(routeKind, { request: key, routes: given.bodies.length }, { owner });
  return id;
}

export function routeHandler(services: HandlerServices): JobHandler {
  return handleJob(routeKind, async ({ request: key }, { id, owner, signal, progress }) => {
    const stored = await services.store.read(key);
    if (stored === undefined)
      throw new FinalJobError('the routes of this job are no longer stored; send the request again');
    const { given, route } = JSON.parse(
      (await buffer(stored.body)).toString(),
      decodeSpecial,
    ) as StoredRoutes;
    let computeMs = 0;
    const onComputeMs = (ms: number) => {
      computeMs += ms;
    };
    const answer = await planRoutes(services, given, route, {
      signal,
      onProgress: progress,
      onComputeMs,
    }).catch((error: unknown) => {
      throw jobError(error);
    });
    const { size, sha256 } = await services.store.put(resultKeyOf(id), await toJsonInTurns(answer), {
      signal,
    });
    if (owner !== null)
      services.usage.record({
        keyId: owner,
        endpoint: 'route job',
        bytes: 0,
        computeSeconds: computeMs / 1000,
      });
    return { size, sha256, warnings: [] };
  }) as JobHandler;
}

/** Areas have typed arrays and open ends, which JSON does not. */
function encodeSpecial(_: string, value: unknown): unknown {
  if (value instanceof Float64Array) return { $numbers: [...value] };
  return value === Number.POSITIVE_INFINITY
    ? { $open: 1 }
    : value === Number.NEGATIVE_INFINITY
      ? { $open: -1 }
      : value;
}

function decodeSpecial(_: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  if (Array.isArray(value.$numbers)) return Float64Array.from(value.$numbers as number[]);
  return typeof value.$open === 'number' ? value.$open * Number.POSITIVE_INFINITY : value;
}
