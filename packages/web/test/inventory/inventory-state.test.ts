import { expect, test } from 'vitest';
import { formatState, parseState } from '../../src/inventory/inventory-state.ts';

test('a link restores the days, the filter, the tab, the order and the chosen flight', () => {
  const link = 'date=2024-02-29&to=2024-03-02&q=LX A320&tab=groups&by=route&sort=-distanceKm&flight=abc';
  const state = parseState(new URLSearchParams(link));
  expect(state).toEqual({
    date: '2024-02-29',
    to: '2024-03-02',
    text: 'LX A320',
    tab: 'groups',
    by: 'route',
    order: { column: 'distanceKm', isDescending: true },
    chosen: 'abc',
  });
  expect(parseState(formatState(state))).toEqual(state);
});

test('what is not valid in a link is left at what the view begins with', () => {
  const state = parseState(new URLSearchParams('date=2024-13-40&tab=nothing&by=moon&sort=-colour'));
  expect(state).toEqual(parseState(new URLSearchParams()));
  expect(formatState(state).toString()).toBe('');
});
