import swagger from '@fastify/swagger';
import type { App } from './app.ts';
import { serveOpenApiPage } from './openapi-page.ts';
import { PROBLEM_SCHEMA, problemResponse, problemStatus } from './openapi-problems.ts';
import {
  CONDITIONAL_HEADERS,
  IGNORED_HEADER,
  PREFER_HEADER,
  REQUEST_ID_HEADER,
} from './openapi-responses.ts';
import { shareSchemas } from './openapi-schemas.ts';
import type { ProblemName } from './problem.ts';
import { WITH_SHARED_OPTIONS } from './query-names.ts';
import type { RouteEntry } from './route.ts';
import type { VisitorKey } from './visitor-key.ts';

type Json = Record<string, unknown>;

/** The parts of the document that are completed after the schemas of the routes are in it. */
interface Document extends Json {
  paths: Record<string, Record<string, Operation>>;
  components: { responses?: Json; schemas: Json };
}

interface Operation extends Json {
  tags?: string[];
  operationId?: string;
  parameters?: { in: string; name: string; schema?: Json; explode?: boolean }[];
  requestBody?: unknown;
  responses: Record<string, Json>;
}

const TAGS = [
  { name: 'trajectory', description: 'Models along flights, one flight or a fleet at a time.' },
  { name: 'planning', description: 'Levels and profiles of flights, and whether a change is worth it.' },
  { name: 'grid', description: 'Models on a grid of 0.25 degrees, one hour at a time.' },
  { name: 'forecast', description: 'The contrail forecast, as grids and as regions.' },
  { name: 'adsb', description: 'ADS-B telemetry, one hour at a time.' },
  { name: 'inventory', description: 'Contrail climate impact of the flights of a day.' },
  { name: 'observations', description: 'Contrails in satellite imagery, and the flights that made them.' },
  { name: 'jobs', description: 'Requests that are computed in the background.' },
  { name: 'auth', description: 'API keys.' },
  { name: 'service', description: 'Health of the service; no key is needed.' },
];

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
          'Contrail modelling, forecast, observation and inventory. Send your key in the header `x-api-key`. Errors are `application/problem+json` (RFC 9457); their `type` is a page on this server. Unknown query parameters are refused, and unknown body keys are ignored.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        contact: { name: 'The operator of this service' },
      },
      servers: [{ url: '/' }],
      tags: TAGS,
      components: {
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
        schemas: { Problem: PROBLEM_SCHEMA },
      },
    },
    transformObject: (made) => {
      const { openapiObject } = made as unknown as { openapiObject: Document };
      complete(openapiObject, routes);
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
function complete(document: Document, routes: readonly RouteEntry[]): void {
  const responses: Json = {};
  for (const route of routes) {
    const { method, url, scope } = route;
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation === undefined) continue;
    operation.operationId ??= operationIdOf(method, url);
    operation.security = scope === 'public' ? [] : [{ key: [] }];
    if (scope !== 'public' && scope !== 'any-key') operation['x-scope'] = scope;
    addHeaders(operation);
    addLinks(operation, route.links);
    for (const name of [...route.problems, ...problemsOf(operation, route)]) {
      const status = problemStatus(name, url);
      responses[`${name}-${status}`] ??= problemResponse(name, status);
      operation.responses[status] ??= { $ref: `#/components/responses/${name}-${status}` };
    }
  }
  document.components.responses = responses;
  shareSchemas(document.paths, document.components.schemas);
}

/** `GET /v0/grid/sac` is `getGridSac`. */
function operationIdOf(method: string, url: string): string {
  const words = url.split(/[/-]/).filter((word) => word !== '' && !/^(v\d+|:.*)$/.test(word));
  const capitalised = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${method.toLowerCase()}${capitalised.join('')}`;
}

function addHeaders(operation: Operation): void {
  const parameters = operation.parameters ?? [];
  for (const parameter of parameters) {
    if (parameter.in === 'query' && parameter.schema?.type === 'array') parameter.explode = false;
  }
  if ('206' in operation.responses) parameters.push(...CONDITIONAL_HEADERS);
  if ('202' in operation.responses) parameters.push(PREFER_HEADER);
  if (parameters.length > 0) operation.parameters = parameters;
  if (operation.tags?.some((tag) => WITH_SHARED_OPTIONS.has(tag)) === true) {
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
