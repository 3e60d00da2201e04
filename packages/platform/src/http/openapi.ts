import { ContrailsError } from '@contrails/runtime/errors';
import swagger from '@fastify/swagger';
import type { Api } from './api.ts';
import type { App } from './app.ts';
import { shareParts } from './openapi-components.ts';
import { serveOpenApiPage } from './openapi-page.ts';
import { PROBLEM_SCHEMA, problemResponse, problemStatus } from './openapi-problems.ts';
import {
  CONDITIONAL_HEADERS,
  IGNORED_HEADER,
  PREFER_HEADER,
  REQUEST_ID_HEADER,
} from './openapi-responses.ts';
import { shareSchemas } from './openapi-schemas.ts';
import { PROBLEMS, type ProblemKinds, type ProblemName } from './problem.ts';
import { tagsWithSharedOptions } from './query-names.ts';
import type { RouteEntry } from './route.ts';
import type { VisitorKey } from './visitor-key.ts';

type Json = Record<string, unknown>;

/** The parts of the document that are completed after the schemas of the routes are in it. */
interface Document extends Json {
  paths: Record<string, Record<string, Operation>>;
  components: { responses?: Json; schemas: Json; parameters?: Json; headers?: Json };
}

interface Operation extends Json {
  tags?: string[];
  operationId?: string;
  parameters?: { in: string; name: string; schema?: Json; explode?: boolean }[];
  requestBody?: unknown;
  responses: Record<string, Json>;
}

/** Of the endpoints of the platform itself. */
const SERVICE_TAG = { name: 'service', description: 'Health of the service; no key required.' };

/** Collects the schemas of all routes that are declared after it; register it first. */
export async function describeRoutes(
  app: App,
  routes: readonly RouteEntry[],
  { tags, problems }: Api,
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
          'Contrail modelling, forecast, observation and inventory. Send your key in the header `x-api-key`. Errors are `application/problem+json` (RFC 9457); their `type` is a page on this server. Unknown query parameters are refused, and unknown body keys are ignored.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        contact: { name: 'The operator of this service' },
      },
      servers: [{ url: '/' }],
      tags: [...tags.map(({ name, description }) => ({ name, description })), SERVICE_TAG],
      components: {
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
        schemas: { Problem: PROBLEM_SCHEMA },
      },
    },
    transformObject: (made) => {
      const { openapiObject } = made as unknown as { openapiObject: Document };
      complete(openapiObject, routes, tags, problems);
      return openapiObject;
    },
  });
}

/** `/openapi.json` and the page at `/openapi` to read it and try it, with the key that it fills in. */
export function serveOpenApi(app: App, keyFor: VisitorKey): void {
  let document: Buffer | undefined;
  app.get('/openapi.json', { config: { scope: 'public' }, schema: { hide: true } }, (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply.header('cache-control', 'no-cache').type('application/json').send(document);
  });
  serveOpenApiPage(app, keyFor);
}

/**
 * Adds what follows from what a route declares: its operation id, its key and scope, how lists are written, the headers
 * that files and jobs take, links, and the problems it can answer with.
 */
function complete(
  document: Document,
  routes: readonly RouteEntry[],
  tags: Api['tags'],
  problems: ProblemKinds,
): void {
  const kinds: ProblemKinds = { ...PROBLEMS, ...problems };
  const sharing = tagsWithSharedOptions(tags);
  const responses: Record<string, { headers?: Json }> = {};
  for (const route of routes) {
    const { method, url, scope } = route;
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation === undefined) continue;
    operation.operationId ??= operationIdOf(method, url);
    operation.security = scope === 'public' ? [] : [{ key: [] }];
    if (scope !== 'public' && scope !== 'any-key') operation['x-scope'] = scope;
    addHeaders(operation, sharing);
    addLinks(operation, route.links);
    for (const name of [...route.problems, ...problemsOf(operation, route)]) {
      const kind = kinds[name];
      if (kind === undefined)
        throw new ContrailsError(`route ${method} ${url} declares the problem ${name}, which is not known`);
      const status = problemStatus({ name, ...kind }, url);
      responses[`${name}-${status}`] ??= problemResponse({ name, ...kind }, status);
      operation.responses[status] ??= { $ref: `#/components/responses/${name}-${status}` };
    }
  }
  document.components.responses = responses;
  shareSchemas(document.paths, document.components.schemas);
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  Object.assign(document.components, shareParts(operations, responses));
}

/** `GET /v0/grid/sac` is `getGridSac`. */
function operationIdOf(method: string, url: string): string {
  const words = url.split(/[/-]/).filter((word) => word !== '' && !/^(v\d+|:.*)$/.test(word));
  const capitalised = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${method.toLowerCase()}${capitalised.join('')}`;
}

function addHeaders(operation: Operation, sharing: ReadonlySet<string>): void {
  const parameters = operation.parameters ?? [];
  for (const parameter of parameters) {
    if (parameter.in === 'query' && parameter.schema?.type === 'array') parameter.explode = false;
  }
  if ('206' in operation.responses) parameters.push(...CONDITIONAL_HEADERS);
  if ('202' in operation.responses) parameters.push(PREFER_HEADER);
  if (parameters.length > 0) operation.parameters = parameters;
  if (operation.tags?.some((tag) => sharing.has(tag)) === true) {
    const answer = operation.responses['200'];
    if (answer !== undefined) answer.headers = { ...IGNORED_HEADER, ...(answer.headers as Json | undefined) };
  }
  for (const response of Object.values(operation.responses)) {
    response.headers = { ...(response.headers as Json | undefined), ...REQUEST_ID_HEADER };
  }
}

/** An accepted job links to its state; what else a route declares belongs to its 200. */
function addLinks({ responses }: Operation, links: RouteEntry['links']): void {
  if (links !== undefined && responses['200'] !== undefined) responses['200'].links = links;
  if (responses['202'] === undefined) return;
  responses['202'].links = { job: { operationId: 'getJob', parameters: { id: '$response.body#/id' } } };
}

function problemsOf({ requestBody, responses }: Operation, { scope, vital }: RouteEntry): ProblemName[] {
  const hasBody = requestBody !== undefined;
  const names: (ProblemName | false)[] = [
    !vital && 'validation',
    scope !== 'public' && 'unauthorized',
    scope !== 'public' && scope !== 'any-key' && 'forbidden',
    !vital && '200' in responses && 'not-acceptable',
    hasBody && 'payload-too-large',
    hasBody && 'unsupported-media-type',
    '206' in responses && 'range-not-satisfiable',
    scope !== 'public' && 'rate-limited',
    'bad-request',
    'headers-too-large',
    'internal',
    'unavailable',
  ];
  return names.filter((name) => name !== false);
}
