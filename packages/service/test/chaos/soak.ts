/**
 * Mixed load on the demonstration with its forecast running, and what becomes of resident memory.
 *
 *     node packages/service/test/chaos/soak.ts --minutes 120 [--clients 2] [--settle 0.33]
 *
 * Prints a line each minute, and at the end the slope of resident memory after the first part of the time (`--settle`,
 * in which caches fill). `--idle` minutes without load follow, to see what is released.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { startDemoServer } from '../../../../bench/support/demo-server.ts';

interface Sample {
  readonly minute: number;
  readonly residentMib: number;
  /** [MiB] */
  readonly kinds: Readonly<Record<string, number>>;
}

const SAMPLE_MS = 10_000;
const MEBIBYTE = 2 ** 20;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    idle: { type: 'string', default: '2' },
    clients: { type: 'string', default: '2' },
    settle: { type: 'string', default: '0.33' },
  },
});
const minutes = Number(values.minutes);
const data = mkdtempSync(join(tmpdir(), 'contrails-soak-'));
const server = await startDemoServer(data, { CONTRAILS_METRICS__SERVE: 'public' }, 'workers');
const startedMs = performance.now();
const outcomes = new Map<string, number>();
let isOver = false;
try {
  const clients = Array.from({ length: Number(values.clients) }, (_, id) => client(id));
  const samples = await watch(minutes);
  isOver = true;
  await Promise.all(clients);
  const settled = samples.filter(({ minute }) => minute >= minutes * Number(values.settle));
  console.log(`requests: ${[...outcomes].map(([what, count]) => `${what} ${count}`).join(', ')}`);
  console.log(
    `resident memory: ${slopePerHour(settled).toFixed(0)} MiB/h over the last ` +
      `${(minutes * (1 - Number(values.settle))).toFixed(0)} of ${minutes} minutes, ` +
      `${range(settled)} MiB; whole time ${range(samples)} MiB`,
  );
  const idle = await watch(minutes + Number(values.idle));
  if (idle.length > 0) console.log(`after ${values.idle} minutes without requests:`, shown(idle.at(-1)));
} finally {
  await server.stop();
  rmSync(data, { recursive: true });
}

async function watch(untilMinute: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  let shownMinute = -1;
  while (minutesNow() < untilMinute) {
    const sample = await takeSample();
    if (sample !== undefined) {
      samples.push(sample);
      if (Math.floor(sample.minute) > shownMinute) console.log(shown(sample));
      shownMinute = Math.floor(sample.minute);
    }
    await sleep(SAMPLE_MS);
  }
  return samples;
}

function minutesNow(): number {
  return (performance.now() - startedMs) / MINUTE_MS;
}

async function takeSample(): Promise<Sample | undefined> {
  const answer = await fetch(`${server.address}/metrics`).catch(() => undefined);
  if (answer?.ok !== true) return undefined;
  const text = await answer.text();
  const found = text.matchAll(/^contrails_memory_bytes\{kind="(\w+)"\} (\S+)$/gm);
  const kinds = Object.fromEntries(
    [...found].map(([, kind, bytes]) => [kind ?? '', Math.round(Number(bytes) / MEBIBYTE)]),
  );
  const [, resident] = /^process_resident_memory_bytes (\S+)$/m.exec(text) ?? [];
  return { minute: minutesNow(), residentMib: Math.round(Number(resident) / MEBIBYTE), kinds };
}

function shown(sample: Sample | undefined): string {
  if (sample === undefined) return 'no sample';
  const kinds = Object.entries(sample.kinds).map(([kind, mebibytes]) => `${kind} ${mebibytes}`);
  return `${sample.minute.toFixed(1)} min  resident ${sample.residentMib} MiB  (${kinds.join(', ')})`;
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

/** One request after the other, of every kind in turn; levels, hours and places change so that caches are not enough. */
async function client(id: number): Promise<void> {
  for (let n = id; !isOver; n++) {
    const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + ((n * 7) % 6) * HOUR_MS);
    const time = hour.toISOString().slice(0, 13);
    const level = 270 + 10 * ((n * 5) % 18);
    const west = ((n * 37) % 300) - 180;
    const paths = [
      `/v0/grid/pcr?time=${time}&flight_level=${level}`,
      `/v1/regions?time=${time}&flight_level=${level}`,
      `/v0/grid/sac?time=${time}&flight_level=${level}&bbox=${west},20,${west + 50},70&format=geojson`,
      `/v1/grids?time=${time}&flight_level=${level}`,
      '/v0/grid/availability',
      `/v0/grid/issr?time=${time}`,
    ];
    const path = paths[n % (paths.length + 2)];
    await (path === undefined ? send('/v0/trajectory/cocip', flight(n, hour)) : send(path));
  }
}

async function send(path: string, body?: unknown): Promise<void> {
  const headers = { 'x-api-key': server.key, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(120_000);
  try {
    const answer = await fetch(
      `${server.address}${path}`,
      body === undefined
        ? { headers, signal }
        : { method: 'POST', headers, body: JSON.stringify(body), signal },
    );
    await answer.arrayBuffer();
    count(`${path.split('?')[0]} ${answer.status}`);
    // A refusal costs nothing to make, and would otherwise be all that is asked for.
    if (!answer.ok) await sleep(500);
  } catch (error) {
    count(`${path.split('?')[0]} ${error instanceof Error ? error.name : 'failed'}`);
    await sleep(500);
  }
}

function count(outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

/** Three hours across some ocean, a waypoint each minute. */
function flight(n: number, start: Date) {
  const steps = Array.from({ length: 180 }, (_, i) => i);
  const [latitude, longitude] = [((n * 13) % 100) - 50, ((n * 29) % 300) - 170];
  return {
    aircraft_type: 'B738',
    time: steps.map((i) => new Date(start.getTime() + i * MINUTE_MS).toISOString()),
    latitude: steps.map((i) => latitude + i * 0.02),
    longitude: steps.map((i) => longitude + i * 0.12),
    altitude: steps.map(() => 31_000 + 1000 * (n % 9)),
  };
}
