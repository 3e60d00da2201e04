import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { type RunManifest, readRunManifest } from '../../../src/families/inventory/run/manifest.ts';
import { planDate } from '../../../src/families/inventory/run/plan.ts';
import { findDate } from '../../../src/families/inventory/run/state.ts';
import { killWorkersOf } from '../../chaos/inventory-kill.ts';
import { usePostgres } from '../../support/shared-servers.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { forgetComputed, importSmallDay, openInventory, type TrialInventory } from './support.ts';

const DATE = '2024-02-29';
const PROCESSES = 2;
/** `node packages/service/test/chaos/inventory-kill.ts` has more. */
const KILLS = 2;
const workers: ChildProcess[] = [];
const trials: TrialInventory[] = [];
afterAll(async () => {
  await endWorkers();
  for (const trial of trials) await trial.close();
});

async function openTrial(database?: string): Promise<{ trial: TrialInventory; data: string }> {
  const data = await temporaryDirectory();
  const trial = await openInventory({ data, ...(database === undefined ? {} : { database }) });
  trials.push(trial);
  await importSmallDay(trial, Date.parse(DATE));
  return { trial, data };
}

async function compute(trial: TrialInventory, data: string, database = 'embedded') {
  await planDate(trial.services, trial.config, DATE, true);
  const program = fileURLToPath(new URL('../../chaos/programs/inventory-worker.ts', import.meta.url));
  for (let k = 0; k < PROCESSES; k++)
    workers.push(spawn(process.execPath, [program, data, database], { stdio: 'ignore' }));
  await until(
    'the date is published',
    async () => (await findDate(trial.services.database, DATE))?.state === 'published',
    { seconds: 240, pauseMs: 200 },
  );
  await endWorkers();
  return filesOf(trial);
}

async function endWorkers(): Promise<void> {
  await Promise.all(
    workers.splice(0).map(async (worker) => {
      if (worker.exitCode !== null || worker.signalCode !== null) return;
      const ended = once(worker, 'exit');
      worker.kill('SIGKILL');
      await ended;
    }),
  );
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

test('two processes on SQLite publish the same bytes as one', async () => {
  expect(expected.manifest.summary.rows).toBeGreaterThan(8);
  await forgetComputed(first);
  expect(await compute(first, firstData)).toEqual(expected);
}, 300_000);

test('a day whose workers are killed has the bytes of an undisturbed one', async () => {
  const { kills, losses } = await killWorkersOf(first, firstData, KILLS);
  expect(losses).toEqual([]);
  expect(kills).toBe(KILLS);
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
  expect(await compute(trial, data, url)).toEqual(expected);
  await trial.close();
  trials.splice(trials.indexOf(trial), 1);
  await postgres.close();
}, 300_000);
