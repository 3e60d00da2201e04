import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { datasetFindings } from '../../src/inspect/dataset-findings.ts';
import type { MetSource, QuarantinedFile } from '../../src/source.ts';
import { openNetcdf } from '../../src/sources/netcdf/source.ts';

/** `whole.nc` and mutations of it (test/fuzz/weather-files.ts) on which the HDF5 library never returns. */
const damaged = join(import.meta.dirname, '../reference/damaged');
const LOOPING = ['loop-268.nc', 'loop-615.nc'];
const ALSO_LOOPING = 'loop-325.nc';

const start = Date.parse('2024-04-01T00:00:00Z');
const window = {
  variables: ['air_temperature'],
  time: [start, start + HOUR_MS] as const,
  level: [200, 250] as const,
  latitude: [10, 30] as const,
  longitude: [10, 40] as const,
};

/** A looping reader works at full load for as long. */
const STALL_MS = 1000;

function open(files: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-stalled-'));
  for (const [name, from] of Object.entries(files)) copyFileSync(join(damaged, from), join(directory, name));
  const reported: QuarantinedFile[] = [];
  const source = openNetcdf({
    name: 'era5',
    directory,
    paths: ['*.nc'],
    provider: 'ECMWF',
    dataset: 'ERA5',
    product: 'reanalysis',
    threads: 2,
    stallMs: STALL_MS,
    onQuarantine: (file) => reported.push(file),
  });
  onTestFinished(async () => {
    await source.close();
    rmSync(directory, { recursive: true });
  });
  return { source, directory, reported };
}

async function temperature(source: MetSource): Promise<number | undefined> {
  return (await source.read(window)).slabs[0]?.[0];
}

async function expectLeftOut(source: MetSource, path: string, reported: readonly QuarantinedFile[]) {
  const description = await source.describe();
  const { quarantined } = description;
  expect(quarantined).toMatchObject([
    { path, reason: expect.stringMatching(/a\.nc made no progress for 1 s/) },
  ]);
  expect(reported).toEqual(quarantined);
  expect(datasetFindings(description)[0]).toMatchObject({
    state: 'warn',
    message: expect.stringMatching(/a\.nc is left out: .* no progress/),
    remedy: expect.stringMatching(/replace the file/),
  });
  return description;
}

test.each(LOOPING)(
  '%s does not hold up the files beside it, and is a finding of the source',
  async (looping) => {
    const { source, directory, reported } = open({ 'a.nc': looping, 'b.nc': 'whole.nc' });
    expect(await temperature(source)).toBeCloseTo(220, -1);
    await expectLeftOut(source, join(directory, 'a.nc'), reported);
  },
);

test('a source of nothing but a looping file is refused with the reason', async () => {
  const { source } = open({ 'a.nc': ALSO_LOOPING });
  const refusal = {
    kind: 'unreadable',
    message: expect.stringMatching(/a\.nc made no progress.*fetch it again/),
  };
  await expect(source.describe()).rejects.toMatchObject(refusal);
  await expect(source.read(window)).rejects.toMatchObject(refusal);
});

test('a replaced file is read again, and the generation of the source changes', async () => {
  const { source, directory, reported } = open({ 'a.nc': ALSO_LOOPING, 'b.nc': 'whole.nc' });
  const before = await expectLeftOut(source, join(directory, 'a.nc'), reported);
  rmSync(join(directory, 'b.nc'));
  copyFileSync(join(damaged, 'whole.nc'), join(directory, 'a.nc'));
  const after = await source.describe();
  expect(after.quarantined).toEqual([]);
  expect(after.generation).not.toBe(before.generation);
  expect(await temperature(source)).toBeCloseTo(220, -1);
  expect(reported).toHaveLength(1);
});

test('a file that stalls while its values are read is left out of the next description, and the read is refused', async () => {
  const { source, directory, reported } = open({ 'a.nc': 'whole.nc', 'b.nc': 'whole.nc' });
  const path = join(directory, 'a.nc');
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  await source.describe();
  // Ends the thread that has the file open, so the next one opens what the header no longer describes.
  const controller = new AbortController();
  const given = source.read(window, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 1);
  await given.catch(() => undefined);
  writeFileSync(path, readFileSync(join(damaged, ALSO_LOOPING)));
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const description = await source.describe();
  await expect(source.read(window, { description })).rejects.toMatchObject({ kind: 'changed' });
  await expect(source.read(window, { description })).rejects.toMatchObject({ kind: 'changed' });
  const without = await source.describe();
  expect((await source.read(window, { description: without })).slabs[0]?.[0]).toBeCloseTo(220, -1);
  expect(reported.map((file) => file.path)).toEqual([path]);
});
