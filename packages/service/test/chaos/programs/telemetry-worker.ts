import { randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openStore } from '@contrails/platform/store';
import { publishWithRetry } from '../../../src/families/telemetry/hours/jobs.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { openDatabase } from '../../../src/migrations.ts';
import { pendingHours } from '../../../src/telemetry-store/table.ts';
import { APPLY, KILL_RULES } from '../../families/telemetry/support/installation.ts';
import { headerOf, readerOf } from '../../families/telemetry/support/reports.ts';
import { DEMO_BATCHES, killReports, openDemoDay, type TelemetryTask } from '../telemetry-kill-reports.ts';

/**
 * Imports batches or builds hours, and reports every batch that was acknowledged, line by line, before it does anything
 * else. Ends when it is killed.
 */
const task = JSON.parse(process.argv[2] ?? '') as TelemetryTask;
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();

const database = await openDatabase({ database: task.database, directory: task.directory });
const store = await openStore(task.address, task.access);
// Synchronous, so no report is lost when the process is killed.
const report = (...words: (string | number)[]) => writeSync(1, `${words.join(' ')}\n`);

const day = task.demoLegs > 0 ? openDemoDay(task.demoLegs) : undefined;

report('ready');
for (let step = 0; ; step += 1) {
  if (task.role === 'build') await buildOne();
  else await importOne(step);
}

async function importOne(number: number): Promise<void> {
  if (day !== undefined) {
    const chosen = randomInt(DEMO_BATCHES);
    const { header, reader } = day.batch(chosen);
    await applyBatch({ database, store }, header, reader, APPLY);
    report('acknowledged', chosen);
    return;
  }
  const reports = killReports(task.id, number);
  await applyBatch({ database, store }, headerOf(reports), readerOf(reports), APPLY);
  report('acknowledged', number);
  // A client that had no answer sends the batch again.
  const again = killReports(task.id, randomInt(number + 1));
  await applyBatch({ database, store }, headerOf(again), readerOf(again), APPLY);
}

async function buildOne(): Promise<void> {
  const pending = await pendingHours(database);
  const hour = pending[randomInt(Math.max(1, pending.length))];
  if (hour === undefined) return void (await new Promise((resolve) => setTimeout(resolve, 20)));
  const { generation } = await publishWithRetry({ database, store }, KILL_RULES, hour.hourMs);
  report('built', hour.hourMs, generation);
}
