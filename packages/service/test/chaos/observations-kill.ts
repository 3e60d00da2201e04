/**
 * Kills workers of observations at random moments and compares what is published in the end with an undisturbed run:
 * `node observations-kill.ts --rounds 100`.
 */
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { runProgram } from '../../../../test/support/programs.ts';
import { until } from '../../../../test/support/until.ts';
import { enqueueRolls } from '../../src/families/observations/attribution/jobs.ts';
import { lastRoll } from '../../src/families/observations/attribution/table.ts';
import { detectorKey } from '../../src/families/observations/frames/detector.ts';
import { enqueueFrames } from '../../src/families/observations/frames/jobs.ts';
import { listFrames } from '../../src/families/observations/frames/table.ts';
import { noteFiles } from '../../src/families/observations/sources/inputs.ts';
import { importLines, trafficLines } from '../families/inventory/support.ts';
import { abiName, writeImage } from '../families/observations/support/imagery.ts';
import { openTrial, type Trial } from '../families/observations/support/trial.ts';

const START_MS = Date.UTC(2024, 1, 29, 15);
const STEP_MS = 10 * MINUTE_MS;
const FRAMES = 3;
/** Of a worker, once it is ready. */
const MAX_LIFE_MS = 4_000;
const PROGRAM = new URL('./programs/observations-worker.ts', import.meta.url);

export interface KillOutcome {
  readonly kills: number;
  /** What differs from the undisturbed run. */
  readonly losses: readonly string[];
}

/** The same installation in every process. */
export function openKillTrial(data: string, folder: string): Promise<Trial> {
  return openTrial({
    environment: { CONTRAILS_DATA: data },
    observations: { sources: [{ name: 'dish', kind: 'folder', satellite: 'goes-east', path: folder }] },
    met: { name: 'demo', kind: 'synthetic', resolution: 5, seed: 1 },
  });
}

export async function killObservations(
  rounds: number,
  random: () => number = Math.random,
): Promise<KillOutcome> {
  const directory = await mkdtemp(join(tmpdir(), 'observations-kill-'));
  const [data, folder] = [join(directory, 'data'), join(directory, 'images')];
  const trial = await openKillTrial(data, folder);
  try {
    await importLines(trial, trafficLines(START_MS - 3 * HOUR_MS, START_MS + HOUR_MS, 400));
    const lines = [[0.5, 30]] as const;
    for (let k = 0; k < FRAMES; k++) {
      const timeMs = START_MS + k * STEP_MS;
      await writeImage(join(folder, abiName(timeMs)), { timeMs, lines });
    }
    await begin(trial, folder, 0);
    await trial.work();
    await trial.work(Date.now() + HOUR_MS);
    const expected = await published(trial);
    if (!Object.keys(expected).some((name) => name.startsWith('flight')))
      throw new Error('no flight is followed');
    const losses: string[] = [];
    let kills = 0;
    for (let round = 1; kills < rounds; round++) {
      await forget(trial);
      await begin(trial, folder, round);
      while (kills < rounds && !(await isDone(trial))) {
        await enqueueRolls(trial.services.jobs, trial.rules, Date.now() + (1000 * round + kills) * HOUR_MS);
        const worker = runProgram(PROGRAM, [data, folder]);
        await worker.firstLine;
        await sleep(random() * MAX_LIFE_MS);
        await worker.kill();
        // The next worker goes on where this one was, as it would after the lease.
        await trial.services.database.execute('UPDATE observation_satellites SET lease_until_ms = 0');
        kills++;
      }
      losses.push(...(await finish(trial, expected, round)));
    }
    return { kills, losses };
  } finally {
    await trial.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Makes the files of the folder known, as a look into it would some seconds after they were written. */
async function begin({ services, rules }: Trial, folder: string, round: number): Promise<void> {
  const [source] = rules.sources;
  if (source === undefined) throw new Error('there is a source');
  const files = Array.from({ length: FRAMES }, (_, k) => {
    const path = join(folder, abiName(START_MS + k * STEP_MS));
    return { path, bytes: statSync(path).size, signature: `round ${round}`, checksum: `round ${round}` };
  });
  await noteFiles(services.database, source, files, await detectorKey(rules), Date.now());
  await enqueueFrames(services, Date.now());
}

async function forget({ services: { database } }: Trial): Promise<void> {
  for (const table of ['frames', 'attribution', 'flights', 'inputs']) {
    await database.execute(`DELETE FROM observation_${table}`);
  }
}

async function isDone({ services: { database } }: Trial): Promise<boolean> {
  return (await lastRoll(database, 'goes-east'))?.timeMs === START_MS + (FRAMES - 1) * STEP_MS;
}

/** What a client gets: segments, that detections are whole, and what is known of flights. */
async function published({ services: { database, store } }: Trial): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { timeMs, manifest, state } of await listFrames(database, 'goes-east', 0, Date.now())) {
    const l1 = manifest?.l1 == null ? undefined : await store.head(manifest.l1.key);
    const isWhole = l1 !== undefined && l1.sha256 === manifest?.l1?.sha256;
    found[`frame ${timeMs}`] = `${state} ${manifest?.l2?.sha256} ${isWhole ? 'whole' : 'damaged'}`;
  }
  const flights = await database.query<{ id: string; result: string }>(
    'SELECT flight_id AS id, result FROM observation_flights ORDER BY flight_id',
  );
  for (const { id, result } of flights) found[`flight ${id}`] = result;
  return found;
}

/** Goes on to the end in this process and lists what is not as it should be. */
async function finish(
  trial: Trial,
  expected: Readonly<Record<string, string>>,
  round: number,
): Promise<string[]> {
  let turn = 0;
  await until(
    'all frames are attributed',
    async () => {
      await trial.work(Date.now() + (100_000 * round + turn++) * HOUR_MS);
      return isDone(trial);
    },
    { seconds: 300 },
  );
  const found = await published(trial);
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].flatMap((name) =>
    expected[name] === found[name] ? [] : [`${name}: ${found[name]} instead of ${expected[name]}`],
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
  const { kills, losses } = await killObservations(Number(values.rounds));
  for (const loss of losses) console.error(loss);
  console.log(`${kills} kills, ${losses.length} losses`);
  if (losses.length > 0) process.exitCode = 1;
}
