import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { outdatedEntries } from '../../src/products/prune.ts';

const NOW = Date.UTC(2026, 0, 10);
const KEEP = { runs: 2, days: 7 };

/** A product of a run, both in hours from now. */
const entry = (
  run: number,
  time: number,
  more: { levels?: string; kind?: string; edition?: string; created?: number } = {},
) => ({
  key: `${run}/${time}/${more.levels ?? '270-320'}/${more.created ?? 0}`,
  kind: more.kind ?? 'cocip.B738',
  time: NOW + time * HOUR_MS,
  run: NOW + run * HOUR_MS,
  levels: more.levels ?? '270-320',
  edition: more.edition ?? 'one',
  created: more.created ?? 0,
});

const pruned = (entries: Parameters<typeof outdatedEntries>[0]) => outdatedEntries(entries, KEEP, NOW);

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
  const [first, second] = [entry(0, 3, { created: 1 }), entry(0, 3, { created: 2, edition: 'two' })];
  expect(pruned([first, second])).toEqual(['0/3/270-320/1']);
});

test('an edition goes only when another one has all its levels', () => {
  const whole = [entry(0, 3, { created: 1 }), entry(0, 3, { created: 1, levels: '330-380' })];
  const begun = entry(0, 3, { created: 2, edition: 'two' });
  expect(pruned([...whole, begun])).toEqual([]);
  const ended = entry(0, 3, { created: 3, edition: 'two', levels: '330-380' });
  expect(pruned([...whole, begun, ended])).toEqual(whole.map(({ key }) => key));
});

test('the reanalysis stays whatever its age', () => {
  const archive = { ...entry(0, -400 * 24), run: null };
  expect(pruned([archive, entry(0, 3)])).toEqual([]);
});

test('products go when their time is long past, whatever their run', () => {
  const past = entry(-8 * 24, (-7 * DAY_MS) / HOUR_MS - 1);
  expect(pruned([past, entry(0, 3)])).toEqual([past.key]);
});
