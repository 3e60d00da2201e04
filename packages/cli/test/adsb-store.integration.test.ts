import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { contrails } from './support/contrails.ts';
import { temporaryDirectory } from './support/temporary.ts';

const line = (second: number, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    timestamp: `2025-01-01T09:00:${String(second).padStart(2, '0')}Z`,
    latitude: 48.1,
    longitude: -3.6,
    altitude_baro: 36_000,
    icao_address: '40095D',
    ...more,
  });

const GOOD = [line(1), line(1), line(2), line(31), line(32, { on_ground: true })].join('\n');
const BAD = [line(3, { altitude_baro: 99_000 }), line(4, { icao_address: '000000' })].join('\n');

interface Imported {
  readonly files: readonly {
    readonly batch: string;
    readonly duplicate: boolean;
    readonly accepted: number;
    readonly refused: Record<string, number>;
    readonly error?: string;
  }[];
  readonly hours?: number;
}

function newDirectory(files: Record<string, string | Buffer>) {
  const cwd = temporaryDirectory();
  for (const [name, body] of Object.entries(files)) writeFileSync(join(cwd, name), body);
  return { cwd, env: { CONTRAILS_DATA: join(cwd, 'data') } };
}

test('files are imported once, hours are published, and both are listed', async () => {
  const place = newDirectory({ 'good.ndjson': GOOD, 'bad.ndjson.gz': gzipSync(BAD) });
  const dry = await contrails(['adsb', 'import', 'good.ndjson', '--dry-run', '--json'], place);
  expect(JSON.parse(dry.stdout).files[0]).toMatchObject({ accepted: 4, refused: { on_ground: 1 } });

  const args = ['adsb', 'import', 'good.ndjson', 'bad.ndjson.gz', '--source', 'archive', '--build', '--json'];
  const first = await contrails(args, place);
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('good.ndjson: 100 %')]);
  const imported = JSON.parse(first.stdout) as Imported;
  expect(imported.files.map(({ accepted, refused }) => [accepted, refused])).toEqual([
    [4, { on_ground: 1 }],
    [0, { altitude_out_of_range: 1, bad_address: 1 }],
  ]);
  expect(imported.hours).toBe(24);

  const again = JSON.parse((await contrails(args, place)).stdout) as Imported;
  expect(again.files.map(({ duplicate }) => duplicate)).toEqual([true, true]);
  expect(again.hours).toBe(0);

  const listed = await contrails(
    ['adsb', 'hours', '--from', '2025-01-01T09', '--to', '2025-01-01T09', '--json'],
    place,
  );
  expect(JSON.parse(listed.stdout)).toMatchObject([
    {
      hour: '2025-01-01T09:00:00.000Z',
      state: 'sealed',
      rows: 2,
      aircraft: 1,
      pending: 0,
      sources: { archive: 2 },
      refused: { archive: { duplicate: 1, thinned: 1 } },
    },
  ]);
  const day = await contrails(['adsb', 'hours', '--day', '2025-01-01'], place);
  expect(JSON.parse(day.stdout)).toMatchObject({
    hours_present: 1,
    hours_expected: 24,
    rows: 2,
    refused: { altitude_out_of_range: 1, bad_address: 1, duplicate: 1, on_ground: 1, thinned: 1 },
  });
});

test('refused records are listed with their text, read again and dropped', async () => {
  const place = newDirectory({ 'bad.ndjson': BAD });
  await contrails(['adsb', 'import', 'bad.ndjson'], place);
  const entries = JSON.parse((await contrails(['adsb', 'quarantine', 'list', '--json'], place)).stdout);
  expect(entries).toMatchObject([{ source: 'import', records: 2 }]);
  const [{ batch }] = entries;
  const records = await contrails(['adsb', 'quarantine', 'list', '--batch', batch, '--json'], place);
  expect(JSON.parse(records.stdout)).toMatchObject([
    { record: 0, code: 'altitude_out_of_range', raw: expect.stringContaining('99000') },
    { record: 1, code: 'bad_address' },
  ]);
  const retried = await contrails(['adsb', 'quarantine', 'retry', batch], place);
  expect(retried.stdout).toBe(`${batch}: 0 of 2 records accepted\n`);
  const [left] = JSON.parse((await contrails(['adsb', 'quarantine', 'list', '--json'], place)).stdout);
  expect(left).toMatchObject({ records: 2, codes: { altitude_out_of_range: 1, bad_address: 1 } });
  const dropped = await contrails(['adsb', 'quarantine', 'drop', left.batch], place);
  expect(dropped.stdout).toBe(`${left.batch}: 2 records dropped\n`);
  expect((await contrails(['adsb', 'quarantine', 'list'], place)).stderr).toContain(
    'the quarantine is empty',
  );
  const unknown = await contrails(['adsb', 'quarantine', 'drop', 'nothing'], place);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('has nothing of nothing')]);
});

test('an hour is reopened; one that was never published is open anyway', async () => {
  const place = newDirectory({ 'good.ndjson': GOOD });
  await contrails(['adsb', 'import', 'good.ndjson', '--build'], place);
  const reopened = await contrails(['adsb', 'reopen', '2025-01-01T09:30'], place);
  expect([reopened.code, reopened.stdout]).toEqual([0, '2025-01-01T09 takes late reports again\n']);
  const never = await contrails(['adsb', 'reopen', '2020-01-01T00'], place);
  expect([never.code, never.stderr]).toEqual([1, expect.stringContaining('never published')]);
});

test('a file that cannot be read does not stop the others', async () => {
  const place = newDirectory({
    'cut.ndjson.gz': gzipSync(Array.from({ length: 3000 }, (_, k) => line(k % 60)).join('\n')),
    'garbage.bin': Buffer.from([0, 255, 1, 254]),
    'good.ndjson': GOOD,
  });
  truncateSync(join(place.cwd, 'cut.ndjson.gz'), 300);
  const { code, stdout } = await contrails(
    ['adsb', 'import', 'cut.ndjson.gz', 'garbage.bin', 'nowhere.json', 'good.ndjson', '--json'],
    place,
  );
  const [cut, garbage, nowhere, good] = (JSON.parse(stdout) as Imported).files;
  expect(code).toBe(1);
  expect(cut?.refused).toMatchObject({ parse_error: expect.any(Number) });
  expect(garbage?.error).toContain('format');
  expect(nowhere?.error).toContain('cannot be read');
  expect(good).toMatchObject({ accepted: 4 });
});

test('a source name that cannot be used is wrong usage', async () => {
  const place = newDirectory({ 'good.ndjson': GOOD });
  const { code, stderr } = await contrails(['adsb', 'import', 'good.ndjson', '--source', 'a/b'], place);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--source')]);
});

test.each(['9999-12-31', '1969-12-31'])(
  'the story of %s, which has no hours, is a usage error',
  async (date) => {
    const { code, stderr } = await contrails(
      ['adsb', 'explain', '--address', '40095D', '--date', date],
      newDirectory({}),
    );
    expect(code).toBe(2);
    expect(stderr).toContain(`--date ${date}`);
    expect(stderr).toContain('give a day from 1970-01-01 to 9998-12-31');
  },
);

test('a file that breaks off is stored up to there and ends with 1; --strict stores nothing', async () => {
  const place = newDirectory({ 'cut.ndjson.gz': gzipSync(GOOD).subarray(0, -8), 'good.ndjson': GOOD });
  const args = ['adsb', 'import', 'cut.ndjson.gz', '--source', 'archive'];
  const strict = await contrails([...args, '--strict', '--json'], place);
  expect(strict.code).toBe(1);
  expect(JSON.parse(strict.stdout).files[0]).toMatchObject({
    error: expect.stringMatching(/cut\.ndjson\.gz breaks off: .*; nothing of it is stored/),
  });
  for (const duplicate of [false, true]) {
    const { code, stdout } = await contrails([...args, '--json'], place);
    const truncation = expect.stringContaining('unexpected end of file');
    expect([code, JSON.parse(stdout).files[0]]).toMatchObject([
      1,
      { duplicate, truncated: true, truncation },
    ]);
  }
  const shown = await contrails(args, place);
  expect(shown.stderr).toContain('cut.ndjson.gz breaks off: the compressed data is damaged');
  expect((await contrails(['adsb', 'import', 'good.ndjson', '--strict'], place)).code).toBe(0);
});

test('adsb read ends with 1 for a file that breaks off, and writes nothing when it is strict', async () => {
  const place = newDirectory({ 'cut.ndjson.gz': gzipSync(GOOD).subarray(0, -8) });
  const read = await contrails(['adsb', 'read', 'cut.ndjson.gz', '--json'], place);
  expect([read.code, read.stderr]).toEqual([1, expect.stringContaining('cut.ndjson.gz breaks off: ')]);
  expect(JSON.parse(read.stdout).rows.timestamp.length).toBeGreaterThan(0);
  const strict = await contrails(['adsb', 'read', 'cut.ndjson.gz', '--json', '--strict'], place);
  expect([strict.code, strict.stdout]).toEqual([1, '']);
  expect(strict.stderr).toMatch(/cut\.ndjson\.gz breaks off: .*; nothing of it is used/);
});
