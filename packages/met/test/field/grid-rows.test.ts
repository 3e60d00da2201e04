import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocateField, type FieldAxes, type MetField } from '../../src/field/field.ts';
import { openGridRows } from '../../src/field/grid-rows.ts';
import { humiditySampler } from '../../src/interpolate/humidity-interpolation.ts';
import { sampleInto } from '../../src/interpolate/interpolate.ts';

const VARIABLES = ['air_temperature', 'eastward_wind', 'northward_wind', 'specific_humidity'];

function noiseField(axes: FieldAxes, seed: number): MetField {
  const field = allocateField(VARIABLES, axes);
  let state = seed >>> 0;
  for (const slab of field.slabs) {
    for (let i = 0; i < slab.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      slab[i] = state % 97 === 0 ? Number.NaN : 200 + state / 2 ** 26;
    }
  }
  return field;
}

const axis = (minimum: number, maximum: number, least: number) =>
  fc
    .uniqueArray(fc.integer({ min: minimum, max: maximum }), { minLength: least, maxLength: 7 })
    .map((values) => values.sort((a, b) => a - b));

const cases = fc.record({
  axes: fc.record({
    longitude: axis(-20, 20, 1),
    latitude: axis(-20, 20, 1),
    level: axis(100, 500, 1),
    time: axis(0, 5, 1),
  }),
  seed: fc.integer(),
  longitude: fc.array(fc.double({ min: -22, max: 22, noNaN: true }), { minLength: 1, maxLength: 12 }),
  latitude: fc.array(fc.double({ min: -22, max: 22, noNaN: true }), { minLength: 1, maxLength: 12 }),
  level: fc.double({ min: 90, max: 510, noNaN: true }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

function rowsOf(field: MetField, one: Case, method: 'none' | 'cubic-spline', longitude = one.longitude) {
  const rows = openGridRows(field, Float64Array.from(longitude), timeOf(one), method);
  rows.toLevel(one.level);
  return one.latitude.map((latitude) => {
    const [temperature, humidity] = [new Float64Array(longitude.length), new Float64Array(longitude.length)];
    rows.sampleInto(temperature, humidity, latitude);
    return { temperature, humidity };
  });
}

function timeOf({ axes: { time }, share }: Case): number {
  const [first = 0, last = first] = [time[0], time.at(-1)];
  return first + share * (last - first);
}

function samplesOf(field: MetField, one: Case, latitude: number, method: 'none' | 'cubic-spline') {
  const count = one.longitude.length;
  const points = {
    longitude: Float64Array.from(one.longitude),
    latitude: new Float64Array(count).fill(latitude),
    level: new Float64Array(count).fill(one.level),
    timeMs: new Float64Array(count).fill(timeOf(one)),
  };
  const [temperature, humidity] = [new Float64Array(count), new Float64Array(count)];
  sampleInto([temperature], field, 0, points, count);
  humiditySampler(field, method).sample(humidity, points, count);
  return { temperature, humidity };
}

test.each(['none', 'cubic-spline'] as const)('rows equal single points (humidity: %s)', (method) => {
  fc.assert(
    fc.property(cases, (one) => {
      const field = noiseField(one.axes, one.seed);
      rowsOf(field, one, method).forEach((row, index) => {
        const points = samplesOf(field, one, one.latitude[index] as number, method);
        for (const name of ['temperature', 'humidity'] as const) {
          row[name].forEach((value, p) => {
            const expected = points[name][p] as number;
            if (Number.isNaN(expected)) expect(value).toBeNaN();
            else expect(Math.abs(value / expected - 1)).toBeLessThan(1e-13);
          });
        }
      });
    }),
    { numRuns: 150 },
  );
});

test('on the stored meridians values are the stored ones, and missing next to missing ones', () => {
  const longitude = Array.from({ length: 9 }, (_, i) => i);
  const axes = { longitude, latitude: [0, 1, 2], level: [200, 300], time: [0] };
  const field = noiseField(axes, 5);
  const one = { axes, seed: 0, longitude: longitude.slice(0, -1), latitude: [0, 1, 2], level: 200, share: 0 };
  rowsOf(field, one, 'none').forEach((row, latitude) => {
    expect(row).toEqual(samplesOf(field, one, latitude, 'none'));
  });
});

test('a cell is the same to the last bit whichever others are asked for', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const field = noiseField(one.axes, one.seed);
      const all = rowsOf(field, one, 'none');
      one.longitude.forEach((longitude, p) => {
        const alone = rowsOf(field, { ...one, latitude: one.latitude.toReversed() }, 'none', [longitude]);
        all.forEach((row, index) => {
          const same = alone[one.latitude.length - 1 - index];
          expect(same?.temperature[0]).toBe(row.temperature[p]);
          expect(same?.humidity[0]).toBe(row.humidity[p]);
        });
      });
    }),
    { numRuns: 80 },
  );
});

test('a time outside the field is refused', () => {
  const field = noiseField({ longitude: [0, 1], latitude: [0, 1], level: [200, 300], time: [0, 1] }, 1);
  expect(() => openGridRows(field, Float64Array.of(0), 2)).toThrow(/at this time/);
});
