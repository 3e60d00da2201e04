import type { App } from '@contrails/platform/http/app';
import type { Key } from '@contrails/platform/keys';
import { keyAnswer } from './schema.ts';

/** Lets a caller find out whether a key works and what it may do. */
export function authRoutes(app: App): void {
  app.get(
    '/v0/auth/validate-key',
    {
      config: { scope: 'any-key' },
      schema: {
        operationId: 'validateKey',
        tags: ['auth'],
        summary: 'Test a key',
        description: 'Returns name, scopes, expiry and limits of the key in `x-api-key`.',
        response: { 200: keyAnswer },
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'no-store');
      return describeKey(request.key);
    },
  );
}

function describeKey({ name, scopes, expiresMs, ratePerMinute, concurrency }: Key) {
  return {
    name,
    scopes: [...scopes],
    expires: expiresMs === null ? null : new Date(expiresMs).toISOString().replace(/\.\d+/, ''),
    limits: { requests_per_minute: ratePerMinute, concurrent_requests: concurrency },
  };
}
