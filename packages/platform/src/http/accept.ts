import type { FastifyRequest, RouteOptions } from 'fastify';
import { ProblemError } from './problem.ts';

/** Names of the same type that clients use; the service sends the first of each. */
const SAME_TYPES: readonly (readonly string[])[] = [
  ['application/json', 'application/geo+json', 'text/json'],
  ['application/netcdf', 'application/x-netcdf'],
  ['application/vnd.apache.parquet', 'application/parquet', 'application/x-parquet'],
  ['application/vnd.google-earth.kml+xml', 'application/xml', 'text/xml'],
];

/** Java sends a single asterisk too; every file is a stream of octets. */
const ANYTHING: ReadonlySet<string> = new Set(['*/*', '*', 'application/octet-stream']);

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

/**
 * The type that a client takes and likes best (RFC 9110, 12.5.1), the first of several that it likes the same; undefined
 * where it takes none of them.
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0];
  const ranges = accept.toLowerCase().split(',').map(readRange);
  let best: { type: T; quality: number } | undefined;
  for (const type of offered) {
    const quality = qualityOf(type, ranges);
    if (quality > (best?.quality ?? 0)) best = { type, quality };
  }
  return best?.type;
}

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** That of the most specific range that contains the type; 0 where none does. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const same = SAME_TYPES.find((names) => names.includes(type)) ?? [type];
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  const range =
    ranges.find((range) => range.type === type) ??
    ranges.find((range) => same.includes(range.type)) ??
    ranges.find((range) => range.type === family) ??
    ranges.find((range) => ANYTHING.has(range.type));
  return range?.quality ?? 0;
}

/** Why a request is refused whose `Accept` allows none of the types that the answer can have. */
export function notAcceptable(
  { headers: { accept }, routeOptions }: FastifyRequest,
  offered: readonly string[],
): ProblemError | undefined {
  const isPage = routeOptions.schema?.tags === undefined;
  if (accept === undefined || isPage || preferredType(accept, offered) !== undefined) return undefined;
  return new ProblemError(
    'not-acceptable',
    `the header Accept allows no type that this can be returned as; send ${offered.join(' or ')}, or */*`,
    { members: { types: offered } },
  );
}

/**
 * The types that a route declares for its answer. None for pages, for answers without a body, and where monitoring
 * depends on an answer.
 */
export function declaredTypes({ schema, config }: RouteOptions): readonly string[] {
  if (schema?.tags === undefined || config?.vital === true) return [];
  const answer = (schema.response as Record<string, DeclaredAnswer> | undefined)?.[200];
  if (answer === undefined || answer.type === 'null') return [];
  return answer.content === undefined ? ['application/json'] : Object.keys(answer.content);
}

interface DeclaredAnswer {
  readonly type?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}
