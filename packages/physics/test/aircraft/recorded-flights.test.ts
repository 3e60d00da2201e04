/**
 * Recorded and made-up flights beside the repository (`../shared/reference/flights`). They rest on other people's
 * published samples, so they are not part of the repository; without them these tests are skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanAndResample, filterAltitudeFt } from '../../src/aircraft/altitude-filter.ts';
import {
  groundSpeedInto,
  rocdInto,
  segmentDurationInto,
  segmentGeometryInto,
  segmentLengthInto,
  smoothGroundSpeedInto,
  trueAirspeedInto,
} from '../../src/aircraft/kinematics.ts';
import { cargoLoadFactor, passengerLoadFactor, seatsOfType } from '../../src/aircraft/load-factors.ts';
import { flightPhaseInto } from '../../src/aircraft/phase.ts';
import { reportGapsS } from '../../src/aircraft/report-gaps.ts';
import { resampleAndFill } from '../../src/aircraft/resample.ts';
import { levelFromAltitudeM } from '../../src/atmosphere/isa.ts';
import { InputError } from '../../src/errors.ts';
import type { FlightWith } from '../../src/flight-columns.ts';
import { maxIgnoringNaN, sumIgnoringNaN } from '../../src/numerics/sums.ts';
import { feetToMetres, metresToFeet, radiansToDegrees } from '../../src/units.ts';
import { numbers } from '../support/golden.ts';

type List = readonly (number | null)[];
interface Case {
  readonly id: string;
  readonly params: Readonly<Record<string, number | string | boolean>>;
  readonly input: Readonly<Record<string, List>>;
  readonly expect: Readonly<Record<string, List>> & {
    readonly totals?: Readonly<Record<string, number>>;
    readonly error?: unknown;
  };
  readonly tolerance: Readonly<Record<string, number>>;
}

const FLIGHTS = new URL('../../../../../shared/reference/flights/', import.meta.url);
const present = existsSync(FLIGHTS);
const where = present ? '' : ' (skipped: ../shared/reference/flights is not here)';

function casesOf<T = Case>(kind: string): readonly T[] {
  if (!present) return [];
  const folder = new URL(`${kind}/`, FLIGHTS);
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T);
}

const list = (item: Case, name: string): Float64Array => numbers(item.input[name] ?? []);

/** Largest absolute deviation of two columns; NaN must meet NaN. */
function deviation(actual: ArrayLike<number>, expected: List | undefined): number {
  const wanted = numbers(expected ?? []);
  if (actual.length !== wanted.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  wanted.forEach((value, i) => {
    const difference = Math.abs((actual[i] as number) - value);
    if (Number.isNaN(value) && Number.isNaN(actual[i])) return;
    worst = Math.max(worst, Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference);
  });
  return worst;
}

function expectClose(
  what: string,
  actual: ArrayLike<number>,
  expected: List | undefined,
  tolerance: number,
): void {
  expect(deviation(actual, expected), what).toBeLessThanOrEqual(tolerance);
}

describe.skipIf(!present)(`recorded flights${where}`, () => {
  test.each(casesOf('kinematics').map((item) => [item.id, item] as const))(
    'case %s has the recorded kinematics',
    (_, item) => {
      const timeMs = list(item, 't_ms');
      const make = (): Float64Array => new Float64Array(timeMs.length);
      const altitudeM = list(item, 'alt_m');
      const altitudeFt = altitudeM.map(metresToFeet);
      const durationS = segmentDurationInto(make(), timeMs);
      const geometry = { haversineM: make(), sinA: make(), cosA: make() };
      segmentGeometryInto(geometry, list(item, 'lon'), list(item, 'lat'));
      const lengthM = segmentLengthInto(make(), geometry.haversineM, altitudeM);
      const speed = groundSpeedInto(make(), geometry.haversineM, durationS);
      const smooth = smoothGroundSpeedInto(make(), speed, Number(item.params.smooth_window));
      const u = make().fill(Number(item.params.u_wind_ms));
      const v = make().fill(Number(item.params.v_wind_ms));
      const rocd = rocdInto(make(), durationS, altitudeFt);
      const azimuth = geometry.sinA.map((sinA, i) =>
        radiansToDegrees(Math.atan2(geometry.cosA[i] as number, sinA)),
      );
      const actual: Record<string, readonly [ArrayLike<number>, string]> = {
        duration_s: [durationS, 'm'],
        haversine_m: [geometry.haversineM, 'm'],
        length_m: [lengthM, 'm'],
        sin_a: [geometry.sinA, 'ratio'],
        cos_a: [geometry.cosA, 'ratio'],
        azimuth_deg: [azimuth, 'deg'],
        groundspeed_ms: [speed, 'm_s'],
        groundspeed_smooth_ms: [smooth, 'm_s'],
        true_airspeed_ms: [trueAirspeedInto(make(), smooth, geometry.sinA, geometry.cosA, u, v), 'm_s'],
        rocd_ft_min: [rocd, 'rocd_ft_min'],
        phase: [flightPhaseInto(new Uint8Array(timeMs.length), rocd, altitudeFt), 'phase'],
        level_hpa: [altitudeM.map(levelFromAltitudeM), 'hpa'],
      };
      for (const [name, [values, unit]] of Object.entries(actual)) {
        expectClose(name, values, item.expect[name], item.tolerance[unit] ?? Number.NaN);
      }
      const totals = item.expect.totals ?? {};
      expect(sumIgnoringNaN(lengthM)).toBeCloseTo(totals.length_m ?? Number.NaN, 2);
      expect(sumIgnoringNaN(durationS)).toBeCloseTo(totals.duration_s ?? Number.NaN, 3);
      expect(maxIgnoringNaN(durationS)).toBeCloseTo(totals.max_time_gap_s ?? Number.NaN, 3);
      expect(maxIgnoringNaN(lengthM)).toBeCloseTo(totals.max_distance_gap_m ?? Number.NaN, 2);
    },
  );

  test.each(casesOf('resample').map((item) => [item.id, item] as const))(
    'case %s is resampled as recorded',
    (_, item) => {
      const track = {
        timeMs: list(item, 't_ms'),
        longitude: list(item, 'lon'),
        latitude: list(item, 'lat'),
        altitudeM: list(item, 'alt_m'),
      };
      const resample = (): FlightWith<'altitudeM'> =>
        resampleAndFill(track, {
          freqMs: Number(item.params.freq_s) * 1000,
          fillMethod: item.params.fill_method as 'geodesic',
          geodesicThresholdM: Number(item.params.geodesic_threshold_m),
          nominalRocdMS: Number(item.params.nominal_rocd_ms),
          keepOriginalTimes: item.params.keep_original === true,
        });
      if (item.expect.error !== undefined) {
        expect(resample).toThrow(InputError);
        return;
      }
      const result = resample();
      expectClose('t_ms', result.timeMs, item.expect.t_ms, item.tolerance.t_ms ?? Number.NaN);
      expectClose('lon', result.longitude, item.expect.lon, item.tolerance.deg ?? Number.NaN);
      expectClose('lat', result.latitude, item.expect.lat, item.tolerance.deg ?? Number.NaN);
      expectClose('alt_m', result.altitudeM, item.expect.alt_m, item.tolerance.alt_m ?? Number.NaN);
      if (item.expect.gap_s === undefined) return;
      const gapS = reportGapsS(result.timeMs, track.timeMs);
      expectClose('gap_s', gapS, item.expect.gap_s, 1e-3);
      expect(Array.from(gapS, (gap) => gap > Number(item.params.gap_limit_s))).toEqual(item.expect.imputed);
    },
  );

  test.each(casesOf('altitude_filter').map((item) => [item.id, item] as const))(
    'case %s is filtered as recorded',
    (_, item) => {
      const filtered = filterAltitudeFt(list(item, 't_ms'), list(item, 'alt_ft'), {
        kernelSize: Number(item.params.kernel),
        cruiseThresholdS: Number(item.params.cruise_s),
      });
      expectClose('alt_ft', filtered, item.expect.alt_ft, item.tolerance.alt_ft ?? Number.NaN);
    },
  );

  test.each(casesOf('clean').map((item) => [item.id, item] as const))(
    'case %s is cleaned as recorded',
    (_, item) => {
      const track = {
        timeMs: list(item, 't_ms'),
        longitude: list(item, 'lon'),
        latitude: list(item, 'lat'),
        altitudeM: list(item, 'alt_ft').map(feetToMetres),
      };
      const result = cleanAndResample(track, {
        freqMs: Number(item.params.freq_s) * 1000,
        kernelSize: Number(item.params.kernel),
        cruiseThresholdS: Number(item.params.cruise_s),
        forceFilter: item.params.force_filter === true,
      });
      expectClose('t_ms', result.timeMs, item.expect.t_ms, item.tolerance.t_ms ?? Number.NaN);
      expectClose('lon', result.longitude, item.expect.lon, item.tolerance.deg ?? Number.NaN);
      expectClose('lat', result.latitude, item.expect.lat, item.tolerance.deg ?? Number.NaN);
      expectClose('alt_m', result.altitudeM, item.expect.alt_m, item.tolerance.alt_m ?? Number.NaN);
    },
  );

  interface LoadCase {
    readonly id: string;
    readonly input: {
      readonly passenger: readonly [string | null, string | null][];
      readonly cargo: readonly [string | null, string | null, number | null, boolean][];
      readonly seats: readonly string[];
    };
    readonly expect: Readonly<Record<'passenger' | 'cargo' | 'seats', readonly (number | null)[]>>;
  }
  test.each(casesOf<LoadCase>('load_factor').map((item) => [item.id, item] as const))(
    'case %s has the recorded load factors',
    (_, item) => {
      const passenger = item.input.passenger.map(([origin, date]) =>
        passengerLoadFactor(origin ?? undefined, date === null ? undefined : Date.parse(date)),
      );
      const cargo = item.input.cargo.map(([origin, destination, km, isPassenger]) =>
        cargoLoadFactor(origin ?? undefined, destination ?? undefined, km ?? undefined, isPassenger),
      );
      const seats = item.input.seats.map((type) => seatsOfType(type) ?? Number.NaN);
      expectClose('passenger', passenger, item.expect.passenger, 1e-9);
      expectClose('cargo', cargo, item.expect.cargo, 1e-9);
      expectClose('seats', seats, item.expect.seats, 0);
    },
  );
});
