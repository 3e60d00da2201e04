import { withinLevels } from '@contrails/physics/cocip';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocateField, type FieldAxes, type MetField, SINGLE_LEVEL } from '../../src/field/field.ts';
import { planLongitudes } from '../../src/field/longitudes.ts';
import { WEATHER_VARIABLES, weatherOf } from '../../src/interpolate/weather.ts';

const LONGITUDES = planLongitudes([-170, -120, -60, -10, 0, 10, 60, 120, 170], true).longitudes;

function noiseField(variables: readonly string[], axes: FieldAxes, seed: number): MetField {
  const field = allocateField(variables, axes);
  let state = seed >>> 0;
  for (const slab of field.slabs) {
    for (let i = 0; i < slab.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      slab[i] = state % 997 === 0 ? Number.NaN : state / 2 ** 24 - 10;
    }
  }
  return field;
}

/** Any knots, one at least, often from one end of the range to the other. */
const axis = (min: number, max: number) => {
  const knots = fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 6 });
  return fc
    .oneof(
      { weight: 1, arbitrary: knots },
      { weight: 4, arbitrary: knots.map((some) => [min, ...some, max]) },
    )
    .map((values) => Float64Array.from(new Set(values)).sort());
};
const longitudes = fc.oneof(axis(-180, 180), fc.constant(LONGITUDES));
const latitudes = axis(-20, 20);

/** Anywhere in and around the axes, often on a knot, sometimes nowhere. */
const coordinate = (min: number, max: number) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.double({ min, max, noNaN: true }) },
    { weight: 3, arbitrary: fc.integer({ min, max }) },
    { weight: 1, arbitrary: fc.constant(Number.NaN) },
  );

const point = fc.record({
  longitude: fc.oneof(coordinate(-180, 180), fc.constantFrom(-180, 180, -175, 175)),
  latitude: coordinate(-21, 21),
  timeMs: coordinate(-1, 6),
  levels: fc.array(coordinate(195, 255), { minLength: 4, maxLength: 4 }),
});

const cases = fc.record({
  longitude: longitudes,
  latitude: latitudes,
  level: axis(200, 250),
  time: axis(0, 5),
  radiationMap: fc.option(fc.record({ longitude: longitudes, latitude: latitudes })),
  radiationTime: axis(0, 5),
  seed: fc.integer(),
  method: fc.constantFrom('none', 'cubic-spline', 'log-q-log-p'),
  cut: fc.boolean(),
  /** Points that are located one after the other, all at one time or each at its own. */
  sets: fc.array(fc.record({ points: fc.array(point, { maxLength: 20 }), atOnce: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
  wanted: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 4, maxLength: 4 }),
});

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

function weatherOfCase(one: Case) {
  const { longitude, latitude, level, time, seed } = one;
  const levels = noiseField(WEATHER_VARIABLES, { longitude, latitude, level, time }, seed);
  const map = one.radiationMap ?? { longitude, latitude };
  const axes = { ...map, level: [SINGLE_LEVEL], time: one.radiationTime };
  const radiation = {
    field: noiseField(['shortwave', 'longwave'], axes, seed + 1),
    pair: 'net' as const,
    fluxPerUnit: 1 / 3600,
  };
  const weather = weatherOf(levels, radiation, one.method);
  return one.cut ? withinLevels(weather, [210, 240]) : weather;
}

const columns = (count: number, length: number) =>
  Array.from({ length: count }, () => new Float64Array(length).fill(-1));

function placesOf({ points, atOnce }: Case['sets'][number]) {
  return {
    longitude: Float64Array.from(points, (each) => each.longitude),
    latitude: Float64Array.from(points, (each) => each.latitude),
    timeMs: Float64Array.from(points, (each) => (atOnce ? points[0]?.timeMs : each.timeMs) ?? Number.NaN),
  };
}

test('weather at located points is that of single points, bit by bit, at one level after the other', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const weather = weatherOfCase(one);
      for (const set of one.sets) {
        const places = placesOf(set);
        const count = set.points.length;
        const located = weather.locate(places, count);
        one.wanted.forEach((wanted, round) => {
          const level = Float64Array.from(set.points, ({ levels }) => levels[round] as number);
          const [found, expected] = [columns(wanted, count), columns(wanted, count)];
          located.sample(found, level, count);
          weather.sample(expected, { ...places, level }, count);
          expect(found).toEqual(expected);
        });
      }
    }),
    { numRuns: 400 },
  );
});

test('radiation at located points is that of single points, bit by bit', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const weather = weatherOfCase(one);
      for (const set of one.sets) {
        const places = placesOf(set);
        const count = set.points.length;
        const [shortwave, longwave, ...expected] = columns(4, count) as [Float64Array, Float64Array];
        weather.locate(places, count).sampleRadiation(shortwave, longwave, count);
        const [expectedShortwave, expectedLongwave] = expected as unknown as [Float64Array, Float64Array];
        const points = { ...places, level: new Float64Array(count) };
        weather.sampleRadiation(expectedShortwave, expectedLongwave, points, count);
        expect([shortwave, longwave]).toEqual([expectedShortwave, expectedLongwave]);
      }
    }),
  );
});

/** Points one after the other along a track, as those of flights are: many share a cell with the next ones. */
const track = fc.record({
  seed: fc.integer(),
  start: fc.record({ longitude: coordinate(-30, 20), latitude: coordinate(-20, 20) }),
  step: fc.double({ min: 0, max: 3, noNaN: true }),
  minutes: fc.double({ min: 0, max: 0.5, noNaN: true }),
  levels: fc.array(coordinate(198, 252), { minLength: 1, maxLength: 3 }),
  wanted: fc.integer({ min: 1, max: 6 }),
});

test('weather along a track is that of each of its points alone, bit by bit', () => {
  fc.assert(
    fc.property(track, ({ seed, start, step, minutes, levels, wanted }) => {
      const axes = { longitude: LONGITUDES, latitude: [-20, -10, 0, 10, 20] };
      const time = [0, 1, 2, 4];
      const weather = weatherOf(
        noiseField(WEATHER_VARIABLES, { ...axes, level: [200, 225, 250], time }, seed),
        {
          field: noiseField(['shortwave', 'longwave'], { ...axes, level: [SINGLE_LEVEL], time }, seed + 1),
          pair: 'net',
          fluxPerUnit: 1 / 3600,
        },
      );
      const count = 24;
      const along = (of: (p: number) => number) => Float64Array.from({ length: count }, (_, p) => of(p));
      const points = {
        longitude: along((p) => start.longitude + step * p),
        latitude: along((p) => start.latitude + 0.1 * step * p),
        timeMs: along((p) => -0.5 + minutes * p),
        level: along((p) => levels[Math.floor(p / 6) % levels.length] as number),
      };
      const found = columns(wanted + 2, count);
      const [shortwave, longwave] = found.slice(wanted) as [Float64Array, Float64Array];
      weather.sample(found.slice(0, wanted), points, count);
      weather.sampleRadiation(shortwave, longwave, points, count);
      for (let p = 0; p < count; p++) {
        const alone = columns(wanted + 2, 1);
        const [ofShortwave, ofLongwave] = alone.slice(wanted) as [Float64Array, Float64Array];
        const one = {
          longitude: points.longitude.subarray(p, p + 1),
          latitude: points.latitude.subarray(p, p + 1),
          timeMs: points.timeMs.subarray(p, p + 1),
          level: points.level.subarray(p, p + 1),
        };
        weather.sample(alone.slice(0, wanted), one, 1);
        weather.sampleRadiation(ofShortwave, ofLongwave, one, 1);
        expect(found.map((column) => column[p])).toEqual(alone.map(([value]) => value));
      }
    }),
  );
});

test('what lies beyond the wanted places is left alone', () => {
  const axes = { longitude: [0, 1], latitude: [0, 1], level: [200, 250], time: [0, 1] };
  const weather = weatherOf(noiseField(WEATHER_VARIABLES, axes, 1), undefined);
  const halves = new Float64Array(3).fill(0.5);
  const located = weather.locate({ longitude: halves, latitude: halves, timeMs: halves }, 3);
  const out = new Float64Array(3).fill(-1);
  located.sample([out], new Float64Array(3).fill(225), 2);
  expect(out[2]).toBe(-1);
});

test('places may change once they are located', () => {
  const axes = { longitude: [0, 1], latitude: [0, 1], level: [200, 250], time: [0, 1] };
  const weather = weatherOf(noiseField(WEATHER_VARIABLES, axes, 1), undefined);
  const places = {
    longitude: Float64Array.of(0.25),
    latitude: Float64Array.of(0.5),
    timeMs: Float64Array.of(0.75),
  };
  const level = Float64Array.of(210);
  const [found, expected] = columns(2, 1) as [Float64Array, Float64Array];
  weather.sample([expected], { ...places, level }, 1);
  const located = weather.locate(places, 1);
  for (const column of Object.values(places)) column.fill(Number.NaN);
  located.sample([found], level, 1);
  expect(found).toEqual(expected);
});

test('more places than were located are refused', () => {
  const axes = { longitude: [0, 1], latitude: [0, 1], level: [200, 250], time: [0, 1] };
  const weather = weatherOf(noiseField(WEATHER_VARIABLES, axes, 1), undefined);
  const two = new Float64Array(2);
  const located = weather.locate({ longitude: two, latitude: two, timeMs: two }, 1);
  expect(() => located.sample([new Float64Array(2)], two, 2)).toThrow('at 2 of 1 located points');
});
