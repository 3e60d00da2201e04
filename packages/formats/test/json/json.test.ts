import { VALUES_PER_TURN } from '@contrails/runtime/turns';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson, toJsonInTurns } from '../../src/json/writer.ts';

const parsed = (value: unknown): unknown => JSON.parse(String(toJson(value)));

describe('columns of floats', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [-42, '-42'],
    [9_999_999, '9999999'],
    [10_000_000, '10000000'],
    [123_456_789, '123456800'],
    [0.1, '0.1'],
    [1 / 3, '0.3333333'],
    [-217.123456789, '-217.1235'],
    [0.99999999, '1'],
    [999_999.96, '1000000'],
    [1e-7, '0.0000001'],
    [1.5e-8, '1.5e-8'],
    [-2.5e20, '-250000000000000000000'],
    [1e21, '1e21'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
    [Number.NEGATIVE_INFINITY, 'null'],
  ])('%s is %s', (value, text) => {
    expect(String(toJson({ x: Float64Array.of(value) }))).toBe(`{"x":[${text}]}`);
  });

  test('carry 7 significant digits of every number', () => {
    fc.assert(
      fc.property(fc.float64Array({ noNaN: true, noDefaultInfinity: true }), (values) => {
        const { x } = parsed({ x: values }) as { x: number[] };
        expect(x).toHaveLength(values.length);
        for (const [index, value] of values.entries()) {
          const exact = Number(value.toPrecision(7));
          // Half a unit in the seventh digit may fall to either side.
          expect(Math.abs((x[index] ?? Number.NaN) - exact)).toBeLessThanOrEqual(Math.abs(exact) * 1.0001e-6);
          expect(
            String(x[index])
              .replace(/e.*|[-.]|^0+(?=.)/g, '')
              .replace(/^0+|0+$/g, '').length,
          ).toBeLessThanOrEqual(7);
        }
      }),
    );
  });

  test('are rounded to the nearest', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e12, noNaN: true }), (value) => {
        const { x } = parsed({ x: Float64Array.of(value) }) as { x: [number] };
        expect(Math.abs(x[0] - value)).toBeLessThanOrEqual(value * 5.000001e-7);
      }),
    );
  });

  test('hold single precision too', () => {
    expect(String(toJson({ x: Float32Array.of(0.1, 220.15) }))).toBe('{"x":[0.1,220.15]}');
  });
});

test('other numbers are written in full', () => {
  const value = { id: 1_709_188_215_123_456, list: [1 / 3], nested: { x: Float64Array.of(1 / 3) } };
  expect(parsed(value)).toEqual({ id: 1_709_188_215_123_456, list: [1 / 3], nested: { x: [0.3333333] } });
});

test('integers in typed lists are exact', () => {
  expect(parsed({ n: Int32Array.of(123_456_789), x: Float64Array.of() })).toEqual({
    n: [123_456_789],
    x: [],
  });
});

test('without columns it is plain JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(String(toJson(value))).toBe(JSON.stringify(value));
    }),
  );
});

test('beside columns everything is as in plain JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, name) => {
      const record = { [`_${name}`]: value, gone: undefined, date: new Date(0) };
      expect(parsed({ ...record, x: Float64Array.of(1) })).toEqual({
        ...(JSON.parse(JSON.stringify(record)) as object),
        x: [1],
      });
    }),
  );
});

test('columns in lists of records are found', () => {
  expect(parsed([{ a: 1 }, { a: Float64Array.of(0.5) }])).toEqual([{ a: 1 }, { a: [0.5] }]);
});

test('NaN outside columns is null', () => {
  expect(parsed({ a: Number.NaN, b: [Number.POSITIVE_INFINITY] })).toEqual({ a: null, b: [null] });
});

describe('in turns', () => {
  const many = 4 * VALUES_PER_TURN;
  const record = {
    ids: Array.from({ length: many }, (_, i) => (i % 7 === 0 ? null : `flight "${i}" → ü`)),
    numbers: Int32Array.from({ length: many }, (_, i) => i),
    x: Float64Array.from({ length: many }, (_, i) => (i % 5 === 0 ? Number.NaN : i / 7)),
    none: Float64Array.of(),
    flights: [{ y: Float32Array.of(0.5) }, { text: 'x'.repeat(200_000) }],
  };

  test('an answer is the same as at once', async () => {
    expect((await toJsonInTurns(record)).equals(Buffer.from(toJson(record)))).toBe(true);
    expect(String(await toJsonInTurns({ a: 1 }))).toBe('{"a":1}');
    const { x, ...others } = parsed(record) as { x: unknown[] };
    expect(JSON.stringify({ ...others, x: [] })).toBe(
      JSON.stringify({
        ids: record.ids,
        numbers: [...record.numbers],
        none: [],
        flights: [{ y: [0.5] }, record.flights[1]],
        x: [],
      }),
    );
    expect([x.length, x[5], x[6]]).toEqual([many, null, 0.8571429]);
  });

  test('other work has its turn between parts of columns and lists', async () => {
    let turns = 0;
    let isWritten = false;
    const count = () => {
      turns++;
      if (!isWritten) setImmediate(count);
    };
    setImmediate(count);
    await toJsonInTurns(record);
    isWritten = true;
    expect(turns).toBeGreaterThanOrEqual((3 * many) / VALUES_PER_TURN);
  });
});
