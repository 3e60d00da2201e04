import { expect, test } from 'vitest';
import { callsignOf, formatLiveState, INITIAL_LIVE, parseLiveState } from '../../src/live/live-state.ts';

test('a link restores what the view showed', () => {
  const state = {
    coloring: 'energy',
    contrails: 'warming',
    minLevel: 300,
    callsign: 'DLH4',
    isLasting: true,
    hasNight: false,
    flight: '2026-01-15-3C4B26-1',
    timeMs: Date.parse('2026-01-15T11:35Z'),
  } as const;
  const link = formatLiveState(state, { longitude: 8.5, latitude: 50, zoom: 5 });
  expect(parseLiveState(new URLSearchParams(link.toString()))).toEqual(state);
  expect(link.get('at')).toBe('50.00,8.50,5.0');
});

test('the link of the first view names the part of the world only', () => {
  const link = formatLiveState(INITIAL_LIVE, { longitude: 0, latitude: 35, zoom: 2 });
  expect([...link.keys()]).toEqual(['at']);
});

test('what is not valid in a link is left as it is at first', () => {
  const link = 'color=red&contrails=some&fl=50&time=yesterday&flight=';
  expect(parseLiveState(new URLSearchParams(link))).toEqual(INITIAL_LIVE);
});

test('a callsign is spelled as feeds spell it', () => {
  expect(callsignOf(' dlh-4y ')).toBe('DLH4Y');
});
