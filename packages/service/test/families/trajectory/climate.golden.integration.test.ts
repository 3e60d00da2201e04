import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Compute, openCompute } from '@contrails/engine/compute';
import type { AccfSettings } from '@contrails/engine/flights/accf-settings';
import { computeTrajectories } from '@contrails/engine/flights/compute';
import type { TrajectoryModel } from '@contrails/engine/flights/models';
import { needsOf } from '@contrails/engine/flights/needs';
import { defaultScaling, optionsOf, trajectoryParameters } from '@contrails/engine/flights/options';
import { prepareRequest } from '@contrails/engine/flights/prepare-request';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { type Met, openMet, openSource } from '@contrails/met';
import { ACCF_NAMES, METRIC_NAMES } from '@contrails/physics/climate';
import { query as queryOf, readerOf } from '@contrails/runtime/options/query';
import { Rejected } from '@contrails/runtime/options/rejected';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const CASES = new URL('../../../../engine/test/reference/climate/', import.meta.url);
const WEATHER = fileURLToPath(new URL('../../../../met/test/reference/climate/', import.meta.url));

type Block = Readonly<Record<string, number>>;
interface Species extends Block {
  readonly co2e: never;
}
interface Climate {
  readonly fuel_kg: number;
  readonly coverage: number;
  readonly species: Readonly<Record<string, Species>>;
  readonly non_co2: { readonly co2e: Block };
  readonly total: { readonly co2e: Block };
}
interface Case {
  readonly id: string;
  readonly met: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly weather: Readonly<Record<string, readonly (number | null)[]>>;
  readonly fin: readonly number[];
  readonly accf: Readonly<Record<string, readonly (number | null)[]>>;
  readonly accf_v1: {
    readonly query: Readonly<Record<string, unknown>>;
    readonly values: Readonly<Record<string, readonly (number | null)[]>>;
  };
  readonly climate: Climate;
  readonly climate_without_efficacy: Climate;
  readonly energy_forcing: readonly (number | null)[];
}

const cases = readdirSync(new URL('cases/', CASES)).map(
  (name) => JSON.parse(readFileSync(new URL(`cases/${name}`, CASES), 'utf8')) as Case,
);

let compute: Compute;
const mets = new Map<string, Met>();

beforeAll(() => {
  compute = openCompute({ threads: 1, maxQueue: 100 });
});
afterAll(async () => {
  await Promise.all([compute.close(), ...[...mets.values()].map((met) => met.close())]);
});

describe.each(cases)('flight $id', (flight) => {
  test('has the climate change functions of the reference', async () => {
    const answer = await ask('accf', flight, 'include=met');
    compareColumns(answer, flight.accf, [...ACCF_NAMES, 'pcfa']);
    compareColumns(answer, flight.weather, ['air_temperature', 'geopotential', 'olr', 'rhi', 'day']);
    compareColumns(answer, { Fin: flight.fin }, ['Fin']);
    flight.weather.potential_vorticity?.forEach((expected, i) => {
      const actual = (answer.potential_vorticity as Float64Array)[i] as number;
      if (expected === null) expect(actual).toBeNaN();
      else expect(Math.abs(actual - expected)).toBeLessThan(2e-6 * (Math.abs(expected) + 0.1));
    });
    const isEurope = flight.met.includes('europe');
    expect(answer.geopotential_source).toBe(isEurope ? 'given' : 'standard_atmosphere');
    expect(answer.potential_vorticity_source).toBe('computed');
    expect(answer.humidity_scaling_name).toBe('none');
  });

  test('has them with other parameters too', async () => {
    const { query, values } = flight.accf_v1;
    const words = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    compareColumns(await ask('accf', flight, words.join('&')), values, Object.keys(values));
  });

  test('has the climate balance of the reference, with efficacy and without', async () => {
    const largest = flight.energy_forcing.reduce<number>((sum, joules) => sum + Math.abs(joules ?? 0), 0);
    const answer = await ask('cocip', flight, 'include=climate,co2e');
    compareClimate(answer.climate as Climate, flight.climate, largest);
    expect((answer.totals as { metrics: Block }).metrics).toEqual(
      (answer.climate as Climate).species.contrails?.co2e,
    );
    const without = await ask('cocip', flight, 'include=climate&efficacy=false');
    compareClimate(without.climate as Climate, flight.climate_without_efficacy, largest);
  });
});

test('hydrogen in the fuel changes particles, water and contrails as in the reference', async () => {
  const expected = JSON.parse(
    readFileSync(new URL('fuel-accf-01-a320-lemd-eddf.json', CASES), 'utf8'),
  ) as Case & {
    readonly nvpm_ei_n: readonly (number | null)[];
    readonly nvpm_ei_n_jet_a1: readonly (number | null)[];
    readonly energy_forcing_jet_a1: readonly (number | null)[];
    readonly total_h2o_kg: number;
  };
  const answer = await ask('cocip', expected, 'include=emissions');
  compareColumns(answer, { nvpm_ei_n: expected.nvpm_ei_n }, ['nvpm_ei_n']);
  compareColumns(answer, { energy_forcing: expected.energy_forcing }, ['energy_forcing'], 2e-5);
  expect(Math.abs((answer.totals as Block).h2o as number) / expected.total_h2o_kg).toBeCloseTo(1, 5);
  expect(answer.fuel_properties).toEqual({ hydrogen_content: { value: 14.3 } });
  const { hydrogen_content: _, ...jetA1 } = expected.body;
  const plain = await ask('cocip', { ...expected, body: jetA1 }, 'include=emissions');
  compareColumns(plain, { nvpm_ei_n: expected.nvpm_ei_n_jet_a1 }, ['nvpm_ei_n']);
  const same = await ask(
    'cocip',
    { ...expected, body: { ...jetA1, hydrogen_content: 13.8 } },
    'include=emissions',
  );
  expect(same.energy_forcing).toEqual(plain.energy_forcing);
  expect(same.nvpm_ei_n).toEqual(plain.nvpm_ei_n);
});

test('the threshold of humidity changes contrails of the functions and not the balance', async () => {
  const [flight] = cases as [Case];
  const strict = await ask('accf', flight, 'issr_rhi_threshold=1.2');
  const usual = await ask('accf', flight, '');
  const sum = (column: unknown) => (column as Float64Array).reduce((all, value) => all + value, 0);
  expect(sum(strict.pcfa)).toBeLessThan(sum(usual.pcfa));
  expect(strict.aCCF_NOx).toEqual(usual.aCCF_NOx);
});

test('settings of the installation change the warning and the lifetime of methane', async () => {
  const flight = cases[0] as Case;
  const search = 'include=climate';
  const [first, second] = [
    await ask('cocip', flight, search),
    await ask('cocip', flight, search, {
      valid_latitude: [60, 90],
      valid_hpa: [150, 400],
      methane_lifetime_years: 9,
    }),
  ];
  const outside = (answer: typeof first) =>
    Number(
      String((answer.warnings as string[])?.find((one) => one.includes('fitted to')) ?? '0').split(' ')[0],
    );
  expect(outside(first)).toBeLessThan(outside(second));
  expect(outside(second)).toBe((second.energy_forcing as unknown[]).length);
  const [before, after] = [first, second].map(
    (answer) => (answer.climate as { species: { nox: { co2e: Block } } }).species.nox.co2e,
  ) as [Block, Block];
  expect(after.atr20).toBeCloseTo(before.atr20 as number, 6);
  expect(after.gwp100).toBeGreaterThan(before.gwp100 as number);
});

test('a pulse has no horizon of 50 years', async () => {
  const [flight] = cases as [Case];
  await expect(ask('accf', flight, 'time_horizon=50')).rejects.toThrow(/future_scenario/);
});

test('the criterion of formation needs an aircraft or its efficiency', async () => {
  const [flight] = cases as [Case];
  const { aircraft_type: _, ...anonymous } = flight.body;
  await expect(ask('accf', { ...flight, body: anonymous }, 'pcfa=sac')).rejects.toThrow(/engine_efficiency/);
  const given = { ...flight, body: { ...anonymous, engine_efficiency: 0.35 } };
  const [sac, issr] = [await ask('accf', given, 'pcfa=sac'), await ask('accf', given, '')];
  (sac.pcfa as Float64Array).slice(0, -1).forEach((value, i) => {
    expect(value).toBeLessThanOrEqual((issr.pcfa as Float64Array)[i] as number);
  });
});

test.each([
  ['gtp', 'co2e_gtp100'],
  ['atr', 'co2e_atr20'],
])('waypoints have CO2 equivalents of the metric %s where it is chosen', async (metric, column) => {
  const [flight] = cases as [Case];
  const answer = await ask('cocip', flight, `include=co2e&co2e_metric=${metric}`);
  const sum = (answer[column] as Float64Array).reduce((all, value) => all + (value || 0), 0);
  const total = (answer.totals as { metrics: Block }).metrics[column.slice(5)] as number;
  expect(sum / total).toBeCloseTo(1, 9);
  expect(answer).not.toHaveProperty('co2e_gwp100');
  expect((answer.totals as Block).co2e_gwp100).toBe((answer.totals as { metrics: Block }).metrics.gwp100);
});

async function ask(
  model: TrajectoryModel,
  flight: Pick<Case, 'met' | 'body'>,
  search: string,
  accf?: AccfSettings,
) {
  const fleet = readFleet(flight.body, needsOf('issr', []));
  if (fleet instanceof Rejected) throw new Error(JSON.stringify(fleet.errors));
  const read = readerOf(queryOf(trajectoryParameters(model)));
  const raw = Object.fromEntries(new URLSearchParams(search));
  const query = read?.(raw);
  if (query instanceof Rejected) throw new Error(JSON.stringify(query.errors));
  const options = optionsOf(
    query as never,
    defaultScaling(model, 'exponential_boost_latitude_customization'),
    accf,
  );
  const request = await prepareRequest(model, fleet, options, compute);
  const services = { met: { open: () => metOf(flight.met) }, compute };
  return (await computeTrajectories(services, request, {})).answer as Readonly<Record<string, unknown>>;
}

async function metOf(file: string): Promise<Met> {
  const name = file.slice('met/'.length, -'.met.nc'.length);
  const known = mets.get(name);
  if (known !== undefined) return known;
  const source = await openSource({
    kind: 'netcdf',
    name,
    provider: 'ECMWF',
    dataset: 'ERA5',
    product: 'reanalysis',
    paths: [`met/${name}.*.nc`],
    directory: WEATHER,
    threads: 1,
  });
  const met = openMet({ sources: [source], memoryBytes: 2 ** 28, threads: 1 });
  mets.set(name, met);
  return met;
}

function compareColumns(
  answer: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, readonly (number | null)[]>>,
  names: readonly string[],
  tolerance = 2e-6,
): void {
  for (const name of names) {
    const wanted = expected[name];
    if (wanted === undefined) continue;
    const column = answer[name] as Float64Array;
    const largest = Math.max(...wanted.map((value) => Math.abs(value ?? 0)));
    wanted.forEach((value, i) => {
      const label = `${name} at ${i}`;
      if (value === null) expect(column[i], label).toBeNaN();
      else expect(Math.abs((column[i] as number) - value), label).toBeLessThanOrEqual(tolerance * largest);
    });
  }
}

function compareClimate(actual: Climate, expected: Climate, absoluteForcingJ: number): void {
  expect(actual.coverage).toBe(expected.coverage);
  expect(actual.fuel_kg / expected.fuel_kg).toBeCloseTo(1, 5);
  const close = (value: number, wanted: number, label: string, scale = Math.abs(wanted)) =>
    expect(Math.abs(value - wanted), label).toBeLessThanOrEqual(1e-5 * scale);
  for (const [name, { co2e, ...numbers }] of Object.entries(expected.species)) {
    const species = actual.species[name] as Species;
    const scale =
      name === 'contrails'
        ? absoluteForcingJ / Math.abs(expected.species.contrails?.energy_forcing_j || 1)
        : 1;
    for (const [field, wanted] of Object.entries(numbers as Block))
      close(species[field] as number, wanted, `${name}.${field}`, Math.abs(wanted) * Math.max(scale, 1));
    for (const metric of METRIC_NAMES) {
      const wanted = (co2e as Block)[metric] as number;
      close(
        (species.co2e as Block)[metric] as number,
        wanted,
        `${name} ${metric}`,
        Math.abs(wanted) * Math.max(scale, 1),
      );
    }
  }
  for (const metric of METRIC_NAMES) {
    const scale = Object.entries(expected.species).reduce(
      (sum, [name, { co2e }]) =>
        sum + (name === 'contrails_accf' ? 0 : Math.abs((co2e as Block)[metric] as number)),
      0,
    );
    close(
      actual.non_co2.co2e[metric] as number,
      expected.non_co2.co2e[metric] as number,
      `non_co2 ${metric}`,
      10 * scale,
    );
    close(
      actual.total.co2e[metric] as number,
      expected.total.co2e[metric] as number,
      `total ${metric}`,
      10 * scale,
    );
  }
}
