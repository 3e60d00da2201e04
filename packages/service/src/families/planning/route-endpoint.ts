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
import { COOLING_RULES } from '@contrails/physics/planning';
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
import { INSTANT } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import { figure, oneOf, orNull } from '../../endpoints/figures.ts';
import type { EnqueueServices, HandlerServices } from './job.ts';
import { describeProblem } from './problems.ts';
import { figuresOf, planOfFlight, problem } from './schema.ts';

const MAX_ROUTES = 1000;
/** More than one request may wait for. */
const MAX_ROUTES_AT_ONCE = 10;

const end = (description: string) =>
  Type.Union(
    [
      Type.String({ minLength: 3, maxLength: 4, description: 'ICAO code of an airport.' }),
      Type.Object({
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
      }),
    ],
    { description },
  );

const routeBody = Type.Object(
  {
    origin: end('Where the flight begins; of an airport the cruise begins 200 km from it.'),
    destination: end('Where it ends.'),
    departure_time: Type.Unsafe<string | number>({ ...INSTANT, description: 'When the cruise begins.' }),
    aircraft_type: Type.String({ description: 'ICAO designator of the type.' }),
    takeoff_mass: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'Mass where the search begins [kg]; estimated unless given.',
      }),
    ),
    avoid: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'GeoJSON FeatureCollection of polygons that the route must not enter, with the properties `min_flight_level`, `max_flight_level`, `from` and `to`.',
      }),
    ),
  },
  {
    title: 'RouteToPlan',
    additionalProperties: true,
    description: 'Ends, time and aircraft; other fields of the aircraft are those of a flight.',
  },
);

const manyRoutes = Type.Object(
  { routes: Type.Array(routeBody, { minItems: 1, maxItems: MAX_ROUTES }) },
  {
    title: 'RoutesToPlan',
    description: `Up to ${MAX_ROUTES} routes; more than ${MAX_ROUTES_AT_ONCE} as a job.`,
  },
);

const numbers = Type.Array(figure());
const coordinates = { longitude: Type.Array(Type.Number()), latitude: Type.Array(Type.Number()) };
const forcing = {
  ...figuresOf(['energy_forcing_j']),
  paid_j: figure('Energy forcing that is paid for [J].'),
};
const spent = figuresOf(['fuel_kg', 'flight_time_s']);
const name = oneOf(['great_circle', 'wind_optimal', 'optimum', 'baseline'], 'Name of the route.');

const candidate = Type.Object(
  {
    route: name,
    kind: oneOf(['searched', 'level', 'shift', 'profile']),
    flight_level: figure(),
    changes: orNull(Type.Integer({ description: 'Changes of level of a profile.' })),
    ...figuresOf(['cost']),
    ...spent,
    ...forcing,
    waypoints: Type.Object({
      ...coordinates,
      altitude: Type.Array(Type.Number()),
      time: Type.Array(Type.String()),
    }),
  },
  { title: 'RouteCandidate', description: 'A profile along a route, with the figures of the full models.' },
);

const route = Type.Object(
  {
    name,
    path: Type.Object(
      {
        ...coordinates,
        offset_km: numbers,
        flight_level: numbers,
        mach: numbers,
        time: Type.Array(Type.String()),
      },
      { description: 'Positions, levels and Mach numbers of the search.' },
    ),
    predicted: Type.Object(
      {
        ...figuresOf(['cost']),
        ...spent,
        ...forcing,
        moved_paid_j: figure('The largest that is paid for where the track is moved [J].'),
      },
      { description: 'Sums of the search.' },
    ),
    verified: orNull(candidate),
    profile: planOfFlight('profile'),
    max_turn_deg: figure(),
    length_km: figure(),
    extra_length_percent: figure('Beyond the great circle.'),
  },
  { title: 'Route', description: 'A route that was found, with the plan along it.' },
);

const plannedRoute = Type.Object(
  {
    working: Type.Object(
      { takeoff_mass: figure('[kg]'), length_km: figure(), stages: Type.Integer() },
      { description: 'Mass, length and stages of the search.' },
    ),
    cost: Type.Object(
      {
        fuel_price: Type.Number(),
        cost_index: Type.Number(),
        carbon_price: Type.Number(),
        horizon: Type.Integer(),
        cooling: oneOf(COOLING_RULES),
      },
      { description: 'Prices that were used.' },
    ),
    routes: Type.Array(route),
    optimum: orNull(name),
    baseline: orNull(candidate),
    chosen: orNull(candidate),
    recommendation: Type.Object(
      {
        change: Type.Boolean(),
        reason: oneOf(['better', 'not_robust', 'baseline_is_best', 'no_feasible_route']),
        basis: oneOf(['screening']),
        delta_cost: figure('Cost of the chosen route minus that of the baseline.'),
        delta_cost_half: Type.Optional(figure('The same with half the effect of contrails.')),
        delta_cost_double: Type.Optional(figure('The same with twice the effect of contrails.')),
        delta_cost_moved: Type.Optional(figure('The same where the track is moved.')),
      },
      { title: 'RouteRecommendation', description: 'Whether a change is worth it.' },
    ),
    front: Type.Optional(
      Type.Array(
        Type.Object(
          {
            weight: Type.Number(),
            cost_without_contrails: figure(),
            ...forcing,
            ...spent,
            dominated: Type.Boolean({ description: 'Whether another is better in both.' }),
            path: Type.Object({ ...coordinates, flight_level: numbers }),
          },
          { title: 'RouteOfFront', description: 'A route for one weight of contrails.' },
        ),
      ),
    ),
    notes: Type.Array(Type.String()),
    warnings: Type.Array(Type.String()),
  },
  { title: 'PlannedRoute' },
);
const refusedRoute = Type.Object(
  { problem },
  { title: 'RefusedRoute', description: 'Why one of several has no route (RFC 9457).' },
);
const plannedRoutes = Type.Object(
  { routes: Type.Array(Type.Union([plannedRoute, refusedRoute])) },
  { title: 'PlannedRoutes' },
);

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
            'Searches across, up and down at your prices, verifies the routes by the full models and says whether a change is worth it. With `Prefer: respond-async` the answer is 202 with the `Location` of a job.',
          body: body<GivenRoutes>(Type.Union([routeBody, manyRoutes]), readBodies),
          querystring: query(routeParameters),
          response: {
            200: {
              description: 'The routes that were found, and the one that is chosen.',
              content: {
                'application/json': {
                  schema: Type.Unsafe<Answer>(Type.Union([plannedRoute, plannedRoutes])),
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
