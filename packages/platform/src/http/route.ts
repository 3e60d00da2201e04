import { ContrailsError } from '@contrails/runtime/errors';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  RouteOptions,
} from 'fastify';
import type { ScopeEntry } from '../keys/scopes.ts';
import type { App } from './app.ts';
import { type AuthDependencies, admit } from './auth.ts';
import type { Overload } from './overload.ts';

/** Who may call a route: keys with a scope of a family, any valid key (`any-key`), or everyone without one (`public`). */
export type RouteScope = string;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required: the server refuses to start with a route that does not declare it. */
    scope?: RouteScope;
    /** Served also while the server refuses work, because monitoring depends on it. */
    vital?: boolean;
    /** Problems that not every route has, for the description of the API. */
    problems?: readonly string[];
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
  readonly problems: readonly string[];
  readonly links: Links | undefined;
}

/**
 * Lets no route in that does not declare its scope, puts the gate (overload, key, scope, limits) in front of each, and
 * gives every GET its HEAD. Returns the table of routes, which fills as they are declared.
 */
export function guardRoutes(
  app: App,
  auth: AuthDependencies,
  overload: Overload,
  scopes: readonly ScopeEntry[],
): RouteEntry[] {
  const known = ['any-key', 'public', ...scopes.map(({ name }) => name)];
  const table: RouteEntry[] = [];
  app.addHook('onRoute', function (this: FastifyInstance, route) {
    const scope = declaredScope(route, known);
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

function declaredScope({ method, url, config }: RouteOptions, known: readonly string[]): RouteScope {
  const scope = config?.scope;
  if (scope !== undefined && known.includes(scope)) return scope;
  throw new ContrailsError(
    scope === undefined
      ? `route ${method} ${url} does not declare who may call it; add config: { scope: … } to it`
      : `route ${method} ${url} declares the scope ${scope}, which no family has; choose from ${known.join(', ')}`,
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
