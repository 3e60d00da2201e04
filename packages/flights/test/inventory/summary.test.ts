import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FLIGHT_QUALITY } from '../../src/build/quality.ts';
import { SEGMENT_COLUMNS, SUMMARY_COLUMNS } from '../../src/inventory/columns.ts';
import {
  type InventoryFlight,
  MODEL_COLUMNS,
  type ModelColumns,
  type ModelFacts,
} from '../../src/inventory/inventory-flight.ts';
import { emptySegments, type Segments, segmentsInto } from '../../src/inventory/segments.ts';
import { flightTotals, isEuMrv, segmentTotals, sumKnown, summaryOf } from '../../src/inventory/summary.ts';
import { casesOf, present, where } from '../support/reference-cases.ts';

interface SummaryCase {
  readonly id: string;
  readonly input: Readonly<
    Record<'t_ms' | 'segment_length_m' | 'fuel_flow_kg_s' | 'sac' | 'ef_j', readonly (number | null)[]>
  >;
  readonly expect: Readonly<Record<string, number>>;
  readonly tolerance: { readonly relative: number };
}

describe.skipIf(!present)(`reference cases of summaries${where}`, () => {
  const cases = casesOf<SummaryCase>('summary');

  test('the folder holds cases', () => {
    expect(cases.length).toBeGreaterThan(15);
  });

  test.each(cases)('%s', (_, { input, ...item }) => {
    const segments = input.t_ms.length - 1;
    const column = (values: readonly (number | null)[], factor = 1) =>
      Float64Array.from(values.slice(0, segments), (value) => (value ?? Number.NaN) * factor);
    const durationS = column(input.t_ms).map((ms, i) => (Number(input.t_ms[i + 1]) - ms) / 1000);
    const fuelKg = sumKnown(column(input.fuel_flow_kg_s).map((flow, i) => flow * (durationS[i] ?? 0)));
    const totals = segmentTotals({
      chunk_len_km: column(input.segment_length_m, 1e-3),
      sac: column(input.sac),
      sum_ef_mj: column(input.ef_j, 1e-6),
    });
    const found: Record<string, number> = {
      ...totals,
      duration_s: durationS.reduce((a, b) => a + b, 0),
      total_fuel_burn_kg: fuelKg ?? Number.NaN,
      total_co2_kg: (fuelKg ?? Number.NaN) * 3.159,
      ef_j: totals.sum_ef_mj * 1e6,
      ef_warming_j: totals.ef_warming_mj * 1e6,
      ef_cooling_j: totals.ef_cooling_mj * 1e6,
    };
    for (const [name, value] of Object.entries(item.expect)) {
      const deviation = Math.abs((found[name] ?? Number.NaN) - value) / Math.max(Math.abs(value), 1e-300);
      expect(value === 0 ? Math.abs(found[name] ?? Number.NaN) : deviation, name).toBeLessThanOrEqual(
        item.tolerance.relative,
      );
    }
  });
});

test('another set of warming potentials gives other equivalents of the same forcing', () => {
  const segments = {
    chunk_len_km: Float64Array.of(1),
    sac: Float64Array.of(1),
    sum_ef_mj: Float64Array.of(1e6),
  };
  const kg = (set: 'lee2021' | 'ar6' | 'legacy') => {
    const { co2e20_kg, co2e50_kg, co2e100_kg } = segmentTotals(segments, set);
    return [co2e20_kg, co2e50_kg, co2e100_kg];
  };
  // kg CO2e per GJ = 0.42e9 / (AGWP · 5.101e14 m² · 31,536,000 s)
  const perTerajoule = (agwp: number) => (1e12 * 0.42) / (agwp * 5.101e14 * 31_536_000);
  expect(kg('ar6')).toEqual(
    [2.43e-14, 5.15e-14, 8.95e-14].map((agwp) => expect.closeTo(perTerajoule(agwp), 6)),
  );
  expect(kg('legacy')).toEqual(
    [2.52e-14, 5.3e-14, 9.25e-14].map((agwp) => expect.closeTo(perTerajoule(agwp), 6)),
  );
  expect(segmentTotals(segments)).toEqual(segmentTotals(segments, 'lee2021'));
});

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2025, 0, 1, 22, 10);

/** A flight to the east, as high as `altitudeFt` says. */
function flightOf(altitudeFt: readonly number[]): InventoryFlight {
  const column = (at: (i: number) => number) => Float64Array.from(altitudeFt, (_, i) => at(i));
  return {
    flightId: 'flight-1',
    icaoAddress: '4CA123',
    callsign: 'ABC12',
    tailNumber: null,
    flightNumber: null,
    airlineIata: null,
    aircraftType: 'A320',
    departureIcao: 'EDDF',
    arrivalIcao: null,
    departure: { longitude: 8.5, latitude: 50, elevationFt: 364, country: 'DE', continent: 'EU' },
    arrival: null,
    departureScheduledMs: null,
    arrivalScheduledMs: null,
    isPartial: false,
    unseen: [],
    grade: 'A',
    quality: 2,
    reportCount: 100,
    usedCount: 90,
    satelliteShare: 0,
    maxGapS: 90,
    firstReportMs: START_MS + MINUTE_MS,
    lastReportMs: START_MS + altitudeFt.length * MINUTE_MS,
    columns: {
      timeMs: column((i) => START_MS + i * MINUTE_MS),
      longitude: column((i) => 8.5 + 0.2 * i),
      latitude: column(() => 50),
      altitudeFt: Float64Array.from(altitudeFt),
      gapS: column(() => 30),
      imputed: new Uint8Array(altitudeFt.length),
    },
  };
}

type ModelledFlight = ModelFacts & { readonly columns: ModelColumns };

function modelOf(length: number, given: Partial<ModelColumns> = {}): ModelledFlight {
  const usual = Object.fromEntries(MODEL_COLUMNS.map((name) => [name, new Float64Array(length).fill(0.5)]));
  return {
    columns: { ...usual, ...given } as ModelColumns,
    aircraftType: 'A320',
    performanceType: 'A320',
    engineUid: '01P08CM105',
    engineSource: 'type_default',
    role: null,
    lowestLevelHpa: 850,
    nvpmDataSource: 'ICAO EDB',
    isTypeFromTable: false,
    passengerLoadFactor: 0.8,
    bridgedMassKg: null,
    cargoLoadFactor: 0.4,
    metSourceDataset: 'ERA5',
    metDays: '20250101-20250102',
    climate: null,
  };
}

/** The segments of a flight, computed in stretches that end where `cuts` say. */
function segmentsOf(
  { columns, firstReportMs, lastReportMs }: InventoryFlight,
  { columns: model }: ModelledFlight,
  cuts: readonly number[] = [],
): Segments {
  const count = columns.timeMs.length - 1;
  const out = emptySegments(count);
  const reports = { firstReportMs, lastReportMs };
  let from = 0;
  for (const to of [...cuts, count]) {
    segmentsInto(out, from, { columns, model }, { from, to, first: 0, ...reports });
    from = to;
  }
  return out;
}

function rowOf(flight: InventoryFlight, model: ModelledFlight) {
  const minutes = { columns: flight.columns, model: model.columns };
  return summaryOf(flight, model, flightTotals(minutes, 0, flight.columns.timeMs.length), RUN);
}

const RUN = { runId: 'run', configHash: 'hash', modelingVersion: '1', processedMs: 0 };

test('sums of segments equal the summary to 1e-6 for every column that both have', () => {
  const value = fc.oneof(fc.constant(Number.NaN), fc.double({ min: -1e9, max: 1e9, noNaN: true }));
  const amount = fc.oneof(fc.constant(Number.NaN), fc.double({ min: 1e-6, max: 10, noNaN: true }));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, amount, amount, fc.double({ min: 1000, max: 41_000, noNaN: true })), {
        minLength: 3,
        maxLength: 60,
      }),
      (waypoints) => {
        const column = (k: 0 | 1 | 2) => Float64Array.from(waypoints, (waypoint) => waypoint[k]);
        const flight = flightOf(waypoints.map(([, , , feet]) => feet));
        const model = modelOf(waypoints.length, {
          energy_forcing: column(0).map((x) => x * 1e3),
          fuel_flow: column(1),
          nox_ei: column(2).map((x) => x / 1000),
          rhi: column(2),
        });
        const segments = segmentsOf(flight, model);
        const summary = rowOf(flight, model);
        const names = SEGMENT_COLUMNS.map(({ name }) => name).filter(
          (name) => name === 'sum_ef_mj' || /^(total_|co2e|chunk_len)/.test(name),
        );
        expect(names).toHaveLength(10);
        for (const name of names) {
          // Files keep most of them in single precision.
          const kept = [...segments[name as keyof typeof segments]]
            .filter((x) => !Number.isNaN(x))
            .map((x) => (name === 'sum_ef_mj' ? x : Math.fround(x)));
          const sum = kept.reduce((a, b) => a + b, 0);
          const size = kept.reduce((a, b) => a + Math.abs(b), 0);
          const total = summary[name as keyof typeof summary] ?? 0;
          expect(Math.abs(Number(total) - sum), name).toBeLessThanOrEqual(1e-6 * size + 1e-30);
        }
      },
    ),
  );
});

test('a segment is the same to the last bit in any stretch, and a row of the summary among any flights', () => {
  const value = fc.oneof(fc.constant(Number.NaN), fc.double({ min: -1e9, max: 1e9, noNaN: true }));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value, fc.double({ min: 1000, max: 41_000, noNaN: true })), {
        minLength: 2,
        maxLength: 40,
      }),
      fc.array(fc.nat(39), { maxLength: 5 }),
      fc.nat(5),
      (waypoints, some, before) => {
        const flight = flightOf(waypoints.map(([, , feet]) => feet));
        const model = modelOf(waypoints.length, {
          energy_forcing: Float64Array.from(waypoints, ([joules]) => joules),
          rhi: Float64Array.from(waypoints, ([, rhi]) => rhi),
        });
        const cuts = some.filter((cut) => cut < waypoints.length - 1).sort((a, b) => a - b);
        expect(segmentsOf(flight, model, cuts)).toEqual(segmentsOf(flight, model));
        const shifted = <Column extends Float64Array | Uint8Array>(column: Column) => {
          const longer = new (column.constructor as new (length: number) => Column)(before + column.length);
          longer.set(column, before);
          return longer;
        };
        const all = <T extends object>(columns: T) =>
          Object.fromEntries(
            Object.entries(columns).map(([name, column]) => [name, shifted(column as Float64Array)]),
          ) as unknown as T;
        const among = { columns: all(flight.columns), model: all(model.columns) };
        const alone = { columns: flight.columns, model: model.columns };
        expect(flightTotals(among, before, before + waypoints.length)).toEqual(
          flightTotals(alone, 0, waypoints.length),
        );
      },
    ),
  );
});

test('a segment in unknown weather is null above the floor and 0 below it', () => {
  const unknown = new Float64Array(3).fill(Number.NaN);
  const flight = flightOf([20_000, 30_000, 30_000]);
  const model = modelOf(3, { rhi: unknown, sac: unknown, energy_forcing: unknown, contrail_age: unknown });
  const segments = segmentsOf(flight, model);
  expect([...segments.sac]).toEqual([0, Number.NaN]);
  expect([...segments.sum_ef_mj]).toEqual([0, Number.NaN]);
  expect([...segments.contrail_age_min]).toEqual([0, 0]);
  expect([...segments.quality]).toEqual([FLIGHT_QUALITY.departurePointAdded, FLIGHT_QUALITY.weatherGap]);
  const summary = rowOf(flight, model);
  expect(summary).toMatchObject({ seg_ef_nan_cnt: 1, sum_ef_mj: 0, status: 'partial', dq_grade: 'D' });
  expect(summary.quality).toBe(2 | FLIGHT_QUALITY.weatherGap);
});

test('the followed contrail of a flight does not hide unknown weather elsewhere on it', () => {
  const model = modelOf(4, {
    rhi: Float64Array.of(1, Number.NaN, 1, 1),
    energy_forcing: Float64Array.of(5e6, 0, 0, 0),
  });
  const segments = segmentsOf(flightOf([35_000, 35_000, 35_000, 35_000]), model);
  expect([...segments.sum_ef_mj]).toEqual([5, Number.NaN, 0]);
  expect([...segments.persistent]).toEqual([1, 0, 0]);
});

test('a summary has every column of the table', () => {
  const flight = flightOf([30_000, 30_000, 30_000]);
  const model = modelOf(3);
  const summary = rowOf(flight, model);
  expect(Object.keys(summary).sort()).toEqual(SUMMARY_COLUMNS.map(({ name }) => name as string).sort());
});

test.each([
  ['DE', 'FR', true],
  ['FR', 'GB', true],
  ['RE', 'FR', true],
  ['NO', 'CH', true],
  ['GB', 'DE', false],
  ['DE', 'US', false],
  ['DE', null, null],
  [undefined, 'DE', null],
])('the EU scope of a flight from %s to %s is %s', (departure, arrival, expected) => {
  expect(isEuMrv(departure, arrival)).toBe(expected);
});
