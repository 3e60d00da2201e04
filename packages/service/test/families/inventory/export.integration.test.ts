import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuckDb } from '@contrails/formats';
import { localCopies } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS, isoDate } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { repositoryRoot } from '../../../../../test/support/tools.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import { exportFlights } from '../../../src/families/inventory/export.ts';
import { planDate } from '../../../src/families/inventory/run/plan.ts';
import { readRunManifest } from '../../../src/inventory-store/manifest.ts';
import { type Server, startServer } from '../../support/server.ts';
import { importLines, openInventory, type TrialInventory, trafficLines } from './support.ts';

const DATE = '2024-02-29';
const NEXT = isoDate(Date.parse(DATE) + DAY_MS);
const EVENING_MS = Date.parse(DATE) + 21 * HOUR_MS;

const PARQUET = 'application/vnd.apache.parquet';

interface Body {
  readonly flight_id: string;
  readonly status: string;
  readonly takeoff_mass?: number;
  readonly time: readonly string[];
  readonly air_temperature?: readonly (number | null)[];
}

interface Totals {
  readonly missing: readonly string[];
  readonly total: { readonly flights: number };
  readonly group_count: number;
  readonly groups: readonly {
    readonly key: string | null;
    readonly flights: number;
    readonly co2_kg: number;
    readonly co2e100_kg: number;
    readonly ef_mj: number;
    readonly co2e_gtp50_kg: number;
    readonly co2e_atr20_kg: number;
  }[];
}

describe('the flights of a day as requests', () => {
  let trial: TrialInventory;
  let server: Server;
  let key: string;

  beforeAll(async () => {
    trial = await openInventory({ inventory: { shards: 1 } });
    // Aircraft that are in the air at the begin are seen in part.
    await importLines(trial, trafficLines(EVENING_MS, EVENING_MS + 6 * HOUR_MS, 120));
    server = await startServer({ families: familyRoutes(trial.services, trial.config) });
    key = await server.newKey({ scopes: ['research', 'inventory', 'inventory:segments'] });
    await compute(DATE);
  }, 300_000);
  afterAll(() => trial.close());

  async function compute(date: string): Promise<void> {
    await planDate(trial.services, trial.config, date, true);
    await trial.work();
  }

  async function exported(flightIds?: readonly string[]) {
    const bodies: Body[] = [];
    const outcome = await exportFlights(
      trial.services,
      { date: DATE, flightIds, memoryMiB: 256 },
      async (body) => void bodies.push(body as Body),
    );
    return { ...outcome, bodies };
  }

  /** Energy forcing [J] of a flight as the endpoint returns it, in full precision or as JSON. */
  async function post(body: object, accept: string): Promise<number[]> {
    const answer = await server.send({
      method: 'POST',
      url: '/v0/trajectory/cocip',
      headers: { 'x-api-key': key, 'content-type': 'application/json', accept },
      payload: JSON.stringify(body),
    });
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    if (accept !== PARQUET) return answer.json<{ energy_forcing: number[] }>().energy_forcing.slice(0, -1);
    const path = join(await temporaryDirectory(), 'answer.parquet');
    await writeFile(path, answer.bytes);
    const rows = await query(`SELECT energy_forcing FROM '${path}' ORDER BY waypoint`);
    return rows.slice(0, -1).map(({ energy_forcing }) => Number(energy_forcing));
  }

  async function query(sql: string): Promise<Record<string, unknown>[]> {
    const temporary = await temporaryDirectory();
    const duckdb = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: temporary });
    try {
      return await duckdb.rows(sql);
    } finally {
      duckdb.close();
    }
  }

  /** Forcing [MJ] of the segments in the files of both days, by flight. */
  async function publishedForcing(): Promise<Map<string, number[]>> {
    const manifests = await Promise.all(
      [DATE, NEXT].map((date) => readRunManifest(trial.services.store, date)),
    );
    const keys = manifests.flatMap((one) => Object.values(one?.segments ?? {}).map((file) => file.key));
    const folder = await temporaryDirectory();
    const paths = await localCopies(trial.services.store, keys, folder);
    const rows = await query(
      `SELECT flight_id, sum_ef_mj FROM read_parquet([${paths.map((path) => `'${path}'`).join(', ')}],
         hive_partitioning = false) ORDER BY flight_id, waypoint`,
    );
    return new Map(
      [...Map.groupBy(rows, ({ flight_id }) => String(flight_id))].map(([id, some]) => [
        id,
        some.map(({ sum_ef_mj }) => Number(sum_ef_mj)),
      ]),
    );
  }

  test('leave flights out that end on a day which is not published', async () => {
    const { flights, incomplete, bodies } = await exported();
    expect(incomplete).toBeGreaterThan(0);
    expect(bodies).toHaveLength(flights);
  });

  test('give the energy forcing of the inventory bit by bit, also those that were seen in part', async () => {
    await compute(NEXT);
    const manifest = await readRunManifest(trial.services.store, DATE);
    const { incomplete, bodies } = await exported();
    expect(incomplete).toBe(0);
    expect(bodies).toHaveLength(manifest?.summary.rows ?? -1);
    const forcing = await publishedForcing();
    const seen = { forced: 0, partial: 0, overMidnight: 0, low: 0 };
    for (const body of bodies) {
      const found = (await post(body, PARQUET)).map((joules) => joules / 1e6);
      expect(found, body.flight_id).toEqual(forcing.get(body.flight_id));
      if (found.some((one) => one !== 0)) seen.forced++;
      if (body.takeoff_mass !== undefined) seen.partial++;
      if (body.time.at(-1)?.startsWith(NEXT)) seen.overMidnight++;
      if (body.air_temperature !== undefined) seen.low++;
    }
    // JSON has seven digits.
    const [first] = bodies.filter(({ flight_id }) => forcing.get(flight_id)?.some((mj) => mj !== 0));
    const digits = (await post(first ?? {}, 'application/json')).map((joules) => joules / 1e6);
    expect(digits).toEqual(
      forcing.get(first?.flight_id ?? '')?.map((mj) => Number((mj * 1e6).toPrecision(7)) / 1e6),
    );
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
  }, 300_000);

  test('have all minutes of a day in the query of docs/inventory.md, also of flights of the day before', async () => {
    const folder = await temporaryDirectory();
    const save = async (name: string, file: { readonly key: string } | undefined) => {
      const [path = ''] = await localCopies(trial.services.store, [file?.key ?? ''], folder);
      await copyFile(path, join(folder, name));
    };
    const [before, own] = await Promise.all(
      [DATE, NEXT].map((date) => readRunManifest(trial.services.store, date)),
    );
    await save('inventory_summary_2025-12-31.parquet', before?.summary);
    await save('inventory_summary_2026-01-01.parquet', own?.summary);
    for (const [hour, file] of Object.entries(own?.segments ?? {}))
      await save(`inventory_segments_2026-01-01T${hour}.parquet`, file);
    const page = await readFile(join(repositoryRoot, 'docs/inventory.md'), 'utf8');
    const [, sql = ''] = /```sql\n(.*?)```/s.exec(page) ?? [];
    const rows = await query(sql.replaceAll("'inventory_", `'${folder}/inventory_`).replaceAll(';', ''));
    const minutes = rows.reduce((sum, row) => sum + Number(row.minutes), 0);
    const published = Object.values(own?.segments ?? {}).reduce((sum, file) => sum + file.rows, 0);
    expect(published).toBeGreaterThan(0);
    expect(minutes).toBe(published);
    expect(rows.length).toBeGreaterThan(own?.summary.rows ?? 0);
  });

  const get = (url: string, headers: Record<string, string> = {}) =>
    server.send({ method: 'GET', url, headers: { 'x-api-key': key, ...headers } });

  test('are served one by one', async () => {
    const { bodies } = await exported();
    const [first] = bodies;
    const found = await get(`/v1/inventory/flight?date=${DATE}&flight_id=${first?.flight_id}`);
    expect(found.status, found.text.slice(0, 300)).toBe(200);
    expect(found.json()).toEqual(JSON.parse(JSON.stringify(first)));
    const unknown = await get(`/v1/inventory/flight?date=${DATE}&flight_id=nonsense`);
    expect(unknown.status).toBe(404);
    expect(unknown.problem().detail).toMatch(/no flight nonsense begins on 2024-02-29/);
  });

  test('come as CSV with a format or a header, filtered, and of several days in one table', async () => {
    const url = `/v1/inventory/summary?date=${DATE}`;
    const [byFormat, byHeader] = await Promise.all([
      get(`${url}&format=csv`),
      get(url, { accept: 'text/csv' }),
    ]);
    expect(byFormat.headers['content-type']).toMatch(/^text\/csv/);
    expect(byHeader.text).toBe(byFormat.text);
    const [header = '', ...lines] = byFormat.text.trimEnd().split('\n');
    const manifests = await Promise.all(
      [DATE, NEXT].map((day) => readRunManifest(trial.services.store, day)),
    );
    const [ofDay = 0, ofNext = 0] = manifests.map((one) => one?.summary.rows);
    expect(header).toMatch(/^flight_id,icao_address,callsign,/);
    expect(lines).toHaveLength(ofDay);
    expect(lines[0]).toMatch(/,2024-02-29T\d\d:\d\d:\d\dZ,/);
    const columns = header.split(',');
    const callsign = lines[0]?.split(',')[columns.indexOf('callsign')] ?? '';
    const filtered = await get(`${url}&format=csv&columns=callsign&search=${callsign.toLowerCase()}`);
    expect(new Set(filtered.text.trimEnd().split('\n'))).toEqual(new Set(['callsign', callsign]));
    const both = await get(`${url}&days=2&format=csv&columns=flight_id`);
    expect(both.text.trimEnd().split('\n')).toHaveLength(1 + ofDay + ofNext);
    expect((await get(`${url}&days=32`)).status).toBe(400);
    expect((await get(`${url}&days=2&run=abc`)).status).toBe(404);
    expect((await get(`${url}&search=${encodeURIComponent("'; DROP")}`)).status).toBe(400);
  });

  test('add up to totals, in all and by group', async () => {
    const read = async (query: string) =>
      (await get(`/v1/inventory/totals?from=${DATE}&${query}`)).json<Totals>();
    const days = await read('days=2');
    expect(days.groups.map(({ key: day }) => day)).toEqual([DATE, NEXT]);
    const manifest = await readRunManifest(trial.services.store, DATE);
    expect(days.groups[0]).toMatchObject({ flights: manifest?.summary.rows });
    expect(days.groups[0]?.co2_kg).toBeCloseTo(manifest?.completeness.totals.co2_kg ?? 0, 3);
    expect(days.groups[0]?.co2e100_kg).toBeCloseTo(manifest?.completeness.totals.co2e100_kg ?? 0, 3);
    const { ef_mj = 0, co2e_gtp50_kg, co2e_atr20_kg } = days.groups[0] ?? {};
    expect((co2e_gtp50_kg ?? 0) / (ef_mj * 48.96858e-6)).toBeCloseTo(1, 6);
    expect((co2e_atr20_kg ?? 0) / (ef_mj * 1521.628e-6)).toBeCloseTo(1, 6);
    for (const by of ['hour', 'airline', 'type', 'route', 'country', 'grade']) {
      const { groups, total, group_count } = await read(`by=${by}&limit=1000`);
      expect(group_count).toBe(groups.length);
      const sum = groups.reduce((all, group) => all + group.flights, 0);
      expect(sum, by).toBe(total.flights);
      expect(total.flights).toBe(manifest?.summary.rows);
    }
    const missing = await read('days=4');
    expect(missing.missing).toEqual(['2024-03-02', '2024-03-03']);
    expect((await get(`/v1/inventory/totals?from=${DATE}&days=93`)).status).toBe(400);
    expect((await get('/v1/inventory/totals?from=2020-01-01')).status).toBe(404);
  });

  test('are those that are asked for, and names of others are refused', async () => {
    const { bodies } = await exported();
    const id = bodies[1]?.flight_id ?? '';
    expect((await exported([id])).bodies).toEqual([bodies[1]]);
    await expect(exported([id, 'nonsense'])).rejects.toThrow(/no flight nonsense begins on 2024-02-29/);
  });
});
