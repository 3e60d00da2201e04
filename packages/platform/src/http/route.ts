import { ContrailsError } from '@contrails/runtime/errors';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  RouteOptions,
} from 'fastify';
import type { Scope } from '../keys/index.ts';
import type { App } from './app.ts';
import { type AuthDependencies, admit } from './auth.ts';
import type { Overload } from './overload.ts';
import type { ProblemName } from './problem.ts';

/** Who may call a route: keys with a scope, any valid key, or everyone without one. */
export type RouteScope = Scope | 'any-key' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required: the server refuses to start with a route that does not declare it. */
    scope?: RouteScope;
    /** Served also while the server refuses work, because monitoring depends on it. */
    vital?: boolean;
    /** Problems that not every route has, for the description of the API. */
    problems?: readonly ProblemName[];
    /** Which operations take what from the 200 of this one, after OpenAPI. */
    links?: Links;
  }
}

type Links = Readonly<
  Record<string, { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> }>
>;

/** One route as it was declared. */
export interface RouteEntry {
  readonly method: string;
  readonly url: string;
  readonly scope: RouteScope;
  readonly vital: boolean;
  readonly problems: readonly ProblemName[];
  readonly links: Links | undefined;
}

/**
 * Lets no route in that does not declare its scope, puts the gate (overload, key, scope, limits) in front of each, and
 * gives every GET its HEAD. Returns the table of routes, which fills as they are declared.
 */
export function guardRoutes(app: App, auth: AuthDependencies, overload: Overload): RouteEntry[] {
  const table: RouteEntry[] = [];
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const scope = declaredScope(route);
    if (route.method === 'GET') addHead(this, route);
    const methods = Array.isArray(route.method) ? route.method : [route.method];
    const problems = route.config?.problems ?? [];
    const links = route.config?.links;
    const vital = route.config?.vital === true;
    for (const method of methods) table.push({ method, url: route.url, scope, vital, problems, links });
    const gate = (request: FastifyRequest, reply: FastifyReply, next: HookHandlerDoneFunction) => {
      request.exchange.route = route.url;
      const refusal = vital ? undefined : overload.refusal();
      if (refusal !== undefined) next(refusal);
      else if (scope === 'public') next();
      else admit(auth, scope, request, reply, next);
    };
    route.onRequest = [gate, ...[route.onRequest ?? []].flat()];
  });
  return table;
}

function declaredScope({ method, url, config }: RouteOptions): RouteScope {
  if (config?.scope !== undefined) return config.scope;
  throw new ContrailsError(
    `route ${method} ${url} does not declare who may call it; add config: { scope: … } to it`,
    { facts: { method, url } },
  );
}

/** Our own, since the framework's HEAD routes answer 304 with a wrong length. */
function addHead(app: FastifyInstance, route: RouteOptions & { routePath: string }): void {
  const { routePath, schema } = route;
  app.route({
    ...route,
    method: 'HEAD',
    url: routePath === '' ? '/' : routePath,
    schema: { ...schema, hide: true },
  });
}
