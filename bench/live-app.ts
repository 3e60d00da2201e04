/**
 * The live view in Chromium, drawn without a graphics card, with a crowded sky: how long updates block the page, and its memory.
 *
 * A trace of two cycles separates the page's work, in processor time of its main thread, from the time it waited: for
 * the picture, which the other core draws in place of a graphics card, and for other programs. BENCH_MINUTES sets how long memory
 * and blocks are watched, BENCH_CYCLE_SECONDS how often the whole sky changes: an hour of cycles takes ten minutes with 10.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ContrailFeature } from '@contrails/engine/live/contrail-runs';
import type { FlightFeature } from '@contrails/engine/live/flight-features';
import { isoSecond, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { seededRandom } from '@contrails/testbed/weather/random';
import type { Page } from 'playwright-core';
import type { PublishedSky } from '../packages/service/src/families/live/published.ts';
import { StreamHub, TOPICS } from '../packages/service/src/families/live/stream.ts';
import { launchBrowser } from '../test/support/browser.ts';
import { startDemoServer } from './support/demo-server.ts';

const MINUTES = Number(process.env.BENCH_MINUTES ?? 10);
const AIRCRAFT = 5000;
const RIBBONS = 20_000;
const POINTS = 12;
const CYCLE_MS = Number(process.env.BENCH_CYCLE_SECONDS ?? 60) * SECOND_MS;
const HEAPS = 5;
const HEAP_SAMPLES = 8;
/** Of the aircraft that report in a second. */
const MOVED = 1 / 5;

/** Durations of tasks above 50 ms; shorter ones are omitted. */
const OBSERVE = `
  window.blocks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.blocks.push(Math.round(duration));
  }).observe({ type: 'longtask' });
`;

/** A little more than two cycles. */
const TRACED_MS = 2.2 * MINUTE_MS;
const MAX_BLOCK_MS = 50;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** Wall clock and processor [µs]. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const random = seededRandom(1);
const fleet = Array.from({ length: AIRCRAFT }, (_, k) => ({
  id: `flight-${k}`,
  longitude: 360 * random() - 180,
  latitude: 110 * random() - 50,
  track: 360 * random(),
}));
const hub = new StreamHub(10);
const data = mkdtempSync(join(tmpdir(), 'contrails-bench-live-app-'));
const demo = await startDemoServer(data, {
  CONTRAILS_TELEMETRY__SOURCES: '[]',
  CONTRAILS_OBSERVATIONS__SOURCES: '[]',
});
// The service of the demo, but for the stream, which has the crowded sky.
const server = createServer((request, response) => {
  const answer = request.url?.startsWith('/v1/live/stream') ? stream(response) : forward(request, response);
  answer.catch(() => response.destroy());
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
let cycle = 0;
await hub.show(skyOf(++cycle));
const cycles = setInterval(() => void hub.show(skyOf(++cycle)), CYCLE_MS);
const moves = setInterval(() => {
  const moved = fleet.filter(() => random() < MOVED).map((one) => flightOf(one, Date.now()));
  void hub.move(moved);
}, SECOND_MS);
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#/live?at=35,-10,1.8`);
  await page.getByText(/aircraft in the air/).waitFor({ timeout: 100_000 });
  await page.waitForTimeout(20 * SECOND_MS);
  await page.evaluate(OBSERVE);
  const heaps = [await heapMb(page)];
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel', '__metadata'] });
  await page.waitForTimeout(TRACED_MS);
  const traced = mainThread(JSON.parse((await browser.stopTracing()).toString()).traceEvents as TraceEvent[]);
  await page.evaluate('window.blocks.length = 0');
  for (let k = 0; k < HEAPS; k++) {
    await page.waitForTimeout(Math.max(0, (MINUTES * MINUTE_MS) / HEAPS - CYCLE_MS));
    heaps.push(await heapMb(page));
  }
  const blocks = (await page.evaluate('window.blocks')) as number[];
  console.table([
    { what: 'aircraft and ribbons', value: `${AIRCRAFT} and ${RIBBONS}`, wanted: '' },
    {
      what: 'traced: longest task, processor time, ms',
      value: traced.longestMs,
      wanted: `≤ ${MAX_BLOCK_MS}`,
    },
    { what: 'traced: tasks above 50 ms of it', value: traced.long, wanted: '0' },
    { what: 'traced: longest task with what it waited for, ms', value: traced.longestWallMs, wanted: '' },
    { what: 'traced: work of the main thread, % of a core', value: traced.busy, wanted: '' },
    { what: 'longest block with what it waited for, ms', value: Math.max(0, ...blocks), wanted: '' },
    { what: `such blocks above 50 ms in ${MINUTES} min`, value: blocks.length, wanted: '' },
    {
      what: `JavaScript heap, every ${MINUTES / HEAPS} min, MB`,
      value: heaps.join(', '),
      wanted: 'no growth',
    },
  ]);
} finally {
  clearInterval(cycles);
  clearInterval(moves);
  hub.close();
  await browser.close();
  server.closeAllConnections();
  server.close();
  await demo.stop();
  rmSync(data, { recursive: true, force: true });
}

/** Tasks of the main thread of the page. */
function mainThread(events: readonly TraceEvent[]) {
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = events.filter(
    ({ name, pid, tid, dur }) =>
      name.endsWith('RunTask') && dur !== undefined && threads.has(`${pid}/${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks of the page');
  const work = tasks.map(({ dur = 0, tdur = dur }) => tdur / 1000);
  const longest = tasks.toSorted((a, b) => (b.tdur ?? b.dur ?? 0) - (a.tdur ?? a.dur ?? 0)).slice(0, 5);
  for (const task of longest) {
    const inside = events
      .filter(
        ({ pid, tid, ts, dur = 0 }) =>
          pid === task.pid && tid === task.tid && ts > task.ts && ts + dur <= task.ts + (task.dur ?? 0),
      )
      .toSorted((a, b) => (b.dur ?? 0) - (a.dur ?? 0))
      .slice(0, 3)
      .map(({ name, dur = 0 }) => `${name} ${Math.round(dur / 1000)}`);
    console.log(
      `task: ${Math.round((task.tdur ?? 0) / 1000)} ms of processor time, ${Math.round((task.dur ?? 0) / 1000)} ms in all; ${inside.join(', ')}`,
    );
  }
  return {
    longestMs: Math.round(Math.max(...work)),
    long: work.filter((ms) => ms > MAX_BLOCK_MS).length,
    longestWallMs: Math.round(Math.max(...tasks.map(({ dur = 0 }) => dur / 1000))),
    busy: Math.round((100 * work.reduce((sum, ms) => sum + ms, 0)) / TRACED_MS),
  };
}

async function stream(response: ServerResponse): Promise<void> {
  const events = hub.connect({ box: undefined, topics: new Set(TOPICS), lastEventId: undefined });
  if (events === undefined) throw new Error('too many clients');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.once('close', () => events.destroy());
  events.pipe(response);
}

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = request.headers['x-api-key'];
  const answer = await fetch(`${demo.address}${request.url}`, {
    headers: typeof key === 'string' ? { 'x-api-key': key } : {},
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  if (answer.body === null) response.end();
  else Readable.fromWeb(answer.body as never).pipe(response);
}

function skyOf(number: number): PublishedSky {
  const nowMs = Date.now();
  const flights = fleet.map((one) => flightOf(one, nowMs));
  const contrails = Array.from({ length: RIBBONS }, (_, k) => contrailOf(k, number, nowMs));
  return {
    ...{ cycle: number, timeMs: nowMs, flights, contrails, run: null },
    summary: {
      time: isoSecond(nowMs),
      ...{ aircraft: AIRCRAFT, airborne: AIRCRAFT, forming_persistent: 700, living_contrail_km: 900_000 },
      ...{
        cover_km2: 1_000_000,
        net_forcing_w: 1e12,
        net_forcing_mw_per_m2: 2,
        energy_forcing_last_hour_j: 3e15,
      },
      ...{ largest: [], newest_report: isoSecond(nowMs), evicted_aircraft: 0 },
      weather: { source: 'demo', forecast_time: null },
      ...{
        hours: 4,
        feeds: [{ name: 'crowd', kind: 'push', newest_report: isoSecond(nowMs), stalled: false }],
      },
    },
  };
}

function flightOf(one: (typeof fleet)[number], nowMs: number): FlightFeature {
  one.longitude += 0.003 * Math.sin((one.track * Math.PI) / 180);
  one.latitude = Math.min(Math.max(one.latitude + 0.002 * Math.cos((one.track * Math.PI) / 180), -70), 70);
  return {
    type: 'Feature',
    id: one.id,
    geometry: { type: 'Point', coordinates: [one.longitude, one.latitude] },
    properties: {
      ...{ id: one.id, icao_address: one.id.slice(-6), callsign: one.id.toUpperCase().replace('-', '') },
      ...{ aircraft_type_icao: 'A320', aircraft_type_assumed: false },
      ...{ departure_airport_icao: null, arrival_airport_icao: null, altitude_ft: 35_000, track: one.track },
      ...{
        ground_speed_kt: 450,
        vertical_rate_fpm: 0,
        first_seen: isoSecond(nowMs),
        last_seen: isoSecond(nowMs),
      },
      ...{ state: 'airborne', truncated: false, persistent: false, energy_forcing_so_far_j: 1e12 },
      ...{
        energy_forcing_j: 2e12,
        ahead: { energy_forcing_j: 0, persistent_km: 0, first_persistent_min: null },
      },
    },
  };
}

function contrailOf(k: number, number: number, nowMs: number): ContrailFeature {
  const { id, longitude, latitude } = fleet[k % AIRCRAFT] as (typeof fleet)[number];
  const lag = 2 + Math.floor(k / AIRCRAFT);
  const coordinates = Array.from(
    { length: POINTS },
    (_, point) =>
      [longitude - lag + 0.15 * point, latitude + 0.01 * number + 0.02 * (point % 3), 10_000] as const,
  );
  return {
    type: 'Feature',
    id: `${id}/${lag}`,
    geometry: { type: 'LineString', coordinates },
    properties: {
      ...{
        flight_id: id,
        formed_from: isoSecond(nowMs - 3_600_000),
        formed_to: isoSecond(nowMs - 1_800_000),
      },
      ...{ age_min_s: 1800, age_max_s: 3600, width_m: 5000, optical_depth: 0.1 },
      ...{
        net_forcing_w_per_m2: k % 3 === 0 ? -5 : 8,
        drift_m_per_s: [30, -5],
        energy_forcing_so_far_j: 1e11,
        energy_forcing_j: 2e11,
      },
    },
  };
}

/** The least within a cycle: an update on its way takes several MB. */
async function heapMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < HEAP_SAMPLES; k++) {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    least = Math.min(least, usedSize);
    await page.waitForTimeout(CYCLE_MS / HEAP_SAMPLES);
  }
  await session.detach();
  return Math.round((10 * least) / 2 ** 20) / 10;
}
