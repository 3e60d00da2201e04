import { expect, test } from 'vitest';
import { hourLengths } from '../../src/observations/hour-lengths.ts';
import { formatState, parseState } from '../../src/observations/observations-state.ts';

test('a link restores the day, the image and the flights that are looked up', () => {
  const state = parseState(
    new URLSearchParams('date=2024-03-07&time=14:50&flights=SWR1~2024-03-07,LX~1~2024-03-07~ZRH&flight=SWR1'),
  );
  expect(state).toEqual({
    date: '2024-03-07',
    clock: '14:50',
    flights: ['SWR1~2024-03-07', 'LX~1~2024-03-07~ZRH'],
    chosen: 'SWR1',
  });
  expect(parseState(formatState(state))).toEqual(state);
  expect(parseState(new URLSearchParams('date=yesterday&time=25:00'))).toEqual({
    date: undefined,
    clock: undefined,
    flights: [],
    chosen: undefined,
  });
});

test('lengths of regions are added up for each hour', () => {
  const region = (hour: string, observed: number, modelled: number) => ({
    hour: `2024-03-07T${hour}:00:00Z`,
    bbox: [0, 0, 10, 10],
    frames: 6,
    observed_length_m: observed,
    modelled_length_m: modelled,
  });
  const regions = [region('14', 1000, 2000), region('03', 500, 0), region('14', 3000, 0)];
  expect(hourLengths({ regions })).toEqual([
    { hour: 3, observedKm: 0.5, modelledKm: 0 },
    { hour: 14, observedKm: 4, modelledKm: 2 },
  ]);
});
