import { expect, test } from 'vitest';
import { judge, type LiveFigures } from './live-figures.ts';

const samplesOf = (residentMib: (minute: number) => number) =>
  Array.from({ length: 61 }, (_, minute) => ({ hour: minute / 60, residentMib: residentMib(minute) }));

const FLAT: LiveFigures = {
  aircraft: 10_000,
  clients: 200,
  // Settles in the first third.
  samples: samplesOf((minute) => (minute < 20 ? 600 + 10 * minute : 800)),
  delaysMs: [400, 900, 4000],
  used: 0.9,
  usedAlone: 0.7,
};

test('a soak with flat memory and quick reports has no problems', () => {
  expect(judge(FLAT).problems).toEqual([]);
});

test('reports that are kept may take memory, a leak may not', () => {
  const grown = (mebibytes: number) =>
    judge({ ...FLAT, samples: samplesOf((minute) => 800 + Math.max(0, minute - 20) * (mebibytes / 40)) });
  expect(grown(120).problems).toEqual([]);
  expect(grown(200).problems).toEqual(['memory grew by 200 MiB']);
});

test.each([
  [{ delaysMs: [] }, 'no report reached a client'],
  [{ delaysMs: [1000, 4000] }, 'reports took 2500 ms to a client'],
  [{ used: 1.2 }, 'clients took 50 % of a core'],
  [{ samples: [] }, 'the soak was too short to measure anything'],
])('%j is a problem', (change, problem) => {
  expect(judge({ ...FLAT, ...change }).problems).toEqual([problem]);
});
