import { HOUR_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { generationOfTimes } from '../../src/catalogue/generation.ts';
import type { MetRun, RunFile, SourceDescription } from '../../src/source.ts';

const hours = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, k) => (first + k) * HOUR_MS);

const DESCRIPTION: SourceDescription = {
  name: 'ifs',
  kind: 'grib',
  provider: 'ECMWF',
  dataset: 'IFS',
  product: 'forecast',
  type: 'forecast',
  generation: 'all of the source',
  variables: [],
  levels: [200, 250, 300],
  latitude: [-90, 90],
  longitude: [-180, 0],
  runs: [],
  incomplete: [],
  radiation: { kind: 'past-hours', hours: 1, unit: 'J m-2' },
  levelType: 'pressure',
};

const file = (first: number, onLevels: boolean, generation = `${first}/${onLevels}`): RunFile => ({
  generation,
  onLevels,
  times: [first * HOUR_MS, first * HOUR_MS],
});
/** A file for each hour and kind. */
const runOf = (last: number, more: readonly RunFile[] = []): MetRun => ({
  referenceTime: 0,
  times: hours(0, last),
  files: [...hours(0, last).flatMap((_, hour) => [file(hour, true), file(hour, false)]), ...more],
});
const generation = (run: MetRun, change: Partial<SourceDescription> = {}) =>
  generationOfTimes({ ...DESCRIPTION, ...change }, run, hours(1, 13));

test('hours that arrive later, or another run, leave the weather of the first hours what it is', () => {
  expect(generation(runOf(40), { generation: 'grown' })).toBe(generation(runOf(14)));
});

test('a file that changes within the hours changes it', () => {
  const changed = runOf(14);
  const files = changed.files?.map((one) =>
    one.times[0] === 5 * HOUR_MS && one.onLevels ? { ...one, generation: 'written again' } : one,
  );
  expect(generation({ ...changed, ...(files && { files }) })).not.toBe(generation(runOf(14)));
});

test('radiation that is summed up beyond the last hour counts, levels beyond it do not', () => {
  const base = generation(runOf(14));
  const again = (onLevels: boolean) => {
    const run = runOf(14);
    const files = run.files?.map((one) =>
      one.times[0] === 14 * HOUR_MS && one.onLevels === onLevels ? { ...one, generation: 'again' } : one,
    );
    return generation({ ...run, ...(files && { files }) });
  };
  expect(again(true)).toBe(base);
  expect(again(false)).not.toBe(base);
});

test.each([
  ['source', { name: 'gfs' }],
  ['provider', { provider: 'NOAA' }],
  ['radiation', { radiation: { kind: 'instantaneous', unit: 'W m-2' } as const }],
  ['levels', { levels: [200, 300] }],
])('another %s is other weather', (_, change) => {
  expect(generation(runOf(14), change)).not.toBe(generation(runOf(14)));
});

test('a source without files is one generation', () => {
  const run: MetRun = { referenceTime: 0, times: hours(0, 14) };
  expect(generation(run, { generation: 'other formulas' })).not.toBe(generation(run));
});
