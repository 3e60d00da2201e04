import { expect, test } from 'vitest';
import { columnsOf, reusingColumns } from '../../src/numerics/reused-columns.ts';

/** So many columns of one length, each filled with its number. */
function filledColumns(length: number, count: number): Float64Array[] {
  const column = columnsOf(length, count);
  return Array.from({ length: count }, (_, k) => column().fill(k));
}

test('columns do not overlap, whatever is taken besides', () => {
  const looks = reusingColumns(() => {
    const columns = [3, 1000, 2 ** 21, 0, 2 ** 16, 7].flatMap((length) => filledColumns(length, 3));
    return columns.map((column, k) => column.every((value) => value === k % 3));
  });
  expect(looks).toEqual(Array(18).fill(true));
});

test('work that reuses columns writes over those of the work before it, and over no others', () => {
  const own = filledColumns(10, 2);
  const before = reusingColumns(() => filledColumns(10, 2));
  const after = reusingColumns(() => {
    // Inside other work nothing is given back before that has ended.
    const inner = reusingColumns(() => filledColumns(10, 1));
    return [...inner, ...filledColumns(10, 1)];
  });
  expect(after[1]?.buffer).toBe(before[1]?.buffer);
  expect(after[1]?.byteOffset).toBe(before[1]?.byteOffset);
  expect(before[1]?.every((value) => value === 0)).toBe(true);
  expect(own.map(([value]) => value)).toEqual([0, 1]);
});

test('work that fails gives its columns back', () => {
  const [first] = reusingColumns(() => filledColumns(5, 1));
  const fail = () =>
    reusingColumns(() => {
      filledColumns(5, 1);
      throw new RangeError('no');
    });
  expect(fail).toThrow('no');
  const [again] = reusingColumns(() => filledColumns(5, 1));
  expect(again?.byteOffset).toBe(first?.byteOffset);
});

test('more columns than were announced are refused', () => {
  const column = columnsOf(4, 1);
  column();
  expect(column).toThrow('more than 1 columns are asked for');
});
