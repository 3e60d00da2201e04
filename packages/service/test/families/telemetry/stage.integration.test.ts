import { join } from 'node:path';
import { openStore } from '@contrails/platform/store';
import { withWorkspace } from '@contrails/platform/workspace';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { createStage } from '../../../src/families/telemetry/ingest/stage.ts';
import { APPLY, openInstallation } from './support/installation.ts';
import { HOUR, headerOf, rowsOf } from './support/reports.ts';

const BATCH = { id: 'batch', source: 'roof', attempt: 'a1' };
const reportsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, k) => ({
    timeMs: HOUR + (first + k) * 60_000,
    address: k % 2 === 0 ? '4B1800' : '40095D',
    callsign: k % 3 === 0 ? null : `SWR${first + k}`,
  }));

test('rows are written in parts while others are added, and every one is in an object of its hour', async () => {
  const store = await openStore({ kind: 'directory', path: join(await temporaryDirectory(), 'store') });
  await withWorkspace({ memoryMiB: 128 }, async (workspace) => {
    const stage = createStage(workspace, store, BATCH, 50);
    for (let first = 0; first < 200; first += 20) {
      const block = rowsOf(reportsFrom(first, 20), first);
      await stage.add(block);
      await stage.addGround({ timestamp: block.rows.timestamp, icao_address: block.rows.icao_address });
    }
    const objects = await stage.finish();
    for (const kind of ['rows', 'ground'] as const) {
      const byHour = [0, 1, 2, 3].map((hour) =>
        objects
          .filter((object) => object.kind === kind && object.hourMs === HOUR + hour * 3_600_000)
          .reduce((sum, { records }) => sum + records, 0),
      );
      expect(byHour, kind).toEqual([60, 60, 60, 20]);
    }
    expect(new Set(objects.map(({ key }) => key)).size).toBe(objects.length);
    const paths = await Promise.all(
      objects.filter(({ kind }) => kind === 'rows').map(async ({ key }) => store.localPath?.(key)),
    );
    const [read] = await workspace.duckdb.rows(
      `SELECT count(DISTINCT record) AS records, count(callsign) AS named, min(callsign) AS first,
         max(icao_address) AS last FROM read_parquet([${paths.map((path) => `'${path}'`)}])`,
    );
    expect(read).toEqual({ records: 200n, named: 130n, first: 'SWR1', last: '4B1800' });
  });
  await store.close();
});

test('a part that cannot be written fails the batch', async () => {
  const failing = {
    put: async () => {
      throw new Error('the store is gone');
    },
    remove: async () => false,
  };
  await withWorkspace({ memoryMiB: 128 }, async (workspace) => {
    const stage = createStage(workspace, failing, BATCH, 50);
    await stage.add(rowsOf(reportsFrom(0, 60)));
    await stage.add(rowsOf(reportsFrom(60, 10)));
    await expect(stage.finish()).rejects.toThrow('the store is gone');
    await stage.settle();
    expect(stage.objects).toEqual([]);
  });
});

test('a batch that breaks off while a part is written leaves nothing in the store', async () => {
  const installation = await openInstallation();
  const { store } = installation;
  // Enough for a part to be written.
  const block = rowsOf(reportsFrom(0, 130_000).map((report) => ({ ...report, timeMs: HOUR })));
  const reading = applyBatch(
    installation,
    headerOf(reportsFrom(0, 1)),
    async (sink) => {
      await sink.rows(block);
      await sink.rows(block);
      throw new Error('the reader broke off');
    },
    APPLY,
  );
  await expect(reading).rejects.toThrow('the reader broke off');
  expect(await Array.fromAsync(store.list(''))).toEqual([]);
  await installation.close();
});
