import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDuckDb, sqlText } from '@contrails/formats';
import { describe, expect, test } from 'vitest';
import { contrails, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const START_S = 1_735_689_600;

/** A flight from Frankfurt towards the east at 230 m/s, a report each half minute. */
function flight(type: string, address: string): string[] {
  return Array.from({ length: 181 }, (_, i) => {
    const altitude = Math.min(35_000, 1000 + 1000 * Math.min(i, 180 - i));
    return [
      START_S + 30 * i,
      50.03,
      8.57 + i * 0.0965,
      altitude,
      address,
      `DLH${address.slice(-1)}`,
      type,
      'EDDF',
    ].join(',');
  });
}

const HEAD =
  'timestamp,latitude,longitude,altitude_baro,icao_address,callsign,aircraft_type_icao,departure_airport_icao';

function directoryWith(files: Record<string, string>): string {
  const cwd = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

const table = (...flights: string[][]) => [HEAD, ...flights.flat()].join('\n');

test('every leg is listed with its outcome, and where all rows went', async () => {
  const cwd = directoryWith({
    'day.csv': table(flight('A320', '3C6441'), flight('A320', '3C6442').slice(0, 5), [',,,,,,,']),
  });
  const { code, stdout, stderr } = await contrails(['adsb', 'flights', 'day.csv'], { cwd });
  const [head, first, second] = stdout.split('\n');
  expect(head).toMatch(/^FLIGHT +ADDRESS +CALLSIGN +FROM +TO/);
  expect(first).toMatch(/^\S{36} +3C6441 +DLH1 +EDDF .* 181 +- +ok /);
  expect(second).toMatch(/^\S{36} +3C6442 .* 5 +- +fragment +fragment$/);
  expect(stderr).toContain('reports: 186 of 2 aircraft, 0 of them on the ground');
  expect(stderr).toContain('rows that are not reports: 1 missing_address');
  expect(stderr).toContain('legs: 2 (1 fragment, 1 ok)');
  expect(code).toBe(0);
});

test('flights.ndjson is evaluated as it is, without the flights that no model can be run along', async () => {
  const cwd = directoryWith({
    'contrails.yaml': 'met: { sources: [ { name: demo, kind: synthetic, resolution: 10 } ] }\n',
    'day.csv': table(flight('A320', '3C6441'), flight('AT76', '3C6442'), flight('', '3C6443')),
  });
  const made = await contrails(['adsb', 'flights', 'day.csv', '-o', 'flights.ndjson'], { cwd });
  expect(made.stderr).toContain(
    'not written, because no model can be run along them: 1 type_unknown, 1 type_unsupported',
  );
  const lines = readFileSync(join(cwd, 'flights.ndjson'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  const body = JSON.parse(lines[0] as string);
  expect(body).toMatchObject({ aircraft_type: 'A320', departure_airport_icao: 'EDDF', status: 'ok' });
  expect(body.passenger_load_factor).toBeGreaterThan(0.5);
  const { code, stdout } = await contrails(['trajectory', 'cocip', 'flights.ndjson'], { cwd });
  const answer = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(answer.flight_id).toBe(body.flight_id);
  expect(answer.energy_forcing).toHaveLength(body.time.length);
});

test('every line of flights.ndjson can be posted to a running service as it is', async () => {
  const cwd = directoryWith({ 'day.csv': table(flight('A320', '3C6441'), flight('B738', '3C6442')) });
  await contrails(['adsb', 'flights', 'day.csv', '-o', 'flights.ndjson'], { cwd });
  const lines = readFileSync(join(cwd, 'flights.ndjson'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  const server = start(['serve', '--demo', '--no-workers', '--data', join(cwd, 'data'), '--port', '0'], {
    env: {
      CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'demo', kind: 'synthetic', resolution: 10 }]),
      CONTRAILS_TELEMETRY__SOURCES: '[]',
    },
  });
  try {
    const [, url = ''] = await server.line(/^contrails is ready at (http:\S+)\n/m);
    const [, key = ''] = await server.line(/^demo key: +(\S+)$/m);
    for (const line of lines) {
      const response = await fetch(`${url}/v0/trajectory/cocip`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: line,
      });
      const answer = (await response.json()) as { flight_id: string; energy_forcing: number[] };
      expect(response.status, JSON.stringify(answer)).toBe(200);
      const { flight_id, time } = JSON.parse(line);
      expect(answer.flight_id).toBe(flight_id);
      expect(answer.energy_forcing).toHaveLength(time.length);
    }
  } finally {
    server.kill();
    await server.ended;
  }
});

test('flights.parquet has one row for each leg, with the names of the JSON', async () => {
  const cwd = directoryWith({
    'day.csv': table(flight('A320', '3C6441'), flight('A320', '3C6442').slice(0, 5)),
  });
  const { stdout } = await contrails(['adsb', 'flights', 'day.csv', '--json'], { cwd });
  await contrails(['adsb', 'flights', 'day.csv', '-o', 'flights.parquet'], { cwd });
  const { flights } = JSON.parse(stdout);
  const duckdb = await openDuckDb({ memoryMiB: 128, threads: 1, temporaryDirectory: cwd });
  const file = sqlText(join(cwd, 'flights.parquet'));
  const described = await duckdb.rows(`DESCRIBE SELECT * FROM read_parquet(${file})`);
  const rows = await duckdb.rows(
    `SELECT flight_id, outcome, codes, len(resampled.time) AS minutes, healed.speed AS speed FROM read_parquet(${file})`,
  );
  duckdb.close();
  expect(described.map(({ column_name }) => column_name).sort()).toEqual(Object.keys(flights[0]).sort());
  expect(rows.map((row) => ({ ...row, minutes: Number(row.minutes) }))).toEqual(
    (flights as Leg[]).map(({ flight_id, outcome, codes, resampled, healed }) => ({
      flight_id,
      outcome,
      codes,
      minutes: resampled.time.length,
      speed: healed.speed,
    })),
  );
});

test('wrong usage is reported before anything is read', async () => {
  const cwd = directoryWith({ 'day.csv': table(flight('A320', '3C6441')) });
  const wrong = await contrails(['adsb', 'flights', 'day.csv', '-o', 'flights.xlsx'], { cwd });
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'contrails: -o flights.xlsx has no known ending; give a file that ends in .ndjson or .parquet\n',
  ]);
  const both = await contrails(['adsb', 'flights', 'day.csv', '--json', '-o', 'a.ndjson'], { cwd });
  expect(both.code).toBe(2);
  const missing = await contrails(['adsb', 'flights', 'night.csv'], { cwd });
  expect([missing.code, missing.stderr]).toEqual([
    2,
    'contrails: night.csv cannot be read (ENOENT); check the path\n',
  ]);
});

interface Leg {
  readonly flight_id: string;
  readonly cut: string | null;
  readonly rows: number;
  readonly healed: Readonly<Record<string, number>> & {
    readonly added: readonly { readonly side: string; readonly time: string }[];
  };
  readonly resampled: Readonly<Record<'time', readonly string[]>> &
    Readonly<Record<'longitude' | 'latitude' | 'altitude_ft' | 'gap_s', readonly number[]>> & {
      readonly imputed: readonly boolean[];
    };
  readonly codes: readonly string[];
  readonly outcome: string;
}

interface Case {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, readonly (string | number | boolean | null)[]>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

const CASES = new URL('../../../../shared/reference/flights/', import.meta.url);
const present = existsSync(CASES);
const where = present ? '' : ' (skipped: ../shared/reference/flights is not here)';

function casesOf(kind: string): Case[] {
  if (!present) return [];
  const folder = new URL(`${kind}/`, CASES);
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Case);
}

const COLUMN_OF: Readonly<Record<string, string>> = {
  lat: 'latitude',
  lon: 'longitude',
  alt_ft: 'altitude_baro',
  provider_id: 'flight_id',
  dep: 'departure_airport_icao',
  arr: 'arrival_airport_icao',
};

/** The reports of each case under its own address, so one run of the program takes all of them. */
function tableOf(cases: readonly Case[]): string {
  return cases
    .flatMap(({ input }, k) =>
      (input.t_ms ?? []).map((ms, i) => {
        const entries = Object.entries(input).flatMap(([name, values]) => {
          if (name === 't_ms') return [];
          if (name === 'alt_m') return [['altitude_baro', Number(values[i]) / 0.3048]];
          // Ids that several airframes report are not used.
          if (name === 'provider_id') return [['flight_id', values[i] && `${values[i]}-${k}`]];
          if (name === 'flight_id') return [['flight_id', `${values[i]}-${k}`]];
          return [[COLUMN_OF[name] ?? name, values[i]]];
        });
        return JSON.stringify({
          ...Object.fromEntries(entries),
          timestamp: new Date(Number(ms)).toISOString(),
          icao_address: addressOf(k),
        });
      }),
    )
    .join('\n');
}

const addressOf = (k: number) => (0xa00000 + k).toString(16).toUpperCase();

async function legsOf(cases: readonly Case[]): Promise<(k: number) => Leg[]> {
  const cwd = directoryWith({ 'cases.ndjson': tableOf(cases) });
  const { stdout, code } = await contrails(['adsb', 'flights', 'cases.ndjson', '--json', '--strict'], {
    cwd,
  });
  expect(code).toBe(0);
  const { flights } = JSON.parse(stdout) as { flights: (Leg & { readonly icao_address: string })[] };
  return (k) => flights.filter(({ icao_address }) => icao_address === addressOf(k));
}

describe.skipIf(!present)(`reference cases${where}`, () => {
  test('are cut into the same legs', async () => {
    const cases = casesOf('split');
    const legs = await legsOf(cases);
    cases.forEach(({ id, expect: expected }, k) => {
      const found = legs(k);
      const cuts = expected.cuts as readonly { readonly why: string }[];
      const kept = found.filter(({ outcome }) => outcome !== 'fragment');
      expect(
        found.map(({ cut }) => cut),
        id,
      ).toEqual([null, ...cuts.map(({ why }) => why)]);
      expect(
        kept.map(({ rows }) => rows),
        id,
      ).toEqual((expected.legs as readonly { readonly rows: number }[]).map(({ rows }) => rows));
      expect(found.length - kept.length, id).toBe(expected.fragments);
    });
  });

  test('are healed alike', async () => {
    const cases = casesOf('heal');
    const legs = await legsOf(cases);
    cases.forEach(({ id, expect: expected }, k) => {
      const [leg] = legs(k);
      const steps = expected.steps as readonly { readonly step: string; readonly dropped?: number }[];
      for (const step of ['attribute', 'duplicate_time', 'altitude', 'speed']) {
        expect(leg?.healed[step], `${id} ${step}`).toBe(steps.find((one) => one.step === step)?.dropped ?? 0);
      }
      const added = expected.added as readonly { readonly side: string; readonly t_ms: number }[];
      expect(
        leg?.healed.added.map(({ side }) => side),
        id,
      ).toEqual(added.map(({ side }) => side));
      leg?.healed.added.forEach(({ time }, i) => {
        // The table has the same airports to fewer decimals.
        expect(Math.abs(Date.parse(time) - (added[i]?.t_ms ?? 0)), id).toBeLessThan(2000);
      });
    });
  });

  test('are resampled alike, where healing leaves all of their reports', async () => {
    const isWhole = (leg: Leg | undefined, { input }: Case) =>
      leg?.rows === input.t_ms?.length &&
      ['altitude', 'speed', 'duplicate_time'].every((step) => leg?.healed[step] === 0);
    const cases = casesOf('resample').filter(
      ({ params, expect: { error } }) =>
        params.freq_s === 60 &&
        params.geodesic_threshold_m === 100_000 &&
        params.nominal_rocd_ms === 12.7 &&
        params.keep_original === false &&
        error === undefined,
    );
    const legs = await legsOf(cases);
    let compared = 0;
    cases.forEach((item, k) => {
      const [leg] = legs(k);
      if (leg === undefined || leg.outcome === 'fragment' || !isWhole(leg, item)) return;
      const expected = item.expect as Record<string, readonly number[]>;
      expect(leg.resampled.time.map(Date.parse), item.id).toEqual(expected.t_ms);
      leg.resampled.longitude.forEach((value, i) => {
        expect(Math.abs(value - (expected.lon?.[i] ?? Number.NaN)), item.id).toBeLessThan(1e-7);
      });
      leg.resampled.altitude_ft.forEach((value, i) => {
        expect(Math.abs(value * 0.3048 - (expected.alt_m?.[i] ?? Number.NaN)), item.id).toBeLessThan(1e-3);
      });
      leg.resampled.gap_s.forEach((value, i) => {
        expect(Math.abs(value - (expected.gap_s?.[i] ?? Number.NaN)), item.id).toBeLessThan(1e-3);
      });
      expect(leg.resampled.imputed, item.id).toEqual(expected.imputed);
      compared++;
    });
    expect(compared).toBeGreaterThan(10);
  });

  test('are found invalid alike, where healing leaves the fault', async () => {
    const healable = ['val-attributes', 'val-order', 'val-stopped'];
    const cases = casesOf('validate').filter(({ id }) => !healable.includes(id));
    const legs = await legsOf(cases);
    cases.forEach(({ id, expect: expected }, k) => {
      const [leg] = legs(k);
      expect(leg?.codes, id).toEqual(expected.violations);
      expect(leg?.outcome !== 'ok', id).toBe(expected.rejected);
    });
  });
});
