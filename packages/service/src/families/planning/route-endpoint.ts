/** `POST /v1/planning/route`: the cheapest way across, up and down, for one flight or many as a job. */
import type { PlanningServices } from '@contrails/engine/planning/compute';
import type { Answer } from '@contrails/engine/planning/describe-flight';
import { type RouteQuery, routeOptionsOf, routeParameters } from '@contrails/engine/routes/request';
import type { HumidityScalingChoice } from '@contrails/engine/weather/humidity-scaling';
import type { Routes } from '@contrails/platform/http/app';
import { acceptedResponse } from '@contrails/platform/http/openapi-responses';
import { sendAccepted, wantsJob } from '@contrails/platform/http/respond-async';
import { ValidationError } from '@contrails/runtime/errors';
import { query } from '@contrails/runtime/options/query';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  FILE_PARAMETERS,
  flightOrFleet,
  flightsOrFiles,
  sendFileNotes,
} from '../../endpoints/flight-files.ts';
import type { EnqueueServices } from './job.ts';
import { enqueueRoutes } from './route-job.ts';
import { type GivenRoutes, planOne, readBodies } from './route-list.ts';
import { MAX_ROUTES_AT_ONCE, ROUTE_ANSWER, ROUTE_BODY } from './route-schema.ts';

const PATH = '/v1/planning/route';

/** The body of the endpoints of planning with flights of a file: a route is searched for each of them. */
export function bodyOfFlights(flights: readonly unknown[], { routeOptions }: FastifyRequest): unknown {
  if (routeOptions.url !== PATH) return flightOrFleet(flights);
  const routes = flights.map((flight) => ({ flight }));
  return routes.length === 1 ? routes[0] : { routes };
}

export type RouteEndpointServices = PlanningServices & EnqueueServices;

export function routeRoutes(services: RouteEndpointServices, scaling: HumidityScalingChoice): Routes {
  return (app) => {
    app.post(
      PATH,
      {
        config: { scope: 'planning', problems: ['not-found'] },
        schema: {
          tags: ['planning'],
          summary: 'The cheapest route between two points',
          description:
            'Searches routes and levels at your prices, verifies them with the full models, and recommends a change if it pays. A flight file provides the endpoints, time and aircraft, and its flight is the baseline. With `Prefer: respond-async` the response is 202 with the `Location` of a job.',
          body: flightsOrFiles<GivenRoutes>(ROUTE_BODY, readBodies),
          querystring: query({ ...routeParameters, ...FILE_PARAMETERS }),
          response: {
            200: {
              description: 'The routes found and the one chosen.',
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
        sendFileNotes(request, reply);
        const route = routeOptionsOf(request.query as RouteQuery, scaling);
        if (wantsJob(request)) {
          const id = await enqueueRoutes(services, given, route, request.key.id);
          return sendAccepted(reply, { id, state: 'queued' });
        }
        if (given.bodies.length > MAX_ROUTES_AT_ONCE) throw tooMany(given.bodies.length);
        const hooks = {
          signal: request.clientAborted,
          onComputeMs: (ms: number) => {
            request.usage.computeSeconds += ms / 1000;
          },
        };
        const answers: Answer[] = [];
        for (const one of given.bodies) answers.push(await planOne(services, given, one, route, hooks));
        return given.isList ? { routes: answers } : (answers[0] as Answer);
      },
    );
  };
}

function tooMany(count: number): ValidationError {
  const msg = `routes has ${count} routes; at most ${MAX_ROUTES_AT_ONCE} are planned while a client waits: send Prefer: respond-async`;
  return new ValidationError([{ loc: ['body', 'routes'], msg, type: 'length' }]);
}
