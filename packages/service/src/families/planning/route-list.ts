/** Several routes in one request: their bodies, and the problem of one that has no route. */
import type { PlanningHooks, PlanningServices } from '@contrails/engine/planning/compute';
import type { Answer } from '@contrails/engine/planning/describe-flight';
import { computeRoute } from '@contrails/engine/routes/compute';
import { type RouteBody, type RouteOptions, readRouteBody } from '@contrails/engine/routes/request';
import { RefusedError, ValidationError } from '@contrails/runtime/errors';
import { isRecord } from '@contrails/runtime/is-record';
import { ErrorList, Rejected } from '@contrails/runtime/options/rejected';
import { describeProblem } from './problems.ts';
import { MAX_ROUTES } from './route-schema.ts';

/** One body, or a list of them. */
export interface GivenRoutes {
  readonly bodies: readonly RouteBody[];
  readonly isList: boolean;
}

export function readBodies(raw: unknown): GivenRoutes | Rejected {
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

/** The route of one body; of a list, one that fails has its problem in its place. */
export async function planOne(
  services: PlanningServices,
  { isList }: Pick<GivenRoutes, 'isList'>,
  body: RouteBody,
  route: RouteOptions,
  hooks: PlanningHooks,
): Promise<Answer> {
  const answer = computeRoute(services, { body, route }, hooks);
  return isList ? answer.catch(problemOf) : answer;
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
