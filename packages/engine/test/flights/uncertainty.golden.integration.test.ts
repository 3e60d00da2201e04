import { fileURLToPath } from 'node:url';
import { type OpenWeather, openMet, openSource, weatherOf } from '@contrails/met';
import { flightOf } from '@contrails/physics/flight';
import { followPerturbed, groupsOfSet } from '@contrails/physics/uncertainty';
import { afterAll, describe, expect, test } from 'vitest';
import type { ResolvedUncertainty } from '../../src/flights/members.ts';
import { planWeather } from '../../src/flights/plan-weather.ts';
import { makeEvaluation, prepareFlight } from '../../src/flights/prepare-flight.ts';
import { toPerturbable } from '../../src/flights/sample-runs.ts';
import { sampleFlight } from '../../src/flights/samples.ts';
import type { UncertaintyOptions } from '../../src/flights/uncertainty.ts';
import { describeUncertainty } from '../../src/flights/uncertainty-answer.ts';
import {
  fleetOf,
  forcingDeviation,
  optionsOfCase,
  readReference,
  referenceFile,
  referenceWeather,
} from '../support/reference.ts';

interface Case {
  readonly id: string;
  readonly met: string;
  readonly rad: string;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}
interface Statistics extends Record<string, number> {}
interface DrawnRow {
  readonly name: string;
  readonly parameters: Record<string, number>;
  readonly humidity_factor: number | number[];
  readonly habit_distributions?: number[][];
  readonly energy_forcing_total: number;
  readonly energy_forcing: number[];
}
interface MonteCarlo {
  readonly seed: number;
  readonly samples: number;
  readonly sample_values: Record<string, number[]>;
  readonly totals: Record<string, Statistics>;
  readonly probability_warming: number;
  readonly probability_cooling: number;
  readonly probability_persistent: number;
  readonly waypoints: Record<string, number[]>;
}

const report: string[] = [];
afterAll(() => console.log(`worst deviation of samples\n${report.join('\n')}`));

const missing = (file: string) => referenceFile(file) === undefined;
const sampling = (over: Partial<ResolvedUncertainty>): ResolvedUncertainty => ({
  seed: 0,
  samples: 2,
  set: 'default',
  groups: groupsOfSet('default'),
  sampling: 'random',
  sensitivity: false,
  ...over,
});

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe.skipIf(missing('uncertainty/draws.json'))('explicit draws of the reference', () => {
  const file = readReference<{ flights: (Case & { rows: DrawnRow[] })[] }>('uncertainty/draws.json');
  test.each(file?.flights ?? [])('$id', async ({ id, met, rad, query, body, rows }) => {
    const shared = await referenceWeather(met, rad);
    if (shared === undefined) throw new Error(`${met} is missing`);
    const fleet = fleetOf(body);
    const weather = weatherOf(shared.levels, shared.radiation);
    const evaluation = makeEvaluation('cocip', optionsOfCase(query), weather);
    const places = { indexInRequest: (i: number) => i, indexInAnswer: (i: number) => i };
    const about = fleet.attributes[0] ?? {};
    const prepared = prepareFlight({ out: {}, flight: flightOf(fleet, 0), about, ...places }, evaluation);
    if (prepared === undefined) throw new Error('the flight was not evaluated');
    const flight = toPerturbable(prepared);
    let worst = { waypoint: 0, total: 0 };
    for (const row of rows) {
      const given = Object.entries(row.parameters).map(([name, value]) => [
        name === 'nvpm_ei_n_enhancement_factor' ? 'nvpmEiNEnhancementFactor' : camel(name),
        value,
      ]);
      const params = {
        ...evaluation.params,
        ...Object.fromEntries(given),
        habitDistributions: row.habit_distributions ?? null,
      };
      for (const [name] of given) expect(evaluation.params).toHaveProperty(String(name));
      const count = fleet.columns.timeMs.length;
      const factor = Array.isArray(row.humidity_factor)
        ? Float64Array.from(row.humidity_factor)
        : new Float64Array(count).fill(row.humidity_factor);
      const [forcing] = followPerturbed([flight], [factor], params, { ...evaluation, weather });
      const off = forcingDeviation(forcing ?? [], row.energy_forcing);
      expect(off.waypoint, row.name).toBeLessThan(1e-5);
      expect(off.total, row.name).toBeLessThan(1e-5);
      worst = {
        waypoint: Math.max(worst.waypoint, off.waypoint),
        total: Math.max(worst.total, off.total),
      };
    }
    report.push(
      `  draws ${id.padEnd(22)} ${worst.waypoint.toExponential(1)} ${worst.total.toExponential(1)}`,
    );
  });
});

/** Runs the samples of a case as the endpoint does. */
async function run(item: Case, options: ResolvedUncertainty) {
  const weather = await referenceWeather(item.met, item.rad);
  if (weather === undefined) throw new Error(`${item.met} is missing`);
  const fleet = fleetOf(item.body);
  const samples = await sampleFlight(fleet, 0, optionsOfCase(item.query), options, weather, {
    weather: undefined,
  });
  const nominal = new Float64Array(fleet.columns.timeMs.length);
  const { uncertainty } = describeUncertainty([{ id: undefined, samples, nominal }], options, {
    isFleet: false,
    includesSamples: true,
    isEstimated: false,
  });
  return { samples, uncertainty: uncertainty as unknown as MonteCarlo & Record<string, unknown> };
}

/** Deviation relative to the largest value. */
function relative(actual: ArrayLike<number>, expected: readonly number[]): number {
  const largest = Math.max(...expected.map(Math.abs), Number.MIN_VALUE);
  return Math.max(...expected.map((value, i) => Math.abs((actual[i] as number) - value) / largest));
}

describe('Monte Carlo of the reference', () => {
  const file = readReference<{ flights: (Case & MonteCarlo)[] }>('uncertainty/montecarlo.json');
  const isHere = ({ met, rad }: Case) => referenceWeather(met, rad) !== undefined;
  const [here, elsewhere] = [true, false].map((wanted) =>
    (file?.flights ?? []).filter((item) => isHere(item) === wanted),
  );
  test.skip.each(elsewhere ?? [])('$id (skipped: ../shared/reference is missing)', () => undefined);
  test.each(here ?? [])('$id', async (item) => {
    const options = sampling({ seed: item.seed, samples: item.samples });
    const { uncertainty } = await run(item, options);
    for (const [name, values] of Object.entries(item.sample_values)) {
      const tolerance = name === 'energy_forcing' ? 1e-5 : 1e-9;
      expect(relative(uncertainty.sample_values[name] ?? [], values), name).toBeLessThan(tolerance);
    }
    for (const name of ['energy_forcing', 'persistent_km']) {
      const expected = item.totals[name] ?? {};
      const names = Object.keys(expected);
      const found = names.map((key) => uncertainty.totals[name]?.[key] ?? Number.NaN);
      expect(
        relative(
          found,
          names.map((key) => expected[key] as number),
        ),
        name,
      ).toBeLessThan(1e-5);
    }
    for (const name of ['probability_warming', 'probability_cooling', 'probability_persistent'] as const)
      expect(uncertainty[name]).toBeCloseTo(item[name], 12);
    for (const [name, values] of Object.entries(item.waypoints)) {
      const off = relative(uncertainty.waypoints[name] ?? [], values);
      expect(off, name).toBeLessThan(1e-5);
      report.push(`  montecarlo ${item.id} ${name}: ${off.toExponential(1)}`);
    }
  });
});

test('sensitivity of the reference', async () => {
  const file = readReference<
    Case & {
      seed: number;
      samples: number;
      energy_forcing: Record<string, number[]>;
      expected: Record<string, { total: number }>;
    }
  >('uncertainty/sensitivity.json');
  if (file === undefined) throw new Error('sensitivity.json is missing');
  const options = sampling({ seed: file.seed, samples: file.samples, sensitivity: true });
  const { samples, uncertainty } = await run(file, options);
  samples.variants.forEach((variant, v) => {
    const runs = samples.totals.subarray(v * file.samples, (v + 1) * file.samples);
    expect(relative(runs, file.energy_forcing[variant ?? 'A'] ?? []), String(variant)).toBeLessThan(1e-5);
  });
  const shares = uncertainty.sensitivity as Record<string, { total: number; first_order: number | null }>;
  expect(Object.keys(shares).sort()).toEqual(Object.keys(file.expected).sort());
  for (const [group, { total }] of Object.entries(file.expected)) {
    expect(Math.abs((shares[group]?.total ?? Number.NaN) - total)).toBeLessThan(1e-3);
    expect(shares[group]?.first_order).toBeNull();
  }
});

describe.skipIf(missing('uncertainty/many.json') || missing('cocip/met/era5-sample.met.nc'))(
  'many samples in reanalysis',
  () => {
    const file = readReference<
      Case & { samples: number; seeds: Record<string, { energy_forcing: number[]; totals: Statistics }> }
    >('uncertainty/many.json');
    test.each(Object.keys(file?.seeds ?? {}))('seed %s', async (seed) => {
      if (file === undefined) return;
      const expected = file.seeds[seed];
      const options = sampling({ seed: Number(seed), samples: file.samples });
      const { samples, uncertainty } = await run(
        { ...file, met: 'era5-sample.met.nc', rad: 'era5-sample.rad.nc' },
        options,
      );
      expect(relative(samples.totals, expected?.energy_forcing ?? [])).toBeLessThan(1e-5);
      const names = Object.keys(expected?.totals ?? {});
      const found = names.map((name) => uncertainty.totals.energy_forcing?.[name] ?? Number.NaN);
      expect(
        relative(
          found,
          names.map((name) => expected?.totals[name] as number),
        ),
      ).toBeLessThan(1e-5);
    });
  },
);

interface Members {
  readonly met: string;
  readonly rad: string;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly members: { member: number; energy_forcing_total: number; energy_forcing: number[] }[];
  readonly mixed: {
    seed: number;
    samples: number;
    member: number[];
    sample_values: Record<string, number[]>;
  };
}

/** One member of an ensemble, read by the source that a service would read it with. */
async function memberWeather(
  item: Members,
  member: number,
): Promise<OpenWeather & { close(): Promise<void> }> {
  const paths = [item.met, item.rad].map((path) => {
    const file = referenceFile(`uncertainty/${path}`);
    if (file === undefined) throw new Error(`${path} is missing`);
    return fileURLToPath(file);
  });
  const source = await openSource({
    ...{ name: 'ensemble', kind: 'netcdf', provider: 'ECMWF', dataset: 'ERA5', product: 'reanalysis' },
    ...{ paths, directory: '.', member },
  });
  const met = openMet({ sources: [source], memoryBytes: 2 ** 28 });
  const [group] = await planWeather(met, 'cocip', fleetOf(item.body), optionsOfCase(item.query));
  if (group?.request === undefined) throw new Error('the ensemble does not cover the flight');
  const weather = await met.openWeather(group.request);
  return { ...weather, weather: weather.weather, close: () => met.close() };
}

describe.skipIf(missing('uncertainty/members.json') || missing('uncertainty/met/ensemble.met.nc'))(
  'members of an ensemble',
  () => {
    const item = readReference<Members>('uncertainty/members.json') as Members;
    test.each([0, 1, 2])('member %i, alone and with drawn parameters', async (member) => {
      const weather = await memberWeather(item, member);
      const fleet = fleetOf(item.body);
      const options = optionsOfCase(item.query);
      const runWith = (uncertainty: UncertaintyOptions) =>
        sampleFlight(fleet, 0, options, uncertainty, weather, { weather });
      const alone = await runWith(sampling({ groups: [] }));
      const expected = item.members[member];
      const count = fleet.columns.timeMs.length;
      const off = forcingDeviation(
        alone.energyForcing?.subarray(0, count) ?? [],
        expected?.energy_forcing ?? [],
      );
      expect(off.waypoint).toBeLessThan(1e-5);
      expect(off.total).toBeLessThan(1e-5);
      report.push(`  member ${member} ${off.waypoint.toExponential(1)} ${off.total.toExponential(1)}`);
      // Members bring their own errors of humidity.
      const groups = groupsOfSet('default').filter((group) => group !== 'humidity');
      const { seed, samples, member: memberOf, sample_values } = item.mixed;
      const mixed = await runWith(sampling({ seed, samples, groups }));
      const wanted = sample_values.energy_forcing ?? [];
      const largest = Math.max(...wanted.map(Math.abs));
      memberOf.forEach((one, s) => {
        if (one !== member) return;
        expect(Math.abs((mixed.totals[s] as number) - (wanted[s] as number)) / largest).toBeLessThan(1e-5);
      });
      weather.release();
      await weather.close();
    });
  },
);
