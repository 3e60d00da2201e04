import swagger from '@fastify/swagger';
import type { App } from './app.ts';
import { serveOpenApiPage } from './openapi-page.ts';
import { PROBLEMS, type ProblemName } from './problem.ts';
import type { RouteEntry } from './route.ts';

type Json = Record<string, unknown>;

interface Parameter extends Json {
  in: string;
  schema?: { type?: string };
}

interface Operation extends Json {
  parameters?: Parameter[];
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
    transformObject: (document) => {
      const { openapiObject } = document as {
        openapiObject: { paths: Record<string, Record<string, Operation>> };
      };
      completeOperations(openapiObject.paths, routes);
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
function completeOperations(
  paths: Record<string, Record<string, Operation>>,
  routes: readonly RouteEntry[],
): void {
  for (const { method, url, scope } of routes) {
    const operation = paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    if (operation === undefined) continue;
    const takesInput = (operation.parameters ?? []).length > 0 || operation.requestBody !== undefined;
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'query' && parameter.schema?.type === 'array') parameter.explode = false;
    }
    operation.security = scope === 'public' ? [] : [{ key: [] }];
    if (scope !== 'public' && scope !== 'any-key') operation['x-scope'] = scope;
    addProblems(
      operation,
      [
        ...(takesInput ? (['validation'] as const) : []),
        ...(scope === 'public' ? [] : (['unauthorized', 'rate-limited'] as const)),
        ...(scope === 'public' || scope === 'any-key' ? [] : (['forbidden'] as const)),
        ...(operation.requestBody === undefined
          ? []
          : (['payload-too-large', 'unsupported-media-type'] as const)),
        'internal',
        'unavailable',
      ],
      url.startsWith('/v0/') ? 422 : 400,
    );
  }
}

function addProblems(operation: Operation, names: readonly ProblemName[], validationStatus: number): void {
  for (const name of names) {
    const status = name === 'validation' ? validationStatus : PROBLEMS[name].status;
    operation.responses[status] ??= problemResponse(name, status);
  }
}

function problemResponse(name: ProblemName, status: number): Json {
  const { title } = PROBLEMS[name];
  const example = {
    type: `/problems/${name}`,
    title,
    status,
    detail: EXAMPLES[name] ?? title,
    instance: '4f1a6c0e9b2d-1k',
  };
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description: title,
    headers: headersOf(name),
    content: {
      'application/problem+json': {
        schema,
        example: name === 'validation' ? { ...example, errors: [FAULT] } : example,
      },
    },
  };
}

function headersOf(name: ProblemName): Json {
  const text = (description: string) => ({ description, schema: { type: 'string' } });
  const wait = { 'Retry-After': text('Seconds after which to try again.') };
  if (name === 'unauthorized') return { 'WWW-Authenticate': text('`ApiKey`') };
  if (name === 'unavailable') return wait;
  if (name !== 'rate-limited') return {};
  return {
    ...wait,
    'RateLimit-Limit': text('Requests per minute.'),
    'RateLimit-Remaining': text('Requests left.'),
    'RateLimit-Reset': text('Seconds until all requests are there again.'),
  };
}

const FAULT = {
  loc: ['query', 'flight_level', 0],
  msg: 'flight_level 275 is not served; choose from 270, 280, … 440',
  type: 'choice',
};

const EXAMPLES: Partial<Record<ProblemName, string>> = {
  validation: FAULT.msg,
  unauthorized: 'the header x-api-key is missing; send your key in it',
  forbidden: 'this needs the scope adsb; the key has research, forecast',
  'rate-limited': 'the key has used its 600 requests per minute; try again in 3 s',
};

const PROBLEM_SCHEMA = {
  type: 'object' as const,
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string' as const, description: 'Path of the page that explains this kind of problem.' },
    title: { type: 'string' as const },
    status: { type: 'integer' as const },
    detail: { type: 'string' as const, description: 'One sentence a person can act on.' },
    instance: {
      type: 'string' as const,
      description: 'The request id; quote it when you report the problem.',
    },
    errors: {
      type: 'array' as const,
      maxItems: 50,
      description: 'All faults of a request that is not valid.',
      items: {
        type: 'object' as const,
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: {
            type: 'array' as const,
            description: 'Where: query, path, header or body, then the name and the index in a list.',
            items: { type: ['string', 'integer'] as unknown as 'string' },
          },
          msg: { type: 'string' as const },
          type: { type: 'string' as const },
        },
      },
    },
    more_errors: { type: 'integer' as const, description: 'Faults beyond those that `errors` lists.' },
  },
};
