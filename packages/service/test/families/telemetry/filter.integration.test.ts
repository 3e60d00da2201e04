import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { buffer } from 'node:stream/consumers';
import type { File } from '@contrails/platform/http/files';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { createFilteredFiles, type Filter } from '../../../src/families/telemetry/routes/filter.ts';
import { readManifest } from '../../../src/telemetry-store/manifest.ts';
import { APPLY, defaultRules, openInstallation } from './support/installation.ts';
import { HOUR, headerOf, readerOf } from './support/reports.ts';

const NO_FILTER: Filter = {
  bbox: undefined,
  airlines: undefined,
  addresses: undefined,
  flightIds: undefined,
  columns: undefined,
};

async function bytesOf(file: File): Promise<Buffer> {
  const opened = await file.open(undefined);
  return Buffer.isBuffer(opened) ? opened : buffer(opened);
}

/** Removals of cut files wait for `go`, as on a slow disk. */
function delayRemovals() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const removals = { waiting: 0, done: 0, go: resolve };
  const { rm } = fs;
  const replace = (by: typeof rm) => {
    fs.rm = by;
    syncBuiltinESMExports();
  };
  replace(async (path, options) => {
    if (!/contrails-cut-.*[\\/][0-9a-f-]{36}$/.test(String(path))) return rm(path, options);
    removals.waiting += 1;
    await promise;
    await rm(path, options);
    removals.done += 1;
  });
  onTestFinished(() => replace(rm));
  return removals;
}

test('a file that is cut again can be read while the removal of the former one is under way', async () => {
  const removals = delayRemovals();
  const installation = await openInstallation();
  const files = createFilteredFiles(installation.store);
  try {
    const reports = [{ timeMs: HOUR, address: '4B1800' }];
    await applyBatch(installation, headerOf(reports), readerOf(reports), APPLY);
    await publishHour(installation, defaultRules(), HOUR, HOUR + 7_200_000);
    const manifest = (await readManifest(installation.store, HOUR))?.manifest;
    if (manifest === undefined) throw new Error('not published');
    const open = (airline: string) => files.open(manifest, { ...NO_FILTER, airlines: [airline] });
    for (const airline of ['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8']) await open(airline);
    await until('the oldest file is being removed', async () => removals.waiting > 0);
    const again = await open('A0');
    removals.go();
    await until('it is removed', async () => removals.done > 0);
    expect((await bytesOf(again)).subarray(0, 4).toString()).toBe('PAR1');
    expect(await bytesOf(await open('A0'))).toHaveLength(again.size);
  } finally {
    await files.close();
    await installation.close();
  }
});
