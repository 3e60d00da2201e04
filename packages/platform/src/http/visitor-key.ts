import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from './app.ts';
import type { HttpOptions } from './options.ts';

/** Returns the key that pages of this server fill in for the sender of a request; only the demo has one. */
export type VisitorKey = (request: FastifyRequest) => string | undefined;

/**
 * A page of another site can make its own name point to this server, and is then of the same origin: a key is given only to
 * names that are known to be of this server. An address cannot be made to point elsewhere.
 */
export function visitorKeyOf({
  tryItKey,
  demoHosts,
}: Pick<HttpOptions, 'tryItKey' | 'demoHosts'>): VisitorKey {
  return ({ headers }) => {
    const name = URL.parse(`http://${headers.host}`)?.hostname ?? '';
    const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0;
    const isOwn = isAddress || name === 'localhost' || demoHosts.some((host) => host.toLowerCase() === name);
    return isOwn ? tryItKey : undefined;
  };
}

/** Other origins cannot read it. */
export function serveVisitorKey(app: App, keyFor: VisitorKey): void {
  const answer = Type.Object({ key: Type.Union([Type.String(), Type.Null()]) });
  app.get(
    '/visitor-key',
    { config: { scope: 'public' }, schema: { hide: true, response: { 200: answer } } },
    (request, reply) => {
      const key = keyFor(request);
      if (key !== undefined) reply.removeHeader('access-control-allow-origin');
      reply.headers({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' });
      return { key: key ?? null };
    },
  );
}
