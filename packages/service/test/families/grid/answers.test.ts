import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { startGridServer } from './support/grid-server.ts';

const { get, server } = await startGridServer();
/** All of the weather; the globe takes many times as long. */
const WIDE = 'time=2024-06-12T03&bbox=-48,32,-13,67';
const SMALL = 'time=2024-06-12T03&bbox=-40,40,-30,50&flight_level=340,320';

interface Collection {
  readonly features: {
    readonly properties: Record<string, unknown>;
    readonly geometry: { readonly type: string; readonly coordinates: number[][][][] };
  }[];
}

test.each([
  ['netcdf', 'application/netcdf', 'sac_20240612T030000Z.nc'],
  ['geojson', 'application/json', 'sac_20240612T030000Z.geojson'],
  ['kml', 'application/vnd.google-earth.kml+xml', 'sac_20240612T030000Z.kml'],
])('%s is a file with type, name, length and the hash of its bytes', async (format, type, name) => {
  const { status, headers, bytes } = await get(`/v0/grid/sac?${SMALL}&format=${format}`);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': type,
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename="${name}"`,
    etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
    'accept-ranges': 'bytes',
  });
  expect(Date.parse(String(headers['last-modified']))).not.toBeNaN();
});

test('polygons come level by level in ascending order with what they are made of', async () => {
  const { features } = (await get(`/v0/grid/sac?${SMALL}&format=geojson`)).json<Collection>();
  expect(features.map(({ properties }) => properties)).toEqual(
    [320, 340].map((level) => ({
      name: 'sac',
      description: 'Schmidt-Appleman contrail formation criteria',
      level,
      level_long_name: 'Flight Level',
      level_standard_name: 'FL',
      level_units: 'hectofeet',
      time: '2024-06-12T03:00:00Z',
      polygon_iso_value: 0.5,
      engine_efficiency: 0.3,
      humidity_scaling_name: 'exponential_boost_latitude_customization',
      humidity_scaling_formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
      met_source_provider: 'ECMWF',
      met_source_dataset: 'ERA5',
      met_source_product: 'reanalysis',
      modeling_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })),
  );
  const positions = features.flatMap(({ geometry }) => geometry.coordinates.flat(2));
  expect(positions.length).toBeGreaterThan(8);
  expect(new Set(positions.map((position) => position.length))).toEqual(new Set([3]));
});

test('regions say how many cells they were widened by', async () => {
  const wide = `/v0/grid/pcr?${SMALL}&buffer=2`;
  const { features } = (await get(`${wide}&format=geojson`)).json<Collection>();
  expect(features.map(({ properties }) => properties.buffer)).toEqual([2, 2]);
  expect(features[0]?.properties.buffer_extent).toContain('55.6 km north to south');
  expect((await get(`${wide}&format=kml`)).text).toMatch(/<Data name="buffer">\s*<value>2<\/value>/);
  expect((await get(wide)).bytes.includes('buffer_cells')).toBe(true);
  const plain = (await get(`/v0/grid/pcr?${SMALL}&buffer=0`)).headers.etag;
  expect(plain).toBe((await get(`/v0/grid/pcr?${SMALL}`)).headers.etag);
  expect((await get(wide)).headers.etag).not.toBe(plain);
});

test('a level without a region is listed too', async () => {
  const query = 'time=2024-06-12T03&bbox=-40,33,-39,34&flight_level=270&format=geojson';
  const { features } = (await get(`/v0/grid/issr?${query}`)).json<Collection>();
  expect(features.map(({ geometry }) => geometry)).toEqual([{ type: 'MultiPolygon', coordinates: [] }]);
});

test('the scaling and its parameters are reported', async () => {
  const query = `${SMALL}&format=geojson&humidity_scaling=exponential_boost&rhi_adj=0.9`;
  const { features } = (await get(`/v0/grid/issr?${query}`)).json<Collection>();
  expect(features[0]?.properties).toMatchObject({
    humidity_scaling_name: 'exponential_boost',
    humidity_scaling_rhi_adj: 0.9,
    humidity_scaling_rhi_boost_exponent: 1.7,
  });
  expect(features[0]?.properties).not.toHaveProperty('engine_efficiency');
});

test('a more efficient engine forms more contrails', async () => {
  const positions = await Promise.all(
    [0.01, 0.3, 1].map(async (efficiency) => {
      const query = `time=2024-06-12T03&bbox=-40,32,-34,67&flight_level=300&engine_efficiency=${efficiency}`;
      const { features } = (
        await get(`/v0/grid/sac?${query}&format=geojson&convex_hull=on`)
      ).json<Collection>();
      return Math.min(
        ...(features[0]?.geometry.coordinates.flat(2).map(([, latitude = 90]) => latitude) ?? []),
      );
    }),
  );
  const [poor = 0, usual = 0, perfect = 0] = positions;
  expect(poor).toBeGreaterThan(usual);
  expect(usual).toBeGreaterThan(perfect);
});

test('polygons come as asked for: without holes, as hulls, more or less simplified', async () => {
  const ask = async (more: string) =>
    (await get(`/v0/grid/pcr?${WIDE}&flight_level=370&format=geojson${more}`)).json<Collection>();
  const rings = ({ features }: Collection) => features[0]?.geometry.coordinates.flat() ?? [];
  const polygons = ({ features }: Collection) => features[0]?.geometry.coordinates ?? [];
  const [plain, filled, hulls, rough, fine] = await Promise.all(
    ['', '&interiors=False', '&convex_hull=1', '&simplify=10', '&simplify=0'].map(ask),
  );
  if (!plain || !filled || !hulls || !rough || !fine) throw new Error('an answer is missing');
  expect(rings(plain).length, 'a region has a hole').toBeGreaterThan(polygons(plain).length);
  for (const one of [filled, hulls]) expect(rings(one).length).toBe(polygons(one).length);
  expect(rings(fine).flat().length).toBeGreaterThan(rings(plain).flat().length);
  expect(rings(plain).flat().length).toBeGreaterThan(rings(rough).flat().length);
});

test('lists may be written either way, in any order, with repetitions', async () => {
  const [one, other] = await Promise.all([
    get('/v0/grid/sac?time=2024-06-12T03&bbox=-40,40,-30,50&flight_level=340,320,340'),
    get('/v0/grid/sac?time=1718161200&flight_level=320&flight_level=340&bbox=-40&bbox=40&bbox=-30&bbox=50'),
  ]);
  expect(one.bytes.equals(other.bytes)).toBe(true);
});

test('parts of a second are cut off, because files carry whole ones', async () => {
  const { features } = (
    await get(`/v0/grid/sac?time=2024-06-12T03:00:00.75Z&bbox=-40,40,-30,50&flight_level=320&format=geojson`)
  ).json<Collection>();
  expect(features[0]?.properties.time).toBe('2024-06-12T03:00:00Z');
});

test('cells outside the weather are unknown, not refused', async () => {
  const answer = await get('/v0/grid/sac?time=2024-06-12T03&bbox=-14,40,-11,41&flight_level=350');
  expect(answer.status).toBe(200);
});

test('a key without the scope is refused', async () => {
  const key = await server.newKey({ scopes: ['forecast'] });
  expect((await get(`/v0/grid/sac?${SMALL}`, { 'x-api-key': key })).status).toBe(403);
  expect((await get('/v0/grid/availability', { 'x-api-key': key })).status).toBe(403);
});
