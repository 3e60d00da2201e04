import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { startForecastServer } from './support/forecast-server.ts';

const HOUR = 3_600_000;
const forecast = await startForecastServer();
const { get } = forecast;
const published = await forecast.publish();
const [hour = Number.NaN, next = Number.NaN] = [
  ...new Set(published.tasks.map(({ task }) => task.validTimeMs)),
].sort((a, b) => a - b);
const older = await forecast.publish({
  referenceTimeMs: published.referenceTimeMs - 6 * HOUR,
  leadHours: [7, 7],
  classes: ['default'],
});
const iso = (ms: number) => new Date(ms).toISOString().replace('.000', '');
const TIME = iso(hour).slice(0, 13);

interface Collection {
  readonly type: string;
  readonly features: {
    readonly properties: Record<string, unknown>;
    readonly geometry: { readonly type: string; readonly coordinates: number[][][][] };
  }[];
}

test.each([
  [`/v1/grids?time=${TIME}&flight_level=350`, 'application/netcdf', 'contrails_default_FL350', 'nc'],
  [`/v1/grids?time=${TIME}`, 'application/netcdf', 'contrails_default', 'nc'],
  [
    `/v1/grids?time=${TIME}&units=ef_per_m&flight_level=350`,
    'application/netcdf',
    'ef_per_m_default_FL350',
    'nc',
  ],
  [
    `/v1/regions?time=${TIME}&flight_level=350&threshold=1`,
    'application/geo+json',
    'regions_default_FL350',
    'geojson',
  ],
  [`/v0/grid/cocip?time=${TIME}&aircraft_type=A320`, 'application/netcdf', 'cocip_A320', 'nc'],
  [
    `/v0/grid/cocip?time=${TIME}&aircraft_type=A320&format=geojson`,
    'application/json',
    'cocip_A320',
    'geojson',
  ],
  [
    `/v0/grid/cocip?time=${TIME}&aircraft_type=A320&format=kml&flight_level=350`,
    'application/vnd.google-earth.kml+xml',
    'cocip_A320',
    'kml',
  ],
])('%s is a file with type, name and the hash of its bytes', async (url, type, product, ending) => {
  const { status, headers, bytes } = await get(url);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': type,
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename="${product}_${iso(hour).replace(/[-:]/g, '')}.${ending}"`,
    etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
  });
});

test('a client that has the forecast gets 304, and a range of it can be asked for', async () => {
  const url = `/v1/grids?time=${TIME}&flight_level=350`;
  const whole = await get(url);
  const same = await get(url, { 'if-none-match': String(whole.headers.etag) });
  expect([same.status, same.bytes.length]).toEqual([304, 0]);
  const task = await get(url, { range: 'bytes=0-7' });
  expect([task.status, task.bytes.toString('latin1')]).toEqual([206, '\x89HDF\r\n\x1a\n']);
});

test('minutes of a forecast are floored, and each hour has its own', async () => {
  const at = async (time: string) => (await get(`/v1/grids?time=${time}&flight_level=350`)).headers.etag;
  expect(await at(iso(hour + 40 * 60_000))).toBe(await at(iso(hour)));
  expect(await at(iso(next))).not.toBe(await at(iso(hour)));
});

test('the newest run that has the product is served, an older one when it is named', async () => {
  const regions = async (more: string) =>
    (await get(`/v1/regions?time=${TIME}&flight_level=350&threshold=1${more}`)).json<Collection>();
  const runOf = ({ features }: Collection) => features[0]?.properties.forecast_reference_time;
  expect(runOf(await regions(''))).toBe(iso(published.referenceTimeMs));
  expect(runOf(await regions(`&forecast_reference_time=${iso(older.referenceTimeMs)}`))).toBe(
    iso(older.referenceTimeMs),
  );
});

test('regions have a feature for each level and threshold that is asked for', async () => {
  const properties = async (more: string) =>
    (await get(`/v1/regions?time=${TIME}${more}`))
      .json<Collection>()
      .features.map(({ properties: { flight_level, threshold } }) => [flight_level, threshold]);
  expect(await properties('&flight_level=350&threshold=2')).toEqual([[350, 2]]);
  expect(await properties('&flight_level=350')).toEqual([1, 2, 3, 4].map((threshold) => [350, threshold]));
  const all = await properties('');
  expect(all.length).toBe(18 * 4);
  expect(all.slice(0, 5)).toEqual([
    [270, 1],
    [270, 2],
    [270, 3],
    [270, 4],
    [280, 1],
  ]);
  expect((await properties('&threshold=4')).map(([, threshold]) => threshold)).toEqual(new Array(18).fill(4));
});

test('regions describe themselves, with three numbers to a position', async () => {
  const { type, features } = (await get(`/v1/regions?time=${TIME}&threshold=1`)).json<Collection>();
  expect(type).toBe('FeatureCollection');
  expect(features[8]?.properties).toEqual({
    aircraft_class: 'default',
    time: iso(hour),
    flight_level: 350,
    threshold: 1,
    forecast_reference_time: iso(published.referenceTimeMs),
  });
  expect(features[8]?.geometry.type).toBe('MultiPolygon');
  const positions = features.flatMap(({ geometry }) => geometry.coordinates.flat(2));
  expect(positions.length).toBeGreaterThan(0);
  expect(new Set(positions.map((position) => position.length))).toEqual(new Set([3]));
});

test('polygons of cocip carry their threshold, and a negative one finds cooling contrails', async () => {
  const polygons = async (threshold: string) => {
    const url = `/v0/grid/cocip?time=${TIME}&aircraft_type=B738&format=geojson&simplify=0&threshold=${threshold}`;
    return (await get(url)).json<Collection>().features;
  };
  const count = (features: Collection['features']) =>
    features.reduce((sum, { geometry }) => sum + geometry.coordinates.length, 0);
  const [all, strong, cooling] = [await polygons('0'), await polygons('1e9'), await polygons('-1e8')];
  expect(all.map(({ properties }) => properties.level)).toEqual(
    Array.from({ length: 18 }, (_, k) => 270 + 10 * k),
  );
  expect(strong[0]?.properties).toMatchObject({
    name: 'ef_per_m',
    polygon_iso_value: 1e9,
    aircraft_type: 'B738',
    cocip_dt_integration: '5 minutes',
    cocip_max_contrail_age: '12 hours',
    units: 'J / m',
    met_source_dataset: 'synthetic',
  });
  expect(count(all)).toBeGreaterThan(count(strong));
  expect(count(cooling)).toBeGreaterThan(0);
});

test('A359 is the A350 by another name', async () => {
  const types = await startForecastServer({ CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'A350' });
  const { detail } = (await types.get(`/v0/grid/cocip?time=${TIME}&aircraft_type=a359`)).problem();
  expect(detail).toContain('no cocip grid of A350');
});

test('availability lists the hours that every type and level has', async () => {
  const { cocip } = (await get('/v0/grid/availability')).json<{ cocip: string[] }>();
  expect(cocip).toEqual([iso(hour), iso(next)]);
});

test.each([
  ['/v1/grids', 400, 'time is missing'],
  ['/v1/grids?time=yesterday', 400, 'time yesterday is not a time'],
  [
    `/v1/grids?time=${TIME}&flight_level=275`,
    400,
    'flight_level 275 is not served; choose from 270, 280, … 440',
  ],
  [`/v1/grids?time=${TIME}&flight_level=270,280`, 400, 'flight_level'],
  [
    `/v1/grids?time=${TIME}&aircraft_class=low_e`,
    400,
    'aircraft_class low_e is not served; choose from default',
  ],
  [`/v1/grids?time=${TIME}&units=watts`, 400, 'choose from index, ef_per_m'],
  [`/v1/regions?time=${TIME}&threshold=5`, 400, 'threshold 5 is not served; choose from 1, 2, 3, 4'],
  [`/v1/regions?time=${TIME}&threshold=NaN`, 400, 'choose from 1, 2, 3, 4'],
  [`/v1/regions?time=${TIME}&forecast_reference_time=x`, 400, 'forecast_reference_time x is not a time'],
  [`/v0/grid/cocip?time=${TIME}`, 422, 'aircraft_type is missing; choose from B738, A320'],
  [
    `/v0/grid/cocip?time=${TIME}&aircraft_type=C172`,
    422,
    'aircraft_type C172 is not served; choose from B738, A320',
  ],
  [`/v0/grid/cocip?time=${TIME}&aircraft_type=B738&threshold=much`, 422, 'threshold much is not a number'],
  [`/v0/grid/cocip?time=${TIME}&aircraft_type=B738&format=NetCDF`, 422, 'choose from netcdf, geojson, kml'],
  [`/v0/grid/cocip?time=${TIME}&aircraft_type=B738&bbox=1,2,3`, 422, 'bbox has 3 values; give 4'],
  [`/v0/grid/cocip?time=${TIME}&aircraft_type=B738&bbox=1,1,2,2`, 422, 'holds no cell centre'],
  [`/v0/grid/cocip?time=${TIME}&aircraft_type=B738&simplify=11`, 422, 'simplify 11 is out of range'],
])('%s is refused with what is served', async (url, status, words) => {
  const answer = await get(url);
  expect(answer.status).toBe(status);
  expect(answer.problem().detail).toContain(words);
});

test('a time between hours has no contrail grid, and its neighbours are named', async () => {
  const answer = await get(`/v0/grid/cocip?time=${iso(hour + 30 * 60_000)}&aircraft_type=B738`);
  expect([answer.status, answer.headers['retry-after']]).toEqual([404, undefined]);
  expect(answer.problem().detail).toContain(`${iso(hour)} or ${iso(next)}`);
});

test('an hour that is not planned is not found, and the error lists what is served', async () => {
  const answer = await get('/v1/grids?time=2001-01-01T00&flight_level=350');
  expect([answer.status, answer.headers['retry-after']]).toEqual([404, undefined]);
  expect(answer.problem().detail).toContain(`served are ${iso(hour)} to ${iso(next)}`);
});

test('a run that does not have the hour is named in the error', async () => {
  const answer = await get(`/v1/grids?time=${TIME}&forecast_reference_time=2001-01-01`);
  expect(answer.status).toBe(404);
  expect(answer.problem().detail).toContain('from the run of 2001-01-01T00:00:00Z');
});

test('keys need the scope of the family', async () => {
  const research = await forecast.server.newKey({ scopes: ['research'] });
  const ask = (url: string) => get(url, { 'x-api-key': research });
  expect((await ask(`/v1/grids?time=${TIME}&flight_level=350`)).status).toBe(403);
  expect((await ask(`/v0/grid/cocip?time=${TIME}&aircraft_type=B738&flight_level=350`)).status).toBe(200);
});
