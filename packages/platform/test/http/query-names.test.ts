import { number } from '@contrails/runtime/options/number';
import { optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { describe, expect, test } from 'vitest';
import type { App } from '../../src/http/app.ts';
import { WARNINGS_HEADER } from '../../src/http/warnings.ts';
import { startServer } from './harness.ts';

const config = { scope: 'public' } as const;

function family(app: App): void {
  const flight_level = optional(number());
  const schema = (tag: string, parameters: Parameters<typeof query>[0]) => ({
    tags: [tag],
    querystring: query(parameters),
  });
  app.get('/v0/grid/sac', { config, schema: schema('grid', { flight_level }) }, ({ query: read }) => read);
  app.get(
    '/v0/grid/cocip',
    { config, schema: schema('grid', { flight_level, aircraft_type: optional(text()) }) },
    ({ query: read }) => read,
  );
  const rows = { date: text(), airline_iata: optional(text()) };
  app.get('/v1/inventory/summary', { config, schema: schema('inventory', rows) }, () => ({}));
  app.get(
    '/v1/inventory/rejections',
    { config, schema: schema('inventory', { ...rows, format: optional(text()) }) },
    () => ({}),
  );
  app.get('/v0/none', { config, schema: { tags: ['grid'] } }, () => ({}));
  app.get('/page', { config, schema: { hide: true } }, () => ({}));
}

const server = await startServer({ families: [family] });

describe('a query parameter that an endpoint does not have', () => {
  test.each([
    ['/v0/grid/sac?flightlevel=350', 422, 'flightlevel', 'did you mean flight_level?'],
    ['/v0/grid/sac?flight_levels=350', 422, 'flight_levels', 'did you mean flight_level?'],
    ['/v0/grid/sac?flight_level%5B%5D=350', 422, 'flight_level[]', 'did you mean flight_level?'],
    ['/v0/grid/sac?xyz=1', 422, 'xyz', 'choose from flight_level'],
    ['/v0/none?xyz=1', 422, 'xyz', 'this endpoint has none'],
    ['/v1/inventory/summary?date=2024-01-01&airline=X1', 400, 'airline', 'did you mean airline_iata?'],
    ['/v1/inventory/summary?date=2024-01-01&format=csv', 400, 'format', 'choose from date, airline_iata'],
    ['/v0/grid/sac?__proto__x=1&constructor=1', 422, 'constructor', 'choose from flight_level'],
  ])('is refused: %s', async (url, status, name, words) => {
    const answer = await server.send(url);
    expect(answer.status).toBe(status);
    expect(answer.problem().errors).toEqual([
      { loc: ['query', name], msg: expect.stringContaining(words), type: 'unknown' },
    ]);
  });

  test('is listed with the other errors of the request, and by HEAD too', async () => {
    const answer = await server.send('/v1/inventory/summary?airline=X1');
    expect(answer.problem().errors?.map(({ type }) => type)).toEqual(['missing', 'unknown']);
    expect((await server.send({ method: 'HEAD', url: '/v0/grid/sac?level=350' })).status).toBe(422);
  });

  test('is counted and not listed beyond the errors of one answer', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `x${i}=1`).join('&');
    const { errors, more_errors } = (await server.send(`/v0/grid/sac?${names}`)).problem();
    expect([errors?.length, more_errors]).toEqual([50, 150]);
  });

  test('is ignored with a warning where another model of the family has it', async () => {
    const answer = await server.send('/v0/grid/sac?flight_level=350&aircraft_type=B738');
    expect([answer.status, answer.json()]).toEqual([200, { flight_level: 350 }]);
    expect(JSON.parse(String(answer.headers[WARNINGS_HEADER]))).toEqual([
      'aircraft_type has no effect here and is ignored',
    ]);
  });

  test.each(['/v0/grid/sac?utm_source=mail&_=17000', '/page?v=3', '/healthz?probe=1', '/readyz?probe=1'])(
    'is ignored where it is not meant for the service: %s',
    async (url) => {
      const answer = await server.send(url);
      expect([answer.status, answer.headers[WARNINGS_HEADER]]).toEqual([200, undefined]);
    },
  );
});
