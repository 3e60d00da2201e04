import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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
import { comparePack } from '../../src/mrv/compare.ts';
import { writePack } from '../../src/mrv/pack.ts';
import type { Summary } from '../../src/mrv/summary.ts';
import { LEG_COLUMNS } from '../../src/mrv/telemetry.ts';
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
    expect(rows.map((row) => [row.hydrogen_content_pct, row.sulphur_ppm, row.aromatics_vol_pct])).toEqual([
      ['13.8', '600', ''],
      ['14.2', '250', '16.1'],
      ['13.8', '600', ''],
    ]);
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

  test('removes what a killed process left, and leaves what others write', async () => {
    const left = join(work, 'killed.partial-999999999-abandoned');
    const busy = join(work, `killed.partial-${process.pid}-other`);
    for (const path of [left, busy]) mkdirSync(path);
    await write(INPUTS, 'killed');
    expect(existsSync(left)).toBe(false);
    expect(existsSync(busy)).toBe(true);
    expect(readdirSync(join(work, 'killed'))).toContain('manifest.json');
  });

  test('written twice at once is whole in two places, and refused once in the same', async () => {
    // As two commands have it: a database for each.
    const others = await openServices(weather);
    try {
      const at = (name: string, by = services) =>
        writePack(
          by,
          { inputs: INPUTS, scope: SCOPE, folder: join(work, name), force: false, command: '' },
          SETTINGS,
        );
      expect(await Promise.all([at('one'), at('other', others)])).toEqual([summary, summary]);
      const outcomes = await Promise.allSettled([at('same'), at('same', others)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(readdirSync(work).filter((name) => name.startsWith('same'))).toEqual(['same']);
      const verification = await verifyPack(services, join(work, 'same'), SETTINGS, { seed: 0 });
      expect(verification.differences).toEqual([]);
    } finally {
      await others.close();
    }
  });

  test('leaves no folder when it is cancelled', async () => {
    const stop = new AbortController();
    const pack = { inputs: INPUTS, scope: SCOPE, folder: join(work, 'stopped'), force: false, command: '' };
    const running = writePack(services, pack, SETTINGS, {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(running).rejects.toThrow();
    expect(readdirSync(work).filter((name) => name.startsWith('stopped'))).toEqual([]);
  });

  test('uses defaults of the configuration, and shows what they change', async () => {
    const settings = { ...SETTINGS, defaults: { load_factor: 1, fuel: { hydrogen_content_pct: 13.4 } } };
    const pack = { inputs: INPUTS, scope: SCOPE, folder: join(work, 'defaults'), force: false, command: '' };
    await writePack(services, pack, settings);
    const [, , row] = readCsv(join(work, 'defaults', 'flights.csv'));
    const [, , usual] = readCsv(join(folder, 'flights.csv'));
    expect(row).toMatchObject({
      provenance_mass: 'default',
      provenance_fuel_properties: 'default',
      passenger_load_factor: '1',
      hydrogen_content_pct: '13.4',
    });
    expect(Number(row?.takeoff_mass_kg)).toBeGreaterThan(Number(usual?.takeoff_mass_kg));
    expect(row?.effect_mass_co2e100_kg).not.toBe('');
    expect(Math.abs(Number(row?.effect_fuel_properties_co2e100_kg))).toBeGreaterThan(0);
  });

  test('has on its page only numbers that its tables have, or sums of them', () => {
    const page = readFileSync(join(folder, 'report.html'), 'utf8').replace(/<style>.*?<\/style>/s, '');
    const rows = readCsv(join(folder, 'flights.csv'));
    const excluded = readCsv(join(folder, 'out-of-scope.csv'));
    const groups = ['departure_time', 'aircraft_type'].flatMap((column) =>
      [...new Set(rows.map((row) => row[column]?.slice(0, 7)))].map((value) =>
        rows.filter((row) => row[column]?.startsWith(String(value))),
      ),
    );
    const sums = [rows, ...groups, ...rows.map((row) => [row])].flatMap((some) =>
      Object.keys(some[0] ?? {}).map((name) => some.reduce((sum, row) => sum + Number(row[name]), 0)),
    );
    const shown = (value: number) => value.toFixed(3).replace(/^-(?=0\.000$)/, '');
    const known = new Set(sums.filter(Number.isFinite).flatMap((sum) => [shown(sum), shown(sum / 1000)]));
    const numbers = [...page.matchAll(/(?<=[> ])-?\d+\.\d{3}(?= t| km|<)/g)].map(([text]) => text);
    expect(numbers.length).toBeGreaterThan(40);
    expect(numbers.filter((text) => !known.has(text.replace(/^-(?=0\.000$)/, '')))).toEqual([]);
    const counts = new Set([...Array(rows.length + excluded.length + 1).keys()].map(String));
    const texts = new Set(
      rows.flatMap((row) => [`${row.departure_airport}–${row.arrival_airport}`, row.aircraft_type]),
    );
    const cells = [...page.matchAll(/<td>([^<]*)<\/td>/g)].map(([, text]) => text ?? '');
    expect(cells.filter((text) => !numbers.includes(text) && !counts.has(text) && !texts.has(text))).toEqual(
      [],
    );
  });
});

describe('telemetry beside the flights of an operator', () => {
  /** Legs of the first and third flight, and of one that the operator does not name. */
  async function withTelemetry() {
    const inputs = {
      ...INPUTS,
      trajectories: join(work, 'first.csv'),
      telemetry: join(work, 'telemetry.parquet'),
      minutes: join(work, 'minutes.parquet'),
    };
    const [head = '', ...lines] = readFileSync(INPUTS.trajectories, 'utf8').trimEnd().split('\n');
    const own = lines.filter((line) => !line.startsWith('XZ300'));
    writeFileSync(inputs.trajectories, `${[head, ...own].join('\n')}\n`);
    const leg = (id: string, callsign: string, from: string, to: string, first: string) =>
      `('${id}', 'abc001', '${callsign}', NULL, 'A320', NULL, '${from}', '${to}', TIMESTAMP '${first}', TIMESTAMP '${first}' + INTERVAL 90 MINUTE, 'ok')`;
    const legs = [
      leg('leg-1', 'XZA100', 'LEMD', 'EDDF', '2025-01-14 06:04:00'),
      leg('leg-3', 'XZA300', 'EGLL', 'LIRF', '2025-01-14 08:00:00'),
      leg('leg-9', 'XZA900', 'LEMD', 'EDDF', '2025-01-14 06:00:00'),
    ];
    await services.duckdb.run(
      `COPY (SELECT * FROM (VALUES ${legs.join(', ')}) AS legs(${LEG_COLUMNS.join(', ')})) TO '${inputs.telemetry}' (FORMAT parquet)`,
    );
    await services.duckdb.run(
      `COPY (SELECT CASE flight_key WHEN 'XZ300-0114' THEN 'leg-3' ELSE 'leg-9' END AS flight_key, CAST(time AS TIMESTAMP) AS time, longitude, latitude, altitude_ft
         FROM read_csv('${INPUTS.trajectories}') WHERE flight_key IN ('XZ300-0114', 'XZ100-0114')) TO '${inputs.minutes}' (FORMAT parquet)`,
    );
    return inputs;
  }

  test('fills in trajectories, and legs without a row are reported or counted', async () => {
    const inputs = await withTelemetry();
    const scope = { ...SCOPE, rule: 'all' } as const;
    const pack = { inputs, scope, folder: join(work, 'matched'), force: false, command: '' };
    const found = await writePack(services, pack, SETTINGS);
    const { supplied, telemetry, reported, out_of_scope, not_computed } = found.flights;
    const counted = [out_of_scope, not_computed].flatMap((reasons) => Object.values(reasons));
    expect(reported + counted.reduce((sum, count) => sum + count, 0)).toBe(supplied + telemetry);
    expect({ supplied, telemetry }).toEqual({ supplied: 6, telemetry: 1 });
    const rows = new Map(readCsv(join(work, 'matched', 'flights.csv')).map((row) => [row.flight_key, row]));
    expect(rows.get('XZ100-0114')).toMatchObject({ flight_id: 'leg-1', provenance_trajectory: 'primary' });
    expect(rows.get('XZ300-0114')).toMatchObject({ flight_id: 'leg-3', provenance_trajectory: 'secondary' });
    expect(rows.get('leg-9')).toMatchObject({
      provenance_trajectory: 'secondary',
      provenance_aircraft_type: 'secondary',
      findings: 'not_in_operator_file',
    });
    const verification = await verifyPack(services, join(work, 'matched'), SETTINGS, { seed: 0 });
    expect([...verification.conditions, ...verification.differences]).toEqual([]);
  });
});

describe('a comparison', () => {
  test('finds nothing in the same table, and explains another mass', async () => {
    const own = join(folder, 'flights.csv');
    const same = await comparePack(services, folder, own, {}, SETTINGS);
    expect(same).toMatchObject({
      only_ours: [],
      only_theirs: [],
      matched: 3,
      differences: [],
      explained: [],
    });
    const rows = readCsv(own);
    const other = join(work, 'other.csv');
    const without = readCsv(join(work, 'without-mass', 'flights.csv'))[0];
    const theirs = rows
      .slice(0, 2)
      .map((row, r) =>
        r === 0
          ? [row.flight_key, without?.takeoff_mass_kg, without?.non_co2_co2e100_kg]
          : [row.flight_key, row.takeoff_mass_kg, row.non_co2_co2e100_kg],
      );
    writeFileSync(
      other,
      `key,mass,non_co2_co2e100_kg\n${theirs.map((row) => row.join(',')).join('\n')}\nX1,1,1\n`,
    );
    const map = { key: 'flight_key', mass: 'takeoff_mass_kg' };
    const found = await comparePack(services, folder, other, map, SETTINGS);
    expect(found.only_ours).toEqual([rows[2]?.flight_key]);
    expect(found.only_theirs).toEqual(['X1']);
    expect(found.differences.map(({ field }) => field)).toEqual(['takeoff_mass_kg', 'non_co2_co2e100_kg']);
    const [mass, rest] = found.explained;
    expect(mass?.field).toBe('takeoff_mass_kg');
    expect(rest?.field).toBe('model_and_weather');
    const all = found.differences[1]?.difference ?? Number.NaN;
    expect((mass?.contribution_co2e100_kg ?? 0) + (rest?.contribution_co2e100_kg ?? 0)).toBeCloseTo(all, 6);
    expect(Math.abs(rest?.contribution_co2e100_kg ?? 1)).toBeLessThan(0.01 * Math.abs(all));
  });

  test.each([
    [
      'a map to a column that does not exist',
      { key: 'flight_key', mass: 'weight' },
      /weight is not a column/,
    ],
    ['a map of a column that is not there', { flight: 'flight_key' }, /has no column flight/],
    ['a table without keys', {}, /neither flight_key nor callsign/],
  ])('refuses %s', async (_, map, message) => {
    const other = join(work, 'bare.csv');
    writeFileSync(other, 'key,mass\nX1,1\n');
    await expect(comparePack(services, folder, other, map, SETTINGS)).rejects.toThrow(message);
  });
});

test('a comparison takes times as UTC, however they are written, and names cells that are not numbers', async () => {
  const other = join(work, 'texts.csv');
  const [first] = readCsv(join(folder, 'flights.csv'));
  const { callsign, departure_airport, departure_time = '', arrival_time = '' } = first ?? {};
  const time = departure_time.replace('T', ' ').replace('Z', '');
  const line = [callsign, departure_airport, time, arrival_time.replace('Z', '+00:00'), 'n/a'].join(',');
  writeFileSync(other, `callsign,departure_airport,departure_time,arrival_time,takeoff_mass_kg\n${line}\n`);
  const { matched, differences, explained } = await comparePack(services, folder, other, {}, SETTINGS);
  expect([matched, explained]).toEqual([1, []]);
  expect(differences).toMatchObject([{ field: 'takeoff_mass_kg', theirs: 'n/a', difference: null }]);
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

  test('finds a changed byte of the manifest', async () => {
    const path = copy('changed-manifest');
    const file = join(path, 'manifest.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"operator": "XZ"', '"operator": "XY"'));
    const { differences } = await verify(path);
    expect(differences).toContainEqual({
      file: 'manifest.json',
      message: 'manifest.json was changed: its hash is not that of its contents',
    });
  });

  test('finds a changed byte of an input', async () => {
    const path = copy('changed-input');
    const file = join(path, 'inputs', 'trajectories.csv');
    writeFileSync(file, readFileSync(file, 'utf8').replace('27642.7', '27642.8'));
    const { differences } = await verify(path);
    expect(differences).toContainEqual(expect.objectContaining({ file: 'inputs/trajectories.csv' }));
  });

  test.each([
    'flights.csv',
    'flights.parquet',
    'summary.json',
    'inputs/flights.csv',
    'inputs/trajectories.csv',
    'inputs/waypoints.parquet',
  ])('names %s where it is cut off or missing', async (name) => {
    const path = copy(`damaged-${name.replace('/', '-')}`);
    const file = join(path, name);
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    const cut = await verify(path);
    expect(cut.differences).toContainEqual(
      expect.objectContaining({ file: name, message: expect.stringMatching(/hash/) }),
    );
    rmSync(file);
    const { differences } = await verify(path);
    expect(differences).toContainEqual({ file: name, message: `${name} is missing` });
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
