import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Program, runProgram } from '../../../../test/support/programs.ts';
import { until } from '../../../../test/support/until.ts';
import { openStore, type S3Access, type Store, type StoreAddress } from '../../src/store/index.ts';
import { findLosses, lossOf } from './store-kill-losses.ts';

/** The manifest in which every writer counts its steps. */
export const COUNTER = 'counter.json';
export type Counts = Readonly<Record<string, number>>;

/** What one writing process is told. */
export interface WriterTask {
  readonly id: string;
  readonly address: StoreAddress;
  readonly access?: S3Access;
  readonly steps: number;
  /** Nothing but counting, so the writers meet as often as possible. */
  readonly countsOnly: boolean;
}

export interface StoreKillOptions {
  readonly rounds: number;
  readonly writers: number;
  readonly address: StoreAddress;
  readonly access?: S3Access;
  /** Without it the writers are killed at a random moment. */
  readonly steps?: number;
  readonly countsOnly?: boolean;
}

export interface StoreKillFigures {
  readonly rounds: number;
  readonly kills: number;
  /** Objects that a writer reported as stored. */
  readonly puts: number;
  /** Conditional replaces of the shared manifest that a writer reported, and those it was killed before reporting. */
  readonly counts: number;
  readonly unreportedCounts: number;
  readonly objectsChecked: number;
  /** Objects read whole by a third party while they were being replaced. */
  readonly readsMeanwhile: number;
  /** Half-written files of killed writers, and how many of them were left at the end. */
  readonly abandonedFiles: number;
  readonly leftFiles: number;
  readonly seconds: number;
  /** What was lost or torn; empty when all is well. */
  readonly losses: string[];
}

/** A writer is killed a moment after one of so many reports: while it does what it would report next. */
const MAX_REPORTS = 15;
const MAX_MOMENT_MS = 15;
const SHARED_KEYS = 6;

/** Several processes write to one store, round by round, and are killed; then nothing may be torn or lost. */
export async function killWriters(options: StoreKillOptions): Promise<StoreKillFigures> {
  const { rounds, writers, address, access, steps, countsOnly = false } = options;
  const startedMs = performance.now();
  const total = {
    puts: 0,
    counts: 0,
    unreportedCounts: 0,
    objectsChecked: 0,
    readsMeanwhile: 0,
    abandonedFiles: 0,
  };
  const losses: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const programs = new Map<string, Program>();
    for (let n = 0; n < writers; n += 1) {
      const id = `round-${round}-writer-${n}`;
      const task: WriterTask = {
        id,
        address,
        steps: steps ?? 1_000_000,
        countsOnly,
        ...(access && { access }),
      };
      programs.set(
        id,
        runProgram(new URL('./programs/store-writer.ts', import.meta.url), [JSON.stringify(task)]),
      );
    }
    const watcher = await watch(options);
    await Promise.all([...programs.values()].map((program) => end(program, steps === undefined)));
    const watched = await watcher.stop();
    total.abandonedFiles += (await halfWrittenFiles(address)).length;

    // Opened again, as after a crash of everything.
    const store = await openStore(address, access);
    const reports = new Map([...programs].map(([id, program]) => [id, program.lines()]));
    const found = await findLosses(store, reports, await readCounts(store));
    losses.push(...watched.losses, ...found.losses);
    total.readsMeanwhile += watched.reads;
    total.objectsChecked += found.objects;
    total.unreportedCounts += found.unreported;
    const lines = [...reports.values()].flat();
    total.puts += lines.filter((line) => line.startsWith('put ')).length;
    total.counts += lines.filter((line) => line.startsWith('counted ')).length;
    for await (const { key } of store.list('own/')) await store.remove(key);
    await store.close();
  }
  const leftFiles = (await halfWrittenFiles(address)).length;
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const kills = steps === undefined ? rounds * writers : 0;
  return { rounds, kills, ...total, leftFiles, seconds, losses };
}

async function end(program: Program, kill: boolean): Promise<void> {
  if (!kill) {
    await program.finished;
    return;
  }
  const enough = randomInt(MAX_REPORTS);
  const failed = program.finished.then(() => {
    throw new Error('a writer ended by itself');
  });
  await Promise.race([failed, reported(program, enough)]);
  await sleep(Math.random() * MAX_MOMENT_MS);
  failed.catch(() => undefined);
  await program.kill();
}

async function reported(program: Program, enough: number): Promise<void> {
  await program.firstLine;
  const isEnough = () => program.lines().length >= enough;
  await until(`a writer has reported ${enough} lines`, isEnough, { pauseMs: 1 });
}

/** Reads the objects that everybody replaces, all the time. */
async function watch({ address, access }: StoreKillOptions) {
  const store = await openStore(address, access);
  const losses: string[] = [];
  let reads = 0;
  let watching = true;
  const done = (async () => {
    while (watching) {
      const loss = await lossOf(store, `shared/${reads % SHARED_KEYS}.bin`);
      if (loss !== undefined) losses.push(`meanwhile: ${loss}`);
      reads += 1;
      await sleep(1);
    }
    await store.close();
  })();
  return {
    async stop() {
      watching = false;
      await done;
      return { losses, reads };
    },
  };
}

async function readCounts(store: Store): Promise<Counts> {
  const found = await store.read(COUNTER);
  return found ? (JSON.parse(await text(found.body)) as Counts) : {};
}

async function halfWrittenFiles(address: StoreAddress): Promise<string[]> {
  return address.kind === 'directory' ? readdir(join(address.path, '.store', 'tmp')) : [];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '200' }, writers: { type: 'string', default: '3' } },
  });
  const directory = await mkdtemp(join(tmpdir(), 'contrails-store-kill-'));
  try {
    const figures = await killWriters({
      rounds: Number(values.rounds),
      writers: Number(values.writers),
      address: { kind: 'directory', path: directory },
    });
    process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
    process.exitCode = figures.losses.length === 0 ? 0 : 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
