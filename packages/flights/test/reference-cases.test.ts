import { cargoLoadFactor, passengerLoadFactor, seatsOfType } from '@contrails/physics/aircraft';
import { co2EquivalentKg } from '@contrails/physics/cocip';
import { describe, expect, test } from 'vitest';
import { airportDistanceM } from '../src/airports/airports.ts';
import { resampleLeg } from '../src/build/resample-leg.ts';
import { type HealSettings, healLeg } from '../src/heal/heal.ts';
import { type LegAttributes, TEXT_ATTRIBUTES } from '../src/heal/settle.ts';
import {
  type Airports,
  cutIntoLegs,
  indexAirports,
  segmentHours,
  summaryDate,
  VIOLATIONS,
  type Violation,
  validateFlight,
} from '../src/index.ts';
import { rowNumbers } from '../src/telemetry/airframe-reports.ts';
import { flightSteps } from '../src/validate.ts';
import {
  casesOf,
  deviation,
  type Numbers,
  numbers,
  present,
  type Texts,
  where,
} from './support/reference-cases.ts';
import { reportsWith } from './support/reports.ts';

interface Position {
  readonly t_ms: readonly number[];
  readonly lat: readonly number[];
  readonly lon: readonly number[];
  readonly alt_ft: Numbers;
}

type AirportTable = Readonly<
  Record<string, { readonly lat: number; readonly lon: number; readonly elev_ft: number }>
>;

function airportsOf(table: AirportTable): Airports {
  return indexAirports(
    Object.entries(table).map(([icao, { lat, lon, elev_ft }]) => ({
      icao,
      latitude: lat,
      longitude: lon,
      elevationFt: elev_ft,
      size: 'large',
    })),
  );
}

const columnsOf = ({ t_ms, lat, lon, alt_ft }: Position) => ({
  timestamp: numbers(t_ms),
  latitude: numbers(lat),
  longitude: numbers(lon),
  altitude_baro: numbers(alt_ft),
});

const trackOf = ({ t_ms, lat, lon, alt_ft }: Position) => ({
  timeMs: numbers(t_ms),
  latitude: numbers(lat),
  longitude: numbers(lon),
  altitudeFt: numbers(alt_ft),
});

describe.skipIf(!present)(`legs${where}`, () => {
  interface SplitCase {
    readonly id: string;
    readonly input: Position & {
      readonly callsign: Texts;
      readonly provider_id?: Texts;
      readonly on_ground?: readonly boolean[];
    };
    readonly expect: {
      readonly leg: Numbers;
      readonly cuts: readonly { readonly before_row: number; readonly why: string }[];
      readonly legs: readonly { readonly t0_ms: number; readonly t1_ms: number; readonly rows: number }[];
      readonly fragments: number;
    };
  }

  test.each(casesOf<SplitCase>('split'))('%s', (_, { input, expect: expected }) => {
    const reports = reportsWith({
      ...columnsOf(input),
      callsign: input.callsign,
      ...(input.provider_id && { flight_id: input.provider_id }),
      ...(input.on_ground && { onGround: Uint8Array.from(input.on_ground, Number) }),
    });
    const pieces = cutIntoLegs(reports);
    const legs = pieces.filter(({ isFragment }) => !isFragment);
    const legOf: (number | null)[] = input.t_ms.map(() => null);
    legs.forEach(({ rows }, leg) => {
      for (const row of rows) legOf[row] = leg;
    });
    expect(legOf).toEqual(expected.leg);
    expect(pieces.slice(1).map(({ rows, cut }) => ({ before_row: rows[0], why: cut }))).toEqual(
      expected.cuts,
    );
    expect(
      legs.map(({ rows }) => ({
        t0_ms: input.t_ms[rows[0] as number],
        t1_ms: input.t_ms[rows.at(-1) as number],
        rows: rows.length,
      })),
    ).toEqual(expected.legs.map(({ t0_ms, t1_ms, rows }) => ({ t0_ms, t1_ms, rows })));
    expect(pieces.length - legs.length).toBe(expected.fragments);
  });
});

describe.skipIf(!present)(`healing${where}`, () => {
  interface HealCase {
    readonly id: string;
    readonly params: { readonly airports: AirportTable };
    readonly input: Position & Readonly<Record<keyof LegAttributes, Texts>>;
    readonly expect: {
      readonly kept: readonly number[];
      readonly settled: LegAttributes;
      readonly added: readonly Readonly<Record<'t_ms' | 'lat' | 'lon' | 'alt_ft', number>>[];
      readonly steps: readonly { readonly step: string; readonly dropped?: number; readonly side?: string }[];
      readonly n_out: number;
    };
    readonly tolerance: { readonly added_t_ms: number };
  }

  test.each(casesOf<HealCase>('heal'))('%s', (_, { params, input, expect: expected, tolerance }) => {
    const settings: HealSettings = {
      airports: airportsOf(params.airports),
      ceilingFt: () => undefined,
      altitude: 'strict_ref',
    };
    const reports = reportsWith({
      ...columnsOf(input),
      ...Object.fromEntries(TEXT_ATTRIBUTES.map((name) => [name, input[name]])),
    });
    const healed = healLeg(reports, rowNumbers(input.t_ms.length), settings);
    expect([...healed.rows]).toEqual(expected.kept);
    expect(healed.attributes).toEqual(expected.settled);
    const { counts, added } = healed;
    const steps = (['attribute', 'duplicate_time', 'altitude', 'speed'] as const)
      .map((step) => ({ step, dropped: counts[step] }))
      .filter(({ dropped }) => dropped > 0);
    expect([...steps, ...added.map(({ side }) => ({ step: 'airport', side }))]).toEqual(expected.steps);
    expect(healed.track.timeMs).toHaveLength(expected.n_out);
    added.forEach(({ timeMs, longitude, latitude, altitudeFt }, k) => {
      const point = expected.added[k];
      expect([latitude, longitude, altitudeFt]).toEqual([point?.lat, point?.lon, point?.alt_ft]);
      expect(Math.abs(timeMs - (point?.t_ms ?? Number.NaN))).toBeLessThanOrEqual(tolerance.added_t_ms);
    });
  });
});

describe.skipIf(!present)(`validation${where}`, () => {
  interface ValidateCase {
    readonly id: string;
    readonly params: { readonly airports: AirportTable; readonly tolerated: readonly string[] };
    readonly input: Position & Readonly<Record<'callsign' | 'dep' | 'arr', Texts>>;
    readonly expect: { readonly violations: readonly string[]; readonly rejected: boolean } & Partial<
      Readonly<Record<'elapsed_s' | 'step_m' | 'speed_ms' | 'rocd_ft_s' | 'dep_m' | 'arr_m', Numbers>>
    >;
    readonly tolerance: { readonly m: number; readonly ratio: number };
  }

  test.each(casesOf<ValidateCase>('validate'))('%s', (_, { params, input, expect: expected, tolerance }) => {
    const airports = airportsOf(params.airports);
    const columns = trackOf(input);
    const [departure, arrival] = [airports.find(input.dep[0]), airports.find(input.arr[0])];
    const reports = { rows: rowNumbers(input.t_ms.length), attributes: [input.callsign] };
    const codes = validateFlight({ columns, departure, arrival, reports });
    expect(codes).toEqual(expected.violations);
    expect(codes.some((code: Violation) => VIOLATIONS[code] !== 'tolerated')).toBe(expected.rejected);
    if (expected.step_m === undefined) return;
    const steps = flightSteps(columns);
    const away = (airport: typeof departure) =>
      columns.timeMs.map((__, i) =>
        airport === undefined
          ? Number.NaN
          : airportDistanceM(
              airport,
              0,
              columns.longitude[i] as number,
              columns.latitude[i] as number,
              columns.altitudeFt[i] as number,
            ),
      );
    expect(deviation(steps.elapsedS, expected.elapsed_s ?? [])).toBe(0);
    expect(deviation(steps.lengthM, expected.step_m)).toBeLessThanOrEqual(tolerance.m);
    expect(deviation(steps.speedMS, expected.speed_ms ?? [])).toBeLessThanOrEqual(tolerance.ratio);
    expect(deviation(steps.climbFtS, expected.rocd_ft_s ?? [])).toBeLessThanOrEqual(tolerance.ratio);
    expect(deviation(away(departure), expected.dep_m ?? [])).toBeLessThanOrEqual(tolerance.m);
    expect(deviation(away(arrival), expected.arr_m ?? [])).toBeLessThanOrEqual(tolerance.m);
  });
});

describe.skipIf(!present)(`whole minutes${where}`, () => {
  interface ResampleCase {
    readonly id: string;
    readonly params: Readonly<Record<string, number | string | boolean>>;
    readonly input: Readonly<Record<'t_ms' | 'lon' | 'lat' | 'alt_m', readonly number[]>> & {
      readonly alt_ft?: Numbers;
    };
    readonly expect: Partial<Readonly<Record<'t_ms' | 'lon' | 'lat' | 'alt_m' | 'gap_s', Numbers>>> & {
      readonly imputed?: readonly boolean[];
      readonly error?: string;
    };
    readonly tolerance: Readonly<Record<'deg' | 'alt_m', number>>;
  }
  /** Flights have one way to be resampled; cases with other settings are those of the function below it. */
  const isUsual = ([, { params }]: readonly [string, ResampleCase]) =>
    params.freq_s === 60 &&
    (params.geodesic_threshold_m ?? 100_000) === 100_000 &&
    (params.nominal_rocd_ms ?? 12.7) === 12.7 &&
    params.keep_original !== true &&
    params.force_filter !== true;
  const cases = [...casesOf<ResampleCase>('resample'), ...casesOf<ResampleCase>('clean')].filter(isUsual);

  test('the folder holds cases', () => {
    expect(cases.length).toBeGreaterThan(25);
  });

  test.each(cases)('%s', (_, { input, expect: expected, tolerance }) => {
    const alt_ft = input.alt_ft ?? input.alt_m.map((metres) => metres / 0.3048);
    const resampled = resampleLeg(trackOf({ ...input, alt_ft }), undefined);
    if (expected.error !== undefined) {
      expect(resampled).toBe('resample_failed');
      return;
    }
    if (expected.t_ms?.length === 0) {
      expect(resampled).toBe('resample_empty');
      return;
    }
    if (typeof resampled === 'string') throw new Error(`nothing was resampled: ${resampled}`);
    const { columns, gapS, imputed } = resampled;
    expect(deviation(columns.timeMs, expected.t_ms ?? [])).toBe(0);
    expect(deviation(columns.longitude, expected.lon ?? [])).toBeLessThanOrEqual(tolerance.deg);
    expect(deviation(columns.latitude, expected.lat ?? [])).toBeLessThanOrEqual(tolerance.deg);
    const altitudeM = columns.altitudeFt.map((feet) => feet * 0.3048);
    expect(deviation(altitudeM, expected.alt_m ?? [])).toBeLessThanOrEqual(tolerance.alt_m);
    if (expected.gap_s === undefined) return;
    expect(deviation(gapS, expected.gap_s)).toBeLessThanOrEqual(1e-3);
    expect(Array.from(imputed, Boolean)).toEqual(expected.imputed);
  });
});

describe.skipIf(!present)(`partition, load and CO2 equivalence${where}`, () => {
  interface PartitionCase {
    readonly id: string;
    readonly input: {
      readonly flights: readonly { readonly id: string; readonly t0: string; readonly t1: string }[];
    };
    readonly expect: {
      readonly summary_by_date: Readonly<Record<string, readonly string[]>>;
      readonly segments_by_hour: Readonly<Record<string, Readonly<Record<string, number>>>>;
    };
  }
  test.each(casesOf<PartitionCase>('partition'))('%s', (_, { input, expect: expected }) => {
    const byDate: Record<string, string[]> = {};
    const byHour: Record<string, Record<string, number>> = {};
    for (const { id, t0, t1 } of input.flights) {
      const [startMs, endMs] = [Date.parse(`${t0}Z`), Date.parse(`${t1}Z`)];
      const ids = byDate[summaryDate(startMs)] ?? [];
      byDate[summaryDate(startMs)] = [...ids, id];
      for (const [hour, count] of segmentHours(startMs, endMs))
        byHour[hour] = { ...byHour[hour], [id]: count };
    }
    expect(byDate).toEqual(expected.summary_by_date);
    expect(byHour).toEqual(expected.segments_by_hour);
  });

  interface LoadCase {
    readonly id: string;
    readonly input: {
      readonly passenger: readonly [string | null, string | null][];
      readonly cargo: readonly [string | null, string | null, number | null, boolean][];
      readonly seats: readonly string[];
    };
    readonly expect: Readonly<Record<'passenger' | 'cargo' | 'seats', readonly number[]>>;
  }
  test.each(casesOf<LoadCase>('load_factor'))('%s', (_, { input, expect: expected }) => {
    const passenger = input.passenger.map(([origin, date]) =>
      passengerLoadFactor(origin ?? undefined, date === null ? undefined : Date.parse(date)),
    );
    const cargo = input.cargo.map(([origin, destination, km, isPassenger]) =>
      cargoLoadFactor(origin ?? undefined, destination ?? undefined, km ?? undefined, isPassenger),
    );
    expect(deviation(passenger, expected.passenger)).toBeLessThanOrEqual(1e-9);
    expect(deviation(cargo, expected.cargo)).toBeLessThanOrEqual(1e-9);
    expect(input.seats.map(seatsOfType)).toEqual(expected.seats);
  });

  interface Co2eCase {
    readonly id: string;
    readonly input: { readonly ef_j: readonly number[] };
    readonly expect: Readonly<Record<string, readonly number[]>>;
  }
  test.each(casesOf<Co2eCase>('co2e'))('%s', (_, { input, expect: expected }) => {
    for (const horizon of [20, 50, 100] as const) {
      input.ef_j.forEach((joule, i) => {
        const wanted = expected[`co2e${horizon}_kg`]?.[i] ?? Number.NaN;
        expect(Math.abs(co2EquivalentKg(joule, horizon) - wanted)).toBeLessThanOrEqual(
          1e-10 * Math.abs(wanted),
        );
      });
    }
  });
});
