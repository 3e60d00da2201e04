/** Profiles that are planned against the stored contrail grids. */

import { EF_PER_M } from '@contrails/engine/grid/cocip-attributes';
import { unpackChunk } from '@contrails/formats';
import { workingTrack } from '@contrails/physics/planning';
import { readParts } from '@contrails/platform/products/read';
import { HOUR_MS } from '@contrails/runtime';
import { describe, expect, test } from 'vitest';
import { openStoredGrids } from '../../../src/families/planning/stored-grids.ts';
import { findLevels } from '../../../src/forecast-products/find-levels.ts';
import { chunkOf } from '../../../src/forecast-products/lost.ts';
import { startForecastServer } from '../forecast/support/forecast-server.ts';
import { fleetBody, flightBody } from '../trajectory/support.ts';

const forecast = await startForecastServer();
const { services } = forecast;
const { tasks } = await forecast.publish();
const hours = [...new Set(tasks.map(({ task }) => task.validTimeMs))].sort((a, b) => a - b);
const [firstMs = 0] = hours;
const LEVELS = [310, 330, 350, 370];

interface Figures {
  readonly kind: string;
  readonly flight_level: number | null;
  readonly status: string;
  readonly fuel_kg: number | null;
  readonly energy_forcing_j: number | null;
  readonly persistent_km: number | null;
  readonly cost: number | null;
}
interface Plan {
  readonly rows: (Figures & {
    uncertainty: unknown;
    waypoints?: Record<'longitude' | 'latitude' | 'altitude', number[]> & { time: string[] };
  })[];
  readonly best: number;
  readonly alternatives: { predicted: Record<string, number>; verified: Figures }[];
  readonly chosen: { cost: number } | null;
  readonly tables: { flight_levels: number[]; paid_ef_j: number[][] };
  readonly recommendation: { reason: string };
}

/** Less than an hour from the first that is stored. */
const FLIGHT = {
  ...flightBody({
    waypoints: 30,
    stepS: 100,
    eastward: 0.31,
    start: new Date(firstMs).toISOString(),
    cruiseFt: 33_000,
  }),
  aircraft_type: 'B738',
  flight_id: 'one',
};

const post = (query: string, body: object = FLIGHT, contrails = 'grid') =>
  forecast.server.send({
    method: 'POST',
    url: `/v1/planning/profile?flight_levels=${LEVELS.join(',')}&contrails=${contrails}&${query}`,
    headers: { 'x-api-key': forecast.server.key, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });

/** The value of a cell of a stored level, read without the code that plans use. */
async function cell(timeMs: number, flightLevel: number, column: number, row: number): Promise<number> {
  const levels = await findLevels(services.database, {
    kind: 'cocip.B738',
    validTimeMs: timeMs,
    flightLevels: [flightLevel],
  });
  const [[packed] = []] = await readParts(services.store, levels ?? [], (level) => [
    chunkOf(level, EF_PER_M.name),
  ]);
  const values = unpackChunk({ packed: packed ?? new Uint8Array() });
  const rows = values.length / 90;
  return values[column * rows + row] as number;
}

/** A cell with an energy forcing that differs from its neighbour's. */
async function livelyCell(flightLevel: number): Promise<{ column: number; row: number }> {
  for (let column = 0; column < 89; column++) {
    for (let row = 8; row < 38; row++) {
      const [here, east] = [
        await cell(firstMs, flightLevel, column, row),
        await cell(firstMs, flightLevel, column + 1, row),
      ];
      if (here !== 0 && here !== east) return { column, row };
    }
  }
  throw new Error('the synthetic weather has no contrails');
}

const grids = openStoredGrids(services, [{ type: 'B738' }], 2 ** 24);

describe('energy forcing of stored grids', () => {
  /** A segment whose middle is here and now, at a level and 1000 ft above it. */
  async function forcingAt(longitude: number, latitude: number, timeMs: number, flightLevel: number) {
    const track = workingTrack({
      longitude: new Float64Array([longitude, longitude]),
      latitude: new Float64Array([latitude - 0.05, latitude + 0.05]),
      altitudeFt: new Float64Array(2).fill(100 * flightLevel),
      timeMs: new Float64Array([timeMs - 30_000, timeMs + 30_000]),
    });
    const row = (offsetFt: number) => ({
      flightLevel,
      altitudeFt: track.altitudeFt.map((feet) => feet + offsetFt),
      timeMs: track.timeMs,
    });
    const [at, above] = await grids.forcing('B738', track, [row(0), row(1000)], undefined);
    return { perMetre: (at?.[0] as number) / (track.lengthM[0] as number), above: above?.[0] };
  }

  test('are those of the cell at its centre, and lie between cells and hours in between', async () => {
    const { column, row } = await livelyCell(350);
    const [longitude, latitude] = [column * 4 - 180, row * 4 - 90];
    const [here, east, later] = [
      await cell(firstMs, 350, column, row),
      await cell(firstMs, 350, column + 1, row),
      await cell(firstMs + HOUR_MS, 350, column, row),
    ];
    const scale = Math.max(Math.abs(here), Math.abs(east), Math.abs(later));
    const close = (actual: number, expected: number) =>
      expect(Math.abs(actual - expected) / scale).toBeLessThan(1e-6);
    const centre = await forcingAt(longitude, latitude, firstMs, 350);
    close(centre.perMetre, here);
    expect(centre.above).toBe(0);
    close((await forcingAt(longitude + 1, latitude, firstMs, 350)).perMetre, 0.75 * here + 0.25 * east);
    const inTime = await forcingAt(longitude, latitude, firstMs + 0.25 * HOUR_MS, 350);
    close(inTime.perMetre, 0.75 * here + 0.25 * later);
  });

  test('go around the antimeridian', async () => {
    const [west, east] = [await cell(firstMs, 350, 89, 30), await cell(firstMs, 350, 0, 30)];
    const { perMetre } = await forcingAt(178, 30, firstMs, 350);
    expect(perMetre).toBeCloseTo((west + east) / 2, 3);
  });
});

describe('unpacked levels', () => {
  /** Reads of the store for the same flight twice, then once with both at the same time. */
  async function readsWith(memoryBytes: number): Promise<number[]> {
    let reads = 0;
    const store = {
      ...services.store,
      read: (...given: Parameters<typeof services.store.read>) => {
        reads++;
        return services.store.read(...given);
      },
    };
    const counted = openStoredGrids({ ...services, store }, [{ type: 'B738' }], memoryBytes);
    const track = workingTrack({
      longitude: new Float64Array([0, 0]),
      latitude: new Float64Array([40, 40.1]),
      altitudeFt: new Float64Array(2).fill(35_000),
      timeMs: new Float64Array([firstMs, firstMs]),
    });
    const rows = LEVELS.map((flightLevel) => ({
      flightLevel,
      altitudeFt: new Float64Array(2).fill(100 * flightLevel),
      timeMs: track.timeMs,
    }));
    const forcing = () => counted.forcing('B738', track, rows, undefined);
    const counts: number[] = [];
    for (const flights of [1, 1, 2]) {
      reads = 0;
      const found = await Promise.all(Array.from({ length: flights }, forcing));
      for (const one of found) expect(one).toEqual(await grids.forcing('B738', track, rows, undefined));
      counts.push(reads);
    }
    return counts;
  }

  test('are read and unpacked once for all flights', async () => {
    const [first, again, together] = await readsWith(2 ** 24);
    expect(first).toBeGreaterThan(0);
    expect([again, together]).toEqual([0, 0]);
  });

  test('are read again for every flight without memory for them, with the same values', async () => {
    const [first, again] = await readsWith(0);
    expect(again).toBe(first);
  });

  test('of a fleet are those of its flights alone', async () => {
    const other = { ...FLIGHT, longitude: FLIGHT.longitude.map((value) => value + 20) };
    const fleet = { ...fleetBody([FLIGHT, other]), aircraft_type: 'B738' };
    const { flights } = (await post('include=tables', fleet)).json<{ flights: Plan[] }>();
    for (const [f, body] of [FLIGHT, other].entries())
      expect(flights[f]?.tables).toEqual((await post('include=tables', body)).json<Plan>().tables);
  });
});

test('parameters are warned of, as stored grids do not have them', async () => {
  const answer = await post('max_changes=0', { ...FLIGHT, parameters: { max_depth: 500 } });
  expect(answer.json<{ warnings: string[] }>().warnings.join()).toMatch(
    /parameters do not hold for the stored/,
  );
});

test('only the baseline, the best level and the proposals are run through the contrail model', async () => {
  const answer = await post('include=tables&max_changes=1&min_level_minutes=5');
  const plan = answer.json<Plan>();
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  const run = plan.rows.filter(({ energy_forcing_j }) => energy_forcing_j !== null);
  expect(run.map(({ kind }) => kind)).toEqual(['baseline', 'level']);
  for (const { fuel_kg, cost, persistent_km, energy_forcing_j } of plan.rows) {
    expect(fuel_kg).toBeGreaterThan(0);
    expect(cost === null).toBe(energy_forcing_j === null);
    expect(persistent_km === null).toBe(energy_forcing_j === null);
  }
  expect(plan.rows[plan.best]?.cost).not.toBeNull();
  expect(plan.alternatives.length).toBeGreaterThan(0);
  for (const { verified } of plan.alternatives) expect(verified.cost).not.toBeNull();
  expect(plan.chosen?.cost).toBeLessThanOrEqual(plan.rows[0]?.cost ?? Number.NaN);
  expect(plan.tables.flight_levels).toEqual(LEVELS);
});

test('tables have the energy forcing of the stored grid along each row', async () => {
  const { column, row } = await livelyCell(350);
  const [longitude, latitude] = [column * 4 - 180, row * 4 - 90];
  const track = flightBody({
    ...{ waypoints: 30, stepS: 100, start: new Date(firstMs).toISOString(), cruiseFt: 33_000 },
    ...{ longitude, latitude, eastward: 0.2 / Math.cos((latitude * Math.PI) / 180) },
  });
  const body = { ...track, aircraft_type: 'B738' };
  const answer = await post('include=tables,waypoints&max_changes=0&cooling=avoid', body);
  const { rows, tables } = answer.json<Plan>();
  let largest = 0;
  for (const [l, flightLevel] of tables.flight_levels.entries()) {
    const of = rows.find(({ flight_level }) => flight_level === flightLevel)?.waypoints;
    if (of === undefined) throw new Error(`there is no row of ${flightLevel}`);
    const flown = workingTrack({
      longitude: Float64Array.from(of.longitude),
      latitude: Float64Array.from(of.latitude),
      altitudeFt: Float64Array.from(of.altitude),
      timeMs: Float64Array.from(of.time, (text) => Date.parse(text)),
    });
    const [stored = new Float64Array()] = await grids.forcing(
      'B738',
      flown,
      [{ flightLevel, ...flown }],
      undefined,
    );
    const paid = tables.paid_ef_j.reduce((sum, stage) => sum + (stage[l] as number), 0);
    const expected = stored.reduce((sum, joules) => sum + Math.abs(joules), 0);
    expect(Math.abs(paid - expected)).toBeLessThanOrEqual(1e-5 * expected);
    largest = Math.max(largest, expected);
  }
  expect(largest).toBeGreaterThan(0);
});

test('rows with contrails are those of contrails=flight, and only they have samples', async () => {
  const [withGrid, without] = await Promise.all(
    ['grid', 'flight'].map(async (contrails) =>
      (await post('max_changes=0&uncertainty=2', FLIGHT, contrails)).json<Plan>(),
    ),
  );
  expect(without?.rows.every(({ cost }) => cost !== null)).toBe(true);
  withGrid?.rows.forEach((row, r) => {
    if (row.energy_forcing_j !== null) expect(row).toEqual(without?.rows[r]);
    else expect(row.uncertainty).toBeNull();
  });
});

test('a type without stored grids is refused', async () => {
  const answer = await post('', { ...FLIGHT, aircraft_type: 'A333' });
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(/aircraft_type A333.*B738/);
});

test('a level without stored grids is refused', async () => {
  const answer = await forecast.server.send({
    method: 'POST',
    url: '/v1/planning/profile?flight_levels=345&contrails=grid',
    headers: { 'x-api-key': forecast.server.key, 'content-type': 'application/json' },
    payload: JSON.stringify(FLIGHT),
  });
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(/flight_levels 345 has no stored contrail grid/);
});

const later = (shiftMs: number) => ({
  ...FLIGHT,
  time: FLIGHT.time.map((text) => new Date(Date.parse(text) + shiftMs).toISOString()),
});

test('hours that are not stored are 404, in a fleet the problem of the flight', async () => {
  const absent = later(6 * HOUR_MS);
  const answer = await post('', absent);
  expect(answer.status).toBe(404);
  expect(answer.text).toMatch(/no cocip grid of B738 on flight levels 310, 330, 350, 370 is stored/);
  expect(answer.headers).not.toHaveProperty('retry-after');
  const fleet = { ...fleetBody([FLIGHT, absent]), aircraft_type: 'B738' };
  const { flights } = (await post('', fleet)).json<{
    flights: (Plan & { problem?: { status: number } })[];
  }>();
  expect(flights[0]?.rows.length).toBeGreaterThan(1);
  expect(flights[1]?.problem?.status).toBe(404);
});

test('hours that are on their way are 404 with the time to ask again', async () => {
  const other = await startForecastServer();
  const { tasks: planned } = await other.publish({}, 350);
  const startMs = Math.min(...planned.map(({ task }) => task.validTimeMs));
  const answer = await other.server.send({
    method: 'POST',
    url: '/v1/planning/profile?flight_levels=310,350&contrails=grid',
    headers: { 'x-api-key': other.server.key, 'content-type': 'application/json' },
    payload: JSON.stringify(later(startMs - firstMs)),
  });
  expect(answer.status).toBe(404);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
});
