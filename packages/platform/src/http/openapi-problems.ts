import { REQUEST_ID_HEADER } from './openapi-responses.ts';
import type { NamedProblem } from './problem.ts';

type Json = Record<string, unknown>;

export const PROBLEM_SCHEMA = {
  type: 'object' as const,
  description: 'An error as defined in RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string' as const, description: 'Path of the page that explains this kind of problem.' },
    title: { type: 'string' as const },
    status: { type: 'integer' as const },
    detail: { type: 'string' as const, description: 'What is wrong and what to do, in one sentence.' },
    instance: {
      type: 'string' as const,
      description: 'The request id; quote it when you report the problem.',
    },
    errors: {
      type: 'array' as const,
      maxItems: 50,
      description: 'All errors of an invalid request.',
      items: {
        type: 'object' as const,
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: {
            type: 'array' as const,
            description:
              'Location of the error: query, path, header or body, then the name and any list index.',
            items: { anyOf: [{ type: 'string' as const }, { type: 'integer' as const }] },
          },
          msg: { type: 'string' as const },
          type: { type: 'string' as const },
        },
      },
    },
    more_errors: {
      type: 'integer' as const,
      description: 'Number of errors beyond those listed in `errors`.',
    },
  },
};

/** Under which status a problem is answered by a route. */
export function problemStatus({ name, status }: NamedProblem, url: string): number {
  return name === 'validation' && !url.startsWith('/v0/') ? 400 : status;
}

/** The description of an error answer, with an example. */
export function problemResponse({ name, title }: NamedProblem, status: number): Json {
  const example = {
    type: `/problems/${name}`,
    title,
    status,
    detail: DETAILS[name] ?? title,
    instance: '4f1a6c0e9b2d-1k',
    ...(name === 'validation' ? { errors: [FAULT] } : {}),
  };
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description: title,
    headers: { ...headersOf(name), ...REQUEST_ID_HEADER },
    content: { 'application/problem+json': { schema, example } },
  };
}

function headersOf(name: string): Json {
  const text = (description: string) => ({ description, schema: { type: 'string' } });
  const wait = { 'Retry-After': text('Seconds after which to try again.') };
  if (name === 'unauthorized') return { 'WWW-Authenticate': text('`ApiKey`') };
  if (name === 'unavailable' || name === 'not-found') return wait;
  if (name === 'range-not-satisfiable')
    return { 'Content-Range': text('`bytes */` and the size of the file.') };
  if (name !== 'rate-limited') return {};
  return {
    ...wait,
    'RateLimit-Limit': text('Requests per minute.'),
    'RateLimit-Remaining': text('Requests left.'),
    'RateLimit-Reset': text('Seconds until the whole limit is available again.'),
  };
}

const FAULT = {
  loc: ['query', 'flight_level', 0],
  msg: 'flight_level 275 is not served; choose from 270, 280, … 440',
  type: 'choice',
};

const DETAILS: Readonly<Record<string, string>> = {
  validation: FAULT.msg,
  unauthorized: 'the header x-api-key is missing; send your key in it',
  forbidden:
    'this needs the scope adsb; the key has research, forecast. The operator adds it with: contrails keys update k3v9x0aa --scopes research,forecast,adsb',
  'rate-limited': 'the key has used its 600 requests per minute; try again in 3 s',
};
