/**
 * Clients that follow the sky of thousands of aircraft, which report every five seconds.
 *
 *     npm run soak -- live --minutes 60 [--aircraft 2000] [--clients 200] [--alone 2]
 *
 * After the first cycle, `--alone` minutes have no clients: what they cost is the processor time beyond that. It prints a line
 * each minute and fails when a client hears nothing for 20 s or loses its connection, and by the rules of `live-figures.ts`.
 * Flights are long enough for the models after five minutes; a run of less than half an hour takes their memory for growth.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { destinationLatitude, destinationLongitude } from '@contrails/physics/geodesy';
import { MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { startDemoServer } from '../../../../bench/support/demo-server.ts';
import { judge, type MemorySample, percent } from './live-figures.ts';
import { readMemory, shownMemory } from './soak-memory.ts';

const REPORT_MS = 5 * SECOND_MS;
const SAMPLE_MS = 5 * SECOND_MS;
const SILENCE_MS = 20 * SECOND_MS;
const BOX_DEG = 20;
/** Clock ticks of the system in a second. */
const TICKS = 100;
/** An aircraft whose longitude says which report it is. */
const TRACER = 'ABCDEF';
const TRACER_STEP_DEG = 0.06;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    aircraft: { type: 'string', default: '2000' },
    clients: { type: 'string', default: '200' },
    alone: { type: 'string', default: '2' },
  },
});
const [minutes, alone] = [Number(values.minutes), Number(values.alone)];
const [aircraft, clients] = [Number(values.aircraft), Number(values.clients)];
const data = mkdtempSync(join(tmpdir(), 'contrails-soak-live-'));
const server = await startDemoServer(
  data,
  {
    CONTRAILS_METRICS__SERVE: 'public',
    CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 5 }]),
    CONTRAILS_TELEMETRY__SOURCES: JSON.stringify([{ name: 'soak', kind: 'push' }]),
    CONTRAILS_OBSERVATIONS__SOURCES: '[]',
    CONTRAILS_FORECAST__SCHEDULE: 'off',
    CONTRAILS_INVENTORY__SCHEDULE: 'off',
    CONTRAILS_LIVE__ENABLED: 'true',
    CONTRAILS_LIVE__MAX_CLIENTS: String(clients + 1),
  },
  'workers',
);
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
const startedMs = Date.now();
const problems = new Set<string>();
/** When each report of the tracer was sent, and how long those that a client has got took. */
const sentMs: number[] = [];
const delaysMs: number[] = [];
const heardMs = new Map<number, number>();
let [events, bytes, isOver] = [0, 0, false];
/** The newest one of the tracer that a client has got. */
let lastReport = -1;
try {
  const feeding = feed();
  await until('the first cycle', async () => (await ask('/v1/live/summary')).ok);
  const [cpuBefore, aloneMs] = [processorSeconds(), Date.now()];
  await sleep(alone * MINUTE_MS);
  const [cpuAlone, fromMs] = [processorSeconds(), Date.now()];
  const usedAlone = (cpuAlone - cpuBefore) / ((fromMs - aloneMs) / SECOND_MS);
  console.log(`${aircraft} aircraft, no clients: ${percent(usedAlone)} of a core`);
  for (let k = 0; k < clients; k++) follow(k, boxOf(k));
  follow(clients, '-180,70,180,90');
  const samples = await watch(fromMs + minutes * MINUTE_MS);
  const used = (processorSeconds() - cpuAlone) / ((Date.now() - fromMs) / SECOND_MS);
  isOver = true;
  await feeding;
  report(samples, used, usedAlone);
} finally {
  agent.destroy();
  await server.stop();
  rmSync(data, { recursive: true });
}

function report(samples: readonly MemorySample[], used: number, usedAlone: number): void {
  const { lines, problems: found } = judge({ aircraft, clients, samples, delaysMs, used, usedAlone });
  console.log(`${events} events, ${Math.round(bytes / 1e6)} MB`);
  for (const line of lines) console.log(line);
  for (const problem of [...problems, ...found]) console.log(`PROBLEM: ${problem}`);
  process.exitCode = problems.size + found.length === 0 ? 0 : 1;
}

async function watch(untilMs: number): Promise<MemorySample[]> {
  const samples: MemorySample[] = [];
  let shown = -1;
  while (Date.now() < untilMs) {
    await sleep(SAMPLE_MS);
    const nowMs = Date.now();
    const hour = (nowMs - startedMs) / (60 * MINUTE_MS);
    const use = await readMemory(server);
    samples.push({ hour, residentMib: use.residentMib });
    for (const [client, lastMs] of heardMs) {
      if (nowMs - lastMs > SILENCE_MS) problems.add(`client ${client} heard nothing for 20 s`);
    }
    if (Math.floor(60 * hour) === shown) continue;
    shown = Math.floor(60 * hour);
    console.log(`${shown} min  ${shownMemory(use)}  ${heardMs.size} clients  ${events} events`);
  }
  return samples;
}

/** Boxes lie side by side around the globe. */
function boxOf(k: number): string {
  const west = ((k * BOX_DEG) % 360) - 180;
  const south = ((Math.floor(k / 18) * BOX_DEG) % 120) - 60;
  return [west, south, west + BOX_DEG, south + BOX_DEG].join(',');
}

function follow(client: number, bbox: string): void {
  const headers = { 'x-api-key': server.key, accept: 'text/event-stream' };
  heardMs.set(client, Date.now());
  const request = get(`${server.address}/v1/live/stream?bbox=${bbox}`, { agent, headers }, (answer) => {
    if (answer.statusCode !== 200) problems.add(`a client got ${answer.statusCode}`);
    heardMs.set(client, Date.now());
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      heardMs.set(client, Date.now());
      bytes += text.length;
      events += text.split('\nid: ').length - 1;
      if (client === clients) noteTracer(text);
    });
    answer.on('close', () => {
      if (!isOver) problems.add(`client ${client} lost its connection`);
    });
  });
  request.on('error', (error) => {
    if (!isOver) problems.add(error.message);
  });
}

function noteTracer(text: string): void {
  for (const [, longitude] of text.matchAll(
    /"id":"[^"]*","geometry":\{[^}]*\[([-\d.]+),80\]\}[^}]*ABCDEF/g,
  )) {
    const report = Math.round((Number(longitude) + 170) / TRACER_STEP_DEG);
    const sent = sentMs[report];
    // A cycle sends it again with what it has computed.
    if (sent === undefined || report <= lastReport) continue;
    lastReport = report;
    delaysMs.push(Date.now() - sent);
  }
}

async function feed(): Promise<void> {
  for (let n = 0; !isOver; n++) {
    const nextMs = startedMs + (n + 1) * REPORT_MS;
    const nowMs = Date.now();
    sentMs[n] = nowMs;
    const answer = await ask('/v1/adsb/ingest?source=soak', JSON.stringify(reportsAt(n, nowMs)));
    if (!answer.ok && !isOver) problems.add(`reports were answered with ${answer.status}: ${answer.detail}`);
    await sleep(Math.max(0, nextMs - Date.now()));
  }
}

/** What a receiver of the whole globe would see. */
function reportsAt(n: number, nowMs: number) {
  const metres = 0.235 * (nowMs - startedMs);
  const common = { type: 'adsb_icao', t: 'A320', nic: 8, nac_p: 10, seen_pos: 0.1, gs: 457 };
  const fleet = Array.from({ length: aircraft }, (_, k) => {
    const [longitude, latitude, azimuth] = [((k * 137.5) % 360) - 180, ((k * 61) % 110) - 50, (k * 29) % 360];
    return {
      ...common,
      hex: (0x400000 + k).toString(16),
      flight: `SOA${k}`,
      alt_baro: 30_000 + (k % 10) * 1000,
      lon: destinationLongitude(longitude, latitude, azimuth, metres),
      lat: destinationLatitude(latitude, azimuth, metres),
    };
  });
  const tracer = {
    ...common,
    hex: TRACER,
    flight: 'TRACER',
    alt_baro: 35_000,
    lon: -170 + TRACER_STEP_DEG * n,
    lat: 80,
  };
  return { now: nowMs / 1000, messages: n, aircraft: [...fleet, tracer] };
}

function ask(path: string, body?: string): Promise<{ ok: boolean; status: number; detail: string }> {
  const headers = { 'x-api-key': server.key, 'content-type': 'application/json' };
  return fetch(
    `${server.address}${path}`,
    body === undefined ? { headers } : { method: 'POST', headers, body },
  ).then(async (answer) => {
    const text = await answer.text();
    return { ok: answer.ok, status: answer.status, detail: answer.ok ? '' : text.slice(0, 200) };
  });
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let k = 0; !(await look()); k++) {
    if (k > 300) throw new Error(`waited five minutes for ${what}`);
    await sleep(SECOND_MS);
  }
}

/** Of the server, with all its threads. */
function processorSeconds(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
