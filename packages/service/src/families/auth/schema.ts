import { Type } from 'typebox';

export const keyAnswer = Type.Object(
  {
    name: Type.String({ description: 'Name the key was given.' }),
    scopes: Type.Array(Type.String(), { description: 'What the key may be used for.' }),
    expires: Type.Union([Type.String(), Type.Null()], {
      description: 'When the key expires, UTC; null is never.',
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
