import { nearestName } from '@contrails/runtime/nearest-name';
import { ErrorList } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify';
import type { Tag } from './api.ts';
import { sendWarnings } from './warnings.ts';

export function tagsWithSharedOptions(tags: readonly Tag[]): ReadonlySet<string> {
  return new Set(tags.filter(({ sharesOptions }) => sharesOptions === true).map(({ name }) => name));
}

/** Added by campaigns, caches and libraries (`utm_source`, `_`), and never meant for the service. */
const FOREIGN = /^(utm_|_)/;

type CheckNames = (request: FastifyRequest, reply: FastifyReply, next: HookHandlerDoneFunction) => void;

/**
 * Makes the check of the names in the query string of a route, from what it declares. An unknown name is an error: a
 * misspelt filter must not return everything. Routes without a tag are pages, and those that monitoring depends on take
 * any name.
 */
export function createQueryNames(tags: readonly Tag[]): (route: RouteOptions) => CheckNames | undefined {
  const sharing = tagsWithSharedOptions(tags);
  const siblings = new Map<string, Set<string>>();
  return ({ schema, config }) => {
    const family = schema?.tags?.[0];
    if (family === undefined || config?.vital === true) return undefined;
    const { properties = {} } = (schema?.querystring ?? {}) as { properties?: Record<string, unknown> };
    const names = Object.keys(properties);
    const known = new Set(names);
    const shared = siblings.get(family) ?? new Set();
    siblings.set(family, shared);
    if (sharing.has(family)) for (const name of names) shared.add(name);

    return (request, reply, next) => {
      const unknown = Object.keys(request.query as object).filter((name) => !known.has(name));
      if (unknown.length > 0) judge(unknown, names, shared, request, reply);
      next();
    };
  };
}

function judge(
  unknown: readonly string[],
  names: readonly string[],
  shared: ReadonlySet<string>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const errors = new ErrorList();
  const ignored: string[] = [];
  for (const name of unknown) {
    if (FOREIGN.test(name)) continue;
    if (shared.has(name)) ignored.push(name);
    else errors.add(['query', name], () => explain(name, names), 'unknown');
  }
  if (!errors.isEmpty) request.exchange.unknownParameters = errors.rejected();
  sendWarnings(
    reply,
    ignored.map((name) => `${name} has no effect here and is ignored`),
  );
}

function explain(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const remedy =
    nearest !== undefined
      ? `did you mean ${nearest}?`
      : names.length === 0
        ? 'this endpoint has none'
        : `choose from ${names.join(', ')}`;
  return `${shown(name)} is not a parameter of this endpoint; ${remedy}`;
}
