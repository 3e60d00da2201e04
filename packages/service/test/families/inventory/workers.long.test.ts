import { afterAll, expect, test } from 'vitest';
import { usePostgres } from '../../../../../test/support/shared-server.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { planDate } from '../../../src/families/inventory/run/plan.ts';
import { type RunManifest, readRunManifest } from '../../../src/inventory-store/manifest.ts';
import { killWorkersOf, workInTwoProcesses } from '../../chaos/inventory-kill.ts';
import { importSmallDay, openInventory, type TrialInventory } from './support.ts';

const DATE = '2024-02-29';
/** `node packages/service/test/chaos/inventory-kill.ts` has more. */
const KILLS = 2;
const trials: TrialInventory[] = [];
afterAll(async () => {
  for (const trial of trials) await trial.close();
});

async function openTrial(database?: string): Promise<{ trial: TrialInventory; data: string }> {
  const data = await temporaryDirectory();
  const trial = await openInventory({ data, ...(database === undefined ? {} : { database }) });
  trials.push(trial);
  await importSmallDay(trial, Date.parse(DATE));
  return { trial, data };
}

/** The manifest, and the hash of every file as it is stored. */
async function filesOf({ services: { store } }: TrialInventory) {
  const manifest = await readRunManifest(store, DATE);
  if (manifest === undefined) throw new Error('no run is published');
  const { summary, legs, segments }: RunManifest = manifest;
  const stored: Record<string, string | undefined> = {};
  for (const { key } of [summary, legs, ...Object.values(segments)])
    stored[key] = (await store.head(key))?.sha256;
  return { manifest, stored };
}

const { trial: first, data: firstData } = await openTrial();
await planDate(first.services, first.config, DATE, true);
await first.work();
const expected = await filesOf(first);

test('two processes on SQLite, after others that were killed, publish the same bytes as one', async () => {
  expect(expected.manifest.summary.rows).toBeGreaterThan(8);
  const { kills, losses } = await killWorkersOf(first, firstData, KILLS);
  expect(losses).toEqual([]);
  expect(kills).toBe(KILLS);
  expect(await filesOf(first)).toEqual(expected);
}, 600_000);

test('two processes on PostgreSQL publish the same bytes as one on SQLite', async () => {
  const postgres = await usePostgres();
  const url = await postgres.createDatabase();
  const { trial, data } = await openTrial(url);
  // The start of a run is in its files.
  const [run] = await first.services.database.query<Record<string, string | number | null>>(
    'SELECT * FROM inventory_runs',
  );
  const names = Object.keys(run ?? {});
  await trial.services.database.execute(
    `INSERT INTO inventory_runs (${names.join(', ')}) VALUES (${names.map((_, k) => `$${k + 1}`).join(', ')})`,
    Object.values(run ?? {}),
  );
  await planDate(trial.services, trial.config, DATE, true);
  await workInTwoProcesses(trial, data, url);
  expect(await filesOf(trial)).toEqual(expected);
  await trial.close();
  trials.splice(trials.indexOf(trial), 1);
  await postgres.close();
}, 300_000);
