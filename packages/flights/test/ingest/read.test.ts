import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { openDuckDb, sqlText } from '@contrails/formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FormatError, readTelemetry, SOURCE_FORMATS } from '../../src/index.ts';
import {
  aircraft,
  aircraftJson,
  codesOf,
  gzip,
  NOW_MS,
  OPENSKY_HEAD,
  readAll,
  tableCsv,
  tar,
  traceEntries,
  traceJson,
} from '../support/telemetry.ts';

const ROW = {
  timestamp: '2025-01-01T09:00:00',
  latitude: 48.1,
  longitude: -3.6,
  altitude_baro: 36_000,
  icao_address: '40095D',
};
const TABLE_ROWS = Array.from({ length: 5_000 }, (_, i) => ({
  ...ROW,
  timestamp: 1_735_700_000 + i,
  callsign: `BAW${i}`,
}));
const TABLE = tableCsv(TABLE_ROWS);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('compressed inputs', () => {
  test.each([
    ['gzip', (text: string) => gzip(text)],
    ['gzip of several members', (text: string) => halves(text).map((half) => gzip(half))],
    ['Zstandard', (text: string) => zstdCompressSync(text)],
    ['Zstandard of several frames', (text: string) => halves(text).map((half) => zstdCompressSync(half))],
    ['gzip in gzip', (text: string) => gzip(gzip(text))],
  ])('%s is read like the plain input', async (_, pack) => {
    const packed = [pack(TABLE)].flat();
    const [read, plain] = [await readAll(Buffer.concat(packed)), await readAll(TABLE)];
    expect(read).toEqual(plain);
    expect(plain.rows).toHaveLength(5_000);
  });

  test('the rows before the end of a truncated gzip are kept, and one refusal stands for the rest', async () => {
    const whole = gzipSync(TABLE, { level: 1 });
    const { rows, refused } = await readAll(whole.subarray(0, whole.length >> 1));
    expect(rows.length).toBeGreaterThan(500);
    expect(rows.length).toBeLessThan(5_000);
    expect(rows).toEqual((await readAll(TABLE)).rows.slice(0, rows.length));
    expect(refused).toMatchObject([{ record: rows.length, code: 'parse_error' }]);
    expect(refused[0]?.detail).toMatch(
      /^the compressed data is damaged after byte \d+ \(unexpected end of file\); the records before it are read/,
    );
  });

  test('bytes that are wrong in the middle of a gzip end it there', async () => {
    const whole = gzipSync(TABLE, { level: 1 });
    whole.fill(0xff, whole.length >> 1, (whole.length >> 1) + 40);
    const chunks = Array.from({ length: Math.ceil(whole.length / 512) }, (_, i) =>
      whole.subarray(i * 512, i * 512 + 512),
    );
    const { rows, refused } = await readAll(chunks);
    expect(rows.length).toBeGreaterThan(100);
    expect(refused.filter(({ detail }) => detail.startsWith('the compressed data is damaged'))).toHaveLength(
      1,
    );
    expect(refused.at(-1)?.detail).toMatch(/^the compressed data is damaged/);
  });

  test('an input that is damaged before its first byte is one refusal', async () => {
    const { rows, refused } = await readAll(gzip(TABLE).subarray(0, 5));
    expect(rows).toEqual([]);
    expect(refused).toMatchObject([
      { code: 'parse_error', detail: expect.stringMatching(/^the compressed data/) },
    ]);
  });

  test('truncated Zstandard gives one refusal', async () => {
    const whole = zstdCompressSync(TABLE, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    const { refused } = await readAll(whole.subarray(0, whole.length - 10), { format: 'table' });
    expect(refused.filter(({ code }) => code === 'parse_error')).toHaveLength(1);
  });

  test('rows before the damage of a trace are kept too', async () => {
    const whole = gzip(traceJson('3c66b0', traceEntries(20_000)));
    const { rows, refused } = await readAll(whole.subarray(0, whole.length - 200));
    expect(rows.length).toBeGreaterThan(15_000);
    expect(refused).toMatchObject([{ record: rows.length, code: 'parse_error' }]);
    expect(refused[0]?.detail).toMatch(/^the compressed data is damaged .*: line 1, byte \d+$/);
  });
});

describe('archives', () => {
  test('the traces of a tar are read one after the other, compressed or not', async () => {
    const archive = await tar([
      { name: 'traces/', body: '', type: 'directory' },
      { name: 'traces/b0/trace_full_3c66b0.json', body: gzip(traceJson('3c66b0', traceEntries(3))) },
      { name: 'heatmap/00.bin', body: Buffer.from([1, 2, 3]) },
      { name: 'traces/5d/trace_full_40095d.json', body: traceJson('40095d', traceEntries(2)) },
      { name: 'states.csv.gz', body: gzip(`${OPENSKY_HEAD}\n`) },
    ]);
    const read = await readAll(gzip(archive));
    expect(read.rows.map(({ record, icao_address }) => [record, icao_address])).toEqual([
      [0, '3C66B0'],
      [1, '3C66B0'],
      [2, '3C66B0'],
      [3, '40095D'],
      [4, '40095D'],
    ]);
    expect([read.refused, read.skipped]).toEqual([[], ['heatmap/00.bin']]);
  });

  test('blocks are handed out while the archive is read, so memory does not grow with it', async () => {
    const body = traceJson('40095d', traceEntries(100));
    const archive = await tar(
      Array.from({ length: 200 }, (_, i) => ({ name: `traces/5d/trace_full_${i}.json`, body })),
    );
    let readBytes = 0;
    const input = async function* () {
      for (let from = 0; from < archive.length; from += 4096) {
        readBytes = from;
        yield archive.subarray(from, from + 4096);
      }
    };
    const readAtBlock: number[] = [];
    for await (const { record } of readTelemetry(input(), { nowMs: NOW_MS, blockRecords: 1000 })) {
      expect(record).toHaveLength(1000);
      readAtBlock.push(readBytes / archive.length);
    }
    expect(readAtBlock).toHaveLength(20);
    expect(readAtBlock[0]).toBeLessThan(0.2);
    expect(readAtBlock[9]).toBeLessThan(0.7);
  });

  test('an entry that is not what its name says is one refusal, and the next is read', async () => {
    const archive = await tar([
      { name: 'trace_full_000001.json', body: 'nonsense' },
      { name: 'trace_full_000002.json', body: gzip(traceJson('3c66b0', traceEntries(9))).subarray(0, 30) },
      { name: 'trace_full_000003.json', body: '' },
      { name: 'trace_full_000004.json', body: traceJson('40095d', traceEntries(1)) },
    ]);
    const { rows, refused } = await readAll(archive);
    expect(rows).toMatchObject([{ record: 3, icao_address: '40095D' }]);
    expect(refused.map(({ detail }) => detail.slice(0, 48))).toEqual([
      'entry trace_full_000001.json: the text is not JS',
      'entry trace_full_000002.json: the compressed dat',
      'entry trace_full_000003.json: the text is not JS',
    ]);
  });

  test('an entry that claims 10 GB and ends early is one refusal; what came before it is kept', async () => {
    const archive = await tar([
      { name: 'trace_full_1.json', body: traceJson('3c66b0', traceEntries(2)) },
      { name: 'trace_full_2.json', body: traceJson('40095d', traceEntries(2)) },
    ]);
    const second = archive.indexOf('trace_full_2.json');
    claimSize(archive.subarray(second, second + 512), 10e9);
    const { rows, refused } = await readAll(archive);
    expect(rows.slice(0, 2)).toMatchObject([{ icao_address: '3C66B0' }, { icao_address: '3C66B0' }]);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.detail).toMatch(/^entry trace_full_2\.json: the archive is damaged/);
  });

  test('an entry of more bytes than a document may have is refused without being held', async () => {
    const limit = 2 ** 20;
    const spaces = gzip(Buffer.alloc(40 * limit, ' '));
    const archive = await tar([
      { name: 'trace_full_1.json', body: Buffer.concat([gzip('{"icao":"3c66b0","trace":['), spaces]) },
      { name: 'trace_full_2.json', body: traceJson('40095d', traceEntries(1)) },
    ]);
    const { rows, refused } = await readAll(archive, { maxDocumentBytes: limit });
    expect(rows).toMatchObject([{ icao_address: '40095D' }]);
    expect(refused).toMatchObject([
      {
        code: 'parse_error',
        detail: 'entry trace_full_1.json: the document has 41 MiB decompressed; at most 1 MiB are read',
      },
    ]);
  });

  test('an archive that ends in the middle keeps the entries before', async () => {
    const archive = await tar(
      ['3c66b0', '40095d'].map((address) => ({
        name: `trace_full_${address}.json`,
        body: traceJson(address, traceEntries(100)),
      })),
    );
    const second = archive.indexOf('trace_full_40095d');
    const { rows, refused } = await readAll(archive.subarray(0, second + 2_048));
    expect(rows.length).toBeGreaterThan(100);
    expect(refused).toHaveLength(1);
  });
});

describe('the format', () => {
  test.each([
    ['readsb_aircraft_json', aircraftJson(aircraft())],
    ['readsb_trace_json', traceJson('3c66b0', traceEntries(1))],
    ['opensky_state_csv', `${OPENSKY_HEAD}\n`],
    ['opensky_states_json', '{"time": 1, "states": [ [] ]}'],
    ['target_ndjson', '{"status": {}}\n{"target": {}}'],
    ['table', tableCsv([ROW])],
    ['table', JSON.stringify(ROW)],
  ] as const)(
    '%s is told from the content, and another one is refused with its name',
    async (format, text) => {
      // Lines with the names of the table may also be targets.
      const isLine = text === JSON.stringify(ROW);
      const wrong = SOURCE_FORMATS.filter((name) => name !== format && !(isLine && name === 'target_ndjson'));
      await expect(readAll(text)).resolves.toBeDefined();
      await expect(readAll(text, { format })).resolves.toBeDefined();
      for (const declared of wrong) {
        await expect(readAll(text, { format: declared, name: 'input' })).rejects.toThrow(
          `input is not ${declared}; it looks like ${format}`,
        );
      }
    },
  );

  test.each(['table', 'target_ndjson'] as const)('one object that is no record is not %s', async (format) => {
    await expect(readAll('{}', { format, name: 'input' })).rejects.toThrow(
      `input is not ${format}; its only record has no icao_address and no timestamp`,
    );
    await expect(readAll('{"timestamp": 5}\n', { format, name: 'input' })).rejects.toThrow('no icao_address');
  });

  test('nonsense is refused with the formats that there are', async () => {
    const garbage = Buffer.from(Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 256));
    for (const input of [garbage, Buffer.from('hello\n'), Buffer.alloc(0), Buffer.from('[1, 2]')]) {
      await expect(readAll(input, { name: 'input' })).rejects.toThrow(FormatError);
      await expect(readAll(input, { name: 'input' })).rejects.toThrow(
        /^input (is empty|has no format).*; give one of/,
      );
    }
  });

  test.each(SOURCE_FORMATS)('nonsense that is declared as %s gives a clear outcome', async (format) => {
    const garbage = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * i * 7919) % 251));
    const outcome = await readAll(garbage, { format }).catch((error: unknown) => error);
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(FormatError);
      expect(outcome.message).toMatch(/names no column|is not JSON/);
    } else {
      const { rows, refused } = outcome as Awaited<ReturnType<typeof readAll>>;
      expect(rows).toEqual([]);
      expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['parse_error']));
    }
  });

  test('an empty input of a declared format has no records', async () => {
    expect(await readAll('', { format: 'opensky_state_csv' })).toMatchObject({ rows: [], refused: [] });
  });

  test('a header without a needed column is named', async () => {
    await expect(readAll('timestamp,icao_address\n', { format: 'table' })).rejects.toThrow(
      'the first line names no column latitude, longitude, which table needs',
    );
  });
});

describe('lines', () => {
  test('end with LF, CR LF or CR, and blank ones are not records', async () => {
    const [head = '', line = ''] = tableCsv([ROW]).split('\n');
    const { rows, refused } = await readAll(`\uFEFF${head}\r\n${line}\n\n${line}\r${line}\r\n  \r\n${line}`);
    expect([rows.length, refused]).toEqual([4, []]);
  });

  test('a line that cannot be read is named with its place', async () => {
    const good = JSON.stringify({ target: ROW });
    const { rows, refused } = await readAll(`${good}\n{"target": {broken\n\n${good}\nnull\n`);
    expect(rows.map(({ record }) => record)).toEqual([0, 2]);
    expect(refused).toEqual([
      {
        record: 1,
        code: 'parse_error',
        detail: `line 2, byte ${good.length + 1}: the line is not a JSON object`,
        raw: '{"target": {broken',
      },
      {
        record: 3,
        code: 'parse_error',
        detail: `line 5, byte ${2 * good.length + 22}: the line is not a JSON object`,
        raw: 'null',
      },
    ]);
  });

  test('a line with too few cells or an open quote is refused with the names of the columns', async () => {
    const [head = '', line = ''] = tableCsv([ROW]).split('\n');
    const { rows, refused } = await readAll(`${head}\n1,2\n${line}\n"${line}`);
    expect(rows).toHaveLength(1);
    expect(refused).toMatchObject([
      { record: 0, detail: expect.stringContaining('2 cells instead of 5'), raw: `${head}\n1,2` },
      { record: 2, detail: expect.stringContaining('a quote is not closed') },
    ]);
  });

  test('joined files repeat the names of the columns', async () => {
    const { rows, refused } = await readAll(`${tableCsv([ROW])}\n${tableCsv([ROW])}`);
    expect([rows.length, refused]).toEqual([2, []]);
  });

  test('a line without an end is refused, but not held in memory', async () => {
    const chunk = Buffer.alloc(2 ** 20, 'x');
    const [head = '', line = ''] = tableCsv([ROW]).split('\n');
    const { rows, refused } = await readAll([
      Buffer.from(`${head}\n`),
      ...Array.from({ length: 20 }, () => chunk),
      Buffer.from(`\n${line}`),
    ]);
    expect(rows).toHaveLength(1);
    expect(refused).toMatchObject([{ record: 0, detail: expect.stringContaining('longer than 1 MiB') }]);
  });
});

describe('lines with the names of the table', () => {
  const line = JSON.stringify({ ...ROW, timestamp: 1_735_722_000 });

  test.each(['table', 'target_ndjson'] as const)('are read as %s where that is declared', async (format) => {
    for (const text of [line, line.replace('{', '{"speed":450,')]) {
      const { rows, refused } = await readAll(`${text}\n`, { format });
      expect([rows.length, refused]).toEqual([1, []]);
    }
  });

  test('are not read as a table where they are wrapped', async () => {
    const wrapped = `{"target":${line}}\n`;
    expect((await readAll(wrapped, { format: 'target_ndjson' })).rows).toHaveLength(1);
    await expect(readAll(wrapped, { format: 'table' })).rejects.toThrow('it looks like target_ndjson');
  });
});

describe('documents', () => {
  test('elements before a mistake are read', async () => {
    const text = aircraftJson(aircraft(), aircraft({ hex: 'abcdef' }), aircraft());
    const second = text.indexOf('abcdef');
    const { rows, refused } = await readAll(`${text.slice(0, second)}\n"${text.slice(second)}`);
    expect(rows).toHaveLength(1);
    expect(refused).toMatchObject([{ record: 1, code: 'parse_error' }]);
    expect(refused[0]?.detail).toMatch(/^the text is not JSON: line 1, byte \d+$/);
  });

  test.each([
    ['{"now": 1, "aircraft": 5}', 'readsb_aircraft_json', 'the document has no list "aircraft" or "ac"'],
    ['{"icao": "3c66b0"}', 'readsb_trace_json', 'the document has no list "trace"'],
    ['{"time": 1}', 'opensky_states_json', 'the document has no list "states"'],
    ['{}', 'readsb_aircraft_json', 'the document has no list "aircraft" or "ac"'],
    ['[]', 'readsb_trace_json', 'the document is [], not an object'],
    [
      '\u0000',
      'opensky_states_json',
      'the text is not JSON: line 1, byte 0; send a document of the format, or name another format',
    ],
  ] as const)('%s is not what it is declared as', async (text, format, message) => {
    await expect(readAll(text, { format })).rejects.toThrow(new FormatError(message));
  });

  test.each([
    ['{"icao": ]', 'readsb_trace_json', 'the text is not JSON: line 1, byte 9'],
    ['{"trace": [1, ]}', 'readsb_trace_json', 'the text is not JSON: line 1, byte 14'],
  ] as const)('%s has nothing to read', async (text, format, detail) => {
    const { refused } = await readAll(text, { format });
    expect(refused.at(-1)).toMatchObject({ code: 'parse_error', detail });
  });
});

describe('an input that breaks off is marked, with its reason', () => {
  const trace = (address: string) => ({
    name: `trace_full_${address}.json`,
    body: traceJson(address, traceEntries(3)),
  });

  test.each([
    ['gzip', gzip(TABLE)],
    ['Zstandard', zstdCompressSync(TABLE)],
  ])('%s at any length', async (_, whole) => {
    for (const length of [4, 10, whole.length >> 1, whole.length - 9, whole.length - 4, whole.length - 1]) {
      const { truncated } = await readAll(whole.subarray(0, length), { format: 'table' });
      expect(truncated).toEqual([expect.stringMatching(/^the compressed data is damaged/)]);
    }
    expect((await readAll(whole)).truncated).toEqual([]);
  });

  test('an archive between two entries, and with a header of which the entry is missing', async () => {
    const whole = await tar([trace('3c66b0'), trace('40095d')]);
    const second = whole.indexOf('trace_full_40095d');
    const reason =
      'the archive ends without the blocks of zeros that end every archive; entries may be missing';
    const first = await readAll(whole.subarray(0, second));
    expect([first.rows.length, first.refused, first.truncated]).toEqual([3, [], [reason]]);
    expect((await readAll(whole.subarray(0, -1024))).truncated).toEqual([reason]);
    expect((await readAll(whole)).truncated).toEqual([]);
    const long = await tar([trace('3c66b0'), { ...trace('40095d'), name: `${'x'.repeat(300)}.json` }]);
    const header = long.indexOf('xxx') + 1024 - (long.indexOf('xxx') % 512);
    expect((await readAll(long.subarray(0, header))).truncated).toHaveLength(1);
  });

  test('an archive within an entry that holds no telemetry', async () => {
    const whole = await tar([trace('3c66b0'), { name: 'heatmap.bin', body: Buffer.alloc(5000, 1) }]);
    const { rows, truncated } = await readAll(whole.subarray(0, whole.indexOf('heatmap.bin') + 2000));
    expect(rows).toHaveLength(3);
    expect(truncated).toEqual([expect.stringMatching(/^the archive is damaged/)]);
  });

  test('an entry of an archive, which is named', async () => {
    const packed = gzip(trace('40095d').body).subarray(0, -8);
    const whole = await tar([{ name: 'trace_full_40095d.json', body: packed }, trace('3c66b0')]);
    const { truncated } = await readAll(whole);
    expect(truncated).toEqual([expect.stringMatching(/^entry trace_full_40095d\.json: the compressed data/)]);
  });

  test('a document that began', async () => {
    const whole = aircraftJson(aircraft(), aircraft());
    expect((await readAll(whole.slice(0, -5))).truncated).toEqual([
      expect.stringMatching(/^the text is not JSON: line 1, byte \d+$/),
    ]);
  });
});

describe('Parquet', () => {
  const select = `SELECT make_timestamp(1735722000500000 + 1000000 * i) AS timestamp, 48.1 AS latitude,
    356.5 AS longitude, 'terrestrial' AS collection_type, (36000 + i)::INTEGER AS altitude_baro,
    '40095d' AS icao_address, 'A854AE1E-9348-45CC-8253-3251B1CE6448'::UUID AS flight_id,
    CASE WHEN i % 2 = 0 THEN 'BAW507 ' END AS callsign, (i % 12)::TINYINT AS nic, 'ignored' AS other,
    i = 3 AS on_ground FROM range(100) r(i)`;

  async function write(sql: string, name = 'table.parquet'): Promise<string> {
    const file = join(folder, name);
    const db = await openDuckDb({ memoryMiB: 64, threads: 1, temporaryDirectory: folder });
    await db.run(`COPY (${sql}) TO ${sqlText(file)} (FORMAT parquet)`);
    db.close();
    return file;
  }

  test('a table is read from a file and from compressed bytes', async () => {
    const file = await write(select);
    const read = await readAll({ file });
    expect(read.rows).toHaveLength(99);
    expect(read.rows[1]).toMatchObject({
      timestamp: 1_735_722_001_500,
      latitude: 48.1,
      longitude: -3.5,
      altitude_baro: 36_001,
      altitude_gnss: null,
      icao_address: '40095D',
      flight_id: 'a854ae1e-9348-45cc-8253-3251b1ce6448',
      callsign: null,
      nic: 1,
      nacp: null,
    });
    expect(codesOf(read)).toEqual([[3, 'on_ground']]);
    const { readFileSync } = await import('node:fs');
    const packed = await readAll(gzip(readFileSync(file)));
    expect(packed.rows).toEqual(read.rows);
  });

  test.each([
    [
      'texts',
      "SELECT '2025-01-01T09:00:00Z' AS timestamp, '48.1' AS latitude, '-3.6' AS longitude, '36000' AS altitude_baro, '40095d' AS icao_address",
    ],
    [
      'times with a zone',
      "SELECT TIMESTAMPTZ '2025-01-01 09:00:00+00' AS timestamp, 48.1::FLOAT AS latitude, -3.6 AS longitude, 36000::DOUBLE AS altitude_baro, '40095d' AS icao_address",
    ],
    [
      'seconds',
      "SELECT 1735722000 AS timestamp, 48.1 AS latitude, -3.6 AS longitude, 36000::BIGINT AS altitude_baro, '40095d'::BLOB AS icao_address",
    ],
    [
      'nanoseconds',
      "SELECT TIMESTAMP_NS '2025-01-01 09:00:00' AS timestamp, 48.1 AS latitude, -3.6 AS longitude, 36000 AS altitude_baro, '40095d' AS icao_address",
    ],
  ])('columns may be %s', async (_, sql) => {
    const { rows, refused } = await readAll({ file: await write(sql, 'types.parquet') });
    expect(refused).toEqual([]);
    expect(rows).toMatchObject([
      { timestamp: 1_735_722_000_000, altitude_baro: 36_000, icao_address: '40095D', longitude: -3.6 },
    ]);
  });

  test.each(['TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP_NS', 'DATE'])(
    'a time of 1972 in a column of %s is not a number of seconds, also when it is read again',
    async (type) => {
      const zone = type === 'TIMESTAMPTZ' ? '+00' : '';
      const sql = (latitude: number) =>
        `SELECT '1972-01-01 00:00:00${zone}'::${type} AS timestamp, ${latitude} AS latitude, -3.6 AS longitude,
          '1972-01-02 00:00:00${zone}'::${type} AS departure_scheduled_time, 36000 AS altitude_baro, '40095d' AS icao_address`;
      const { rows, refused } = await readAll({ file: await write(sql(48), 'old.parquet') });
      expect(refused).toEqual([]);
      const timestamp = Date.UTC(1972, 0, 1);
      expect(rows).toMatchObject([{ timestamp, departure_scheduled_time: timestamp + 86_400_000 }]);
      const wrong = await readAll({ file: await write(sql(99), 'old-wrong.parquet') });
      expect(codesOf(wrong)).toEqual([[0, 'position_out_of_range']]);
      expect(wrong.refused[0]?.timeMs).toBe(timestamp);
      const again = await readAll(wrong.refused[0]?.raw ?? '', { format: 'table' });
      expect(again.refused[0]).toMatchObject({ code: 'position_out_of_range', timeMs: timestamp });
    },
  );

  test('quarantined rows can be read again as NDJSON', async () => {
    const sql = select.replace('48.1 AS', '99 AS');
    const { refused } = await readAll({ file: await write(sql, 'wrong.parquet') });
    expect(refused).toHaveLength(100);
    const again = await readAll(refused[5]?.raw ?? '', { format: 'table' });
    expect(again.refused[0]?.detail).toBe(refused[5]?.detail);
  });

  test('a damaged file is refused whole, and a missing column is named', async () => {
    const { readFileSync } = await import('node:fs');
    const whole = readFileSync(await write(select));
    await expect(readAll(whole.subarray(0, whole.length - 100))).rejects.toThrow(
      'the table is damaged: the file does not end with PAR1',
    );
    await expect(readAll({ file: await write('SELECT 1 AS latitude', 'few.parquet') })).rejects.toThrow(
      'the Parquet file has no column timestamp, longitude, icao_address, which a table needs',
    );
  });
});

describe('a value that is nested 100,000 deep', () => {
  const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  test.each([
    `{"now": 1735722000, "aircraft": [${DEEP}]}`,
    `{"now": 1735722000, "aircraft": ${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    `{"now": 1735722000, "aircraft": [{"hex": ${DEEP}}]}`,
  ])('is not a document of a known format: %#', async (text) => {
    await expect(readAll(text, { format: 'readsb_aircraft_json' })).rejects.toThrow(
      'the document is nested more than 100 deep, which no known format is; check what wrote it',
    );
  });

  test.each(['icao_address', 'latitude', 'collection_type', 'callsign'])(
    'is refused as %s of a line',
    async (name) => {
      const row = {
        timestamp: 1_735_722_000,
        latitude: 48,
        longitude: 3,
        altitude_baro: 100,
        icao_address: '40095D',
      };
      const line = JSON.stringify({ ...row, [name]: 0 }).replace(`"${name}":0`, `"${name}":${DEEP}`);
      const read = await readAll(`${JSON.stringify(row)}\n${line}\n`);
      expect(read.rows.length + read.refused.length).toBe(2);
      expect(read.rows[0]).toMatchObject({ icao_address: '40095D' });
    },
  );
});

test('a file that does not exist is the error of the file system', async () => {
  await expect(readAll({ file: join(folder, 'absent.json') })).rejects.toThrow(/ENOENT/);
});

test('a reader that stops early closes the file', async () => {
  const file = join(folder, 'table.csv');
  writeFileSync(file, TABLE);
  for await (const { record } of readTelemetry(file, { nowMs: NOW_MS, blockRecords: 100 })) {
    expect(record).toHaveLength(100);
    break;
  }
});

function halves(text: string): [string, string] {
  return [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
}

/** Writes the size and the checksum of a tar header. */
function claimSize(header: Buffer, size: number): void {
  header.write(`${size.toString(8).padStart(11, '0')} `, 124, 'latin1');
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}
