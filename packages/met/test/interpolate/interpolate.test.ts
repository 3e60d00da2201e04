import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allocateField, type FieldValues, type MetField, offsetOf } from '../../src/field/field.ts';
import { planLongitudes } from '../../src/field/longitudes.ts';
import { humiditySampler } from '../../src/interpolate/humidity-interpolation.ts';
import { sampleInto } from '../../src/interpolate/interpolate.ts';

type Nested = readonly (number | null | Nested)[];
const reference = new URL('../../../physics/test/reference/', import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, reference), 'utf8'));
const at = (nested: Nested, ...indices: number[]): number =>
  indices.reduce<unknown>((value, index) => (value as Nested)[index], nested) as number;
/** Milliseconds with their fraction: the check points carry nanoseconds. */
const parseMs = (iso: string) => {
  const [, whole = '', fraction = '0'] = /^(.{19})(?:\.(\d+))?Z$/.exec(iso) ?? [];
  return Date.parse(`${whole}Z`) + Number(`0.${fraction}`) * 1000;
};
const toMs = (times: readonly (string | number)[]) =>
  Float64Array.from(times, (time) => (typeof time === 'string' ? parseMs(time) : time * 1000));
const nanForNull = (values: readonly (number | null)[]) =>
  Float64Array.from(values, (value) => (value === null ? Number.NaN : value));

/** Deviation that counts NaN against NaN as equal. */
function worstDeviation(actual: Float64Array, expected: Float64Array): number {
  return actual.reduce((worst, value, i) => {
    const wanted = expected[i] as number;
    if (Number.isNaN(value) || Number.isNaN(wanted))
      return Object.is(value, wanted) ? worst : Number.POSITIVE_INFINITY;
    return Math.max(worst, Math.abs(value - wanted) / Math.max(Math.abs(wanted), 1e-12));
  }, 0);
}

describe('functions/interpolation.json', () => {
  const data = read('functions/interpolation.json');
  const points = {
    longitude: nanForNull(data.points.longitude_deg),
    latitude: nanForNull(data.points.latitude_deg),
    level: nanForNull(data.points.level_hpa),
    timeMs: toMs(data.points.time),
  };
  const count = points.timeMs.length;

  function makeField(names: readonly string[], levels: readonly number[], wrap: boolean): MetField {
    const plan = planLongitudes(data.longitude_deg, wrap);
    const axes = {
      longitude: plan.longitudes,
      latitude: data.latitude_deg,
      level: levels,
      time: toMs(data.time),
    };
    const field = allocateField(names, axes, 'float64');
    for (const [v, name] of names.entries()) {
      for (let l = 0; l < axes.time.length; l++) {
        for (let i = 0; i < axes.longitude.length; i++) {
          for (let j = 0; j < axes.latitude.length; j++) {
            for (let k = 0; k < levels.length; k++) {
              const column = plan.sourceColumns[i] as number;
              const value = levels[0] === -1 ? at(data[name], column, j, l) : at(data[name], column, j, k, l);
              (field.slabs[l] as FieldValues)[offsetOf(field, i, j, k, v)] = value ?? Number.NaN;
            }
          }
        }
      }
    }
    return field;
  }

  for (const [kind, wrap] of [
    ['not_wrapped', false],
    ['wrapped', true],
  ] as const) {
    const expected = data.expected[kind];
    const fields = {
      air_temperature: makeField(['air_temperature'], data.level_hpa, wrap),
      specific_humidity: makeField(['air_temperature', 'specific_humidity'], data.level_hpa, wrap),
      hole: makeField(['hole'], data.level_hpa, wrap),
      rad: makeField(['rad'], [-1], wrap),
    };
    for (const [name, field] of Object.entries(fields)) {
      const key = name === 'rad' ? 'single_level_rad' : `linear_${name}`;
      test(`${kind}: ${key}`, () => {
        const out = new Float64Array(count);
        sampleInto([out], field, field.variables.length - 1, points, count);
        expect(worstDeviation(out, nanForNull(expected[key]))).toBeLessThan(1e-12);
      });
    }
    for (const [method, key] of [
      ['log-q-log-p', 'log_q_log_p_specific_humidity'],
      ['cubic-spline', 'cubic_spline_specific_humidity'],
      ['none', 'linear_specific_humidity'],
    ] as const) {
      test(`${kind}: humidity by ${method}`, () => {
        const out = new Float64Array(count);
        humiditySampler(fields.specific_humidity, method).sample(out, points, count);
        expect(worstDeviation(out, nanForNull(expected[key]))).toBeLessThan(1e-12);
      });
    }
  }
});

test.each(['none', 'cubic-spline', 'log-q-log-p'] as const)(
  'humidity by %s is read from the field itself and not from a copy of it',
  (method) => {
    const field = allocateField(
      ['specific_humidity'],
      { longitude: [0, 1], latitude: [0, 1], level: [200, 300], time: [0, 1] },
      'float32',
    );
    const sampler = humiditySampler(field, method);
    for (const slab of field.slabs) slab.fill(0.25);
    const one = (value: number) => Float64Array.of(value);
    const points = { longitude: one(0.5), latitude: one(0.5), level: one(250), timeMs: one(0.5) };
    const out = new Float64Array(1);
    sampler.sample(out, points, 1);
    expect(out[0]).toBeCloseTo(0.25, 12);
  },
);

test('interpolates as cocip/units/interpolation.json records', () => {
  const { grid, inputs, outputs } = read('cocip/units/interpolation.json');
  const field = allocateField(['x'], { ...grid, time: toMs(grid.time) }, 'float64');
  for (let i = 0; i < grid.longitude.length; i++) {
    for (let j = 0; j < grid.latitude.length; j++) {
      for (let k = 0; k < grid.level.length; k++) {
        for (let l = 0; l < grid.time.length; l++) {
          (field.slabs[l] as FieldValues)[offsetOf(field, i, j, k, 0)] =
            at(grid.values, i, j, k, l) ?? Number.NaN;
        }
      }
    }
  }
  const points = {
    longitude: nanForNull(inputs.longitude),
    latitude: nanForNull(inputs.latitude),
    level: nanForNull(inputs.level),
    timeMs: Float64Array.from(nanForNull(inputs.time), (seconds) => seconds * 1000),
  };
  const out = new Float64Array(points.timeMs.length);
  sampleInto([out], field, 0, points, out.length);
  expect(worstDeviation(out, nanForNull(outputs.value))).toBeLessThan(1e-12);
});
