import { expect, test } from 'vitest';
import { type CellTest, labelImage, thresholdTest } from '../../src/polygons/mask.ts';

/** Cells of one longitude as text. */
function select(values: readonly number[], cellTest: CellTest): string {
  const { labels } = labelImage(Float64Array.from(values), 1, values.length, cellTest);
  return Array.from(labels.subarray(values.length + 3, 2 * values.length + 3), (label) =>
    label === 1 ? '#' : '.',
  ).join('');
}

test('"at least" takes the value itself', () => {
  expect(select([0.4, 0.5, 0.6], { cells: 'at-least', value: 0.5 })).toBe('.##');
});

test('"above" leaves the value itself out, whatever its sign', () => {
  expect(select([-1, -0, 0, Number.MIN_VALUE], { cells: 'above', value: 0 })).toBe('...#');
  expect(select([-2, -1, -1 + Number.EPSILON], { cells: 'above', value: -1 })).toBe('..#');
});

test('"at most" takes the value itself and what is below', () => {
  expect(select([-1, -0.5, -0.4, 1], { cells: 'at-most', value: -0.5 })).toBe('##..');
});

test('missing cells are outside', () => {
  expect(select([Number.NaN, 1], { cells: 'at-least', value: 0.5 })).toBe('.#');
  expect(select([Number.NaN, -1], { cells: 'at-most', value: 0.5 })).toBe('.#');
});

test('missing cells count as the fill value when there is one', () => {
  expect(select([Number.NaN, -1], { cells: 'at-least', value: -0.2, fillValue: 0 })).toBe('#.');
  expect(select([Number.NaN, 1], { cells: 'at-least', value: 0.2, fillValue: 0 })).toBe('.#');
  expect(select([Number.NaN, 1], { cells: 'above', value: 0, fillValue: 0 })).toBe('.#');
});

test('infinite values are values', () => {
  expect(select([-Infinity, Infinity], { cells: 'at-least', value: 1 })).toBe('.#');
});

test('a single-precision plane is compared with the full threshold', () => {
  const { labels } = labelImage(Float32Array.of(0.1), 1, 1, { cells: 'at-least', value: 0.1 });
  expect(labels[4]).toBe(1);
});

test('the last latitude of one longitude does not run into the first of the next', () => {
  const { runs } = labelImage(Float64Array.of(0, 1, 1, 0), 2, 2, { cells: 'at-least', value: 1 });
  expect(Array.from(runs)).toEqual([6, 6, 9, 9]);
});

test('thresholds of energy forcing select warming from a positive and cooling from a negative one on', () => {
  const forcing = [-2e8, -1e8, 0, 1, 1e8, 2e8];
  expect(select(forcing, thresholdTest(1e8))).toBe('....##');
  expect(select(forcing, thresholdTest(-1e8))).toBe('##....');
  expect(select(forcing, thresholdTest(0))).toBe('...###');
});
