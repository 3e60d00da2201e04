import { type Met, openMet } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Compute, openCompute } from '../../src/compute.ts';
import { computeRoute } from '../../src/routes/compute.ts';
import { type RouteBody, type RouteQuery, readRouteBody, routeOptionsOf } from '../../src/routes/request.ts';

let compute: Compute;
let met: Met;

beforeAll(() => {
  met = openMet({
    sources: [openSynthetic({ name: 'demo', resolutionDeg: 10 })],
    memoryBytes: 2 ** 30,
  });
  compute = openCompute({ threads: 2, maxQueue: 1000 });
});
afterAll(async () => {
  await Promise.all([compute.close(), met.close()]);
});

const QUERY = {
  flight_levels: [320, 340, 360, 380],
  ...{ fuel_price: 0.8, cost_index: 30, carbon_price: 50, horizon: 100, cooling: 'ignore' },
  ...{ co2e_metric: 'gwp', efficacy: true, co2e_set: 'lee2021' },
  ...{ min_level_minutes: 15, max_changes: 2, max_step_ft: 4000, parity: 'none' },
  ...{ mach: [], corridor_km: 200, stage_km: 100, offset_km: 20, contrails: 'none', front: '0' },
  ...{ neighbourhood_km: 0, neighbourhood: 'max', include: [], confidence: 0.8 },
  ...{ max_age_hours: 2, dt_integration_minutes: 10 },
} as unknown as RouteQuery;
/** Through air in which contrails persist, in the synthetic weather of these tests. */
const BODY = {
  origin: { longitude: -180, latitude: 40 },
  destination: { longitude: -168, latitude: 41 },
  departure_time: '2026-01-15T10:00Z',
  aircraft_type: 'B789',
};

interface RouteAnswer {
  readonly routes: readonly {
    readonly name: string;
    readonly predicted: Record<string, number>;
    readonly verified: Record<string, number>;
    readonly max_turn_deg: number;
  }[];
  readonly baseline: { readonly cost: number };
  readonly chosen: { readonly cost: number; readonly waypoints: { longitude: number[]; latitude: number[] } };
  readonly recommendation: { readonly change: boolean; readonly reason: string };
  readonly front?: readonly { readonly weight: number; readonly paid_j: number }[];
  readonly optimum: string | null;
}

function bodyOf(raw: unknown): RouteBody {
  const body = readRouteBody(raw);
  if (!('origin' in body)) throw new Error(JSON.stringify(body));
  return body;
}

const routeOf = (query: Partial<RouteQuery>, body: unknown) =>
  computeRoute(
    { met: { open: async () => met }, compute, memoryBytes: 2 ** 28 },
    { body: bodyOf(body), route: routeOptionsOf({ ...QUERY, ...query }, 'none') },
    {},
  ) as unknown as Promise<RouteAnswer>;

test('three routes are found and verified, and the chosen one is never dearer than the baseline', async () => {
  const answer = await routeOf({ contrails: 'compute', front: '1' }, BODY);
  expect(answer.routes.map(({ name }) => name)).toEqual(['great_circle', 'wind_optimal', 'optimum']);
  expect(answer.chosen.cost).toBeLessThanOrEqual(answer.baseline.cost);
  for (const { verified } of answer.routes)
    expect(answer.chosen.cost).toBeLessThanOrEqual(verified.cost as number);
  for (const { predicted, verified } of answer.routes)
    expect(Math.abs((predicted.fuel_kg as number) / (verified.fuel_kg as number) - 1)).toBeLessThan(0.02);
  expect(answer.front?.map(({ weight }) => weight)).toEqual([
    0,
    1 / 16,
    1 / 8,
    1 / 4,
    1 / 2,
    1,
    2,
    4,
    8,
    16,
    64,
  ]);
});

test('a track keeps out of an area at all levels, and a wall leaves no route', async () => {
  const square = (west: number, south: number, east: number, north: number) => ({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: {},
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [west, south],
              [east, south],
              [east, north],
              [west, north],
              [west, south],
            ],
          ],
        },
      },
    ],
  });
  const { chosen } = await routeOf({}, { ...BODY, avoid: square(-175, 40, -173, 41) });
  const { longitude, latitude } = chosen.waypoints;
  expect(
    longitude.some(
      (lon, i) => lon > -175 && lon < -173 && (latitude[i] as number) > 40 && (latitude[i] as number) < 41,
    ),
  ).toBe(false);
  const walled = await routeOf({}, { ...BODY, avoid: square(-175, 0, -173, 80) });
  expect(walled.optimum).toBeNull();
  expect(walled.recommendation).toMatchObject({ change: false, reason: 'no_feasible_route' });
});

test('bodies that name no airport, time or type are rejected field by field', () => {
  expect(
    readRouteBody({ origin: 'XXXX', destination: { longitude: 500, latitude: 0 }, departure_time: 'soon' }),
  ).toMatchObject({
    errors: [
      { loc: ['body', 'origin'] },
      { loc: ['body', 'destination'] },
      { loc: ['body', 'departure_time'] },
      { loc: ['body', 'aircraft_type'] },
    ],
  });
});

test('the front is verified where no point beats another, and its graph has a label for every node', async () => {
  const answer = (await routeOf(
    { contrails: 'compute', front: 'verified', include: ['graph', 'waypoints'] },
    BODY,
  )) as RouteAnswer & {
    readonly front: readonly {
      readonly dominated: boolean;
      readonly fuel_kg: number;
      readonly verified?: { readonly kind: string; readonly fuel_kg: number };
      readonly profile?: { readonly rows: readonly { readonly waypoints?: object }[] };
    }[];
    readonly graph: Readonly<Record<string, readonly number[]>>;
  };
  for (const { dominated, verified, profile, fuel_kg } of answer.front) {
    expect(verified === undefined).toBe(dominated);
    expect(profile === undefined).toBe(dominated);
    if (verified === undefined) continue;
    expect(verified.kind).toBe('searched');
    expect(Math.abs(fuel_kg / verified.fuel_kg - 1)).toBeLessThan(0.02);
    expect(profile?.rows[0]?.waypoints).toBeDefined();
  }
  const { stage, cost, offset_km: offsets, flight_time_s: times } = answer.graph;
  expect(stage?.[0]).toBe(0);
  expect(new Set(stage).size).toBe(Math.max(...(stage ?? [])) + 1);
  for (const column of Object.values(answer.graph)) expect(column.length).toBe(stage?.length);
  expect(cost?.every(Number.isFinite)).toBe(true);
  expect(Math.max(...(offsets ?? []))).toBeLessThanOrEqual(200);
  expect(times?.[0]).toBe(0);
});

test('samples judge the change in the same draws, and say how likely it is better', async () => {
  const query = { contrails: 'compute', uncertainty: 12, seed: 1, confidence: 0.8 } as const;
  // Low and slow, so there is something to choose.
  const along = [0, 1, 2, 3, 4, 5, 6];
  const flight = {
    longitude: along.map((k) => -180 + 2 * k),
    latitude: along.map((k) => 40 + k / 6),
    altitude: along.map(() => 29_000),
    time: along.map((k) => new Date(Date.UTC(2026, 0, 15, 10, 14 * k)).toISOString()),
    aircraft_type: 'B789',
  };
  const { recommendation } = (await routeOf(query, { flight })) as unknown as {
    recommendation: { change: boolean; reason: string; basis: string; probability_better: number | null };
  };
  const { basis, probability_better: probability, reason } = recommendation;
  expect(reason).not.toBe('baseline_is_best');
  expect(basis).toBe('monte_carlo');
  expect((probability as number) * 12).toBeCloseTo(Math.round((probability as number) * 12), 9);
  if (recommendation.change) expect(probability).toBeGreaterThanOrEqual(0.8);
  const again = (await routeOf(query, { flight })) as unknown as { recommendation: object };
  expect(again.recommendation).toEqual(recommendation);
});

test('an end in an area at all levels is refused, and a departure outside the weather', async () => {
  const ring = [
    [-181, 39],
    [-179, 39],
    [-179, 41],
    [-181, 41],
    [-181, 39],
  ];
  const area = (properties: object) => ({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } }],
  });
  await expect(routeOf({}, { ...BODY, avoid: area({}) })).rejects.toThrow(/origin lies in an area/);
  const above = await routeOf({}, { ...BODY, avoid: area({ min_flight_level: 350 }) });
  expect(above.optimum).toBe('optimum');
});

test('the great circle keeps its figures where areas close every way', async () => {
  const wall = [
    [-175, 0],
    [-173, 0],
    [-173, 80],
    [-175, 80],
    [-175, 0],
  ];
  const avoid = {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [wall] } }],
  };
  const { routes } = await routeOf({}, { ...BODY, avoid });
  expect(routes).toMatchObject([{ name: 'great_circle', closed: true }]);
  expect(routes[0]?.verified.fuel_kg).toBeGreaterThan(1000);
});
