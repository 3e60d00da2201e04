import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trafficLines } from '../../service/test/families/inventory/support.ts';
import { contrails, start } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const DATE = '2024-02-29';
const START_MS = Date.parse(DATE);
const SHARDS = 2;
const SETTINGS = `met: { sources: [ { name: demo, kind: synthetic, resolution: 10 } ] }
inventory: { shards: ${SHARDS}, max_age_hours: 2 }
workers: { jobs: 1 }
`;

interface JobLine {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly finished: string | null;
}

describe('a day of a few hours', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'contrails inventory '));
  afterAll(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  const place = { cwd, env: { CONTRAILS_DATA: join(cwd, 'data') } };
  const run = ['inventory', 'run', '--date', DATE];
  const jobs = async () =>
    JSON.parse((await contrails(['jobs', 'list', '--json'], place)).stdout) as JobLine[];

  beforeAll(async () => {
    writeFileSync(join(cwd, 'contrails.yaml'), SETTINGS);
    const lines = trafficLines(START_MS, START_MS + 7 * HOUR_MS);
    writeFileSync(join(cwd, 'traffic.ndjson'), lines.join('\n'));
    const args = [
      'adsb',
      'import',
      'traffic.ndjson',
      '--format',
      'target_ndjson',
      '--source',
      'made',
      '--build',
    ];
    const { code, stderr } = await contrails(args, place);
    expect([code, stderr]).toEqual([0, expect.stringContaining('traffic.ndjson: 100 %')]);
  }, 120_000);

  test('Ctrl-C ends a run with 130; the same command goes on with what is left', {
    timeout: 180_000,
  }, async () => {
    const interrupted = start(run, place);
    // With one job at a time, that of the first unit has ended when the second one is done.
    await interrupted.line(/^2024-02-29: ([2-9]|1\d)\/\d+ units/m, 'stderr');
    interrupted.kill('SIGINT');
    const { code, stdout, stderr } = await interrupted.ended;
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/stopped; the same command goes on from here\n$/),
    ]);
    expect(stdout).toMatch(/^DATE +STATE +RUN +MESSAGE\n2024-02-29 +computing +- +flights are computed; /);
    const before = await jobs();
    const done = before.filter(({ state }) => state === 'done');
    expect(done.length).toBeGreaterThan(0);
    expect(before.filter(({ state }) => state === 'running')).toEqual([]);

    const again = await contrails([...run, '--json'], place);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toMatch(/^2024-02-29: (\d+)\/\1 units/m);
    expect(JSON.parse(again.stdout)).toMatchObject([{ date: DATE, state: 'published', parked: [] }]);
    const after = await jobs();
    expect(after).toEqual(expect.arrayContaining(done));
    expect(after.every(({ state }) => state === 'done')).toBe(true);
  });

  test('a day that is published is not computed again', { timeout: 60_000 }, async () => {
    const before = await jobs();
    const { code, stdout } = await contrails(run, place);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2024-02-29 +published +\S+ +\S/m);
    expect(await jobs()).toEqual(before);
  });

  test('the report has the day on one screen', { timeout: 60_000 }, async () => {
    const { code, stdout } = await contrails(['inventory', 'report', '--date', DATE], place);
    expect(code).toBe(0);
    for (const line of [
      /^Inventory of 2024-02-29, provisional \(run \S+\): \S/,
      /^flights +\d+$/m,
      /^distance +[\d,]+ km$/m,
      /^fuel +[\d,]+ t$/m,
      /^persistent contrails +[\d,]+ km \([\d.]+ % of the distance\)$/m,
      /^energy forcing of contrails +-?[\d.e+]+ TJ$/m,
      /^CO2 equivalent of contrails, 20 years +-?[\d,]+ t$/m,
      /^CO2 equivalent of contrails, 50 years +-?[\d,]+ t$/m,
      /^CO2 equivalent of contrails, 100 years +-?[\d,]+ t$/m,
      /^flights that cause 80 % of the warming +\d+ \([\d.]+ %\)$/m,
      /^WORST FLIGHTS +TYPE +FROM +TO +KM +GJ +T CO2E 100$/m,
      /^Telemetry: 7 of 24 hours, [\d,]+ reports of \d+ aircraft$/m,
      /^Legs: \d+ \(.*ok \d+/m,
      /^Minutes: [\d,]+ in telemetry \+ [\d,]+ added at airports = [\d,]+ computed \+ [\d,]+ imputed/m,
      /^CHECK +VALUE +BAND +RESULT$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(50);
  });

  test('the report as JSON has the figures of the screen, and CSV has every flight', {
    timeout: 60_000,
  }, async () => {
    const report = JSON.parse(
      (await contrails(['inventory', 'report', '--date', DATE, '--json'], place)).stdout,
    );
    const { minutes, worst_flights: worst } = report;
    const rejected = Object.values<number>(minutes.rejected).reduce((sum, n) => sum + n, 0);
    expect(minutes.in_telemetry + minutes.added_at_airports).toBe(
      minutes.computed + minutes.imputed + rejected,
    );
    const forcing = worst.map(({ ef_mj }: { ef_mj: number }) => ef_mj);
    expect(forcing.length).toBe(Math.min(10, report.flights.net_warming));
    expect(forcing).toEqual(forcing.toSorted((a: number, b: number) => b - a));
    expect(report.warming.share).toBe(0.8);

    const { stdout, code } = await contrails(['inventory', 'report', '--date', DATE, '--csv'], place);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(head).toBe(SUMMARY_COLUMNS.map(({ name }) => name).join(','));
    expect(rows).toHaveLength(report.flights.computed);
    expect(rows.some((row) => row.startsWith(`${worst[0].flight_id},`))).toBe(true);
  });

  test('flights are written as CSV and Parquet, filtered, and a day without an inventory is named', {
    timeout: 60_000,
  }, async () => {
    const flights = ['inventory', 'flights', '--date', DATE];
    const all = (await contrails(flights, place)).stdout.trimEnd().split('\n');
    const column = (all[0] ?? '').split(',').indexOf('aircraft_type_icao');
    const type = all[1]?.split(',')[column] ?? '';
    const some = await contrails([...flights, '--to', '2024-03-01', '--type', type.toLowerCase()], place);
    const [, ...rows] = some.stdout.trimEnd().split('\n');
    expect(rows).toEqual(all.slice(1).filter((row) => row.split(',')[column] === type));
    expect(some.stderr).toContain('without an inventory: 2024-03-01');
    await contrails([...flights, '-o', 'day.parquet'], place);
    expect(readFileSync(join(cwd, 'day.parquet')).toString('latin1', 0, 4)).toBe('PAR1');
    const wrong = await contrails([...flights, '--format', 'xlsx'], place);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--format xlsx is not csv or parquet'),
    ]);
  });

  test('a flight is explained up to the inventory, and exported as a request', {
    timeout: 120_000,
  }, async () => {
    const exported = await contrails(['inventory', 'export', '--date', DATE, '-o', 'flights.ndjson'], place);
    expect([exported.code, exported.stderr]).toEqual([
      0,
      expect.stringMatching(/\d flights of 2024-02-29 are written to flights\.ndjson\n$/),
    ]);
    const [line = ''] = readFileSync(join(cwd, 'flights.ndjson'), 'utf8').split('\n');
    const { icao_address: address, flight_id, parameters } = JSON.parse(line);
    expect(parameters).toEqual({ dt_integration_minutes: 5, max_age_hours: 2 });
    const explain = ['adsb', 'explain', '--address', address, '--date', DATE];
    const { legs } = JSON.parse((await contrails([...explain, '--json'], place)).stdout);
    expect(legs).toContainEqual(
      expect.objectContaining({
        flight_id,
        inventory: expect.objectContaining({ date: DATE, run_id: expect.stringMatching(/\w/) }),
      }),
    );
    expect((await contrails(explain, place)).stdout).toMatch(
      /^ {2}inventory {2}in the flights of 2024-02-29 \(run \w+\)$/m,
    );
  });

  test('an airframe table with wrong columns is refused with those that it needs', {
    timeout: 60_000,
  }, async () => {
    writeFileSync(join(cwd, 'wrong.csv'), 'registration,model\nHB-JHA,A333\n');
    const wrong = await contrails(['inventory', 'airframes', 'import', 'wrong.csv'], place);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'contrails: wrong.csv has the columns registration, model; it needs icao_address or tail_number, and aircraft_type or engine_uid (role is optional)\n',
    ]);
    writeFileSync(join(cwd, 'fleet.csv'), 'icao_address,aircraft_type\n4B1800,A333\nxyz,A320\n4B1801,C172\n');
    const right = await contrails(['inventory', 'airframes', 'import', 'fleet.csv'], place);
    expect([right.code, right.stdout]).toEqual([0, '2 airframes\n']);
    expect(right.stderr).toContain('row 2: icao_address XYZ is not six hexadecimal digits');
    expect(right.stderr).toContain('no performance parameters for C172: flights of these types stay out');
  });
});

test('a day without telemetry has no report, and the run says how to import some', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'contrails.yaml'), SETTINGS);
  const place = { cwd, env: { CONTRAILS_DATA: join(cwd, 'data') } };
  const report = await contrails(['inventory', 'report', '--date', DATE], place);
  expect([report.code, report.stderr]).toEqual([
    1,
    'contrails: 2024-02-29 has no inventory: run "contrails inventory run --date 2024-02-29"\n',
  ]);
  const { code, stdout } = await contrails(['inventory', 'run', '--date', DATE], place);
  expect(code).toBe(1);
  expect(stdout).toMatch(/waiting .* no telemetry of 2024-02-29; import it with "contrails adsb import"/);
  const wrong = await contrails(['inventory', 'run', '--date', DATE, '--to', '2024-02-28'], place);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'contrails: --to 2024-02-28 is before --date 2024-02-29; give a later date\n',
  ]);
}, 60_000);
