import { expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { haversineM } from '../../src/geodesy/sphere.ts';
import { areasOf, isInArea } from '../../src/routing/areas.ts';
import { makeLattice, nodePosition, positionsBetween } from '../../src/routing/frame.ts';
import {
  type FoundRoute,
  openRouteSearch,
  type RouteProblem,
  refineProblem,
} from '../../src/routing/search.ts';
import {
  fieldsOf,
  type MadeUpRoute,
  PRICES,
  problemOf,
  randomRoute,
  shortRoute,
} from './support/made-up-air.ts';

/** Five times as many with `TEST_EFFORT=5`. */
const SEEDS = Array.from({ length: times(3) }, (_, seed) => seed);
const CALM = { jets: [], areas: [] };

const found = (route: FoundRoute | undefined): FoundRoute => {
  if (route === undefined) throw new Error('there is no route');
  return route;
};
const best = (problem: RouteProblem, prices = PRICES, weight?: number) =>
  found(openRouteSearch(problem).find(prices, weight));

test('a corridor of width 0 with one level is the great circle', () => {
  const route = { ...randomRoute(1), options: { stageM: 1e5, offsetM: 1e4, corridorM: 0, maxSteps: 5 } };
  const search = openRouteSearch(problemOf(route, { maxStepFt: 0 }));
  const optimum = found(search.find(PRICES));
  expect([...optimum.offsets].every((offset) => offset === 0)).toBe(true);
  expect(optimum.figures).toEqual(found(search.greatCircle(PRICES)).figures);
});

test('calm air without contrails gives the great circle', () => {
  for (const seed of SEEDS) {
    const search = openRouteSearch(problemOf({ ...randomRoute(seed), air: CALM }));
    const [optimum, greatCircle] = [found(search.find(PRICES)), found(search.greatCircle(PRICES))];
    expect(Math.max(...optimum.offsets.map(Math.abs))).toBeLessThanOrEqual(1);
    expect(optimum.figures.cost / greatCircle.figures.cost).toBeGreaterThan(0.998);
  }
});

test('a route never costs more than the great circle at its best level or than the wind-optimal route', () => {
  for (const seed of SEEDS) {
    const search = openRouteSearch(problemOf(randomRoute(seed)));
    const optimum = found(search.find(PRICES)).figures.cost;
    const direct = found(search.evaluate(found(search.find({ ...PRICES, carbonPrice: 0 })), PRICES));
    expect(optimum).toBeLessThanOrEqual(found(search.greatCircle(PRICES)).figures.cost);
    expect(optimum).toBeLessThanOrEqual(direct.figures.cost);
  }
});

test('with a carbon price of 0 contrails do not count', () => {
  const route = randomRoute(3);
  const free = { ...PRICES, carbonPrice: 0 };
  const withContrails = best(problemOf(route), free);
  const without = best(problemOf({ ...route, air: { ...route.air, areas: [] } }), free);
  expect(withContrails.offsets).toEqual(without.offsets);
  expect(withContrails.choices).toEqual(without.choices);
});

test('a huge price avoids what can be avoided', () => {
  for (const seed of SEEDS) {
    const search = openRouteSearch(problemOf(randomRoute(seed)));
    const paid = (weight: number) => found(search.find(PRICES, weight)).figures.paidJ;
    // No route pays less than one that minds nothing but contrails.
    const onlyContrails = found(search.find({ ...PRICES, fuelPrice: 0, costIndex: 0 }, 1e9)).figures.paidJ;
    expect(paid(1e9)).toBeLessThanOrEqual(1.001 * onlyContrails + 1e6);
    expect(paid(1e9)).toBeLessThanOrEqual(paid(1));
  }
});

test('fuel and time never fall and paid forcing never rises along the front', () => {
  for (const seed of SEEDS) {
    const search = openRouteSearch(problemOf(randomRoute(seed)));
    const front = [0, 1 / 16, 1 / 4, 1, 4, 16, 64].map(
      (weight) => found(search.find(PRICES, weight)).figures,
    );
    front.slice(1).forEach((point, i) => {
      const before = front[i] as (typeof front)[number];
      const plain = ({ cost, paidJ }: typeof point) =>
        cost - (PRICES.carbonPrice * paidJ * 0.42) / (8.8e-14 * 5.101e14 * 31_536_000 * 1000);
      expect(plain(point)).toBeGreaterThan(0.999 * plain(before));
      expect(point.paidJ).toBeLessThan(1.001 * before.paidJ + 1e6);
    });
  }
});

test('the mirror image of ends and weather has the mirror image of the route', () => {
  for (const seed of SEEDS) {
    const route = randomRoute(seed);
    const mirrored: MadeUpRoute = {
      ...route,
      origin: [-route.origin[0], route.origin[1]],
      destination: [-route.destination[0], route.destination[1]],
    };
    const own = best(problemOf(route));
    const image = best(problemOf(mirrored, { fields: fieldsOf(route.air, -1) }));
    expect(Math.abs(image.figures.cost / own.figures.cost - 1)).toBeLessThan(1e-12);
    expect(image.offsets.map((offset) => -offset)).toEqual(own.offsets);
    expect(image.choices).toEqual(own.choices);
  }
});

test('a wider corridor, more levels and larger steps never raise the cost by more than 0.1 %', () => {
  for (const seed of SEEDS) {
    const route = randomRoute(seed);
    const cost = (corridorM: number, changes: Partial<RouteProblem> = {}) =>
      best(problemOf({ ...route, options: { ...route.options, corridorM } }, changes)).figures.cost;
    expect(cost(2e5)).toBeLessThanOrEqual(1.001 * cost(1e5));
    expect(cost(2e5)).toBeLessThanOrEqual(1.001 * cost(2e5, { maxStepFt: 2000 }));
    expect(cost(2e5, { maxStepFt: 2000 })).toBeLessThanOrEqual(1.001 * cost(2e5, { maxStepFt: 0 }));
  }
});

test('offsets, turns and changes of level keep their limits at every stage', () => {
  for (const seed of SEEDS) {
    const problem = problemOf(randomRoute(seed), { maxStepFt: 2000 });
    const { offsets, choices, timesS } = best(problem);
    const { flightLevels } = problem.choices;
    offsets.forEach((offset, i) => {
      expect(Math.abs(offset)).toBeLessThanOrEqual(problem.lattice.high[i + 1] as number);
      expect(Math.abs(offset - (offsets[i - 1] ?? 0))).toBeLessThanOrEqual(5);
      expect(timesS[i + 1]).toBeGreaterThan(timesS[i] as number);
      if (i === 0) return;
      const step =
        (flightLevels[choices[i] as number] as number) - (flightLevels[choices[i - 1] as number] as number);
      expect(Math.abs(step)).toBeLessThanOrEqual(20);
    });
  }
});

test('an avoided area is entered at none of its levels', () => {
  for (const seed of SEEDS.slice(0, 3)) {
    const route = randomRoute(seed);
    const [lon, lat] = [
      (route.origin[0] + route.destination[0]) / 2,
      (route.origin[1] + route.destination[1]) / 2,
    ];
    const ring = [
      [lon - 1.5, lat - 1.5],
      [lon + 1.5, lat - 1.5],
      [lon + 1.5, lat + 1.5],
      [lon - 1.5, lat + 1.5],
      [lon - 1.5, lat - 1.5],
    ];
    const areas = areasOf({
      type: 'FeatureCollection',
      features: [
        {
          geometry: { type: 'Polygon', coordinates: [ring] },
          properties: { min_flight_level: 340, max_flight_level: 400 },
        },
      ],
    });
    const problem = problemOf(
      { ...route, options: { ...route.options, stageM: 25_000, offsetM: 5000 } },
      { areas },
    );
    const { offsets, choices } = best(problem);
    offsets.forEach((offset, i) => {
      if ((choices[i] as number) === 0) return;
      const fractions = Array.from({ length: 26 }, (_, f) => f / 25);
      for (const [x, y] of positionsBetween(problem.lattice, i, offsets[i - 1] ?? 0, offset, fractions)) {
        // Edges are tested at five points: they may cut a corner by less than a quarter of a stage.
        const isDeep = [-0.06, 0.06].every((shift) =>
          areas.some((area) => isInArea(area, x + shift, y) && isInArea(area, x, y + shift)),
        );
        expect(isDeep).toBe(false);
      }
    });
  }
});

test('an area that is closed at other times or levels only does not matter', () => {
  const route = randomRoute(4);
  const everywhere = [
    [-90, 0],
    [90, 0],
    [90, 80],
    [-90, 80],
    [-90, 0],
  ];
  const geometry = { type: 'Polygon', coordinates: [everywhere] };
  const areas = areasOf({
    type: 'FeatureCollection',
    features: [
      { geometry, properties: { to: '2027-02-03T19:00:00Z' } },
      { geometry, properties: { from: '2027-02-05T00:00:00Z' } },
      { geometry, properties: { max_flight_level: 319 } },
    ],
  });
  expect(best(problemOf(route, { areas })).figures).toEqual(best(problemOf(route)).figures);
});

test('rejects areas that are not polygons, naming the one at fault', () => {
  const features = [{ geometry: { type: 'Point', coordinates: [0, 0] }, properties: {} }];
  expect(() => areasOf({ type: 'FeatureCollection', features })).toThrow(
    'avoid.features[0].geometry is not a Polygon or MultiPolygon',
  );
  expect(() => areasOf([])).toThrow('avoid is not a GeoJSON FeatureCollection');
});

test('weather that ends under way closes what lies beyond it', () => {
  const problem = problemOf(randomRoute(5));
  const { air } = problem.fields;
  const timesS = air.timesS.slice(0, 13);
  const fields = { ...problem.fields, air: { ...air, timesS } };
  expect(openRouteSearch({ ...problem, fields }).find(PRICES)).toBeUndefined();
});

test('the same and antipodal ends are rejected', () => {
  const options = randomRoute(1).options;
  expect(() => makeLattice([10, 20], [10, 20], options)).toThrow('are the same point');
  expect(() => makeLattice([10, 20], [-170, -20], options)).toThrow('are antipodal');
});

test('a lattice lies along the great circle, its offsets at their distances across', () => {
  const lattice = makeLattice([-0.5, 51.5], [-73.8, 40.6], randomRoute(1).options);
  const middle = lattice.stages >> 1;
  const [lon0, lat0] = nodePosition(lattice, middle, 0);
  const [lon1, lat1] = nodePosition(lattice, middle, 7);
  expect(Math.abs(haversineM(lon0, lat0, lon1, lat1) - 70_000)).toBeLessThan(0.01);
  const [lon2, lat2] = nodePosition(lattice, middle + 1, 0);
  expect(Math.abs(haversineM(lon0, lat0, lon2, lat2) - lattice.lengthM / lattice.stages)).toBeLessThan(0.01);
});

test.each([
  ['long routes', (k: number) => randomRoute(100 + k)],
  ['short routes through strong contrails', shortRoute],
] as const)('refined %s cost hardly more than the best of a search four times finer', (_, routeOf) => {
  // All 50 of the figures in docs/routes.md with TEST_EFFORT=10.
  const excess = Array.from({ length: Math.min(50, times(5)) }, (__, k) => {
    const route = {
      ...routeOf(k),
      options: { stageM: 1e5, offsetM: 2e4, corridorM: 2e5, maxSteps: 3 },
    };
    const problem = problemOf(route);
    const refined = best(refineProblem(problem, best(problem)));
    const { lengthM, stages } = problem.lattice;
    const options = { ...route.options, stageM: lengthM / stages / 4, offsetM: 5000 };
    return refined.figures.cost / best(problemOf({ ...route, options })).figures.cost - 1;
  });
  expect(Math.max(...excess)).toBeLessThan(0.01);
});

const SQUARE = [
  [8, 47],
  [9, 47],
  [9, 48],
  [8, 47],
];

function areaWith(properties: object, ring: readonly (readonly number[])[] = SQUARE) {
  const geometry = { type: 'Polygon', coordinates: [ring] };
  const [area] = areasOf({ type: 'FeatureCollection', features: [{ properties, geometry }] });
  return area;
}

test('times of an area without a zone are UTC', () => {
  const from = Date.UTC(2027, 1, 3, 20) / 1000;
  for (const text of ['2027-02-03T20:00', '2027-02-03T20:00:00Z', '2027-02-03T22:00+02:00'])
    expect(areaWith({ from: text })?.fromS).toBe(from);
});

test.each([
  [{ min_flight_level: 400, max_flight_level: 300 }, SQUARE, /min_flight_level is above max_flight_level/],
  [{ from: '2027-02-03', to: '2027-02-02' }, SQUARE, /from is after to/],
  [
    {},
    SQUARE.map(([lon = 0, lat = 0]) => [lat, 100 + lon]),
    /the latitude 108; positions are longitude, then/,
  ],
])('an area that closes nothing is refused: %o', (properties, ring, message) => {
  expect(() => areaWith(properties, ring)).toThrow(message);
});
