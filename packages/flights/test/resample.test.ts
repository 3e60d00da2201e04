import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { InputError } from '@contrails/physics/common';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resampledLength, resampleFlight } from '../src/index.ts';

const of = (...values: number[]): Float64Array => Float64Array.from(values);

/** Two reports over the Atlantic. */
function leg(minutes: number, altitudesFt: readonly [number, number]) {
  const startMs = Date.UTC(2024, 1, 29, 6);
  return {
    timeMs: of(startMs, startMs + minutes * MINUTE_MS),
    longitude: of(-40, -40 + 0.2 * minutes),
    latitude: of(45, 50),
    altitudeFt: of(...altitudesFt),
  };
}

test('other columns are linear in time, and unknown beside an unknown report', () => {
  const reports = {
    timeMs: of(0, 120_000, 300_000),
    longitude: of(0, 0.3, 0.8),
    latitude: of(50, 50, 50),
    altitudeFt: of(35_000, 35_000, 35_000),
    fuelFlowKgS: of(1, 0.5, Number.NaN),
  };
  const { columns, report, gapS } = resampleFlight(reports, { stepS: 60 });
  expect(columns.fuelFlowKgS).toEqual(of(1, 0.75, 0.5, Number.NaN, Number.NaN, Number.NaN));
  expect([...report]).toEqual([0, 0, 1, 1, 1, 2]);
  expect([...gapS]).toEqual([0, 120, 0, 180, 180, 0]);
});

test('two reports on the ground get the cruise that the type is made for', () => {
  const reports = leg(180, [1000, 1000]);
  const highest = (ceilingFt?: number) =>
    Math.max(...resampleFlight(reports, { stepS: 60, ceilingFt }).columns.altitudeFt);
  expect(highest()).toBeCloseTo(30_000, 6);
  expect(highest(41_000)).toBeCloseTo(32_800, 6);
});

test('two reports in cruise stay level', () => {
  const { altitudeFt } = resampleFlight(leg(180, [35_000, 35_000]), { stepS: 60 }).columns;
  for (const feet of altitudeFt) expect(feet).toBeCloseTo(35_000, 6);
});

test('the number of waypoints is known beforehand', () => {
  const span = fc.record({
    startMs: fc.integer({ min: 0, max: 2e12 }),
    lengthMs: fc.integer({ min: 1, max: HOUR_MS }),
    stepS: fc.integer({ min: 1, max: 600 }),
  });
  fc.assert(
    fc.property(span, ({ startMs, lengthMs, stepS }) => {
      const reports = { ...leg(1, [35_000, 35_000]), timeMs: of(startMs, startMs + lengthMs) };
      const { timeMs } = resampleFlight(reports, { stepS }).columns;
      expect(timeMs).toHaveLength(resampledLength(startMs, startMs + lengthMs, stepS));
      for (const ms of timeMs) expect(ms % (1000 * stepS)).toBe(0);
    }),
  );
});

interface Case {
  readonly id: string;
  readonly params: Readonly<Record<string, number | string | boolean>>;
  readonly input: Readonly<Record<'t_ms' | 'lon' | 'lat' | 'alt_m', readonly number[]>>;
  readonly expect: Partial<
    Readonly<Record<'t_ms' | 'lon' | 'lat' | 'alt_m' | 'gap_s', readonly number[]>>
  > & {
    readonly error?: string;
  };
  readonly tolerance: Readonly<Record<'deg' | 'alt_m', number>>;
}

const CASES = new URL('../../../../shared/reference/flights/resample/', import.meta.url);
const present = existsSync(CASES);
/** The service has one way to resample; cases with other settings are those of the function below it. */
const usual = ({ params }: Case) =>
  params.geodesic_threshold_m === 100_000 &&
  params.nominal_rocd_ms === 12.7 &&
  params.keep_original === false;
const cases = present
  ? readdirSync(CASES)
      .map((file) => JSON.parse(readFileSync(new URL(file, CASES), 'utf8')) as Case)
      .filter(usual)
  : [];

describe.skipIf(!present)(
  `reference cases${present ? '' : ' (skipped: ../shared/reference/flights is not here)'}`,
  () => {
    test('the folder holds cases', () => {
      expect(cases.length).toBeGreaterThan(20);
    });

    test.each(cases.map((item) => [item.id, item] as const))(
      'case %s is resampled as recorded',
      (_, { params, input, ...item }) => {
        const reports = {
          timeMs: of(...input.t_ms),
          longitude: of(...input.lon),
          latitude: of(...input.lat),
          altitudeFt: of(...input.alt_m).map((metres) => metres / 0.3048),
        };
        const resample = () => resampleFlight(reports, { stepS: Number(params.freq_s) });
        if (item.expect.error !== undefined) {
          expect(resample).toThrow(InputError);
          return;
        }
        const { columns, gapS } = resample();
        const { timeMs, longitude, latitude, altitudeFt } = columns;
        expect([...timeMs]).toEqual(item.expect.t_ms);
        const worst = (actual: Float64Array, expected: readonly number[] = []) =>
          Math.max(0, ...expected.map((value, i) => Math.abs((actual[i] ?? Number.NaN) - value)));
        expect(worst(longitude, item.expect.lon)).toBeLessThanOrEqual(item.tolerance.deg);
        expect(worst(latitude, item.expect.lat)).toBeLessThanOrEqual(item.tolerance.deg);
        expect(
          worst(
            altitudeFt,
            item.expect.alt_m?.map((m) => m / 0.3048),
          ),
        ).toBeLessThanOrEqual(item.tolerance.alt_m / 0.3048);
        expect(worst(gapS, item.expect.gap_s)).toBeLessThanOrEqual(1e-3);
      },
    );
  },
);
