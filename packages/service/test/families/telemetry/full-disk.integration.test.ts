import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '@contrails/platform/store';
import { UnavailableError } from '@contrails/runtime/errors';
import { afterAll, expect, test } from 'vitest';
import { fillDisk, mountSmallDisk, NO_SMALL_DISK, unmount } from '../../../../../test/support/small-disk.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { appliedBatch, applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { importFile } from '../../../src/families/telemetry/ingest/import.ts';
import { openDatabase } from '../../../src/migrations.ts';
import { readManifest } from '../../../src/telemetry-store/manifest.ts';
import { APPLY, defaultRules, readHour } from './support/installation.ts';
import { HOUR, headerOf, readerOf } from './support/reports.ts';

const RULES = defaultRules();
const disk = await mountSmallDisk(16 * 2 ** 20);
afterAll(() => disk && unmount(disk));
const missing = disk === undefined ? ` ${NO_SMALL_DISK}` : '';
const reportsOf = (address: string) =>
  Array.from({ length: 100 }, (_, k) => ({ timeMs: HOUR + k * 30_000, address }));

test.skipIf(disk === undefined)(
  `a store whose disk is full refuses batches and hours, keeps what it has, and goes on when there is room${missing}`,
  async () => {
    const directory = await temporaryDirectory();
    const database = await openDatabase({ database: 'embedded', directory });
    const store = await openStore({ kind: 'directory', path: join(disk ?? '', 'store') });
    const services = { database, store };
    const [first, second] = [reportsOf('4B1800'), reportsOf('40095D')];
    await applyBatch(services, headerOf(first), readerOf(first), APPLY);
    await publishHour(services, RULES, HOUR, HOUR + 7_200_000);
    const free = await fillDisk(disk ?? '');
    await expect(applyBatch(services, headerOf(second), readerOf(second), APPLY)).rejects.toBeInstanceOf(
      UnavailableError,
    );
    expect(await appliedBatch(database, headerOf(second))).toBeUndefined();
    expect((await readManifest(store, HOUR))?.manifest).toMatchObject({ generation: 1, rows: 100 });
    expect(await readHour(services, HOUR)).toHaveLength(100);
    await free();
    await applyBatch(services, headerOf(second), readerOf(second), APPLY);
    const fillAgain = await fillDisk(disk ?? '');
    await expect(publishHour(services, RULES, HOUR, HOUR + 7_200_001)).rejects.toBeInstanceOf(
      UnavailableError,
    );
    expect(await readHour(services, HOUR)).toHaveLength(100);
    await fillAgain();
    expect(await publishHour(services, RULES, HOUR, HOUR + 7_200_001)).toMatchObject({
      isNew: true,
      rows: 200,
    });
    await store.close();
    await database.close();
  },
);

test.skipIf(disk === undefined)(
  `a temporary disk that is full stops an import with a remedy, and nothing of it is stored${missing}`,
  async () => {
    const directory = await temporaryDirectory();
    const services = {
      database: await openDatabase({ database: 'embedded', directory }),
      store: await openStore({ kind: 'directory', path: join(directory, 'store') }),
    };
    const file = join(directory, 'reports.ndjson');
    const lines = Array.from({ length: 20_000 }, (_, k) =>
      JSON.stringify({
        timestamp: HOUR / 1000 + (k % 3600),
        latitude: Math.random(),
        longitude: Math.random(),
        altitude_baro: 30_000,
        icao_address: (0x100000 + k).toString(16).toUpperCase(),
      }),
    );
    await writeFile(file, lines.join('\n'));
    const before = process.env.TMPDIR;
    const temporary = join(disk ?? '', 'tmp');
    await mkdir(temporary, { recursive: true });
    const free = await fillDisk(disk ?? '');
    process.env.TMPDIR = temporary;
    try {
      await expect(importFile(services, RULES, file, { source: 'x', format: undefined })).rejects.toThrow(
        /full|space/i,
      );
    } finally {
      process.env.TMPDIR = before;
      await free();
    }
    expect(await Array.fromAsync(services.store.list(''))).toEqual([]);
    expect((await importFile(services, RULES, file, { source: 'x', format: undefined })).accepted).toBe(
      20_000,
    );
    await services.store.close();
    await services.database.close();
  },
);
