import { haversineM } from '@contrails/physics/geodesy';
import { expect, test } from 'vitest';
import { bufferFlags } from '../../src/grid/buffer.ts';
import {
  type GridPrices,
  type GridTreatment,
  isTreated,
  NO_TREATMENT,
  type PlaneAxes,
  treatPlane,
  valueIn,
} from '../../src/grid/treatment.ts';

const axis = (first: number, count: number, step: number) =>
  Float64Array.from({ length: count }, (_, i) => first + i * step);

/** The globe in cells of 10°, where neighbours across the antimeridian and the poles matter. */
const GLOBE = { longitude: axis(-180, 36, 10), latitude: axis(-90, 19, 10) };
const BOX = { longitude: axis(-10, 30, 0.25), latitude: axis(45, 24, 0.25) };

/** Forcings of both signs, and some cells that are missing. */
function planeOf({ longitude, latitude }: PlaneAxes): Float32Array {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return Float32Array.from({ length: longitude.length * latitude.length }, () =>
    random() < 0.1 ? Number.NaN : Math.round(1e9 * (random() - 0.4)),
  );
}

const prices = (given: Partial<GridPrices> = {}): GridPrices => ({
  unit: 'cost_per_nm',
  carbonPrice: 50,
  horizon: 100,
  cooling: 'ignore',
  ...given,
});

test('a forcing of 1e9 J/m has the costs of the specification', () => {
  expect(valueIn(prices({ unit: 'co2e_kg_per_km' }))(1e9)).toBeCloseTo(296.6912, 4);
  expect(valueIn(prices())(1e9)).toBeCloseTo(27.47361, 5);
  expect(valueIn(prices({ unit: 'j_per_m' }))(1e9)).toBe(1e9);
});

test('cooling counts nothing, its negative value or its magnitude', () => {
  const cost = (cooling: GridPrices['cooling']) => valueIn(prices({ cooling }))(-1e9);
  expect(cost('ignore')).toBe(0);
  expect(cost('credit')).toBeCloseTo(-27.47361, 5);
  expect(cost('avoid')).toBeCloseTo(27.47361, 5);
});

test('cost per nautical mile is 1.852 times the price of the CO2e of a kilometre', () => {
  for (const carbonPrice of [5, 50, 1000])
    for (const horizon of [20, 50, 100] as const) {
      const ratio =
        valueIn(prices({ carbonPrice, horizon }))(3e8) /
        valueIn(prices({ unit: 'co2e_kg_per_km', horizon }))(3e8);
      expect(ratio).toBeCloseTo((1.852 * carbonPrice) / 1000, 9);
    }
});

test('nothing is treated by default, and a neighbourhood of 0 changes nothing', () => {
  expect(isTreated(NO_TREATMENT)).toBe(false);
  const plane = planeOf(BOX);
  expect(treatPlane(plane, BOX, NO_TREATMENT)).toBe(plane);
});

test.each([
  ['the globe', GLOBE, 1200],
  ['the globe', GLOBE, 5000],
  ['a box', BOX, 60],
  ['a box', BOX, 200],
] as const)('neighbourhoods of %s are those of all cells within the distance', (_, axes, km) => {
  const plane = planeOf(axes);
  const near = (kind: GridTreatment['neighbourhood']) =>
    treatPlane(plane, axes, { ...NO_TREATMENT, neighbourhoodKm: km, neighbourhood: kind });
  const [max, mean] = [near('max'), near('mean')];
  const rows = axes.latitude.length;
  axes.longitude.forEach((longitude, i) => {
    axes.latitude.forEach((latitude, j) => {
      let [most, sum, weight] = [Number.NEGATIVE_INFINITY, 0, 0];
      axes.longitude.forEach((east, p) => {
        axes.latitude.forEach((north, q) => {
          const value = plane[p * rows + q] as number;
          if (Number.isNaN(value) || haversineM(longitude, latitude, east, north) > 1000 * km + 1) return;
          const each = Math.max(Math.cos((north * Math.PI) / 180), 1e-9);
          most = Math.max(most, value);
          sum += each * value;
          weight += each;
        });
      });
      const at = i * rows + j;
      if (weight === 0) {
        expect(max[at]).toBeNaN();
        expect(mean[at]).toBeNaN();
        return;
      }
      expect(max[at]).toBe(Math.fround(most));
      expect(Math.abs((mean[at] as number) - sum / weight)).toBeLessThan(200);
    });
  });
});

test('a maximum is no less than the mean, and the mean of costs without cooling is not negative', () => {
  const plane = planeOf(GLOBE).map((value) => Math.max(value, 0));
  const of = (neighbourhood: GridTreatment['neighbourhood']) =>
    treatPlane(plane, GLOBE, { ...NO_TREATMENT, neighbourhoodKm: 2000, neighbourhood, prices: prices() });
  const [max, mean] = [of('max'), of('mean')];
  mean.forEach((value, at) => {
    expect(value).toBeGreaterThanOrEqual(0);
    expect(max[at]).toBeGreaterThanOrEqual(value);
  });
});

test.each([1, 2, 7])(
  'a buffer of %i cells is the maximum whose regions are the buffered regions',
  (cells) => {
    const plane = planeOf(GLOBE);
    const threshold = 4e8;
    const buffered = treatPlane(plane, GLOBE, { ...NO_TREATMENT, bufferCells: cells });
    const flags = plane.map((value) => (Number.isNaN(value) ? Number.NaN : value >= threshold ? 1 : 0));
    const shape = { columns: 36, rows: 19, isCyclic: true };
    const regions = bufferFlags(flags, shape, cells);
    buffered.forEach((value, at) => {
      expect(value >= threshold).toBe(regions[at] === 1);
    });
  },
);

test('a buffer after a buffer is that of both together', () => {
  const plane = planeOf(BOX);
  const by = (values: Float32Array, bufferCells: number) =>
    treatPlane(values, BOX, { ...NO_TREATMENT, bufferCells });
  expect(by(by(plane, 2), 3)).toEqual(by(plane, 5));
});
