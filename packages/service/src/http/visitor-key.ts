import { Type } from 'typebox';
import type { App } from './app.ts';

/** The key that pages of this server fill in for every visitor; only the demo has one. Other origins cannot read it. */
export function serveVisitorKey(app: App, key: string | undefined): void {
  const answer = Type.Object({ key: Type.Union([Type.String(), Type.Null()]) });
  app.get(
    '/visitor-key',
    { config: { scope: 'public' }, schema: { hide: true, response: { 200: answer } } },
    (_request, reply) => {
      if (key !== undefined) reply.removeHeader('access-control-allow-origin');
      reply.headers({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' });
      return { key: key ?? null };
    },
  );
}
