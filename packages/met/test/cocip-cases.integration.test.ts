import type { PlumeColumn } from '@contrails/physics/cocip';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type CaseResult,
  caseFolder,
  prepareCase,
  readContrailTable,
  readJson,
  runCase,
} from './support/cocip-case.ts';

const CASES = [
  'era5-01-tiny',
  'era5-02-histogram',
  'era5-03-empty',
  'gfs-01-default',
  'syn-01-a320-default',
  'syn-02-b738-constant-outside',
  'syn-03-b77w-explat-long',
  'syn-04-a20n-histogram-fine',
  'syn-05-a388-antimeridian',
  'syn-06-b77w-polar',
  'syn-07-coarse-nan',
  'syn-08-fleet',
  'syn-09-options-a',
  'syn-10-options-b',
];

/** Columns of the contrail table that do not depend on the quirks of reporting, and how close they come. */
const CONTRAIL_COLUMNS: readonly [string, PlumeColumn, relative?: number, absolute?: number][] = [
  ['longitude', 'longitude'],
  ['latitude', 'latitude'],
  ['altitude', 'altitude'],
  ['level', 'level'],
  ['width', 'width'],
  ['depth', 'depth'],
  ['sigma_yz', 'sigmaYz'],
  ['air_temperature', 'temperature'],
  ['specific_humidity', 'humidity'],
  ['rhi', 'rhi'],
  ['n_ice_per_m', 'particles'],
  ['iwc', 'iceWaterContent'],
  ['u_wind', 'u', 1e-6, 1e-9],
  ['v_wind', 'v', 1e-6, 1e-9],
  ['vertical_velocity', 'omega'],
  ['tau_cirrus', 'cirrusOpticalDepth'],
  ['ds_dz', 'shear'],
  ['sdr', 'sdr'],
  ['rsr', 'rsr'],
  ['olr', 'olr'],
  ['area_eff', 'area'],
  ['r_ice_vol', 'radius'],
  ['terminal_fall_speed', 'fallSpeed'],
  ['diffuse_h', 'diffusivityH'],
  ['diffuse_v', 'diffusivityV'],
  ['tau_contrail', 'opticalDepth'],
  ['dn_dt_agg', 'aggregation'],
  ['dn_dt_turb', 'turbulence'],
  ['rf_sw', 'rfSw', 3e-6],
  ['rf_lw', 'rfLw', 3e-6],
  ['age', 'age', 0],
];
const RELATIVE = 1e-6;

interface ExpectedFlights {
  readonly flights: readonly { readonly data: Record<string, (number | null)[]> }[];
}

const report: string[] = [];
afterAll(() =>
  console.log(`worst deviation of energy forcing, single / double forcing\n${report.join('\n')}`),
);

describe.each(CASES)('case %s', (id) => {
  const folder = caseFolder(id);
  const missing = folder === undefined;
  const name = (sentence: string) => (missing ? 'skipped: ../shared/reference is missing' : sentence);
  let single: ReturnType<typeof runCase> | undefined;
  const runSingle = () => {
    single ??= runCase(folder as URL);
    return single;
  };

  test.skipIf(missing)(name('every column of every step'), async () => {
    expect(deviations(await runSingle(), folder as URL).slice(0, 10)).toEqual([]);
  });

  test.skipIf(missing)(
    name('what is reported per waypoint, the same to the last bit when nobody looks at the steps'),
    async () => {
      const rounded = await runSingle();
      const run = await prepareCase(folder as URL, {
        forcing: 'double',
        performance: 'given',
        windows: 'moving',
      });
      const double = run(() => {});
      const expected = readJson<ExpectedFlights>(folder as URL, 'expected-flight.json');
      const worstSingle = worstEnergy(rounded, expected);
      const worstDouble = worstEnergy(double, expected);
      report.push(`  ${id.padEnd(30)} ${worstSingle.toExponential(1)}  ${worstDouble.toExponential(1)}`);
      expect(worstSingle).toBeLessThan(1e-7);
      expect(worstDouble).toBeLessThan(1e-5);
      expect(flagMismatches(rounded, expected)).toEqual([]);
      const unseen = run().contrails;
      expect(unseen.energyForcing).toEqual(double.contrails.energyForcing);
      expect(unseen.age).toEqual(double.contrails.age);
    },
  );

  if (!id.startsWith('syn') || id === 'syn-07-coarse-nan') return;

  test.skipIf(missing)(
    name('energy forcing and columns with our own performance and emissions'),
    async () => {
      const run = await prepareCase(folder as URL, {
        forcing: 'double',
        performance: 'own',
        windows: 'moving',
      });
      const result = run();
      const expected = readJson<ExpectedFlights>(folder as URL, 'expected-flight.json');
      const worst = worstEnergy(result, expected);
      report.push(`  ${id.padEnd(30)} ${''.padEnd(8)} ${worst.toExponential(1)}  own performance`);
      expect(worst).toBeLessThan(1e-5);
      expect(flagMismatches(result, expected)).toEqual([]);
      expect(performanceDeviations(result, expected).slice(0, 5)).toEqual([]);
    },
  );
});

/** Performance and emissions at the waypoints, against what the reference delivered. */
function performanceDeviations(result: CaseResult, expected: ExpectedFlights): string[] {
  return expected.flights.flatMap(({ data }, f) => {
    const columns = result.flights[f]?.evaluation.columns;
    if (columns === undefined) return [`flight ${f} is missing`];
    const pairs: [string, Float64Array][] = [
      ['aircraft_mass', columns.aircraftMassKg],
      ['engine_efficiency', columns.engineEfficiency],
      ['fuel_flow', columns.fuelFlowKgS],
      ['nox_ei', columns.noxEi],
      ['true_airspeed', columns.trueAirspeedMS],
    ];
    return pairs.flatMap(([name, actual]) =>
      (data[name] ?? []).flatMap((cell, i) =>
        isClose(actual[i] as number, cell ?? Number.NaN, 1e-7, 0)
          ? []
          : [`${f}:${i} ${name} ${actual[i]} ${cell}`],
      ),
    );
  });
}

/** Rows that are missing or extra, and columns that deviate, compared by step, flight and waypoint. */
function deviations(result: Awaited<ReturnType<typeof runCase>>, folder: URL): string[] {
  const table = readContrailTable(folder)?.contrail;
  const found = new Map(
    result.rows.map((row) => [`${row.step} ${result.flightIds[row.flight]} ${row.waypoint}`, row]),
  );
  if (table === undefined) return found.size === 0 ? [] : ['rows although none are expected'];
  const faults: string[] = [];
  const count = table.waypoint?.length ?? 0;
  if (found.size !== count) faults.push(`${found.size} rows instead of ${count}`);
  for (let i = 0; i < count; i++) {
    const key = `${table.timestep?.[i]} ${table.flight_id?.[i]} ${table.waypoint?.[i]}`;
    const row = found.get(key);
    if (row === undefined) {
      faults.push(`row ${key} is missing`);
      continue;
    }
    for (const [name, column, relative = RELATIVE, absolute = 1e-15] of CONTRAIL_COLUMNS) {
      const cell = table[name]?.[i];
      if (cell === undefined) continue;
      if (!isClose(row[column], cell === null ? Number.NaN : Number(cell), relative, absolute)) {
        faults.push(`${key} ${name}: ${row[column]} instead of ${cell}`);
      }
    }
  }
  return faults;
}

function worstEnergy(result: CaseResult, expected: ExpectedFlights): number {
  const magnitudes = expected.flights.flatMap(({ data }) => (data.ef ?? []).map((ef) => Math.abs(ef ?? 0)));
  const largest = Math.max(...magnitudes);
  let worst = 0;
  for (const [f, { data }] of expected.flights.entries()) {
    for (const [i, ef] of (data.ef ?? []).entries()) {
      if (ef === null || !result.contrails.flightsFollowed.includes(1)) continue;
      const actual = result.contrails.energyForcing[(result.firstRow[f] as number) + i] as number;
      // Near cancellation the largest waypoint sets the scale, as the acceptance rule of double precision has it.
      if (actual !== ef) worst = Math.max(worst, Math.abs(actual - ef) / (Math.abs(ef) + 1e-2 * largest));
    }
  }
  return worst;
}

/** Criterion, persistence and lifetime must be equal. */
function flagMismatches(result: CaseResult, expected: ExpectedFlights): string[] {
  const { contrails, sources, firstRow } = result;
  const columns: [string, ArrayLike<number>][] = [['sac', sources.sac]];
  if (contrails.flightsFollowed.includes(1)) {
    columns.push(['persistent_1', contrails.report.persistent1], ['contrail_age', contrails.age]);
  }
  return expected.flights.flatMap(({ data }, f) =>
    columns.flatMap(([name, actual]) =>
      (data[name] ?? []).flatMap((cell, i) => {
        const value = actual[(firstRow[f] as number) + i] as number;
        return Object.is(value, cell ?? Number.NaN) || value === cell
          ? []
          : [`${f}:${i} ${name} ${value} ${cell}`];
      }),
    ),
  );
}

function isClose(actual: number, expected: number, relative: number, absolute: number): boolean {
  if (Number.isNaN(expected)) return Number.isNaN(actual);
  return Math.abs(actual - expected) <= relative * Math.abs(expected) + absolute;
}
