import { registerHooks } from 'node:module';

/** Prints the packages that opening the embedded queue loads. */
const loaded = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.')) loaded.add(specifier);
    return next(specifier, context);
  },
});

const { openDatabase } = await import('../../support/database.ts');
const { openJobs } = await import('../../../src/jobs/open.ts');
const { pino } = await import('pino');
const log = pino({ level: 'silent' });
const database = await openDatabase({ database: 'embedded', directory: process.argv[2] ?? '' });
const jobs = await openJobs(database, { database: 'embedded', log });
const worker = jobs.work([], { concurrency: 1, log });
await worker.stop();
await jobs.close();
await database.close();
process.stdout.write(`${[...loaded].join(' ')}\n`);
