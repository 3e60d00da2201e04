import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoopBody } from '../../src/vector/expression.ts';
import { compileKernels } from '../../src/vector/wasm/kernels.ts';
import { reserveNumbers, scoped, takeNumbers } from '../../src/vector/wasm/memory.ts';

const COLUMNS = ['x', 'y', 'out', 'other'] as const;
type Column = (typeof COLUMNS)[number];
const STRIDE = 64;

type Rows = Readonly<Record<Column, Float64Array>>;

/** Runs a loop over columns that hold `rows` and returns all of them, those behind the last row too. */
function run(body: LoopBody<Column>, rows: Partial<Record<Column, readonly number[]>>, count: number): Rows {
  const { kernel } = compileKernels(COLUMNS, { kernel: body });
  return scoped(() => {
    const block = takeNumbers(COLUMNS.length * STRIDE).fill(-1);
    COLUMNS.forEach((name, k) => {
      block.set(rows[name] ?? [], k * STRIDE);
    });
    kernel(block.byteOffset, 8 * STRIDE, count);
    return Object.fromEntries(
      COLUMNS.map((name, k) => [name, block.slice(k * STRIDE, (k + 1) * STRIDE)]),
    ) as unknown as Rows;
  });
}

/** A function of one number, row by row. */
function evaluate(body: LoopBody<Column>, xs: readonly number[]): number[] {
  return [...run(body, { x: xs }, xs.length).out.subarray(0, xs.length)];
}

const FUNCTIONS: readonly {
  readonly name: string;
  readonly body: LoopBody<Column>;
  readonly expected: (x: number) => number;
  readonly numbers: fc.Arbitrary<number>;
  readonly relative: number;
  readonly absolute: number;
}[] = [
  {
    name: 'exp',
    body: (loop, m) => loop.store('out', m.exp(loop.load('x'))),
    expected: Math.exp,
    numbers: fc.double({ min: -690, max: 690, noNaN: true }),
    relative: 2e-13,
    absolute: 0,
  },
  {
    name: 'log',
    body: (loop, m) => loop.store('out', m.log(loop.load('x'))),
    expected: Math.log,
    numbers: fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
    relative: 1e-15,
    absolute: 1e-15,
  },
  {
    name: 'sine',
    body: (loop, m) => loop.store('out', m.sineAndCosine(loop.load('x')).sine),
    expected: Math.sin,
    numbers: fc.double({ min: -1000, max: 1000, noNaN: true }),
    relative: 1e-15,
    absolute: 1e-15,
  },
  {
    name: 'cosine',
    body: (loop, m) => loop.store('out', m.sineAndCosine(loop.load('x')).cosine),
    expected: Math.cos,
    numbers: fc.double({ min: -1000, max: 1000, noNaN: true }),
    relative: 1e-15,
    absolute: 1e-15,
  },
  {
    name: 'polynomial',
    body: (loop, m) => loop.store('out', m.polynomial(loop.load('x'), [1, -2, 3, 0.5, 7])),
    expected: (x) => 1 + x * (-2 + x * (3 + x * (0.5 + x * 7))),
    numbers: fc.double({ min: 0, max: 10, noNaN: true }),
    relative: 1e-14,
    absolute: 1e-14,
  },
];

for (const { name, body, expected, numbers, relative, absolute } of FUNCTIONS) {
  test(`${name} is that of the language`, () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 40 }), (xs) => {
        evaluate(body, xs).forEach((y, i) => {
          const value = expected(xs[i] as number);
          expect(Math.abs(y - value), `at ${xs[i]}`).toBeLessThanOrEqual(
            relative * Math.abs(value) + absolute,
          );
        });
      }),
    );
  });

  test(`${name} of NaN is NaN`, () => {
    expect(evaluate(body, [1, Number.NaN, 1])[1]).toBeNaN();
  });

  test(`${name} of a row does not depend on where the row stands`, () => {
    fc.assert(
      fc.property(numbers, fc.array(numbers, { minLength: 1, maxLength: 9 }), (x, others) => {
        const alone = evaluate(body, [x])[0];
        expect(evaluate(body, [...others, x]).at(-1)).toBe(alone);
        expect(evaluate(body, [x, ...others])[0]).toBe(alone);
      }),
    );
  });
}

test('exp far below what numbers can hold is next to nothing, log of infinity is not a number', () => {
  expect(evaluate((loop, m) => loop.store('out', m.exp(loop.load('x'))), [-1e9])[0]).toBeLessThan(1e-300);
  expect(
    evaluate((loop, m) => loop.store('out', m.log(loop.load('x'))), [Number.POSITIVE_INFINITY])[0],
  ).toBeNaN();
});

test('masks choose row by row, and NaN fails every comparison', () => {
  const body: LoopBody<Column> = (loop, m) => {
    const [x, y] = [loop.load('x'), loop.load('y')];
    loop.store('out', m.select(m.isLess(x, y), 1, m.select(m.isEqual(x, y), 0, -1)));
  };
  const { out } = run(body, { x: [1, 2, 3, Number.NaN], y: [2, 2, 2, 2] }, 4);
  expect([...out.subarray(0, 4)]).toEqual([1, 0, -1, -1]);
});

test('bounds let NaN pass', () => {
  const xs = [-5, 0.5, 5, Number.NaN];
  expect(evaluate((loop, m) => loop.store('out', m.atLeast(loop.load('x'), 0)), xs)).toEqual([
    0,
    0.5,
    5,
    Number.NaN,
  ]);
  expect(evaluate((loop, m) => loop.store('out', m.atMost(loop.load('x'), 1)), xs)).toEqual([
    -5,
    0.5,
    1,
    Number.NaN,
  ]);
  expect(evaluate((loop, m) => loop.store('out', m.zeroForNaN(loop.load('x'))), xs)).toEqual([-5, 0.5, 5, 0]);
});

test('a row may look at the next one', () => {
  const { out } = run(
    (loop, m) => loop.store('out', m.sub(loop.load('x', 1), loop.load('x'))),
    {
      x: [1, 4, 9, 16, 25, 36],
    },
    5,
  );
  expect([...out.subarray(0, 5)]).toEqual([3, 5, 7, 9, 11]);
});

test('a column that was read keeps its numbers for the formula though it is written in between', () => {
  const body: LoopBody<Column> = (loop, m) => {
    const x = loop.load('x');
    loop.store('x', m.mul(x, 10));
    loop.store('out', m.add(x, 1));
  };
  const { x, out } = run(body, { x: [1, 2, 3] }, 3);
  expect([...x.subarray(0, 3)]).toEqual([10, 20, 30]);
  expect([...out.subarray(0, 3)]).toEqual([2, 3, 4]);
});

test('a block runs where one of the rows wants it, and what it computes is unknown after it', () => {
  const body: LoopBody<Column> = (loop, m) => {
    const x = loop.load('x');
    const sum = loop.variable(0);
    const root = m.sqrt(x);
    loop.whereAny(m.isLess(10, x), () => loop.assign(sum, m.add(loop.read(sum), root)));
    loop.store('out', m.add(loop.read(sum), m.mul(100, root)));
  };
  // The first four rows are one turn of the loop: the block runs for all of them because of the fourth.
  expect(evaluate(body, [1, 4, 9, 16, 1, 4, 9, 9])).toEqual([101, 202, 303, 404, 100, 200, 300, 300]);
});

test('rows read the records that they choose', () => {
  const table = reserveNumbers([10, 11, 20, 21, 30, 31]);
  const body: LoopBody<Column> = (loop, m) => {
    const x = loop.load('x');
    const record = loop.chooseRecords(m.countOf([m.isLess(1, x), m.isLess(2, x)]), table, {
      first: 0,
      length: 2,
    });
    loop.store('out', loop.field(record, 0));
    loop.store('other', loop.field(record, 1));
  };
  const { out, other } = run(body, { x: [1, 2, 3, 2, 3] }, 5);
  expect([...out.subarray(0, 5)]).toEqual([10, 20, 30, 20, 30]);
  expect([...other.subarray(0, 5)]).toEqual([11, 21, 31, 21, 31]);
});

test('rows choose records by the nearest whole number', () => {
  const table = reserveNumbers([10, 20, 30, 40]);
  const body: LoopBody<Column> = (loop, m) => {
    const record = loop.chooseRecords(m.nearestInteger(loop.load('x')), table, { first: 0, length: 1 });
    loop.store('out', loop.field(record, 0));
  };
  expect(evaluate(body, [-0.5, 0.49, 0.51, 1.4, 1.6, 3, 3.4])).toEqual([10, 10, 20, 20, 30, 40, 40]);
});

test('a kernel refuses a table outside its memory', () => {
  const table = { numbers: Float64Array.of(1, 2) };
  const body: LoopBody<Column> = (loop) => loop.store('out', loop.parameter(table, 1));
  expect(() => evaluate(body, [0])).toThrow('not in its memory');
});

test.each([0, 1, 2, 3, 4, 5, 8])(
  'of %i rows, only rows of the last turn behind them are written over',
  (count) => {
    const { out } = run((loop) => loop.store('out', loop.load('x')), { x: Array(STRIDE).fill(5) }, count);
    const turns = 4 * Math.ceil(count / 4);
    expect([...out.subarray(0, count)].every((value) => value === 5)).toBe(true);
    expect([...out.subarray(turns)].every((value) => value === -1)).toBe(true);
  },
);
