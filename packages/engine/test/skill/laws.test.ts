import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bufferFlags, MAX_BUFFER_CELLS, type PlaneShape } from '../../src/grid/buffer.ts';
import { drawDays, ratioInterval } from '../../src/skill/bootstrap.ts';
import { ForecastScore, SCORED_GRID, type ScoreOptions, type Shard } from '../../src/skill/score.ts';

const planes = fc
  .record({
    columns: fc.integer({ min: 3, max: 14 }),
    rows: fc.integer({ min: 2, max: 9 }),
    isCyclic: fc.boolean(),
  })
  .chain((shape) =>
    fc.record({
      shape: fc.constant<PlaneShape>(shape),
      values: fc
        .array(fc.constantFrom(0, 0, 0, 0, 0, 0, 1, Number.NaN), {
          minLength: shape.columns * shape.rows,
          maxLength: shape.columns * shape.rows,
        })
        .map((cells) => Float32Array.from(cells)),
    }),
  );

/** The definition: a 1 within |Δi| + |Δj| ≤ b, the short way round. */
function byDefinition(
  values: Float32Array,
  { columns, rows, isCyclic }: PlaneShape,
  b: number,
): Float32Array {
  return values.map((own, at) => {
    const [i, j] = [Math.floor(at / rows), at % rows];
    const isNear = values.some((value, other) => {
      if (value !== 1) return false;
      const across = Math.abs(Math.floor(other / rows) - i);
      const steps = (isCyclic ? Math.min(across, columns - across) : across) + Math.abs((other % rows) - j);
      return steps <= b;
    });
    return isNear ? 1 : own;
  });
}

test('a buffer is the diamond around the cells of a region, round the globe and not over the poles', () => {
  fc.assert(
    fc.property(planes, fc.integer({ min: 0, max: 6 }), ({ shape, values }, b) => {
      expect(bufferFlags(values, shape, b)).toEqual(byDefinition(values, shape, b));
    }),
  );
});

test('a buffer of a and then of b cells is one of a + b cells, and 0 changes nothing', () => {
  fc.assert(
    fc.property(planes, fc.nat(4), fc.nat(4), ({ shape, values }, a, b) => {
      expect(bufferFlags(bufferFlags(values, shape, a), shape, b)).toEqual(bufferFlags(values, shape, a + b));
      expect(bufferFlags(values, shape, 0)).toBe(values);
    }),
  );
});

const OPTIONS: ScoreOptions = {
  settings: [0, 1, 2, 5, MAX_BUFFER_CELLS].map((buffer) => ({ buffer, threshold: undefined })),
  regions: { global: [-180, 180, -90, 90] },
  seasons: ['annual'],
  resamples: 50,
  seed: 0,
};

/** A made-up shard; `shift` moves field and observations by columns. */
function shardOf(seed: number, shift = 0): Shard {
  const { columns, rows } = SCORED_GRID;
  const random = (i: number) => Math.abs(Math.sin(12.9898 * i + 78.233 * seed) * 43758.5453) % 1;
  const moved = (column: number) => (column + shift) % columns;
  const region = new Uint8Array(columns * rows);
  const cells = Int32Array.from(
    { length: 300 },
    (_, i) => moved(Math.floor(random(i) * 200)) * rows + 300 + (i % 40),
  );
  for (let i = 0; i < 200; i++)
    region[moved(Math.floor(random(1000 + i) * 200)) * rows + 300 + Math.floor(40 * random(2000 + i))] = 1;
  const weights = Float64Array.from(cells, (_, i) => 1 + 9 * random(3000 + i));
  return {
    timeMs: Date.UTC(2024, 0, 1 + seed),
    regionAbove: () => region,
    observed: new Map([
      ['adsb', { cells, weights }],
      ['iagos', { cells: cells.slice(0, 50), weights: weights.slice(0, 50) }],
    ]),
  };
}

function rowsOf(shards: readonly Shard[]) {
  const score = new ForecastScore(OPTIONS);
  for (const shard of shards) score.add(shard);
  return [...score.rows()];
}

test('hit rate and penalty never fall with the buffer', () => {
  const rows = rowsOf([1, 2, 3].map((seed) => shardOf(seed)));
  rows.slice(1).forEach(({ figures }, i) => {
    for (const source of ['adsb', 'iagos'] as const)
      expect(figures[source].value).toBeGreaterThanOrEqual(rows[i]?.figures[source].value as number);
  });
});

test('moving field and observations around the globe changes nothing', () => {
  const seeds = [1, 2, 3];
  expect(rowsOf(seeds.map((seed) => shardOf(seed, 1300)))).toEqual(
    rowsOf(seeds.map((seed) => shardOf(seed))),
  );
});

test('a forecast that is 1 everywhere has hit rate and penalty 1', () => {
  const everywhere = new Uint8Array(SCORED_GRID.columns * SCORED_GRID.rows).fill(1);
  const [row] = rowsOf([{ ...shardOf(1), regionAbove: () => everywhere }]);
  expect(row?.figures.adsb.value).toBe(1);
  expect(row?.figures.iagos.value).toBe(1);
  expect(row?.figures.gruan.value).toBeNull();
});

test('missing cells are left out of both sums and counted', () => {
  const missing = new Uint8Array(SCORED_GRID.columns * SCORED_GRID.rows).fill(2);
  const [row] = rowsOf([{ ...shardOf(1), regionAbove: () => missing }]);
  expect(row?.figures.adsb.value).toBeNull();
  expect(row?.unknownCells).toBe(300);
});

test('an interval contains the ratio, and fewer than two days have none', () => {
  const days = Array.from({ length: 30 }, (_, day) => ({ part: 1 + (day % 7), whole: 10 + (day % 3) }));
  const ratio =
    days.reduce((sum, { part }) => sum + part, 0) / days.reduce((sum, { whole }) => sum + whole, 0);
  const [low, high] = ratioInterval(days, drawDays(30, 1000, 0)) as readonly [number, number];
  expect(low).toBeLessThan(ratio);
  expect(high).toBeGreaterThan(ratio);
  expect(ratioInterval(days.slice(0, 1), drawDays(1, 100, 0))).toBeUndefined();
});
