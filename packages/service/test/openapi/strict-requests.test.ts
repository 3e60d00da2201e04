import { expect, test } from 'vitest';
import { scopes as known } from '../../src/families/index.ts';
import { trialFamilies } from '../support/families.ts';
import { startServer } from '../support/server.ts';

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
}

const server = await startServer({ families: [...(await trialFamilies())] });
const key = await server.newKey({ scopes: [...known.all], ratePerMinute: 1_000_000 });
const { paths } = (await server.send('/openapi.json')).json<{
  paths: Record<string, Record<string, Operation>>;
}>();
const operations = Object.entries(paths)
  // Monitoring may ask for these in any way.
  .filter(([path]) => path !== '/healthz' && path !== '/readyz')
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      method: method.toUpperCase() as 'GET' | 'POST' | 'DELETE',
      url: path.replace(/\{\w+\}/g, '0b9a3f1c-52c1-4a0e-9f6e-6a2f3d9c8f11'),
      responses,
    })),
  );

test.each(operations)('$method $url refuses a parameter that it does not have', async ({ method, url }) => {
  const answer = await server.send({ method, url: `${url}?surely_not=1`, headers: { 'x-api-key': key } });
  expect(answer.status).toBe(url.startsWith('/v0/') ? 422 : 400);
  expect(answer.problem().errors).toContainEqual({
    loc: ['query', 'surely_not'],
    msg: expect.stringContaining('surely_not is not a parameter of this endpoint'),
    type: 'unknown',
  });
});

test.each(operations.filter(({ responses }) => '200' in responses))(
  '$method $url refuses a type that it cannot return',
  async ({ method, url }) => {
    const answer = await server.send({ method, url, headers: { 'x-api-key': key, accept: 'audio/midi' } });
    expect(answer.status).toBe(406);
    expect(answer.problem().types).not.toHaveLength(0);
  },
);
