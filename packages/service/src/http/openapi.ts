import swagger from '@fastify/swagger';
import type { App } from './app.ts';
import { serveOpenApiPage } from './openapi-page.ts';
import { PROBLEM_SCHEMA, problemResponse, problemStatus } from './openapi-problems.ts';
import type { ProblemName } from './problem.ts';
import type { RouteEntry } from './route.ts';

type Json = Record<string, unknown>;

/** The parts of the document that are completed after the schemas of the routes are in it. */
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { responses?: Json };
}

interface Operation extends Json {
  parameters?: { in: string; schema?: { type?: string }; explode?: boolean }[];
  requestBody?: unknown;
  responses: Json;
}

/** Collects the schemas of all routes that are declared after it; register it first. */
export async function describeRoutes(
  app: App,
  routes: readonly RouteEntry[],
  version: string,
): Promise<void> {
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Contrails',
        version,
        description:
          'Contrail modelling, forecast, observation and inventory. Send your key in the header `x-api-key`. Errors are `application/problem+json` (RFC 9457); their `type` is a page on this server.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
        schemas: { Problem: PROBLEM_SCHEMA },
      },
    },
    transformObject: (made) => {
      const { openapiObject } = made as { openapiObject: Document };
      complete(openapiObject, routes);
      return openapiObject;
    },
  });
}

/** `/openapi.json` and the page at `/openapi` to read it and try it. */
export function serveOpenApi(app: App): void {
  let document: Buffer | undefined;
  app.get('/openapi.json', { config: { scope: 'public' }, schema: { hide: true } }, (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply.header('cache-control', 'no-cache').type('application/json').send(document);
  });
  serveOpenApiPage(app);
}

/** Adds what every route has in common: its key and scope, how lists are written, and the problems it can answer. */
function complete(document: Document, routes: readonly RouteEntry[]): void {
  const responses: Json = {};
  for (const { method, url, scope, problems } of routes) {
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation === undefined) continue;
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'query' && parameter.schema?.type === 'array') parameter.explode = false;
    }
    operation.security = scope === 'public' ? [] : [{ key: [] }];
    if (scope !== 'public' && scope !== 'any-key') operation['x-scope'] = scope;
    for (const name of [...problems, ...problemsOf(operation, scope)]) {
      const status = problemStatus(name, url);
      responses[`${name}-${status}`] ??= problemResponse(name, status);
      operation.responses[status] ??= { $ref: `#/components/responses/${name}-${status}` };
    }
  }
  document.components.responses = responses;
}

function problemsOf({ parameters = [], requestBody }: Operation, scope: RouteEntry['scope']): ProblemName[] {
  const hasBody = requestBody !== undefined;
  const names: (ProblemName | false)[] = [
    (hasBody || parameters.length > 0) && 'validation',
    scope !== 'public' && 'unauthorized',
    scope !== 'public' && scope !== 'any-key' && 'forbidden',
    hasBody && 'payload-too-large',
    hasBody && 'unsupported-media-type',
    scope !== 'public' && 'rate-limited',
    'internal',
    'unavailable',
  ];
  return names.filter((name) => name !== false);
}
