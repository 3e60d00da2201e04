/**
 * Mixed load on the demonstration with its forecast, telemetry, inventory and satellite running, in a limited memory.
 *
 *     npm run soak -- --minutes 60 --memory 2048 [--clients 6] [--warm 2] [--idle 1]
 *
 * The service runs in a control group of `--memory` MiB where this process may make one; elsewhere `server.memory_mib` is
 * set. `met.memory_mib` stays a quarter of it, which is less than the weather that clients ask for. It prints a line each
 * minute and fails when an answer is anything but 200, 202, 4xx or 503, when resident memory goes beyond the limit, or
 * when memory has not returned `--idle` minutes after the load. The load includes jobs of the clients, which they cancel when
 * it is over.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '@contrails/runtime';
import { startDemoServer } from '../../../../bench/support/demo-server.ts';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { createMemoryGroup } from './soak-cgroup.ts';
import { requestOf } from './soak-clients.ts';
import { type MemoryUse, readMemory, shownMemory } from './soak-memory.ts';

interface Sample extends MemoryUse {
  readonly minute: number;
  /** Resident memory without the arena of weather, which stays. */
  readonly otherMib: number;
}

const SAMPLE_MS = 5000;
const MEBIBYTE = 2 ** 20;
const CLIENT_TIMEOUT_MS = 290_000;
const SCOPES = 'research,forecast,planning,observations,inventory,adsb,adsb:write';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    memory: { type: 'string', default: '2048' },
    clients: { type: 'string', default: '6' },
    /** Minutes before the load, in which the demo starts its own work. */
    warm: { type: 'string', default: '2' },
    /** Minutes after the load. */
    idle: { type: 'string', default: '1' },
  },
});
const [minutes, warm, idle] = [Number(values.minutes), Number(values.warm), Number(values.idle)];
const limitMib = Number(values.memory);
const data = mkdtempSync(join(tmpdir(), 'contrails-soak-'));
const group = createMemoryGroup(limitMib * MEBIBYTE);
const server = await startDemoServer(
  data,
  {
    CONTRAILS_METRICS__SERVE: 'public',
    ...(group === undefined ? { CONTRAILS_SERVER__MEMORY_MIB: String(Math.floor(0.9 * limitMib)) } : {}),
  },
  'workers',
  group?.through,
);
const startedMs = performance.now();
const outcomes = new Map<string, number>();
const problems: string[] = [];
/** Paths of the jobs that clients asked for. */
const jobs: string[] = [];
let isOver = false;
try {
  console.log(`${limitMib} MiB, ${group === undefined ? 'no control group' : 'in a control group'}`);
  const key = createKey();
  const before = await watch(warm);
  const clients = Array.from({ length: Number(values.clients) }, (_, id) => client(id, key));
  const samples = await watch(warm + minutes);
  isOver = true;
  await Promise.all(clients);
  await cancelJobs(key);
  const endMinute = minutesNow();
  const after = await watch(endMinute + idle);
  report(before, samples, after);
} finally {
  await server.stop();
  await group?.remove();
  rmSync(data, { recursive: true });
}

function report(before: readonly Sample[], samples: readonly Sample[], after: readonly Sample[]): void {
  const listed = [...outcomes].sort(([a], [b]) => a.localeCompare(b));
  console.log(`requests: ${listed.map(([what, count]) => `${what} ${count}`).join(', ')}`);
  console.log(
    `resident memory: ${range(samples)} MiB, ${slopePerHour(samples.slice(samples.length / 3)).toFixed(0)} MiB/h ` +
      'over the last two thirds',
  );
  const highest = Math.max(...samples.map(({ residentMib }) => residentMib));
  if (highest >= limitMib) problems.push(`resident memory reached ${highest} MiB of ${limitMib}`);
  const killed = group?.kills() ?? 0;
  if (killed > 0) problems.push(`the system killed ${killed} processes`);
  const first = Math.max(...before.map(({ otherMib }) => otherMib));
  const last = Math.min(...after.map(({ otherMib }) => otherMib));
  const allowed = first + 0.1 * limitMib;
  console.log(
    `memory beside weather: ${first} MiB before the load, ${last} MiB within ${idle} minutes after it (allowed ${allowed.toFixed(0)})`,
  );
  if (!(last <= allowed))
    problems.push(`${last} MiB are left after the load, ${first} MiB were there before`);
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** A key that may do everything that clients ask for, as often as they like. */
function createKey(): string {
  const program = join(repositoryRoot, 'packages', 'cli', 'bin', 'contrails.mjs');
  const args = ['keys', 'create', '--name', 'soak', '--scopes', SCOPES, '--rate', '100000', '--json'];
  const printed = execFileSync(process.execPath, [program, ...args, '--data', data], { encoding: 'utf8' });
  return (JSON.parse(printed) as { key: string }).key;
}

async function watch(untilMinute: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  let shownMinute = -1;
  while (minutesNow() < untilMinute) {
    const sample = await takeSample();
    samples.push(sample);
    if (Math.floor(sample.minute) > shownMinute) console.log(shown(sample));
    shownMinute = Math.floor(sample.minute);
    await sleep(SAMPLE_MS);
  }
  return samples;
}

function minutesNow(): number {
  return (performance.now() - startedMs) / MINUTE_MS;
}

async function takeSample(): Promise<Sample> {
  const use = await readMemory(server);
  return { ...use, minute: minutesNow(), otherMib: use.residentMib - (use.kinds.weather ?? 0) };
}

function shown(sample: Sample): string {
  return `${sample.minute.toFixed(1)} min  ${shownMemory(sample)}  ${answers()} answers`;
}

function answers(): number {
  return outcomes.values().reduce((sum, count) => sum + count, 0);
}

/** Of the straight line that fits best. */
function slopePerHour(samples: readonly Sample[]): number {
  const mean = (numbers: readonly number[]) =>
    numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const hours = samples.map(({ minute }) => minute / 60);
  const [middle, level] = [mean(hours), mean(samples.map(({ residentMib }) => residentMib))];
  const spread = hours.map((hour) => (hour - middle) ** 2);
  const together = samples.map(
    ({ residentMib }, i) => ((hours[i] as number) - middle) * (residentMib - level),
  );
  return mean(together) / mean(spread);
}

function range(samples: readonly Sample[]): string {
  const residents = samples.map(({ residentMib }) => residentMib);
  return `${Math.min(...residents)} to ${Math.max(...residents)}`;
}

/** One request after the other, of every kind in turn. */
async function client(id: number, key: string): Promise<void> {
  for (let n = 101 * id; !isOver; n++) {
    const { path, body, headers } = requestOf(n, Date.now());
    const [route] = path.split('?') as [string];
    const sent = { 'x-api-key': key, 'content-type': 'application/json', ...headers };
    const signal = AbortSignal.timeout(CLIENT_TIMEOUT_MS);
    try {
      const answer = await fetch(
        `${server.address}${path}`,
        body === undefined
          ? { headers: sent, signal }
          : { method: 'POST', headers: sent, body: JSON.stringify(body), signal },
      );
      await answer.arrayBuffer();
      const { status } = answer;
      count(`${route} ${status}`);
      const job = answer.headers.get('location');
      if (status === 202 && job !== null) jobs.push(job);
      if (status !== 200 && status !== 202 && status !== 503 && !(status >= 400 && status < 500)) {
        problems.push(`${route} answered ${status}`);
      }
      // A refusal costs nothing to make, and would otherwise be all that is asked for.
      if (!answer.ok) await sleep(500);
    } catch (error) {
      const name = error instanceof Error ? `${error.name}: ${error.message}` : 'failed';
      count(`${route} ${name}`);
      problems.push(`${route}: ${name}`);
      await sleep(500);
    }
  }
}

async function cancelJobs(key: string): Promise<void> {
  let cancelled = 0;
  for (const path of jobs) {
    const request = { method: 'DELETE', headers: { 'x-api-key': key } };
    let { status } = await fetch(`${server.address}${path}`, request);
    for (; status === 503; { status } = await fetch(`${server.address}${path}`, request)) await sleep(500);
    // Jobs that have ended get 409.
    if (status === 204) cancelled++;
    else if (status !== 409) problems.push(`cancelling a job answered ${status}`);
  }
  console.log(`cancelled ${cancelled} of ${jobs.length} jobs`);
}

function count(outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}
