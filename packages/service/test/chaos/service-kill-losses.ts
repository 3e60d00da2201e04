import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, json } from 'node:stream/consumers';
import { createCatalogue, type Database } from '@contrails/platform/database';
import type { JobRecord } from '@contrails/platform/jobs';
import { readUsage } from '@contrails/platform/keys/usage';
import type { Store } from '@contrails/platform/store';
import { JOBS_PER_BATCH, partNumbers } from '../support/trial/jobs.ts';
import { productBytes, productKey, sha256 } from '../support/trial/products.ts';
import { completionLosses } from './jobs-audit.ts';
import type { Ledger } from './service-kill-clients.ts';

export interface Aftermath {
  readonly database: Database;
  readonly store: Store;
  readonly directory: string;
  readonly records: readonly JobRecord[];
  readonly ledger: Ledger;
}

const COUNTER = 'trial/counter.json';

/** Everything that is not as if nothing had been killed. */
export async function findLosses(aftermath: Aftermath): Promise<string[]> {
  const { database, records } = aftermath;
  const trialJobs = records.filter((job) => job.kind.startsWith('trial.'));
  return [
    ...jobLosses(trialJobs, aftermath.ledger),
    ...(await completionLosses(database, trialJobs)),
    ...(await productLosses(aftermath)),
    ...(await stepLosses(aftermath)),
    ...(await usageLosses(aftermath)),
    ...(await leftFiles(aftermath.directory)),
    ...(await databaseLosses(database)),
  ];
}

function jobLosses(jobs: readonly JobRecord[], { batches }: Ledger): string[] {
  const losses = jobs
    .filter((job) => job.state !== 'done')
    .map((job) => `job ${job.id} (${job.kind}) is ${job.state}: ${job.error}`);
  const expected = batches.size * JOBS_PER_BATCH;
  if (jobs.length !== expected) losses.push(`there are ${jobs.length} jobs, not ${expected}`);
  for (const job of jobs.filter(({ kind }) => kind === 'trial.summary')) {
    const { n } = job.payload as { n: number };
    const wanted = { sha256: partNumbers(n).map((part) => sha256(productBytes(part))) };
    if (JSON.stringify(job.result) !== JSON.stringify(wanted))
      losses.push(`the result of batch ${n} is wrong`);
  }
  return losses;
}

/** What was acknowledged is there and whole, in store and catalogue, and nothing else is. */
async function productLosses({ database, store, ledger }: Aftermath): Promise<string[]> {
  const expected = new Map<string, string>();
  for (const n of ledger.products) expected.set(productKey('request', n), sha256(productBytes(n)));
  for (const n of [...ledger.batches].flatMap(partNumbers)) {
    expected.set(productKey('job', n), sha256(productBytes(n)));
  }
  const losses: string[] = [];
  const catalogue = new Map(
    (await createCatalogue(database).find({ family: 'trial' })).map((product) => [
      product.key,
      product.sha256,
    ]),
  );
  for (const [key, sum] of expected) {
    const found = await store.read(key);
    const whole = found !== undefined && sha256(await buffer(found.body)) === sum;
    if (!whole) losses.push(`the object ${key} is missing or torn`);
    if (catalogue.get(key) !== sum) losses.push(`the catalogue does not have ${key} as it is`);
  }
  for await (const { key } of store.list('')) {
    if (key !== COUNTER && !expected.has(key))
      losses.push(`there is an object ${key} that nobody was told of`);
  }
  for (const key of catalogue.keys()) {
    if (!expected.has(key)) losses.push(`the catalogue has ${key} that nobody was told of`);
  }
  return losses;
}

async function stepLosses({ store, ledger }: Aftermath): Promise<string[]> {
  const found = await store.read(COUNTER);
  const kept = found ? ((await json(found.body)) as Record<string, number>) : {};
  return [...ledger.steps]
    .filter(([client, step]) => kept[client] !== step)
    .map(([client, step]) => `${client} was told of step ${step}, the manifest has ${kept[client]}`);
}

/** A killed server takes its last seconds of counts with it, but nothing is counted that was not asked. */
async function usageLosses({ database, ledger }: Aftermath): Promise<string[]> {
  const rows = await readUsage(database);
  const sent = [...ledger.outcomes.values()].reduce((sum, count) => sum + count, 0);
  const counted = rows.reduce((sum, row) => sum + row.requests, 0);
  const losses = rows
    .filter((row) => row.requests <= 0 || row.bytes < 0 || row.computeSeconds < 0)
    .map((row) => `the usage of ${row.endpoint} is impossible: ${JSON.stringify(row)}`);
  if (counted === 0 || counted > sent) losses.push(`${counted} requests were counted, ${sent} were sent`);
  return losses;
}

async function leftFiles(directory: string): Promise<string[]> {
  const files = await readdir(join(directory, 'store', '.store', 'tmp'));
  return files.map((file) => `the half-written file ${file} is left`);
}

async function databaseLosses(database: Database): Promise<string[]> {
  if (database.dialect !== 'sqlite') return [];
  const rows = await database.query<{ integrity_check: string }>('PRAGMA integrity_check');
  return rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok');
}
