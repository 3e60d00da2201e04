import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuckDb, sqlPath } from '@contrails/formats';
import { HOUR_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readVariables } from '../../../../formats/test/support/netcdf.ts';
import { startForecastServer } from './support/forecast-server.ts';

const forecast = await startForecastServer();
const { get } = forecast;
const published = await forecast.publish();
const hour = Math.min(...published.tasks.map(({ task }) => task.validTimeMs));
const TIME = new Date(hour).toISOString().slice(0, 13);
const GRIDS = `/v1/grids?time=${TIME}&flight_level=350`;
const COCIP = `/v0/grid/cocip?time=${TIME}&aircraft_type=A320&flight_level=350`;
const BOX = '&bbox=-40,40,-20,60';

async function read(url: string, name: string): Promise<Float64Array> {
  const answer = await get(url);
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  const path = join(await temporaryDirectory(), 'grid.nc');
  await writeFile(path, answer.bytes);
  return (await readVariables(path))[name]?.values ?? new Float64Array();
}

/** CO2e of a joule over 100 years [kg]. */
const PER_JOULE = 0.42 / (8.8e-14 * 5.101e14 * 31_536_000);

test.each([
  ['/v1/grids', GRIDS],
  ['/v0/grid/cocip', COCIP],
])('%s has CO2 equivalents and costs of its energy forcing', async (_, url) => {
  const forcing = await read(`${url}&units=ef_per_m`, 'ef_per_m');
  const [joules, kg, cost, high] = [
    await read(`${url}&units=j_per_m`, 'j_per_m'),
    await read(`${url}&units=co2e_kg_per_km`, 'co2e_kg_per_km'),
    await read(`${url}&units=cost_per_nm`, 'cost_per_nm'),
    await read(`${url}&units=cost_per_nm&carbon_price=100&cooling=avoid`, 'cost_per_nm'),
  ];
  expect(joules).toEqual(forcing);
  expect(forcing.some((value) => value > 0)).toBe(true);
  forcing.forEach((value, i) => {
    const scale = 1e-6 * Math.abs(value) * PER_JOULE * 1e4;
    expect(Math.abs((kg[i] as number) - 1000 * PER_JOULE * value)).toBeLessThanOrEqual(scale);
    expect(Math.abs((cost[i] as number) - 92.6 * PER_JOULE * Math.max(value, 0))).toBeLessThanOrEqual(scale);
    expect(Math.abs((high[i] as number) - 185.2 * PER_JOULE * Math.abs(value))).toBeLessThanOrEqual(scale);
  });
});

test('neighbourhoods and buffers of a box are cut from those of the globe', async () => {
  for (const treatment of ['neighbourhood_km=300', 'neighbourhood_km=200&neighbourhood=mean', 'buffer=2']) {
    const plain = await read(`${COCIP}${BOX}`, 'ef_per_m');
    const treated = await read(`${COCIP}${BOX}&${treatment}`, 'ef_per_m');
    expect(treated.length).toBe(plain.length);
    if (!treatment.includes('mean'))
      treated.forEach((value, i) => void expect(value).toBeGreaterThanOrEqual(plain[i] as number));
  }
  const same = await read(`${COCIP}${BOX}&neighbourhood_km=0&buffer=0`, 'ef_per_m');
  expect(same).toEqual(await read(`${COCIP}${BOX}`, 'ef_per_m'));
});

test('a buffer widens the index and its regions, which stay nested', async () => {
  const [plain, wide] = [await read(GRIDS, 'contrails'), await read(`${GRIDS}&buffer=3`, 'contrails')];
  wide.forEach((value, i) => void expect(value).toBeGreaterThanOrEqual(plain[i] as number));
  const count = (values: Float64Array) => values.filter((value) => value >= 1).length;
  expect(count(wide)).toBeGreaterThan(count(plain));
  const regions = async (more: string) =>
    (await get(`/v1/regions?time=${TIME}&flight_level=350${more}`)).json<{
      features: { properties: Record<string, unknown>; geometry: { coordinates: number[][][][] } }[];
    }>().features;
  const [narrow, buffered] = [await regions(''), await regions('&buffer=3')];
  expect(narrow[0]?.properties).not.toHaveProperty('buffer');
  expect(buffered.map(({ properties }) => [properties.threshold, properties.buffer])).toEqual(
    [1, 2, 3, 4].map((threshold) => [threshold, 3]),
  );
  expect((await regions('&buffer=3&threshold=2')).length).toBe(1);
  expect(JSON.stringify(buffered[0]?.geometry)).not.toBe(JSON.stringify(narrow[0]?.geometry));
});

test('polygons of costs have a threshold in their unit', async () => {
  const features = async (threshold: number) =>
    (await get(`${COCIP}&format=geojson&units=cost_per_nm&threshold=${threshold}`)).json<{
      features: { properties: Record<string, unknown>; geometry: { coordinates: unknown[] } }[];
    }>().features;
  const [low, high] = [(await features(0.01))[0], (await features(1e9))[0]];
  expect(low?.properties).toMatchObject({
    name: 'cost_per_nm',
    polygon_iso_value: 0.01,
    carbon_price: 50,
    horizon: 100,
    cooling: 'ignore',
    efficacy: 0.42,
  });
  expect(low?.geometry.coordinates.length).toBeGreaterThan(0);
  expect(high?.geometry.coordinates).toEqual([]);
});

test('hours around count where they are stored, by their maximum or their mean', async () => {
  const hours = [...new Set(published.tasks.map(({ task }) => task.validTimeMs))].sort((a, b) => a - b);
  const at = (ms: number) => COCIP.replace(TIME, new Date(ms).toISOString().slice(0, 13));
  const middle = hours.find((ms) => hours.includes(ms - HOUR_MS) && hours.includes(ms + HOUR_MS)) ?? hour;
  const near = hours.filter((ms) => Math.abs(ms - middle) <= HOUR_MS);
  expect(near.length).toBeGreaterThan(1);
  const planes = await Promise.all(near.map((ms) => read(at(ms), 'ef_per_m')));
  const around = `${at(middle)}&neighbourhood_hours=1`;
  const [max, mean] = [
    await read(around, 'ef_per_m'),
    await read(`${around}&neighbourhood=mean`, 'ef_per_m'),
  ];
  max.forEach((value, i) => {
    const values = planes.map((plane) => plane[i] as number);
    expect(value).toBe(Math.max(...values));
    const expected = values.reduce((sum, one) => sum + one, 0) / values.length;
    expect(Math.abs((mean[i] as number) - expected)).toBeLessThanOrEqual(1e-6 * Math.abs(expected) + 1);
  });
});

test('costs are exported for an optimiser, every cell, height and hour in order', async () => {
  const url = `/v0/grid/cocip?aircraft_type=A320&flight_level=340,350&bbox=170,40,-170,50&format=opentop&from=${TIME}&to=${TIME}`;
  const answer = await get(url);
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  const path = join(await temporaryDirectory(), 'costs.parquet');
  await writeFile(path, answer.bytes);
  const temporary = await temporaryDirectory();
  const db = await openDuckDb({ memoryMiB: 256, threads: 1, temporaryDirectory: temporary });
  const rows = (await db.rows(
    `SELECT * REPLACE (epoch(timestamp) AS timestamp) FROM read_parquet(${sqlPath(path)})`,
  )) as Record<string, number>[];
  db.close();
  expect(Object.keys(rows[0] ?? {})).toEqual(['longitude', 'latitude', 'height', 'cost', 'ts', 'timestamp']);
  const columns = ['ts', 'height', 'latitude', 'longitude'] as const;
  for (let k = 1; k < rows.length; k++) {
    const order = columns
      .map((name) => (rows[k]?.[name] ?? 0) - (rows[k - 1]?.[name] ?? 0))
      .find((difference) => difference !== 0);
    expect(order).toBeGreaterThan(0);
  }
  const distinct = columns.map((name) => new Set(rows.map((row) => row[name])).size);
  expect(rows.length).toBe(distinct.reduce((product, count) => product * count, 1));
  expect(Math.max(...rows.map(({ longitude }) => longitude as number))).toBe(188);
  expect(new Set(rows.map(({ timestamp }) => timestamp))).toEqual(new Set([hour / 1000]));
  expect(new Set(rows.map(({ height }) => height))).toEqual(new Set([340 * 30.48, 350 * 30.48]));
  const box = COCIP.replace('350', '350&bbox=170,40,-170,50');
  const costs = await read(`${box}&units=cost_per_nm`, 'cost_per_nm');
  const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
  const exported = rows.filter(({ height }) => height === 350 * 30.48).map(({ cost }) => cost as number);
  expect(total(exported)).toBeCloseTo(total(costs), 3);
  const ofClass = await get(
    `/v1/grids?flight_level=350&bbox=-10,40,0,50&format=opentop&from=${TIME}&to=${TIME}`,
  );
  expect(ofClass.status, ofClass.text.slice(0, 300)).toBe(200);
});

const OPENTOP = `/v1/grids?flight_level=350&format=opentop`;

test.each([
  ['an export without a box', `${OPENTOP}&from=${TIME}&to=${TIME}`, 400, /bbox is missing/],
  [
    'an export of more than a day',
    `${OPENTOP}&bbox=0,0,9,9&from=${TIME}&to=${hour / 1000 + 90_000}`,
    400,
    /25 hours/,
  ],
  ['an export with a time', `${OPENTOP}&bbox=0,0,9,9&time=${TIME}`, 400, /give from and to/],
  [
    'an export of the index',
    `${OPENTOP}&bbox=0,0,9,9&from=${TIME}&to=${TIME}&units=index`,
    400,
    /units index/,
  ],
  ['hours of an export for a grid', `${GRIDS}&from=${TIME}`, 400, /format=opentop/],
  ['a grid without a time', '/v1/grids?flight_level=350', 400, /time is missing/],
  ['both hours and buffer', `${COCIP}&buffer=1&neighbourhood_hours=1`, 422, /exclude each other/],
  ['hours around a grid of its own', `${COCIP}&on_request=true&neighbourhood_hours=1`, 422, /stored grids/],
  ['both neighbourhood and buffer', `${COCIP}&buffer=1&neighbourhood_km=100`, 422, /exclude each other/],
  ['a neighbourhood of the index', `${GRIDS}&neighbourhood_km=100`, 400, /units index/],
  ['a neighbourhood that is too large', `${COCIP}&neighbourhood_km=501`, 422, /from 0 to 500/],
  ['half a cell', `${GRIDS}&buffer=0.5`, 400, /whole number/],
  ['a buffer that is too large', `/v1/regions?time=${TIME}&buffer=41`, 400, /from 0 to 40/],
  ['a horizon in between', `${COCIP}&horizon=30`, 422, /20, 50, 100/],
  ['a negative price', `${COCIP}&carbon_price=-1`, 422, /from 0/],
])('%s is refused', async (_, url, status, message) => {
  const answer = await get(url);
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(message);
});
