import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readFooter } from '@contrails/engine/inventory/parquet';
import { legUuid } from '@contrails/flights';
import { openDuckDb } from '@contrails/formats';
import { localCopy } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { lookForDates, planDate } from '../../../src/families/inventory/run/plan.ts';
import { pruneRuns, pruneWork } from '../../../src/families/inventory/run/prune.ts';
import { findDate, unitsOf } from '../../../src/families/inventory/run/state.ts';
import { type RunManifest, readRunManifest } from '../../../src/inventory-store/manifest.ts';
import { type Server, startServer } from '../../support/server.ts';
import { forgetComputed, importLines, openInventory, type TrialInventory, trafficLines } from './support.ts';

const { python, missing } = readTools();
const DATE = '2024-02-29';
const START_MS = Date.parse(DATE);

let trial: TrialInventory;
let server: Server;
let key: string;

beforeAll(async () => {
  trial = await openInventory({ inventory: { shards: 1 } });
  await importLines(trial, firstLines());
  server = await startServer({ families: familyRoutes(trial.services, trial.config) });
  key = await server.newKey({ scopes: ['inventory', 'inventory:segments'] });
}, 300_000);
afterAll(() => trial.close());

/** One aircraft loses the ids of its provider and the first part of its flight, which arrives later. */
const LATE_MS = START_MS + 3 * HOUR_MS;
const lines = trafficLines(START_MS - 2 * HOUR_MS, START_MS + 7 * HOUR_MS);
const lineTimeMs = (line: string) => Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? '');
const LATE_ADDRESS = lateAddress();
const isLate = (line: string) =>
  line.includes(`"${LATE_ADDRESS}"`) && lineTimeMs(line) > START_MS && lineTimeMs(line) < LATE_MS;
const withoutId = (line: string) =>
  line.includes(`"${LATE_ADDRESS}"`) ? line.replace(/,"flight_id":"[^"]*"/, '') : line;
const firstLines = () => lines.filter((line) => !isLate(line)).map(withoutId);
const lateLines = () => lines.filter(isLate).map(withoutId);

/** An aircraft that is in the air for at least half an hour before and for an hour after the cut, and took off on the date. */
function lateAddress(): string {
  const spans = new Map<string, number[]>();
  for (const line of lines) {
    const address = /"icao_address":"([^"]+)"/.exec(line)?.[1] ?? '';
    if (!line.includes('"on_ground":false')) continue;
    spans.set(address, [...(spans.get(address) ?? []), lineTimeMs(line)]);
  }
  for (const [address, times] of spans) {
    const early = times.filter((ms) => ms < LATE_MS && ms > LATE_MS - HOUR_MS / 2);
    const isOnDate = !times.some((ms) => ms >= START_MS && ms < START_MS + HOUR_MS / 2);
    const after = times.filter((ms) => ms >= LATE_MS && ms < LATE_MS + HOUR_MS);
    if (isOnDate && early.length > 40 && after.length > 90) return address;
  }
  throw new Error('no aircraft of the synthetic traffic is in the air long enough');
}

async function legOf(address: string): Promise<{ flight_id: string; first_time: Date }> {
  const { legs } = await currentRun();
  const folder = await temporaryDirectory();
  const duckdb = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: folder });
  const path = await localCopy(trial.services.store, legs.key, folder);
  const [leg] = await duckdb.rows(
    `SELECT flight_id, first_time FROM read_parquet('${path}', hive_partitioning = false)
     WHERE icao_address = '${address}' AND outcome IN ('ok', 'partial') ORDER BY first_time LIMIT 1`,
  );
  duckdb.close();
  if (leg === undefined) throw new Error(`${address} has no flight`);
  return { flight_id: String(leg.flight_id), first_time: leg.first_time as Date };
}

const ask = (path: string, headers: Record<string, string> = {}) =>
  server.send({ method: 'GET', url: `/v1/inventory/${path}`, headers: { 'x-api-key': key, ...headers } });

async function currentRun(): Promise<RunManifest> {
  const manifest = await readRunManifest(trial.services.store, DATE);
  if (manifest === undefined) throw new Error('no run is published');
  return manifest;
}

async function bytesOf(objectKey: string): Promise<Buffer> {
  const opened = await trial.services.store.read(objectKey);
  if (opened === undefined) throw new Error(`${objectKey} is not stored`);
  return buffer(opened.body);
}

async function compute(jobs: number): Promise<RunManifest> {
  await planDate(trial.services, trial.config, DATE, true);
  await trial.work(jobs);
  return currentRun();
}

describe('a day of the inventory', () => {
  test('is not served before it is computed', async () => {
    const answer = await ask(`summary?date=${DATE}`);
    expect(answer.status).toBe(404);
    expect(answer.problem().detail).toMatch(/2024-02-29 is not in the inventory; no date is served yet/);
  });

  test('is computed from telemetry to tables, and its minutes add up', async () => {
    expect((await planDate(trial.services, trial.config, DATE)).state).toBe('computing');
    await trial.work();
    const manifest = await currentRun();
    const { legs, minutes, flights } = manifest.completeness;
    expect(flights.computed).toBeGreaterThan(8);
    expect(manifest.summary.rows).toBe(flights.computed);
    expect(legs.total).toBe(manifest.legs.rows);
    const rejected = Object.values(minutes.rejected).reduce((a, b) => a + b, 0);
    expect(minutes.in_telemetry + minutes.added_at_airports).toBe(
      minutes.computed + minutes.imputed + rejected,
    );
    expect(await findDate(trial.services.database, DATE)).toMatchObject({
      state: 'published',
      runId: manifest.run_id,
    });
  });

  test('stays as it is while its inputs are the same', async () => {
    const before = await currentRun();
    await lookForDates(trial.services, trial.config, START_MS + 2 * DAY_MS);
    await trial.work();
    expect(await currentRun()).toEqual(before);
  });

  test('reuses the rows of flights whose reports and aircraft are the same', async () => {
    const { database } = trial.services;
    const before = await findDate(database, DATE);
    // Another airframe table makes every day another one, but changes no aircraft of these flights.
    await database.execute(
      `INSERT INTO inventory_airframe_tables (sha256, name, airframes, imported_ms) VALUES ('other', 'test', 0, 0)`,
    );
    const manifest = await compute(2);
    expect((await findDate(database, DATE))?.dayKey).not.toBe(before?.dayKey);
    const jobs = await trial.services.jobs.list({ kind: 'inventory.model', limit: 2 });
    const results = jobs.jobs.map(({ result }) => result as { computed: number; reused: number });
    expect(results.reduce((sum, { computed }) => sum + computed, 0)).toBe(0);
    expect(results.reduce((sum, { reused }) => sum + reused, 0)).toBeGreaterThan(0);
    expect(manifest.completeness.flights.computed).toBeGreaterThan(8);
  });

  test('goes back to an earlier run when its inputs do', async () => {
    const { database } = trial.services;
    const other = await currentRun();
    await database.execute('DELETE FROM inventory_airframe_tables');
    const first = await compute(2);
    expect(first.run_id).not.toBe(other.run_id);
    expect(first.generation).toBeLessThan(other.generation);
    expect(await findDate(database, DATE)).toMatchObject({ state: 'published', runId: first.run_id });
    expect(await readRunManifest(trial.services.store, DATE, other.run_id)).toEqual(other);
  });

  test('is served whole, in ranges and once', async () => {
    const manifest = await currentRun();
    const whole = await ask(`summary?date=${DATE}`);
    expect(whole.status).toBe(200);
    expect(whole.headers['content-type']).toBe('application/vnd.apache.parquet');
    expect(whole.bytes.equals(await bytesOf(manifest.summary.key))).toBe(true);
    const range = await ask(`summary?date=${DATE}`, { range: 'bytes=0-3' });
    expect([range.status, range.bytes.toString()]).toEqual([206, 'PAR1']);
    const again = await ask(`summary?date=${DATE}`, { 'if-none-match': String(whole.headers.etag) });
    expect(again.status).toBe(304);
    const segments = await ask(`segments?date=${DATE}T05`);
    expect(segments.bytes.equals(await bytesOf(manifest.segments['05']?.key ?? ''))).toBe(true);
    expect((await ask(`summary?date=${DATE}&run=${manifest.run_id}`)).bytes.equals(whole.bytes)).toBe(true);
  });

  test('lists legs that are not in the inventory as JSON, and all of them as Parquet', async () => {
    const manifest = await currentRun();
    const { by_outcome: byOutcome } = manifest.completeness.legs;
    const outside = Object.entries(byOutcome).filter(
      ([outcome]) => outcome !== 'ok' && outcome !== 'partial',
    );
    const answer = await ask(`rejections?date=${DATE}`);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const list = answer.json() as { rejections: { outcome: string; codes: string[]; first_time: string }[] };
    expect(list).toMatchObject({ date: DATE, run_id: manifest.run_id, status: manifest.status });
    expect(list.rejections).toHaveLength(outside.reduce((sum, [, count]) => sum + count, 0));
    for (const { outcome, codes, first_time } of list.rejections) {
      expect(codes).toContain(outcome);
      expect(first_time).toMatch(/^2024-02-29T\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    const flights = await ask(`rejections?date=${DATE}&outcome=ok,partial&columns=flight_id,settings`);
    const { rejections } = flights.json() as { rejections: { settings: { engine_uid: string } }[] };
    expect(rejections).toHaveLength((byOutcome.ok ?? 0) + (byOutcome.partial ?? 0));
    expect(rejections[0]?.settings.engine_uid).toMatch(/\w+/);
    const table = await ask(`rejections?date=${DATE}&format=parquet`);
    expect(table.bytes.equals(await bytesOf(manifest.legs.key))).toBe(true);
    expect((await ask(`rejections?date=${DATE}&format=xml`)).status).toBe(400);
  });

  test('is filtered by aircraft type and columns', async () => {
    const answer = await ask(`summary?date=${DATE}&aircraft_type_icao=B77W,A359&columns=flight_id,sum_ef_mj`);
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBeLessThan((await currentRun()).summary.bytes);
    const footerOf = async (bytes: Buffer) => {
      const folder = await temporaryDirectory();
      await writeFile(join(folder, 'file.parquet'), bytes);
      const duckdb = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: folder });
      const footer = await readFooter(duckdb, join(folder, 'file.parquet'));
      duckdb.close();
      return footer;
    };
    const whole = await footerOf((await ask(`summary?date=${DATE}`)).bytes);
    expect(whole).toMatchObject({ met_source_radiation: 'own' });
    expect(Object.keys(whole)).toEqual(expect.arrayContaining(['agwp', 'erf_rf', 'humidity_scaling_name']));
    expect(await footerOf(answer.bytes)).toEqual({
      ...whole,
      filter: "(aircraft_type_icao IN ('B77W', 'A359'))",
    });
    const wrong = await ask(`summary?date=${DATE}&columns=nonsense`);
    expect(wrong.status).toBe(400);
  });

  test.skipIf(python === null)(
    `is read by pyarrow, pandas, polars and DuckDB over ranges, and its tables agree${python === null ? ` (skipped: ${missing.python})` : ''}`,
    async () => {
      const script = fileURLToPath(new URL('programs/clients.py', import.meta.url));
      const { stdout } = await promisify(execFile)(python ?? '', [script, await server.address(), key, DATE]);
      const found = JSON.parse(stdout);
      const manifest = await currentRun();
      expect(found).toMatchObject({
        rows: manifest.summary.rows,
        unique: manifest.summary.rows,
        columns_of_part: true,
        pandas: true,
        polars: manifest.legs.rows,
        sorted: true,
        types: {
          flight_id: 'string',
          time_start: 'timestamp[us]',
          sum_ef_mj: 'double',
          altitude_ft: 'float',
          sac: 'int8',
          persistent: 'bool',
        },
      });
      expect(found.footer).toEqual(expect.arrayContaining(['agwp', 'completeness', 'run_id', 'status']));
      expect(found.whole).toBeGreaterThan(5);
      expect(found.over_http).toEqual({ flights: manifest.summary.rows, partly: true });
      expect(found.fuel).toBeLessThan(1e-6);
      expect(found.ef).toBeLessThan(1e-6);
    },
  );

  test('needs the scope of segments for what is derived from single reports', async () => {
    const ordinary = await server.newKey({ scopes: ['inventory'] });
    for (const path of ['segments', 'rejections']) {
      const answer = await ask(`${path}?date=${DATE}`, { 'x-api-key': ordinary });
      expect(answer.status).toBe(403);
    }
    expect((await ask(`completeness?date=${DATE}`, { 'x-api-key': ordinary })).status).toBe(200);
  });

  test('is provisional while units are parked, and complete when they are retried', async () => {
    const { database, jobs, met } = trial.services;
    await forgetComputed(trial);
    await planDate(trial.services, trial.config, DATE, true);
    const real = met.open;
    Object.assign(met, { open: () => Promise.reject(new TypeError('made to fail')) });
    await trial.work();
    Object.assign(met, { open: real });
    const parked = await currentRun();
    const unitsOfDate = 1;
    const count = parked.completeness.parked.length;
    expect(parked.status).toBe('provisional');
    // Those of the evening before that have flights are parked too.
    expect(count).toBeGreaterThan(unitsOfDate);
    expect(parked.completeness.parked[0]).toMatchObject({ stage: 'model', error: 'made to fail' });
    expect(await jobs.retryFailed('inventory.model')).toBe(count);
    await trial.work();
    const complete = await currentRun();
    expect(complete.completeness.parked).toEqual([]);
    expect(complete.run_id).not.toBe(parked.run_id);
    const day = await findDate(database, DATE);
    expect((await unitsOf(database, day?.dayKey ?? '')).every(({ state }) => state === 'done')).toBe(true);
  });

  test('keeps the id of a flight of which earlier reports arrive', async () => {
    const before = await legOf(LATE_ADDRESS);
    await importLines(trial, lateLines());
    await compute(2);
    const after = await legOf(LATE_ADDRESS);
    expect(after.first_time.getTime()).toBeLessThan(before.first_time.getTime() - 10 * MINUTE_MS);
    expect(after.flight_id).toBe(before.flight_id);
    expect(after.flight_id).not.toBe(legUuid(LATE_ADDRESS, after.first_time.getTime()));
  });

  test('is pruned but for what is served and what flights are taken from', async () => {
    const { database, store } = trial.services;
    const served = await currentRun();
    const files = async (prefix: string) => {
      const keys: string[] = [];
      for await (const { key: objectKey } of store.list(prefix)) keys.push(objectKey);
      return keys;
    };
    const config = { ...trial.config, inventory: { ...trial.config.inventory, keep_runs: 1 } };
    const later = Date.now() + 2 * DAY_MS;
    const { signal } = new AbortController();
    expect(await pruneRuns(trial.services, config, later, signal)).toBeGreaterThan(0);
    expect(await readRunManifest(store, DATE)).toEqual(served);
    expect((await files('inventory/run=')).every((one) => one.includes(served.run_id))).toBe(true);
    const wanted = await findDate(database, DATE);
    expect(await pruneWork(trial.services, config, START_MS + 2 * DAY_MS, signal)).toBe(0);
    await database.execute('UPDATE inventory_days SET created_ms = 0');
    expect(await pruneWork(trial.services, config, START_MS + 2 * DAY_MS, signal)).toBeGreaterThan(0);
    const kept = [wanted?.dayKey, wanted?.previousDayKey].map((one) => `inventory/work/day=${one}/`);
    const work = await files('inventory/work/');
    expect(work.length).toBeGreaterThan(0);
    expect(work.every((one) => kept.some((prefix) => one.startsWith(prefix)))).toBe(true);
    // Long after the schedule has stopped looking at the date nothing but the run is left, and it stays served.
    await pruneWork(trial.services, config, later, signal);
    expect(await files('inventory/work/')).toEqual([]);
    expect(await planDate(trial.services, trial.config, DATE)).toMatchObject({ state: 'published' });
    expect(await trial.services.jobs.counts()).toMatchObject({ queued: 0 });
  });
});
