import { Rejected } from '@contrails/runtime/options/rejected';
import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { bodyReader } from '../../src/http/body-schema.ts';

const flight = Type.Object({
  longitude: Type.Array(Type.Number({ minimum: -180, maximum: 360 }), { minItems: 2, maxItems: 300_000 }),
  time: Type.Array(Type.Union([Type.String(), Type.Number()])),
  engine_efficiency: Type.Optional(
    Type.Union([Type.Number(), Type.Array(Type.Union([Type.Number(), Type.Null()]))]),
  ),
  aircraft_type: Type.Optional(Type.String()),
  fuel: Type.Optional(Type.Enum(['JetA', 'SAF'])),
  n_engine: Type.Optional(Type.Integer({ minimum: 1 })),
});
const good = { longitude: [0, 1], time: ['2024-01-01', 5] };

function errors(schema: TSchema, body: unknown): string[] {
  const read = bodyReader(schema)(body);
  return read instanceof Rejected
    ? read.errors.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    : ['accepted'];
}

test('a good body comes through with its declared keys alone', () => {
  const body = JSON.parse(JSON.stringify({ ...good, callsign: 'X', attrs: {} })) as object;
  expect(bodyReader(flight)(body)).toEqual(good);
});

test('keys that name parts of the language are ignored like any other', () => {
  const body = JSON.parse(
    '{"longitude":[0,1],"time":[0],"__proto__":{"polluted":1},"constructor":{}}',
  ) as object;
  const read = bodyReader(flight)(body) as Record<string, unknown>;
  expect(read.polluted).toBeUndefined();
  expect(Object.keys(read)).toEqual(['longitude', 'time']);
});

test('null is the same as nothing where a key may be left out', () => {
  expect(bodyReader(flight)({ ...good, aircraft_type: null, engine_efficiency: null })).toEqual(good);
});

describe('errors', () => {
  test.each<[unknown, string[]]>([
    [undefined, ['body: the body is missing; send an object as application/json']],
    [null, ['body: the body is missing; send an object as application/json']],
    [[], ['body: the body an empty list is not accepted; give an object']],
    ['text', ['body: the body text is not accepted; give an object']],
    [
      {},
      [
        'body.longitude: longitude is missing; it has to be given',
        'body.time: time is missing; it has to be given',
      ],
    ],
    [
      { ...good, longitude: [0, 'east', 400, null] },
      [
        'body.longitude.1: longitude[1] east is not accepted; give a number from -180 to 360',
        'body.longitude.2: longitude[2] 400 is out of range; give a number from -180 to 360',
        'body.longitude.3: longitude[3] null is not accepted; give a number from -180 to 360',
      ],
    ],
    [
      { ...good, longitude: [0] },
      ['body.longitude: longitude has 1 elements; give a list of 2 to 300000 elements'],
    ],
    [
      { ...good, longitude: 5 },
      ['body.longitude: longitude 5 is not accepted; give a list of 2 to 300000 elements'],
    ],
    [
      { ...good, engine_efficiency: [0.3, 'x'] },
      ['body.engine_efficiency.1: engine_efficiency[1] x is not accepted; give a number or null'],
    ],
    [
      { ...good, engine_efficiency: 'x' },
      ['body.engine_efficiency: engine_efficiency x is not accepted; give a number or a list'],
    ],
    [{ ...good, fuel: 'jeta' }, ['body.fuel: fuel jeta is not accepted; give one of JetA, SAF']],
    [
      { ...good, n_engine: 0 },
      ['body.n_engine: n_engine 0 is out of range; give a whole number of at least 1'],
    ],
    [
      { ...good, n_engine: 1.5 },
      ['body.n_engine: n_engine 1.5 is not accepted; give a whole number of at least 1'],
    ],
    [
      { ...good, longitude: [0, Number.POSITIVE_INFINITY] },
      [expect.stringContaining('longitude[1] Infinity') as string],
    ],
  ])('%j is refused by the name of each field', (body, expected) => {
    expect(errors(flight, body)).toEqual(expected);
  });

  test('lists 50 errors of a hostile list of 300,000 and counts the others', () => {
    const read = bodyReader(flight)({ ...good, longitude: Array.from({ length: 300_000 }, () => 'x') });
    expect(read).toBeInstanceOf(Rejected);
    expect((read as Rejected).errors).toHaveLength(50);
    expect((read as Rejected).more).toBe(299_950);
  });

  test('a list beyond its length is not looked into', () => {
    expect(errors(flight, { ...good, longitude: new Array(300_001).fill('x') })).toHaveLength(1);
  });

  test('nested records name the whole way', () => {
    const nested = Type.Object({ a: Type.Object({ b: Type.Array(Type.Object({ c: Type.Number() })) }) });
    expect(errors(nested, { a: { b: [{ c: 1 }, { c: 'x' }, {}] } })).toEqual([
      'body.a.b.1.c: a.b[1].c x is not accepted; give a number',
      'body.a.b.2.c: a.b[2].c is missing; it has to be given',
    ]);
  });

  test('any JSON is accepted or has an error', () => {
    const read = bodyReader(flight);
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const result = read(body);
        expect(result instanceof Rejected && result.errors.length > 0).toBe(true);
      }),
    );
  });
});
