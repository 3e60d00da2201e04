import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { windowOfAxis } from '../support/moving-windows.ts';

interface Row {
  readonly domain: readonly number[];
  readonly request_min: number;
  readonly request_max: number;
  readonly buffer_low: number;
  readonly buffer_high: number;
  readonly start: number;
  readonly stop: number;
}

const file = new URL('../../../physics/test/reference/cocip/units/window-slices.json', import.meta.url);
const { rows }: { readonly rows: readonly Row[] } = JSON.parse(readFileSync(file, 'utf8'));

test('windows move as in the reference', () => {
  const windows = rows.map((row) => {
    const margins = [row.buffer_low, row.buffer_high] as const;
    const [first, length] = windowOfAxis(row.domain, row.request_min, row.request_max, margins);
    return [first, first + length];
  });
  expect(windows).toEqual(rows.map(({ start, stop }) => [start, stop]));
});
