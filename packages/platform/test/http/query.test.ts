import { bbox } from '@contrails/engine/grid/bbox';
import { flightLevels } from '@contrails/engine/grid/flight-level';
import { boolean } from '@contrails/runtime/options/boolean';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { path, query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { time } from '@contrails/runtime/options/time';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { App } from '../../src/http/app.ts';
import { startServer } from './harness.ts';

const grid = query({
  time: time(),
  flight_level: optional(flightLevels()),
  bbox: optional(bbox()),
  interiors: byDefault(boolean(), true),
  threshold: byDefault(number(), 1e8),
});

function gridFamily(app: App): void {
  for (const version of ['v0', 'v1']) {
    app.get(
      `/${version}/grid`,
      { config: { scope: 'public' }, schema: { querystring: grid } },
      ({ query: read }) => {
        expectTypeOf(read.time).toEqualTypeOf<number>();
        expectTypeOf(read.flight_level).toEqualTypeOf<number[] | undefined>();
        expectTypeOf(read.interiors).toEqualTypeOf<boolean>();
        return read;
      },
    );
  }
  app.get(
    '/v0/things/:name',
    {
      config: { scope: 'public' },
      schema: { params: path({ name: text({ pattern: /^[a-z]+$/, accepted: 'small letters' }) }) },
    },
    ({ params }) => params,
  );
}

const server = await startServer({ families: [gridFamily] });

test('the handler gets values, with defaults for what is left out', async () => {
  const answer = await server.send('/v0/grid?time=2024-02-29T06&flight_level=320,300');
  expect(answer.json()).toEqual({
    time: Date.parse('2024-02-29T06:00:00Z'),
    flight_level: [300, 320],
    interiors: true,
    threshold: 1e8,
  });
});

test('a plus before a zone survives the query string', async () => {
  const answer = await server.send('/v0/grid?time=2024-02-29T06:00:00+02:00');
  expect(answer.json()).toMatchObject({ time: Date.parse('2024-02-29T04:00:00Z') });
});

test.each([
  'flight_level=300,320&bbox=-10,0,10,20',
  'flight_level=300&flight_level=320&bbox=-10&bbox=0&bbox=10&bbox=20',
  'flight_level=300%2C320&bbox=-10%2C0,10&bbox=20',
])('reads lists: %s', async (list) => {
  const answer = await server.send(`/v0/grid?time=0&${list}`);
  expect(answer.json()).toMatchObject({ flight_level: [300, 320], bbox: { minLon: -10, maxLat: 20 } });
});

describe('errors', () => {
  test('come all at once, each with its place', async () => {
    const answer = await server.send('/v0/grid?flight_level=300,275,x&bbox=1,2,3&interiors=maybe');
    expect(answer.problem().errors?.map(({ loc, type }) => [...loc, type])).toEqual([
      ['query', 'time', 'missing'],
      ['query', 'flight_level', 1, 'choice'],
      ['query', 'flight_level', 2, 'choice'],
      ['query', 'bbox', 'length'],
      ['query', 'interiors', 'boolean'],
    ]);
    expect(answer.problem().detail).toBe('time is missing; it has to be given (and 4 more)');
  });

  test('are 422 under /v0 and 400 under /v1, as each published contract has it', async () => {
    expect((await server.send('/v0/grid')).status).toBe(422);
    expect((await server.send('/v1/grid')).status).toBe(400);
  });

  test('name field, value and what is accepted', async () => {
    const answer = await server.send('/v0/grid?time=0&flight_level=275');
    expect(answer.problem()).toMatchObject({
      type: '/problems/validation',
      status: 422,
      detail: 'flight_level 275 is not served; choose from 270, 280, … 440',
    });
  });

  test('are listed 50 at most, the others counted', async () => {
    const answer = await server.send(`/v0/grid?time=0&flight_level=${'1,'.repeat(79)}1`);
    expect(answer.problem().errors).toHaveLength(50);
    expect(answer.problem().more_errors).toBe(30);
  });

  test('in the path are reported like those in the query', async () => {
    const answer = await server.send('/v0/things/..%2f..%2fetc');
    expect(answer.status).toBe(422);
    expect(answer.problem().errors).toEqual([
      { loc: ['path', 'name'], msg: 'name ../../etc is not accepted; give small letters', type: 'text' },
    ]);
  });
});

test('a query that is not declared with query() stops the server from starting', async () => {
  const family = (app: App) => {
    app.get('/x', { config: { scope: 'public' }, schema: { querystring: { type: 'object' } } }, () => ({}));
  };
  await expect(startServer({ families: [family] })).rejects.toThrow(
    /declare the querystring of \w+ \/x with query\(\)/,
  );
});
