import { join } from 'node:path';
import { openJobs } from '@contrails/platform/jobs/open';
import { openStore } from '@contrails/platform/store/open';
import { pino } from 'pino';
import { openDatabase } from '../../../src/migrations.ts';
import { chaosJobs } from '../jobs-kill-kinds.ts';

/** A worker as `contrails worker` makes it, with jobs that write objects; it lives until it is killed. */
const [, , databaseSetting = 'embedded', directory = ''] = process.argv;
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();

const log = pino({ level: 'error' });
const database = await openDatabase({ database: databaseSetting, directory, connections: 4 });
const store = await openStore({ kind: 'directory', path: join(directory, 'store') });
const jobs = await openJobs(database, {
  database: databaseSetting,
  log,
  embedded: { pollMs: 50, upkeepMs: 100 },
  pgBoss: { upkeepMs: 1_000 },
});
jobs.work(chaosJobs(store), { concurrency: 3, log });
process.stdout.write('working\n');
