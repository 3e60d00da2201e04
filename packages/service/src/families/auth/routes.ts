import type { App } from '@contrails/platform/http/app';
import type { Key } from '@contrails/platform/keys';
import { Type } from 'typebox';

const keyAnswer = Type.Object(
  {
    name: Type.String({ description: 'Name of the key.' }),
    scopes: Type.Array(Type.String(), { description: 'Scopes of the key.' }),
    expires: Type.Union([Type.String(), Type.Null()], {
      description: 'Time when the key expires, UTC; null if it never expires.',
    }),
    limits: Type.Object({
      requests_per_minute: Type.Integer(),
      concurrent_requests: Type.Integer(),
    }),
  },
  {
    title: 'KeyInfo',
    description: 'The key is valid.',
    examples: [
      {
        name: 'notebook',
        scopes: ['research', 'forecast'],
        expires: '2026-12-31T00:00:00Z',
        limits: { requests_per_minute: 600, concurrent_requests: 25 },
      },
    ],
  },
);

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
