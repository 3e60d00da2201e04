import { expect, test } from 'vitest';
import { outdatedEntries } from '../../src/products/prune.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 10);
const KEEP = { runs: 2, days: 7 };

/** A product of a run, both in hours from now. */
const entry = (
  run: number,
  time: number,
  more: { levels?: string; kind?: string; created?: number } = {},
) => ({
  key: `${run}/${time}/${more.levels ?? '270-320'}/${more.created ?? 0}`,
  kind: more.kind ?? 'cocip.B738',
  time: NOW + time * HOUR,
  run: NOW + run * HOUR,
  levels: more.levels ?? '270-320',
  created: more.created ?? 0,
});

const pruned = (entries: readonly ReturnType<typeof entry>[]) => outdatedEntries(entries, KEEP, NOW);

test('the newest runs are kept whole', () => {
  expect(pruned([entry(-6, 3), entry(0, 3)])).toEqual([]);
});

test('of older runs the hours go that a newer run has, and the others stay', () => {
  expect(pruned([entry(-12, -8), entry(-12, 3), entry(-6, 3), entry(0, 3)])).toEqual(['-12/3/270-320/0']);
});

test('levels and aircraft that no newer run has stay', () => {
  const old = [entry(-12, 3, { levels: '330-380' }), entry(-12, 3, { kind: 'cocip.A320' })];
  expect(pruned([...old, entry(-6, 3), entry(0, 3)])).toEqual([]);
});

test('what was made again with other settings takes the place of the first', () => {
  expect(pruned([entry(0, 3, { created: 1 }), entry(0, 3, { created: 2 })])).toEqual(['0/3/270-320/1']);
});

test('products go when their time is long past, whatever their run', () => {
  const past = entry(-8 * 24, (-7 * DAY) / HOUR - 1);
  expect(pruned([past, entry(0, 3)])).toEqual([past.key]);
});
