import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { contrails, PROGRAM } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const AIRCRAFT = JSON.stringify({
  now: 1_735_722_540.5,
  aircraft: [
    {
      hex: '40095d',
      type: 'adsb_icao',
      flight: 'BAW507  ',
      alt_baro: 36_025,
      lat: 48.1,
      lon: -3.6,
      seen_pos: 0.42,
    },
    { hex: '3c66b0', type: 'adsb_icao', alt_baro: 'ground', lat: 50, lon: 8.5, seen_pos: 1 },
    {
      hex: '40095d',
      type: 'adsb_icao',
      flight: 'BAW508',
      alt_baro: 36_025,
      lat: 48.1,
      lon: -3.6,
      seen_pos: 0.42,
    },
    { hex: '000000', alt_baro: 100, lat: 1, lon: 1, seen_pos: 0 },
  ],
});

function directoryWith(files: Record<string, string | Buffer>): string {
  const cwd = temporaryDirectory();
  for (const [name, body] of Object.entries(files)) writeFileSync(join(cwd, name), body);
  return cwd;
}

test('rows and refusals come as JSON in the order of the input, a summary on standard error', async () => {
  const cwd = directoryWith({ 'aircraft.json': AIRCRAFT });
  const { code, stdout, stderr } = await contrails(['adsb', 'read', 'aircraft.json', '--json'], { cwd });
  const { rows, refused } = JSON.parse(stdout);
  expect(Object.keys(rows)).toHaveLength(19);
  expect(rows).toMatchObject({
    timestamp: ['2025-01-01T09:09:00.080'],
    callsign: ['BAW507'],
    altitude_gnss: [null],
  });
  expect(refused).toEqual([
    { record: 1, code: 'on_ground', detail: '3C66B0' },
    { record: 2, code: 'conflicting_duplicate', detail: '40095D at the time of record 0' },
    { record: 3, code: 'bad_address', detail: '"000000" is not the address of an aircraft' },
  ]);
  expect(stderr).toBe(
    '1 of 4 records accepted, 3 refused\n  bad_address 1 (quarantined)\n  on_ground 1 (filtered)\n  conflicting_duplicate 1 (quarantined)\n',
  );
  expect(code).toBe(0);
});

test('standard input works, compressed too, and files are told apart in the refusals', async () => {
  const cwd = directoryWith({ 'a.json': AIRCRAFT });
  const child = spawn(process.execPath, [PROGRAM, 'adsb', 'read', '-', 'a.json', '--json'], { cwd });
  child.stdin.end(gzipSync(AIRCRAFT));
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const { rows, refused } = JSON.parse(stdout);
  expect([code, rows.timestamp.length]).toEqual([0, 1]);
  expect(refused).toHaveLength(7);
  expect(refused[3]).toEqual({
    file: 'a.json',
    record: 0,
    code: 'duplicate',
    detail: '40095D at the time of record 0 of file 1',
  });
});

test('--now decides what is in the future', async () => {
  const cwd = directoryWith({ 'aircraft.json': AIRCRAFT });
  const read = async (now: string) => {
    const { stdout } = await contrails(['adsb', 'read', 'aircraft.json', '--json', '--now', now], { cwd });
    return JSON.parse(stdout).refused.map((refusal: { code: string }) => refusal.code);
  };
  expect(await read('2025-01-01T08:09')).toContain('time_in_future');
  expect(await read('2025-01-01T09:08:01')).not.toContain('time_in_future');
});

test('a table is written as Parquet whole or not at all, and is read again', async () => {
  const cwd = directoryWith({ 'aircraft.json': AIRCRAFT });
  const written = await contrails(['adsb', 'read', 'aircraft.json', '-o', 'out.parquet'], { cwd });
  expect(written.stderr).toMatch(/^1 of 4 records accepted[\s\S]*out\.parquet is written\n$/);
  const again = await contrails(['adsb', 'read', 'out.parquet', '--json'], { cwd });
  const first = await contrails(['adsb', 'read', 'aircraft.json', '--json'], { cwd });
  expect(JSON.parse(again.stdout).rows).toEqual(JSON.parse(first.stdout).rows);
  expect(readdirSync(cwd).sort()).toEqual(['aircraft.json', 'out.parquet']);
});

test('a damaged input is reported and what is good is kept', async () => {
  const lines = Array.from(
    { length: 2_000 },
    (_, i) => `2025-01-01T08:00:${String(i % 60).padStart(2, '0')},${40 + i / 1000},8,${30_000 + i},40095D`,
  );
  const packed = gzipSync(['timestamp,latitude,longitude,altitude_baro,icao_address', ...lines].join('\n'));
  const cwd = directoryWith({ 'table.csv.gz': packed.subarray(0, packed.length >> 1) });
  const { code, stderr } = await contrails(['adsb', 'read', 'table.csv.gz'], { cwd });
  expect(stderr).toMatch(/^60 of \d+ records accepted, \d+ refused\n {2}parse_error 1 \(quarantined\)\n/);
  expect(stderr).toContain('table.csv.gz breaks off: the compressed data is damaged');
  expect(code).toBe(1);
});

describe('wrong usage', () => {
  test.each([
    [
      'a wrong format',
      ['a.json', '--format', 'opensky_state_csv'],
      1,
      /a\.json is not opensky_state_csv; it looks like readsb_aircraft_json/,
    ],
    ['an unknown format', ['a.json', '--format', 'x'], 2, /allowed choices are readsb_aircraft_json, /],
    ['no file', [], 2, /missing required argument 'files'/],
    ['a file that is not there', ['b.json'], 2, /b\.json cannot be read \(ENOENT\); check the path/],
    ['a directory', ['.'], 2, /\. is a directory; name the files in it/],
    ['a wrong time', ['a.json', '--now', 'soon'], 2, /--now soon is not a time/],
    [
      'an output of no kind',
      ['a.json', '-o', 'x.txt'],
      2,
      /-o x\.txt names no kind of file; end it with \.parquet or \.json/,
    ],
    ['nonsense', ['nonsense'], 1, /nonsense has no format that is known; give one of/],
  ])('%s is one sentence', async (_, args, exit, message) => {
    const cwd = directoryWith({ 'a.json': AIRCRAFT, nonsense: Buffer.from([1, 2, 3, 0, 255]) });
    const { code, stdout, stderr } = await contrails(['adsb', 'read', ...args], { cwd });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([exit, '']);
  });
});

interface IngestCase {
  readonly id: string;
  readonly params: { readonly format: string; readonly now: string };
  readonly input: string;
  readonly expect: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly unknown[])[];
    readonly refused: readonly { readonly record: number; readonly why: string }[];
  };
}

const CASES = new URL('../../../../shared/reference/flights/ingest/', import.meta.url);
const present = existsSync(CASES);
const cases = present
  ? readdirSync(CASES).map((file) => JSON.parse(readFileSync(new URL(file, CASES), 'utf8')) as IngestCase)
  : [];

describe.skipIf(!present)(
  `reference cases${present ? '' : ' (skipped: ../shared/reference/flights is not here)'}`,
  () => {
    test.each(cases.map((item) => [item.id, item] as const))('%s', async (_, { params, input, ...item }) => {
      const cwd = directoryWith({ input });
      const args = ['adsb', 'read', 'input', '--format', params.format, '--now', params.now, '--json'];
      const { stdout } = await contrails(args, { cwd });
      const { rows, refused } = JSON.parse(stdout);
      // The cases list rows by aircraft and time.
      const key = (row: readonly unknown[]) =>
        `${row[item.expect.columns.indexOf('icao_address')]} ${row[0]}`;
      const sorted = (list: readonly (readonly unknown[])[]) =>
        [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
      const read = rows.timestamp.map((__: unknown, i: number) =>
        item.expect.columns.map((name) => rows[name][i]),
      );
      expect(Object.keys(rows)).toEqual(item.expect.columns);
      expect(sorted(read)).toEqual(sorted(item.expect.rows));
      expect(
        refused.map(({ record, code }: { record: number; code: string }) => ({ record, why: code })),
      ).toEqual(item.expect.refused);
    });
  },
);
