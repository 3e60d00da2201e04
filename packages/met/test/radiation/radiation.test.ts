import { readFileSync } from 'node:fs';
import { HOUR_MS } from '@contrails/runtime';
import { finish, VALUES_PER_TURN } from '@contrails/runtime/turns';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MetError } from '../../src/errors.ts';
import { allocateField, type FieldValues, type MetField } from '../../src/field/field.ts';
import { prepareRadiation, radiationStamps, radiationVariables } from '../../src/radiation/radiation.ts';
import { radiationConvention } from '../../src/radiation/radiation-convention.ts';
import type { RadiationConvention } from '../../src/source.ts';

interface Golden {
  readonly time: number[];
  readonly top_net_solar_radiation: number[];
  readonly top_net_thermal_radiation: number[];
  readonly rows: readonly {
    readonly attrs: {
      readonly provider: string;
      readonly dataset: string;
      readonly product: string;
      readonly radiation_accumulated?: boolean;
    };
    readonly time: number[];
    readonly top_net_solar_radiation: number[];
    readonly top_net_thermal_radiation: number[];
    readonly solar_w_m2: number[];
  }[];
}

const golden: Golden = JSON.parse(
  readFileSync(new URL('../reference/cocip/units/radiation-preprocess.json', import.meta.url), 'utf8'),
);

/** A column of air over one place. */
function series(
  timesMs: readonly number[],
  shortwave: readonly number[],
  longwave: readonly number[],
): MetField {
  const field = allocateField(
    ['top_net_solar_radiation', 'top_net_thermal_radiation'],
    { longitude: [0], latitude: [0], level: [-1], time: timesMs },
    'float64',
  );
  field.slabs.forEach((slab, l) => {
    slab.set([shortwave[l] as number, longwave[l] as number]);
  });
  return field;
}

describe('the reference, row by row', () => {
  const stored = () =>
    series(
      golden.time.map((s) => 1000 * s),
      golden.top_net_solar_radiation,
      golden.top_net_thermal_radiation,
    );

  test.each(golden.rows)('$attrs', ({ attrs, ...expected }) => {
    // The reference leaves radiation that is not of ECMWF as it is: in watts, at its stamp.
    const unit = attrs.provider === 'ECMWF' ? 'J m-2' : 'W m-2';
    const accumulatedFromStart = attrs.radiation_accumulated === true;
    const convention = radiationConvention({ ...attrs, accumulatedFromStart }, unit, HOUR_MS);
    const { field, fluxPerUnit } = finish(prepareRadiation(stored(), 'net', convention));
    expect([...field.time.knots]).toEqual(expected.time.map((s) => 1000 * s));
    expect(field.slabs.map((slab) => slab[0])).toEqual(expected.top_net_solar_radiation);
    expect(field.slabs.map((slab) => slab[1])).toEqual(expected.top_net_thermal_radiation);
    if (attrs.provider !== 'ECMWF') return;
    field.slabs.forEach((slab, l) => {
      expect((slab[0] as number) * fluxPerUnit).toBeCloseTo(expected.solar_w_m2[l] as number, 10);
    });
  });

  test('watts are taken as they are', () => {
    const hourly = finish(prepareRadiation(stored(), 'net', { kind: 'past-hours', hours: 1, unit: 'W m-2' }));
    expect(hourly.fluxPerUnit).toBe(1);
  });
});

test('sums since the start of a forecast need two times', () => {
  const alone = series([0], [0], [0]);
  expect(() => finish(prepareRadiation(alone, 'net', { kind: 'since-run-start', unit: 'J m-2' }))).toThrow(
    MetError,
  );
});

test('sums without a field at the start of the forecast begin with 0 there', () => {
  const stored = series([HOUR_MS, 3 * HOUR_MS], [3600, 10_800], [-1800, -9000]);
  const { field } = finish(prepareRadiation(stored, 'net', { kind: 'since-run-start', unit: 'J m-2' }, 0));
  expect([...field.time.knots]).toEqual([0.5 * HOUR_MS, 2 * HOUR_MS]);
  expect(field.slabs.map((slab) => [...slab])).toEqual([
    [3600, -1800],
    [3600, -3600],
  ]);
});

test('differences leave the stored sums as they were', () => {
  const stored = series([0, HOUR_MS], [0, 7200], [0, -3600]);
  finish(prepareRadiation(stored, 'net', { kind: 'since-run-start', unit: 'J m-2' }));
  expect([...(stored.slabs[1] as FieldValues)]).toEqual([7200, -3600]);
});

test('differences of a large map are taken in parts', () => {
  const points = 10 * VALUES_PER_TURN;
  const stored = allocateField(['top_net_solar_radiation'], {
    longitude: Array.from({ length: points }, (_, i) => i),
    latitude: [0],
    level: [-1],
    time: [0, HOUR_MS],
  });
  const parts = [...prepareRadiation(stored, 'net', { kind: 'since-run-start', unit: 'J m-2' })];
  expect(Math.max(...parts)).toBeLessThanOrEqual(VALUES_PER_TURN);
  expect(parts.reduce((sum, values) => sum + values, 0)).toBe(points);
});

describe('radiation variables are chosen', () => {
  const net = ['top_net_solar_radiation', 'top_net_thermal_radiation'];
  const upward = ['toa_upward_shortwave_flux', 'toa_upward_longwave_flux'];
  const generic = ['toa_net_downward_shortwave_flux', 'toa_outgoing_longwave_flux'];
  test.each([
    ['generic ones first', [...net, ...upward, ...generic], 'net-and-outgoing'],
    ['then those of GFS', [...net, ...upward], 'upward'],
    ['then those of ECMWF', net, 'net'],
    ['complete pairs only', [...net, 'toa_upward_shortwave_flux'], 'net'],
    ['else none', ['top_net_solar_radiation', 'air_temperature'], undefined],
  ])('%s', (_, available, pair) => {
    expect(radiationVariables(available)?.pair).toBe(pair);
  });
});

describe('the stamps to read', () => {
  const conventions: readonly RadiationConvention[] = [
    { kind: 'instantaneous', unit: 'W m-2' },
    { kind: 'past-hours', hours: 1, unit: 'J m-2' },
    { kind: 'past-hours', hours: 3, unit: 'J m-2' },
    { kind: 'since-run-start', unit: 'J m-2' },
  ];

  test('are enough for every time that the whole series knows, and begin and end with a needed one', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom(...conventions),
        fc.nat(600),
        fc.nat(600),
        (hours, convention, a, b) => {
          const stamps = [0];
          for (const step of hours) stamps.push((stamps.at(-1) as number) + step * HOUR_MS);
          const zeros = stamps.map(() => 0);
          const whole = finish(prepareRadiation(series(stamps, zeros, zeros), 'net', convention)).field.time
            .knots;
          const inside = (tenth: number) =>
            (whole[0] as number) + (((whole.at(-1) as number) - (whole[0] as number)) * tenth) / 600;
          const wanted = [inside(Math.min(a, b)), inside(Math.max(a, b))] as const;
          const chosen = radiationStamps(stamps, convention, wanted) as readonly [number, number];
          const part = stamps.filter((stamp) => stamp >= chosen[0] && stamp <= chosen[1]);
          const none = part.map(() => 0);
          const known = finish(prepareRadiation(series(part, none, none), 'net', convention)).field.time
            .knots;
          const last = known.length - 1;
          expect(known[0]).toBeLessThanOrEqual(wanted[0]);
          expect(known[last]).toBeGreaterThanOrEqual(wanted[1]);
          if (last > 0) {
            expect(known[1]).toBeGreaterThan(wanted[0]);
            expect(known[last - 1]).toBeLessThan(wanted[1]);
          }
        },
      ),
    );
  });

  test('are the nearest one when nothing covers the time', () => {
    const [, hourly] = conventions;
    const after = radiationStamps([0, HOUR_MS], hourly as RadiationConvention, [9 * HOUR_MS, 9 * HOUR_MS]);
    expect(after?.[1]).toBe(HOUR_MS);
  });

  test('are none when there are none', () => {
    for (const convention of conventions) expect(radiationStamps([], convention, [0, 1])).toBeUndefined();
  });
});
