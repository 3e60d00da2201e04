import { copyFileSync, mkdtempSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generationOfTimes } from '../../src/catalogue/generation.ts';
import type { MetSource } from '../../src/source.ts';
import { openNetcdf } from '../../src/sources/netcdf/source.ts';

const whole = join(import.meta.dirname, '../reference/damaged/whole.nc');

const start = Date.parse('2024-04-01T00:00:00Z');
const window = {
  variables: ['air_temperature'],
  time: [start, start + 3_600_000] as const,
  level: [200, 250] as const,
  latitude: [10, 30] as const,
  longitude: [10, 40] as const,
};

function open(): { source: MetSource; path: (name: string) => string } {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-state-'));
  const path = (name: string) => join(directory, name);
  copyFileSync(whole, path('a.nc'));
  const source = openNetcdf({
    ...{ name: 'era5', directory, paths: ['*.nc'], threads: 1 },
    ...{ provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' },
  });
  onTestFinished(async () => {
    await source.close();
    rmSync(directory, { recursive: true });
  });
  return { source, path };
}

async function generation(source: MetSource): Promise<string> {
  const description = await source.describe();
  const [run] = description.runs;
  if (run === undefined) throw new Error('there is no run');
  return generationOfTimes(description, run, window.time);
}

test('what was described is read although more has arrived since', async () => {
  const { source, path } = open();
  const description = await source.describe();
  copyFileSync(whole, path('b.nc'));
  expect((await source.describe()).generation).not.toBe(description.generation);
  const field = await source.read(window, { description });
  expect(field.slabs[0]?.[0]).toBeCloseTo(220, -1);
});

test.each([
  ['replaced', (from: string, to: string) => renameSync(from, to)],
  ['removed', (_: string, to: string) => rmSync(to)],
])('what was described is refused when a file of it was %s', async (_, change) => {
  const { source, path } = open();
  const description = await source.describe();
  copyFileSync(whole, path('new'));
  change(path('new'), path('a.nc'));
  await expect(source.read(window, { description })).rejects.toMatchObject({
    kind: 'changed',
    message: expect.stringMatching(/^era5: .*a\.nc was replaced while it was read; try again$/),
  });
});

test('the description of another source is refused', async () => {
  const [one, other] = [open(), open()];
  const description = await other.source.describe();
  await expect(one.source.read(window, { description })).rejects.toMatchObject({ kind: 'changed' });
});

test('copies of the same files with other times are the same weather, other bytes are not', async () => {
  const [one, other] = [open(), open()];
  utimesSync(other.path('a.nc'), 1_700_000_000, 1_700_000_000);
  expect(await generation(other.source)).toBe(await generation(one.source));
  copyFileSync(whole, other.path('b.nc'));
  expect(await generation(other.source)).not.toBe(await generation(one.source));
});
