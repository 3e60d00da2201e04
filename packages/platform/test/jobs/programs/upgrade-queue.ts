/** Opens the queue of a database at a time [ms since 1970], runs its jobs until none is left, and prints their numbers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../../../test/support/until.ts';
import { createJobs } from '../../../src/jobs/create.ts';
import { handleJob } from '../../../src/jobs/define.ts';
import { createPgBossEngine } from '../../../src/jobs/pgboss/engine.ts';
import { openDatabase } from '../../support/database.ts';
import { log, numbered } from '../fixture.ts';

const [url = '', startMs = '0'] = process.argv.slice(2);
await sleep(Math.max(0, Number(startMs) - Date.now()));
const database = await openDatabase({ database: url, directory: '' });
const engine = await createPgBossEngine(database, url, log, { pollMs: 100, upkeepMs: 250 });
const jobs = createJobs(database, engine);
const print = handleJob(numbered, async ({ n }) => void process.stdout.write(`${n}\n`));
const worker = jobs.work([print], { concurrency: 1, log });
await until('no job is open', async () => {
  const { waiting, queued, running } = await jobs.counts();
  return waiting + queued + running === 0;
});
await worker.stop();
await jobs.close();
await database.close();
