/**
 * How the demo bears 20 fleets of 51 MiB that are posted at once with one key: answers, `/healthz` meanwhile, the longest
 * delay of the event loop and the largest resident memory.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, isoTime, MINUTE_MS } from '@contrails/runtime';
import { type DemoServer, startDemoServer } from './support/demo-server.ts';

const BODIES = 20;
const [FLIGHTS, WAYPOINTS] = [1000, 300];
/** Makes a body of 51 MiB, as long ids do. */
const ID_LENGTH = 120;
const MEBIBYTE = 2 ** 20;
/** The demo makes its own requests at startup, and collects garbage after them. */
const OWN_REQUESTS_MS = 20_000;
const agent = new Agent({ maxSockets: BODIES });

const data = mkdtempSync(join(tmpdir(), 'contrails-bodies-'));
const server = await startDemoServer(data, { CONTRAILS_METRICS__SERVE: 'public' });
try {
  const body = fleet(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
  // What is compiled for the first such body does not count.
  await post(server, body);
  await sleep(OWN_REQUESTS_MS);
  const watching = await watch(server);
  const answers = await Promise.all(Array.from({ length: BODIES }, () => post(server, body)));
  const { healthMs, delayS } = await watching.end();
  console.log(`${BODIES} bodies of ${(body.length / MEBIBYTE).toFixed(1)} MiB`);
  console.table(
    Object.entries(Object.groupBy(answers, ({ status }) => String(status))).map(([status, list = []]) => ({
      status,
      count: list.length,
      'mean s': (list.reduce((sum, { ms }) => sum + ms, 0) / list.length / 1000).toFixed(2),
      'max s': (Math.max(...list.map(({ ms }) => ms)) / 1000).toFixed(2),
    })),
  );
  console.table({
    'median of /healthz, ms': Math.round(healthMs[healthMs.length >> 1] ?? Number.NaN),
    'max of /healthz, ms': Math.round(healthMs.at(-1) ?? Number.NaN),
    'longest delay of the event loop, ms': Math.round(1000 * delayS),
    'largest resident memory, MiB': peakMib(server),
  });
} finally {
  await server.stop();
  rmSync(data, { recursive: true });
}

/** Flights anywhere, a waypoint each minute. */
function fleet(startMs: number): Buffer {
  const points = Array.from({ length: FLIGHTS * WAYPOINTS }, (_, n) => {
    const [f, i] = [Math.floor(n / WAYPOINTS), n % WAYPOINTS];
    return { f, i, west: ((f * 37) % 300) - 170, south: ((f * 13) % 100) - 50 };
  });
  const list = {
    aircraft_type: 'B738',
    flight_id: points.map(({ f }) => `flight ${f} `.padEnd(ID_LENGTH, 'x')),
    longitude: points.map(({ i, west }) => west + i * 0.0123456789),
    latitude: points.map(({ i, south }) => south + i * 0.0021234567),
    altitude: points.map(({ f }) => 31_000 + 1000 * (f % 9)),
    time: points.map(({ i }) => isoTime(startMs + i * MINUTE_MS)),
  };
  return Buffer.from(JSON.stringify(list));
}

function post(
  { address, key }: DemoServer,
  body: Buffer,
): Promise<{ readonly status: number | string; readonly ms: number }> {
  const startedMs = performance.now();
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'content-length': body.length };
  return new Promise((resolve) => {
    const end = (status: number | string) => resolve({ status, ms: performance.now() - startedMs });
    request(`${address}/v0/trajectory/sac`, { method: 'POST', agent, headers }, (answer) =>
      answer.resume().on('end', () => end(answer.statusCode ?? 0)),
    )
      .on('error', (error) => end(error.message))
      .end(body);
  });
}

/** Asks for `/healthz` all the time, and once a second for the delay of the event loop since it was asked before. */
async function watch({ address }: DemoServer) {
  const healthMs: number[] = [];
  let delayS = 0;
  let isOver = false;
  const readDelay = async () => {
    const text = await fetch(`${address}/metrics`).then((answer) => answer.text());
    delayS = Math.max(delayS, Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1] ?? 0));
  };
  await readDelay();
  // What came before does not count.
  delayS = 0;
  const asking = (async () => {
    for (; !isOver; await sleep(50)) {
      const startedMs = performance.now();
      await fetch(`${address}/healthz`).then((answer) => answer.arrayBuffer());
      healthMs.push(performance.now() - startedMs);
    }
  })();
  const reading = (async () => {
    for (; !isOver; await sleep(1000)) await readDelay();
  })();
  return {
    async end() {
      isOver = true;
      await Promise.all([asking, reading]);
      await readDelay();
      return { healthMs: healthMs.sort((one, other) => one - other), delayS };
    },
  };
}

function peakMib({ pid }: DemoServer): number {
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kibibytes) / 1024);
}
