/**
 * Kills workers of the inventory at random moments and compares what is published in the end with an undisturbed run, byte
 * by byte: `node inventory-kill.ts --rounds 100`.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Program, runProgram } from '../../../../test/support/programs.ts';
import { planDate } from '../../src/families/inventory/run/plan.ts';
import { findDate } from '../../src/families/inventory/run/state.ts';
import { type RunManifest, readRunManifest } from '../../src/inventory-store/manifest.ts';
import {
  forgetComputed,
  importSmallDay,
  openInventory,
  type TrialInventory,
} from '../families/inventory/support.ts';

const DATE = '2024-02-29';
/** Of a worker, once it is ready. */
const MAX_LIFE_MS = 4_000;

export interface KillOutcome {
  readonly kills: number;
  /** What differs from the undisturbed run. */
  readonly losses: readonly string[];
}

async function killInventory(rounds: number, random: () => number = Math.random): Promise<KillOutcome> {
  const data = await mkdtemp(join(tmpdir(), 'inventory-kill-'));
  const trial = await openInventory({ data });
  try {
    await importSmallDay(trial, Date.parse(DATE));
    await planDate(trial.services, trial.config, DATE, true);
    await trial.work();
    return await killWorkersOf(trial, data, rounds, random);
  } finally {
    await trial.close();
    await rm(data, { recursive: true, force: true });
  }
}

/** The same on a date that is published. */
export async function killWorkersOf(
  trial: TrialInventory,
  data: string,
  rounds: number,
  random: () => number = Math.random,
): Promise<KillOutcome> {
  const expected = await manifestOf(trial);
  let kills = 0;
  const losses: string[] = [];
  while (kills < rounds) {
    await forgetComputed(trial);
    await planDate(trial.services, trial.config, DATE, true);
    while (kills < rounds && (await findDate(trial.services.database, DATE))?.state !== 'published') {
      const worker = startWorker(data);
      await worker.firstLine;
      await sleep(random() * MAX_LIFE_MS);
      await worker.kill();
      kills++;
    }
    losses.push(...(await finish(trial, data, expected)));
  }
  return { kills, losses };
}

/** Goes on to the end and lists what is not as it should be. */
async function finish(trial: TrialInventory, data: string, expected: RunManifest): Promise<string[]> {
  const { services } = trial;
  await workInTwoProcesses(trial, data);
  const found = await readRunManifest(services.store, DATE);
  const losses = JSON.stringify(found) === JSON.stringify(expected) ? [] : ['the manifest is another one'];
  for (const { key, sha256 } of [expected.summary, expected.legs, ...Object.values(expected.segments)]) {
    const stored = await services.store.head(key);
    if (stored?.sha256 !== sha256) losses.push(`${key} is ${stored === undefined ? 'missing' : 'different'}`);
  }
  return losses;
}

async function manifestOf({ services }: TrialInventory): Promise<RunManifest> {
  const manifest = await readRunManifest(services.store, DATE);
  if (manifest === undefined) throw new Error('the undisturbed run is not published');
  return manifest;
}

/** Does everything that is queued in this process and in another one, which is killed afterwards. */
export async function workInTwoProcesses(
  trial: TrialInventory,
  data: string,
  database?: string,
): Promise<void> {
  const worker = startWorker(data, database);
  await worker.firstLine;
  try {
    await trial.work(1);
  } finally {
    await worker.kill();
  }
}

function startWorker(data: string, database = 'embedded'): Program {
  return runProgram(new URL('./programs/inventory-worker.ts', import.meta.url), [data, database]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
  const { kills, losses } = await killInventory(Number(values.rounds));
  for (const loss of losses) console.error(loss);
  console.log(`${kills} kills, ${losses.length} losses`);
  if (losses.length > 0) process.exitCode = 1;
}
