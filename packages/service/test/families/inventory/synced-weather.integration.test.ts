/** An inventory on synced weather: its files carry the line that the provider of the weather requires. */
import { join } from 'node:path';
import { readFooter } from '@contrails/engine/inventory/parquet';
import { openDuckDb } from '@contrails/formats';
import { PROVIDERS, type Provider, syncSource } from '@contrails/met/sync';
import { localCopy } from '@contrails/platform/workspace';
import { HOUR_MS } from '@contrails/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { startMirror } from '../../../../met/test/support/mirror.ts';
import { planDate } from '../../../src/families/inventory/run/plan.ts';
import { readRunManifest } from '../../../src/inventory-store/manifest.ts';
import { importLines, openInventory, trafficLines } from './support.ts';

const DATE = '2026-09-14';
const START_MS = Date.parse(DATE);

test('the footers of tables have the attribution line and the origin of radiation', async () => {
  const data = await temporaryDirectory();
  const mirror = await startMirror();
  onTestFinished(() => mirror.close());
  const ecmwf = PROVIDERS.find(({ name }) => name === 'ecmwf') as Provider;
  await syncSource(ecmwf, {
    directory: join(data, 'met/sync'),
    roots: [`${mirror.url}/ecmwf`],
    runMs: START_MS,
    hours: 36,
  });
  const trial = await openInventory({ data, isSynced: true, inventory: { shards: 1, met: 'forecast' } });
  onTestFinished(() => trial.close());
  await importLines(trial, trafficLines(START_MS + HOUR_MS, START_MS + 4 * HOUR_MS));
  await planDate(trial.services, trial.config, DATE, true);
  await trial.work();
  const manifest = await readRunManifest(trial.services.store, DATE);
  expect(manifest?.completeness.flights.computed).toBeGreaterThan(0);
  const duckdb = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: data });
  onTestFinished(() => duckdb.close());
  const footer = await readFooter(
    duckdb,
    await localCopy(trial.services.store, manifest?.summary.key ?? '', data),
  );
  expect(footer).toMatchObject({
    met_source_attribution: 'Contains modified data of ECMWF open data (CC-BY-4.0).',
    met_source_radiation: 'estimated',
  });
}, 300_000);
