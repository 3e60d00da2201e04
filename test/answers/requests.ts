/** The requests whose answers are compared: every family, every option, every kind of error. */
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';

export interface RecordedRequest {
  readonly method: 'GET' | 'POST' | 'HEAD' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent without a key. */
  readonly anonymous?: boolean;
}

const MODELS = ['sac', 'issr', 'cocip', 'emissions', 'accf'] as const;
const BINARY_GRIDS = ['sac', 'issr', 'pcr'] as const;
const FIXED_TIME = '2024-06-12T03:00:00Z';

/** The forecast follows the clock, so its times are those of `nowMs`. */
export function recordedRequests(nowMs: number): RecordedRequest[] {
  return [...trajectories(), ...badTrajectories(), ...grids(), ...forecast(nowMs), ...service()];
}

function flight(waypoints: number, extra: Record<string, unknown> = {}) {
  const index = Array.from({ length: waypoints }, (_, i) => i);
  const start = Date.parse('2024-02-29T01:10:00Z');
  return {
    flight_id: 7,
    longitude: index.map((i) => -56.6 + 0.15 * i),
    latitude: index.map((i) => 40.5 + 0.05 * i),
    altitude: index.map((i) => 34_000 + 500 * (i % 5)),
    time: index.map((i) => new Date(start + i * MINUTE_MS).toISOString()),
    aircraft_type: 'A320',
    ...extra,
  };
}

function trajectories(): RecordedRequest[] {
  const post = (model: string, body: unknown, query = ''): RecordedRequest => ({
    method: 'POST',
    path: `/v0/trajectory/${model}${query}`,
    body,
  });
  const bodies = [
    flight(40),
    flight(12, { aircraft_type: 'B77W', engine_uid: '01P21GE217' }),
    flight(20, { aircraft_mass: 65_000, engine_efficiency: 0.31 }),
    flight(20, { true_airspeed: 230, fuel_flow: 0.7 }),
    flight(20, { longitude: Array.from({ length: 20 }, (_, i) => 179 + 0.15 * i) }),
    flight(30, { flight_id: Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? 'even' : 'odd')) }),
    flight(15, { fuel: 'SAF', saf_blend_pct: 50 }),
    flight(10, { air_temperature: Array.from({ length: 10 }, (_, i) => (i % 3 === 0 ? null : 217)) }),
  ];
  const queries = [
    '?include=performance',
    '?include=emissions',
    '?include=met',
    '?include=co2e',
    '?humidity_scaling=none',
    '?humidity_scaling=constant_scale&rhi_adj=0.97',
    '?humidity_scaling=exponential_boost',
    '?humidity_scaling=histogram_matching&level_type=pressure',
    '?met_source=demo',
    '?resample=60',
    '?resample=600&include=met',
    '?resample=0',
    '?met_source=elsewhere',
  ];
  return [
    ...MODELS.flatMap((model) => bodies.map((body) => post(model, body))),
    ...MODELS.flatMap((model) => queries.map((query) => post(model, flight(20), query))),
    post('cocip', flight(20), '?include=contrail'),
    post('cocip', flight(20), '?include=performance,emissions,met,co2e,contrail'),
    post('cocip', flight(20), '?max_age_hours=3&dt_integration_minutes=5'),
    post('cocip', flight(400)),
    post('cocip', flight(20), '?resample=60&include=contrail'),
    post('cocip', flight(20), '?max_age_hours=24&dt_integration_minutes=30'),
  ];
}

function badTrajectories(): RecordedRequest[] {
  const bodies: unknown[] = [
    {},
    [],
    'text',
    flight(1),
    flight(5, { latitude: [91, 0, 0, 0, 0] }),
    flight(5, { longitude: [1, 2, 3] }),
    flight(5, { time: ['yesterday', '', 'x', 'y', 'z'] }),
    flight(5, { aircraft_type: 'A32O' }),
    flight(5, { engine_uid: 'nothing' }),
    flight(5, { altitude: [1e6, 1, 2, 3, 4] }),
    flight(5, { unknown_field: 1 }),
    flight(5, { aircraft_mass: -1 }),
    flight(5, { fuel: 'coal' }),
  ];
  return [
    ...bodies.map((body): RecordedRequest => ({ method: 'POST', path: '/v0/trajectory/cocip', body })),
    { method: 'POST', path: '/v0/trajectory/cocip?include=everything', body: flight(5) },
    { method: 'POST', path: '/v0/trajectory/cocip?max_age_hours=99', body: flight(5) },
    { method: 'POST', path: '/v0/trajectory/unknown', body: flight(5) },
    { method: 'GET', path: '/v0/trajectory/cocip' },
  ];
}

function grids(): RecordedRequest[] {
  const get = (path: string): RecordedRequest => ({ method: 'GET', path });
  const box = `time=${FIXED_TIME}&bbox=-60,30,-30,50`;
  const forms = [
    `${box}&flight_level=350`,
    `${box}&flight_level=300,350,400&format=geojson`,
    `${box}&flight_level=350&format=kml`,
    `${box}&flight_level=350&format=geojson&simplify=0&interiors=false`,
    `${box}&flight_level=350&format=geojson&convex_hull=true`,
    `time=${FIXED_TIME}&bbox=170,40,-170,60&flight_level=360`,
    `time=1718161200&flight_level=290&bbox=0,0,20,20`,
    `${box}&humidity_scaling=none&flight_level=330`,
    `${box}&flight_level=340&met_source=demo`,
    `${box}&flight_level=300,310,320,330,340,350`,
    'time=nonsense',
    '',
    `${box}&flight_level=351`,
    `${box}&format=NETCDF`,
    `time=${FIXED_TIME}&bbox=0,0,0.1,95`,
  ];
  return [
    ...BINARY_GRIDS.flatMap((model) => forms.map((form) => get(`/v0/grid/${model}?${form}`))),
    get(`/v0/grid/sac?${box}&flight_level=350&engine_efficiency=0.4`),
    get(`/v0/grid/sac?${box}&flight_level=350&engine_efficiency=4`),
    get(`/v0/grid/cocip?time=${FIXED_TIME}`),
    get(`/v0/grid/cocip?time=${FIXED_TIME}&aircraft_type=C172`),
  ];
}

function forecast(nowMs: number): RecordedRequest[] {
  const get = (path: string, headers?: Record<string, string>): RecordedRequest => ({
    method: 'GET',
    path,
    ...(headers && { headers }),
  });
  const time = new Date(Math.floor(nowMs / HOUR_MS) * HOUR_MS).toISOString().slice(0, 13);
  const levels = [270, 310, 350, 390, 440];
  return [
    ...levels.map((level) => get(`/v1/grids?time=${time}&flight_level=${level}`)),
    ...levels.map((level) => get(`/v1/regions?time=${time}&flight_level=${level}`)),
    ...[1, 2, 3, 4].map((threshold) =>
      get(`/v1/regions?time=${time}&flight_level=350&threshold=${threshold}`),
    ),
    get(`/v1/grids?time=${time}`),
    get(`/v1/regions?time=${time}`),
    get(`/v1/grids?time=${time}&flight_level=350&units=ef_per_m`),
    get(`/v1/grids?time=${time}&flight_level=350`, { range: 'bytes=0-99' }),
    get(`/v1/grids?time=${time}&flight_level=350`, { range: 'bytes=99999999-' }),
    { method: 'HEAD', path: `/v1/grids?time=${time}&flight_level=350` },
    get(`/v1/grids?time=${time}&flight_level=351`),
    get(`/v1/grids?time=1990-01-01T00`),
    get('/v1/grids'),
    get('/v1/regions?time=yesterday&flight_level=x&threshold=y'),
    get(`/v1/grids?time=${time}&flight_level=350`, { 'accept-encoding': 'gzip' }),
    get(`/v1/regions?time=${time}&flight_level=350`, { 'accept-encoding': 'identity' }),
    get(`/v1/grids?time=${time}&flight_level=350`, { 'if-none-match': '*' }),
    get(`/v1/regions?time=${time}&forecast_reference_time=1990-01-01T00`),
    ...['netcdf', 'geojson', 'kml'].map((format) =>
      get(`/v0/grid/cocip?time=${time}&aircraft_type=B738&flight_level=350&format=${format}`),
    ),
    get(`/v0/grid/cocip?time=${time}&aircraft_type=B738&flight_level=350&bbox=-60,30,-30,50`),
    get(`/v0/grid/cocip?time=${time}&aircraft_type=B738&flight_level=350&format=geojson&threshold=-1e8`),
    get(`/v1/regions?time=${time}&flight_level=350&threshold=5`),
    get(`/v1/grids?time=${time}&aircraft_class=unknown`),
  ];
}

function service(): RecordedRequest[] {
  const cruise = flight(20, { altitude: new Array(20).fill(34_000) });
  return [
    { method: 'GET', path: '/v0/auth/validate-key' },
    { method: 'GET', path: '/v0/auth/validate-key', anonymous: true },
    { method: 'GET', path: '/v0/auth/validate-key', headers: { 'x-api-key': 'ctr_12345678_wrong' } },
    { method: 'GET', path: '/openapi.json', anonymous: true },
    { method: 'GET', path: '/problems', anonymous: true },
    { method: 'GET', path: '/healthz', anonymous: true },
    { method: 'GET', path: '/nowhere', anonymous: true },
    { method: 'DELETE', path: '/v1/grids' },
    {
      method: 'OPTIONS',
      path: '/v1/grids',
      headers: { origin: 'https://map.example.org', 'access-control-request-method': 'GET' },
    },
    { method: 'GET', path: '/v0/jobs/00000000-0000-0000-0000-000000000000' },
    { method: 'GET', path: '/v0/jobs/nonsense' },
    { method: 'POST', path: '/v0/trajectory/sac', headers: { 'content-type': 'text/plain' }, body: 'x' },
    { method: 'GET', path: '/v0/grid/availability' },
    { method: 'GET', path: '/v0/grid/availability', anonymous: true },
    { method: 'HEAD', path: '/healthz', anonymous: true },
    { method: 'GET', path: '/openapi', anonymous: true },
    { method: 'GET', path: '/', anonymous: true },
    { method: 'POST', path: '/v0/trajectory/sac', body: flight(5), anonymous: true },
    { method: 'POST', path: '/v0/trajectory/sac', headers: { 'content-encoding': 'br' }, body: flight(5) },
    { method: 'POST', path: '/v0/trajectory/cocip?uncertainty=4&include=samples', body: flight(20) },
    { method: 'POST', path: '/v0/trajectory/cocip?uncertainty=4&sensitivity=true', body: flight(20) },
    { method: 'POST', path: '/v0/trajectory/cocip?uncertainty=1000000', body: flight(20) },
    { method: 'POST', path: '/v1/planning/levels?shifts_ft=-2000,2000&include=waypoints', body: cruise },
    { method: 'POST', path: '/v1/planning/profile?include=tables&uncertainty=4', body: cruise },
    { method: 'POST', path: '/v1/planning/profile?flight_levels=301', body: cruise },
    { method: 'POST', path: '/v1/planning/levels', body: flight(2) },
  ];
}
