import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query as queryOf, readerOf } from '@contrails/runtime/options/query';
import { Rejected } from '@contrails/runtime/options/rejected';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computeTrajectories } from '../../src/flights/compute.ts';
import { needsOf } from '../../src/flights/needs.ts';
import { optionsOf, trajectoryParameters } from '../../src/flights/options.ts';
import { prepareRequest } from '../../src/flights/prepare-request.ts';
import { readFleet } from '../../src/flights/read-fleet.ts';
import { writePack } from '../../src/mrv/pack.ts';
import type { Summary } from '../../src/mrv/summary.ts';
import { verifyPack } from '../../src/mrv/verify.ts';
import { copyWeather, MRV_TABLES, openServices, readCsv, SCOPE, SETTINGS } from './support.ts';

const INPUTS = {
  flights: join(MRV_TABLES, 'flights.csv'),
  trajectories: join(MRV_TABLES, 'trajectories.csv'),
};

const weather = copyWeather();
const work = mkdtempSync(join(tmpdir(), 'mrv-'));
const folder = join(work, 'pack');
let services: Awaited<ReturnType<typeof openServices>>;
let summary: Summary;

const write = (inputs: typeof INPUTS, name: string) =>
  writePack(
    services,
    { inputs, scope: SCOPE, folder: join(work, name), force: false, command: 'contrails mrv report' },
    SETTINGS,
  );

beforeAll(async () => {
  services = await openServices(weather);
  summary = await write(INPUTS, 'pack');
});
afterAll(() => services.close());

describe('a report', () => {
  test('gives every flight of the operator as a row, out of scope, or not computed', () => {
    expect(summary.flights).toEqual({
      supplied: 6,
      telemetry: 0,
      reported: 3,
      out_of_scope: { arrival_outside: 1, departure_outside: 1 },
      not_computed: { airport_unknown: 1 },
    });
  });

  test('names where the data of each flight come from', () => {
    const rows = readCsv(join(folder, 'flights.csv'));
    const primary = rows.map((row) =>
      Object.keys(row)
        .filter((name) => name.startsWith('provenance_') && row[name] === 'primary')
        .join(' '),
    );
    expect(primary).toEqual([
      'provenance_trajectory provenance_aircraft_type provenance_mass',
      'provenance_trajectory provenance_aircraft_type provenance_fuel_properties',
      'provenance_trajectory provenance_aircraft_type provenance_fuel_flow',
    ]);
    expect(Number(rows[2]?.fuel_burn_kg)).toBeCloseTo(3710.2, 3);
  });

  test('has totals that are the sums of its flights', () => {
    const rows = readCsv(join(folder, 'flights.csv'));
    for (const [name, total] of Object.entries(summary.totals)) {
      const sum = rows.reduce((all, row) => all + Number(row[name] ?? 0), 0);
      expect(total, name).toBeCloseTo(sum, 6);
    }
  });

  test('has the numbers that the trajectory endpoint returns for the same inputs', async () => {
    const points = readCsv(INPUTS.trajectories).filter(({ flight_key }) => flight_key === 'XZ100-0114');
    const body = {
      longitude: points.map(({ longitude }) => Number(longitude)),
      latitude: points.map(({ latitude }) => Number(latitude)),
      altitude: points.map(({ altitude_ft }) => Number(altitude_ft)),
      time: points.map(({ time }) => time),
      aircraft_type: 'A320',
      takeoff_mass: 67_500,
      origin_airport_icao: 'LEMD',
      destination_airport_icao: 'EDDF',
    };
    const fleet = readFleet(body, needsOf('cocip', []));
    if (fleet instanceof Rejected) throw new Error(JSON.stringify(fleet.errors));
    const read = readerOf(queryOf(trajectoryParameters('cocip')));
    const asked = read?.({ include: 'climate', resample: '60', dt_integration_minutes: '5' });
    const request = await prepareRequest(
      'cocip',
      fleet,
      optionsOf(asked as never, SETTINGS.scaling),
      services.compute,
    );
    const { answer } = await computeTrajectories(services, request, {});
    const { species, non_co2 } = answer.climate as {
      species: Record<string, Record<string, number>>;
      non_co2: { co2e: Record<string, number> };
    };
    const [row] = readCsv(join(folder, 'flights.csv'));
    const pairs: [string, number | undefined][] = [
      ['co2_kg', species.co2?.kg],
      ['nox_kg', species.nox?.kg],
      ['h2o_kg', species.h2o?.kg],
      ['contrail_energy_forcing_j', species.contrails?.energy_forcing_j],
      ['non_co2_co2e20_kg', non_co2.co2e.gwp20],
      ['non_co2_co2e100_kg', non_co2.co2e.gwp100],
    ];
    for (const [name, expected] of pairs)
      expect(Number(row?.[name]) / (expected ?? Number.NaN), name).toBeCloseTo(1, 8);
  });

  test("shows the effect of the operator's mass as the difference to a rerun without it", async () => {
    const flights = join(work, 'without-mass.csv');
    const lines = readFileSync(INPUTS.flights, 'utf8').replace(',67500,', ',,');
    writeFileSync(flights, lines);
    await write({ ...INPUTS, flights }, 'without-mass');
    const [row] = readCsv(join(folder, 'flights.csv'));
    const [without] = readCsv(join(work, 'without-mass', 'flights.csv'));
    const difference = Number(row?.non_co2_co2e100_kg) - Number(without?.non_co2_co2e100_kg);
    expect(Number(row?.effect_mass_co2e100_kg) / difference).toBeCloseTo(1, 6);
    expect(without?.effect_mass_co2e100_kg).toBe('');
  });

  test('takes an empty column for a missing one', async () => {
    const flights = join(work, 'empty-column.csv');
    const [head = '', ...lines] = readFileSync(INPUTS.flights, 'utf8').trimEnd().split('\n');
    writeFileSync(flights, `${[`${head},registration`, ...lines.map((line) => `${line},`)].join('\n')}\n`);
    await write({ ...INPUTS, flights }, 'empty-column');
    expect(readFileSync(join(work, 'empty-column', 'flights.csv'), 'utf8')).toBe(
      readFileSync(join(folder, 'flights.csv'), 'utf8'),
    );
  });

  test('refuses a flight key that is there twice, and a folder that is not empty', async () => {
    const flights = join(work, 'twice.csv');
    const text = readFileSync(INPUTS.flights, 'utf8');
    writeFileSync(flights, `${text}${text.split('\n')[1]}\n`);
    await expect(write({ ...INPUTS, flights }, 'twice')).rejects.toThrow(
      /flight_key XZ100-0114 is there twice/,
    );
    await expect(write(INPUTS, 'pack')).rejects.toThrow(/is not empty/);
  });
});

describe('a verification', () => {
  const verify = (path: string, other = services, settings = SETTINGS) =>
    verifyPack(other, path, settings, { seed: 0 });

  const copy = (name: string) => {
    cpSync(folder, join(work, name), { recursive: true });
    return join(work, name);
  };

  test('finds nothing in an untouched folder that was moved', async () => {
    const verification = await verify(copy('moved'));
    expect(verification.conditions).toEqual([]);
    expect(verification.differences).toEqual([]);
    expect(verification.recomputed).toBe(3);
  });

  test('finds a changed cell by its hash, and names flight and field', async () => {
    const path = copy('changed');
    const file = join(path, 'flights.csv');
    const text = readFileSync(file, 'utf8');
    const nox = readCsv(file)[1]?.nox_kg ?? '';
    writeFileSync(file, text.replace(`,${nox},`, ',1.25,'));
    const { differences } = await verify(path);
    expect(differences).toContainEqual(
      expect.objectContaining({ file: 'flights.csv', message: expect.stringMatching(/hash/) }),
    );
    expect(differences).toContainEqual(
      expect.objectContaining({ file: 'flights.csv', flight_key: 'XZ200-0114', field: 'nox_kg' }),
    );
    expect(differences).toContainEqual(expect.objectContaining({ file: 'summary.json', field: 'nox_kg' }));
  });

  test('finds a changed byte of an input', async () => {
    const path = copy('changed-input');
    const file = join(path, 'inputs', 'trajectories.csv');
    writeFileSync(file, readFileSync(file, 'utf8').replace('27642.7', '27642.8'));
    const { differences } = await verify(path);
    expect(differences).toContainEqual(expect.objectContaining({ file: 'inputs/trajectories.csv' }));
  });

  test('finds another weather file', async () => {
    const other = copyWeather();
    const file = join(other, 'met', 'europe.met.nc');
    const bytes = readFileSync(file);
    // Behind all values: the weather is the same, its file is not.
    writeFileSync(file, Buffer.concat([bytes, Buffer.from([0])]));
    const elsewhere = await openServices(other);
    try {
      const { conditions } = await verify(folder, elsewhere);
      expect(conditions).toContainEqual(
        expect.objectContaining({ field: 'weather', message: expect.stringMatching(/other data/) }),
      );
    } finally {
      await elsewhere.close();
    }
  });

  test('finds another parameter, and names flights that differ for it', async () => {
    const { conditions, differences } = await verify(folder, services, { ...SETTINGS, scaling: 'none' });
    expect(conditions).toContainEqual(expect.objectContaining({ field: 'humidity_scaling' }));
    expect(differences).toContainEqual(expect.objectContaining({ field: 'contrail_energy_forcing_j' }));
  });

  test('refuses a folder that is not a report', async () => {
    await expect(verify(work)).rejects.toThrow(/is not a report/);
  });
});
