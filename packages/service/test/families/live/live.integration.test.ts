import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Compute, openCompute } from '@contrails/engine/compute';
import type { FlightFeature } from '@contrails/engine/live/flight-features';
import { type Met, openMet } from '@contrails/met';
import { MINUTE_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { type LiveBoard, openBoard } from '../../../src/families/live/board.ts';
import type { LiveConfig } from '../../../src/families/live/config.ts';
import { runCycle, startCycles } from '../../../src/families/live/cycles.ts';
import { checkLive } from '../../../src/families/live/doctor.ts';
import { followSky } from '../../../src/families/live/follow.ts';
import { liveMetrics } from '../../../src/families/live/metrics.ts';
import type { PublishedSky } from '../../../src/families/live/published.ts';
import { liveRoutes } from '../../../src/families/live/routes.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { bytesReader } from '../../../src/families/telemetry/ingest/import.ts';
import { type TelemetrySettings, telemetryRules } from '../../../src/telemetry-store/config.ts';
import { syncSources } from '../../../src/telemetry-store/sources.ts';
import { type Server, startServer } from '../../support/server.ts';
import { APPLY, type Installation, openInstallation } from '../telemetry/support/installation.ts';

const LOG = { warn: (...args: unknown[]) => console.warn(...args) } as never;
const { feeds: FEEDS } = telemetryRules({
  ...({} as TelemetrySettings),
  seal_after: '3h',
  close_after: '7d',
  settle: '1min',
  sources: ['east', 'west'].map((name) => ({ name, kind: 'push' as const })),
});

let installation: Installation;
let compute: Compute;
let met: Met;
let server: Server;
let key: string;
let board: LiveBoard;
let release: () => Promise<void>;

const services = () => ({
  ...installation,
  compute,
  met: { open: async () => met } as never,
  reserve: async () => ({ bytes: 0, grow() {}, release() {} }),
});

const config = (live: Partial<LiveConfig['live']> = {}) =>
  ({
    met: { humidity_scaling: 'exponential_boost_latitude_customization' },
    live: {
      enabled: true,
      hours: 4,
      interval: '60s',
      stale_after: '5min',
      memory_mib: 64,
      max_clients: 3,
      ...live,
    },
  }) as LiveConfig;

/** A cruise eastwards, a report every 30 s until a time, as lines of the table. */
function reportsOf(address: string, minutes: number, shiftDeg = 0, nowMs = Date.now()): string {
  const lines = Array.from({ length: 2 * minutes }, (_, k) =>
    JSON.stringify({
      timestamp: new Date(nowMs - (2 * minutes - 1 - k) * 30_000).toISOString(),
      icao_address: address,
      latitude: 55,
      longitude: -20 + shiftDeg + 0.1 * k,
      altitude_baro: 35_000,
      callsign: 'TEST1',
      aircraft_type_icao: 'A320',
      collection_type: 'terrestrial',
    }),
  );
  return `${lines.join('\n')}\n`;
}

async function ingest(source: string, lines: string): Promise<void> {
  const bytes = Buffer.from(lines);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const receivedMs = Date.now();
  const header = { source, format: '', name: 'test', sha256, isLive: true, receivedMs };
  await applyBatch(installation, header, bytesReader(bytes, { format: 'table', nowMs: receivedMs }), APPLY);
}

const cycle = () => runCycle(services(), board, 'test', Date.now(), new AbortController().signal);

beforeAll(async () => {
  installation = await openInstallation();
  await syncSources(installation.database, FEEDS, Date.now());
  await installation.database.execute(
    `UPDATE live_state SET lease_owner = 'test', lease_until_ms = $1 WHERE name = 'live'`,
    [Date.now() + 3_600_000],
  );
  met = openMet({ sources: [openSynthetic({ name: 'demo', resolutionDeg: 10 })], memoryBytes: 2 ** 29 });
  compute = openCompute({ threads: 1, maxQueue: 100 });
  await ingest('east', reportsOf('3C4B26', 40));
  server = await startServer({ families: [liveRoutes(services(), config(), LOG)] });
  key = await server.newKey({ scopes: ['live'] });
  ({ board, release } = await openBoard(installation, config(), LOG));
  await board.hasReports;
}, 120_000);
afterAll(async () => {
  await release?.();
  await Promise.all([compute.close(), met.close()]);
  await installation.close();
});

const get = (url: string, headers: Record<string, string> = {}) =>
  server.send({ method: 'GET', url, headers: { 'x-api-key': key, ...headers } });

test('until the first cycle, endpoints ask to come back', async () => {
  const answer = await get('/v1/live/summary');
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('5');
});

test('a cycle lists the aircraft, with an entity tag of the cycle', async () => {
  expect(await cycle()).toBe(true);
  const answer = await get('/v1/live/flights');
  expect(answer.status).toBe(200);
  const { features } = answer.json<{ features: { properties: Record<string, unknown> }[] }>();
  expect(features).toHaveLength(1);
  expect(features[0]?.properties).toMatchObject({
    icao_address: '3C4B26',
    callsign: 'TEST1',
    state: 'airborne',
    aircraft_type_assumed: false,
    altitude_ft: 35_000,
  });
  expect(features[0]?.properties.ahead).not.toBeNull();
  const again = await get('/v1/live/flights', { 'if-none-match': String(answer.headers.etag) });
  expect(again.status).toBe(304);
  expect(answer.headers['cache-control']).toBe('no-cache');
}, 60_000);

test('flights are chosen by box, callsign and altitude', async () => {
  const count = async (query: string) =>
    (await get(`/v1/live/flights?${query}`)).json<{ features: unknown[] }>().features.length;
  expect(await count('callsign=test')).toBe(1);
  expect(await count('callsign=other')).toBe(0);
  expect(await count('min_altitude_ft=36000')).toBe(0);
  expect(await count('bbox=-30,50,30,60')).toBe(1);
  expect(await count('bbox=100,50,-100,60')).toBe(0);
});

test('one flight has its minutes and the columns of the trajectory endpoint', async () => {
  const [feature] = board.sky?.flights ?? [];
  const answer = await get(`/v1/live/flights/${feature?.id}`);
  expect(answer.status).toBe(200);
  const detail = answer.json<{ time: string[]; columns: Record<string, (number | null)[]> }>();
  expect(detail.time.length).toBeGreaterThan(30);
  expect(detail.columns.energy_forcing).toHaveLength(detail.time.length);
  const sum = detail.columns.energy_forcing?.reduce<number>((total, value) => total + (value ?? 0), 0);
  expect(sum).toBeCloseTo(feature?.properties.energy_forcing_j ?? Number.NaN, -6);
  expect((await get('/v1/live/flights/unknown')).status).toBe(404);
}, 60_000);

test('past minutes are played back, also those before the first cycle', async () => {
  const minute = new Date(Date.now() - 10 * MINUTE_MS).toISOString();
  const answer = await get(`/v1/live/at?time=${minute}`);
  expect(answer.status).toBe(200);
  const { flights } = answer.json<{ flights: { features: unknown[] } }>();
  expect(flights.features).toHaveLength(1);
  expect((await get('/v1/live/at?time=2020-01-01')).status).toBe(404);
});

test('the stream begins with a snapshot and goes on with positions as they are ingested', async () => {
  const events = await follow();
  await until('the snapshot', () => events.text.includes('event: snapshot'));
  expect(events.text).toContain('3C4B26');
  await ingest('east', reportsOf('3C4B26', 1, 9, Date.now() - 1000));
  await until('the update', () => events.text.includes('event: update'));
  const id = /id: (\d+-\d+)\n/g.exec(events.text)?.[1] ?? '';
  events.close();
  const resumed = await follow({ 'last-event-id': id });
  await until('the events that were missed', () => resumed.text.includes('event: '));
  expect(resumed.text).not.toContain('event: snapshot');
  resumed.close();
  const expired = await follow({ 'last-event-id': `1-${Date.now() - 6 * MINUTE_MS}` });
  await until('a snapshot', () => expired.text.includes('event: snapshot'));
  expired.close();
}, 60_000);

test('a connection that is never read costs bounded memory, and others get every update', async () => {
  const { hostname, port } = new URL(await server.address());
  const socket = connect(Number(port), hostname);
  socket.write(`GET /v1/live/stream HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${key}\r\n\r\n`);
  socket.pause();
  await until('the connection', () => board.hub.clients === 1);
  const reader = await follow();
  await until('the snapshot', () => reader.text.includes('event: snapshot'));
  const flights = Array.from({ length: 1000 }, (_, k) => madeUp(`made-up-${k}`));
  const dropped = board.hub.dropped;
  const sky = board.sky as PublishedSky;
  for (let n = 0; n < 60 && board.hub.dropped === dropped; n++) {
    const moved = flights.map((feature) => ({ ...feature, properties: { ...feature.properties, track: n } }));
    await board.hub.show({ ...sky, flights: [...sky.flights, ...moved] });
    await pause(20);
  }
  expect(board.hub.dropped).toBeGreaterThan(dropped);
  await until('the newest state', () => /"track":\d+/.test(reader.text.slice(-2000)));
  socket.destroy();
  reader.close();
  await board.hub.show(sky);
  await until('no clients', () => board.hub.clients === 0);
}, 60_000);

function madeUp(id: string): FlightFeature {
  const [like] = board.sky?.flights ?? [];
  if (like === undefined) throw new Error('no flight');
  return { ...like, id, properties: { ...like.properties, id, icao_address: id } };
}

test('beyond live.max_clients clients are refused, and places are free again when clients leave', async () => {
  await until('no clients', () => board.hub.clients === 0);
  const clients = await Promise.all([follow(), follow(), follow()]);
  const refused = await fetch(`${await server.address()}/v1/live/stream`, { headers: { 'x-api-key': key } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('30');
  await refused.body?.cancel();
  for (const client of clients) client.close();
  await until('no clients', () => board.hub.clients === 0);
});

test('two feeds of one airframe are one flight, and the newest report wins', async () => {
  await ingest('west', reportsOf('3C4B26', 1, 12, Date.now()));
  await until('the position', () => {
    const [feature] = [...board.flights.values()];
    return (feature?.geometry.coordinates[0] ?? 0) > -8.5;
  });
  expect(board.flights.size).toBe(1);
});

test('flights that were reported while a cycle was computed are not put back by it', async () => {
  const { sky } = board;
  if (sky === undefined) throw new Error('there is no cycle');
  const position = () => board.flights.get('3C4B26')?.geometry.coordinates;
  const before = position();
  await ingest('east', reportsOf('3C4B26', 1, 9));
  await until('the position', () => String(position()) !== String(before));
  const newest = position();
  await board.show(sky);
  expect(position()).toEqual(newest);
});

test('reports of a clock an hour ahead are refused by ingest and never seen', async () => {
  const before = board.state.tracks.size;
  await ingest('west', reportsOf('ABCDEF', 1, 0, Date.now() + 3_600_000));
  await cycle();
  expect(board.state.tracks.size).toBe(before);
}, 60_000);

test('a new process rebuilds its state from what is stored, and flights keep their ids', async () => {
  const id = board.sky?.flights[0]?.id;
  const database = Object.create(installation.database) as Installation['database'];
  const other = await openBoard({ ...installation, database }, config(), LOG);
  await other.board.hasReports;
  expect(other.board.state.tracks.size).toBe(board.state.tracks.size);
  expect(other.board.sky?.cycle).toBe(board.sky?.cycle);
  const legs = await other.board.state.legsOf('3C4B26', { compute });
  expect(legs.at(-1)?.flightId).toBe(id);
  await other.release();
}, 60_000);

test('a process that lost the lease publishes nothing, and another takes over', async () => {
  const { database } = installation;
  await database.execute(`UPDATE live_state SET lease_owner = 'gone', lease_until_ms = $1`, [Date.now() - 1]);
  expect(await cycle()).toBe(false);
  const before = board.sky?.cycle ?? 0;
  const background = await startCycles(services() as never, config({ interval: '1s' }), LOG);
  await until('a cycle of the new holder', () => (board.sky?.cycle ?? 0) > before);
  await background.stop();
  const [row] = await database.query(`SELECT lease_owner FROM live_state`);
  expect(row).toEqual({ lease_owner: null });
}, 60_000);

test('metrics and the doctor know the newest cycle', async () => {
  const values = Object.fromEntries(
    await Promise.all(
      liveMetrics(installation.database).map(async ({ name, read }) => [name, await read()] as const),
    ),
  );
  expect(values.contrails_live_aircraft).toBe(1);
  expect(values.contrails_live_cycle_seconds).toBeGreaterThan(0);
  expect(values.contrails_live_clients).toBe(0);
  expect(await checkLive(installation.database, Date.now())).toMatchObject([{ state: 'ok' }]);
  expect(await checkLive(installation.database, Date.now() + 60 * MINUTE_MS)).toMatchObject([
    { state: 'warn' },
  ]);
});

test('a command follows the sky from database and store alone', async () => {
  const stop = new AbortController();
  for await (const update of followSky(installation, config(), LOG, stop.signal)) {
    expect(update.flights).toHaveLength(1);
    expect(update.changed).toEqual(update.flights);
    expect(update.summary?.aircraft).toBe(1);
    stop.abort();
  }
  const empty = await openInstallation();
  const [nothing] = [followSky(empty, config(), LOG, stop.signal).next()];
  await expect(nothing).rejects.toThrow(/live\.enabled/);
  await empty.close();
});

test('a service without live contrails names the setting', async () => {
  const off = await startServer({ families: [liveRoutes(services(), config({ enabled: false }), LOG)] });
  const answer = await off.send({
    method: 'GET',
    url: '/v1/live/flights',
    headers: { 'x-api-key': await off.newKey({ scopes: ['live'] }) },
  });
  expect(answer.status).toBe(404);
  expect(answer.problem().type).toBe('/problems/live-disabled');
  expect(answer.problem().detail).toContain('live.enabled');
});

async function follow(headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const response = await fetch(`${await server.address()}/v1/live/stream`, {
    headers: { 'x-api-key': key, accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  const events = { text: '', close: () => stop.abort() };
  void (async () => {
    for await (const chunk of response.body ?? []) events.text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  return events;
}
