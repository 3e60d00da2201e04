import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { closeHours, removeHours } from '../../../src/families/telemetry/hours/maintenance.ts';
import { publishHour } from '../../../src/families/telemetry/hours/publish.ts';
import { applyBatch } from '../../../src/families/telemetry/ingest/batch.ts';
import { telemetryRoutes } from '../../../src/families/telemetry/routes/routes.ts';
import { syncSources } from '../../../src/telemetry-store/sources.ts';
import { type Server, startServer } from '../../support/server.ts';
import {
  APPLY,
  defaultRules,
  type Installation,
  openInstallation,
  withDuckDb,
} from './support/installation.ts';
import { HOUR, headerOf, readerOf } from './support/reports.ts';

const RULES = { ...defaultRules(), batchLimitBytes: 100_000 };
const ID = '6f1c7b0e-3a55-4e1b-9f7a-2d0c7c2f9a11';
const REPORTS = Array.from({ length: 200 }, (_, k) => ({
  timeMs: HOUR + k * 15_000,
  address: `4B18${(k % 20).toString(16).padStart(2, '0').toUpperCase()}`,
  latitude: 40 + (k % 10),
  longitude: k % 4 === 0 ? 179.5 : -180 + (k % 20),
  airline: k % 3 === 0 ? 'LX' : 'BA',
  flightId: k % 20 === 7 ? ID : null,
}));
const DATE = '2026-01-01T06:59:59';

let installation: Installation;
let server: Server;
let reader: string;
let writer: string;
beforeAll(async () => {
  installation = await openInstallation();
  await applyBatch(installation, headerOf(REPORTS), readerOf(REPORTS), APPLY);
  await publishHour(installation, RULES, HOUR, HOUR + 7_200_000);
  server = await startServer({ families: [telemetryRoutes(installation, RULES)] });
  reader = await server.newKey({ scopes: ['adsb'] });
  writer = await server.newKey({ scopes: ['adsb:write'] });
});
afterAll(() => installation.close());

const get = (query: string, headers: Record<string, string> = {}) =>
  server.send({ url: `/v1/adsb/telemetry?${query}`, headers: { 'x-api-key': reader, ...headers } });

async function rowsOf(bytes: Buffer, columns = '*') {
  const path = join(await temporaryDirectory(), 'answer.parquet');
  await writeFile(path, bytes);
  return withDuckDb((duckdb) => duckdb.rows(`SELECT ${columns} FROM read_parquet($1)`, [path]));
}

describe('GET /v1/adsb/telemetry', () => {
  test('returns the hour as a file with ranges, an entity tag and a name', async () => {
    const { status, headers, bytes } = await get(`date=${DATE}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-disposition': 'attachment; filename="telemetry_2026-01-01T06.parquet"',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
    });
    expect(await rowsOf(bytes)).toHaveLength(200);
    const etag = String(headers.etag);
    expect((await get(`date=${DATE}`, { 'if-none-match': etag })).status).toBe(304);
    const part = await get(`date=${DATE}`, { range: 'bytes=4-9' });
    expect(part.status).toBe(206);
    expect(part.bytes).toEqual(bytes.subarray(4, 10));
  });

  test('needs the scope adsb and nothing less', async () => {
    for (const scopes of [['research'], ['adsb:write'], ['inventory:segments', 'inventory']] as const) {
      const key = await server.newKey({ scopes: [...scopes] });
      const answer = await server.send({
        url: `/v1/adsb/telemetry?date=${DATE}`,
        headers: { 'x-api-key': key },
      });
      expect(answer.status).toBe(403);
    }
  });

  test.each([
    ['airline_iata=lx', (r: (typeof REPORTS)[number]) => r.airline === 'LX'],
    ['icao_address=4b1803,4B1804', (r: (typeof REPORTS)[number]) => ['4B1803', '4B1804'].includes(r.address)],
    [`flight_id=${ID}`, (r: (typeof REPORTS)[number]) => r.flightId === ID],
    ['bbox=-180,40,-170,45', (r: (typeof REPORTS)[number]) => r.longitude <= -170 && r.latitude <= 45],
    ['bbox=179,40,-178,49', (r: (typeof REPORTS)[number]) => r.longitude >= 179 || r.longitude <= -178],
    [
      'bbox=179,40,-178,44&airline_iata=BA&icao_address=4B1801',
      (r: (typeof REPORTS)[number]) =>
        (r.longitude >= 179 || r.longitude <= -178) &&
        r.latitude <= 44 &&
        r.airline === 'BA' &&
        r.address === '4B1801',
    ],
  ])('%s returns the rows that match, in the order of the hour', async (filter, matches) => {
    const { status, bytes, headers } = await get(`date=${DATE}&${filter}`);
    expect(status).toBe(200);
    const rows = await rowsOf(bytes, 'epoch_ms("timestamp") AS t, icao_address AS a');
    const wanted = REPORTS.filter(matches);
    expect(wanted.length).toBeGreaterThan(0);
    expect(rows.map(({ t, a }) => [Number(t), a])).toEqual(
      wanted.map(({ timeMs, address }) => [timeMs, address]),
    );
    expect((await get(`date=${DATE}&${filter}`, { 'if-none-match': String(headers.etag) })).status).toBe(304);
    const half = await get(`date=${DATE}&${filter}`, { range: 'bytes=0-3' });
    expect(half.bytes.toString()).toBe('PAR1');
  });

  test('returns only the columns that are asked for, in the order of the table', async () => {
    const { bytes } = await get(`date=${DATE}&columns=icao_address,timestamp`);
    expect(Object.keys((await rowsOf(bytes))[0] ?? {})).toEqual(['timestamp', 'icao_address']);
  });

  test('needs the hour, because a day has twenty-four', async () => {
    const day = await get('date=2026-01-01');
    expect(day.status).toBe(400);
    expect(day.text).toContain('date 2026-01-01 is a day; give the hour as well, such as 2026-01-01T06');
    for (const hour of ['2026-01-01T06', '2026-01-01 06:30', '2026-01-01T07+01', '1767247200']) {
      const { status, headers } = await get(`date=${encodeURIComponent(hour)}`);
      expect([status, headers['content-disposition']]).toEqual([
        200,
        'attachment; filename="telemetry_2026-01-01T06.parquet"',
      ]);
    }
  });

  test('refuses a column, an address or a box that cannot be', async () => {
    const { status, text } = await get(`date=${DATE}&columns=squawk&icao_address=xyz&bbox=1,2,3`);
    expect(status).toBe(400);
    expect(text).toContain('squawk');
    expect(text).toContain('xyz');
    expect(text).toContain('bbox has 3 values');
  });

  test('tells three reasons for an hour that is not there', async () => {
    const never = await get('date=2020-01-01T00');
    expect(never.status).toBe(404);
    expect(never.problem()).toMatchObject({ reason: 'no_data' });
    expect(never.headers['retry-after']).toBeUndefined();
    expect(never.text).toContain('2026-01-01T06');

    const open = [{ timeMs: HOUR + 3_600_000, address: '4B1800' }];
    await applyBatch(installation, headerOf(open), readerOf(open), APPLY);
    const early = await get('date=2026-01-01T07');
    expect(early.problem()).toMatchObject({ reason: 'not_sealed' });
    expect(Number(early.headers['retry-after'])).toBeGreaterThan(0);

    const old = [{ timeMs: HOUR - 3_600_000, address: '4B1800' }];
    await applyBatch(installation, headerOf(old), readerOf(old), APPLY);
    await publishHour(installation, RULES, HOUR - 3_600_000, HOUR);
    expect(await closeHours(installation, RULES, HOUR + 8 * 86_400_000)).toBe(2);
    expect((await get('date=2026-01-01T05')).status).toBe(200);
    await removeHours(installation, { keepMs: 86_400_000 }, HOUR + 9 * 86_400_000);
    const gone = await get('date=2026-01-01T05');
    expect(gone.problem()).toMatchObject({ reason: 'removed' });
  });

  test('an hour of the present waits for the feeds that are configured', async () => {
    const feed = {
      name: 'live',
      kind: 'poll',
      format: undefined,
      path: '',
      url: 'http://127.0.0.1:9/',
      legsPerDay: 0,
      backfillMs: 0,
      intervalMs: 1000,
      latenessMs: 900_000,
      stalledAfterMs: 900_000,
      isStrict: false,
      isEnabled: true,
    } as const;
    await syncSources(installation.database, [feed], Date.now());
    const now = await get(`date=${new Date().toISOString().slice(0, 13)}`);
    expect(now.problem()).toMatchObject({ reason: 'not_sealed' });
    await syncSources(installation.database, [], Date.now());
  });
});

/** Entries of a tar archive: ten, each below the limit and all beyond it, unless another number is given. */
function archiveOf(lines: string, count = 10): Buffer {
  const entry = gzipSync(`${lines}\n`.repeat(100));
  const header = Buffer.alloc(512);
  header.write('table.ndjson.gz');
  header.write(`0000644\x000000000\x000000000\x00${entry.length.toString(8).padStart(11, '0')}\x00`, 100);
  header.write(`00000000000\x00        0`, 136);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\x00 `, 148);
  const padding = Buffer.alloc((512 - (entry.length % 512)) % 512);
  const entries = Array.from({ length: count }, () => [header, entry, padding]).flat();
  return Buffer.concat([...entries, Buffer.alloc(1024)]);
}

describe('POST /v1/adsb/ingest', () => {
  const lines = [
    {
      timestamp: '2026-01-02T00:00:01Z',
      latitude: 1,
      longitude: 2,
      altitude_baro: 30_000,
      icao_address: '4B1800',
    },
    {
      timestamp: '2026-01-02T00:00:02Z',
      latitude: 1,
      longitude: 2,
      altitude_baro: 99_000,
      icao_address: '4B1800',
    },
  ]
    .map((record) => JSON.stringify(record))
    .join('\n');
  const post = (payload: Buffer | string, query = '', headers: Record<string, string> = {}, key = writer) =>
    server.send({
      method: 'POST',
      url: `/v1/adsb/ingest${query}`,
      payload,
      headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson', ...headers },
    });

  test('stores a batch once, however it is compressed and however often it is sent', async () => {
    const first = await post(lines, '?source=roof');
    expect(first.status).toBe(200);
    expect(first.json()).toEqual({
      batch: expect.stringMatching(/^[0-9a-f]{32}$/),
      duplicate: false,
      records: 2,
      accepted: 1,
      refused: { altitude_out_of_range: 1 },
    });
    const again = [
      await post(gzipSync(lines), '?source=roof', { 'content-encoding': 'gzip' }),
      await post(zstdCompressSync(lines), '?source=roof&format=table', { 'content-encoding': 'zstd' }),
    ];
    for (const answer of again) expect(answer.json()).toEqual({ ...first.json(), duplicate: true });
    expect((await post(lines, '?source=other')).json()).toMatchObject({ duplicate: false });
  });

  test('unpacks every frame of a body', async () => {
    const frames = lines.split('\n').map((line) => zstdCompressSync(`${line}\n`));
    const answer = await post(Buffer.concat(frames), '?source=frames', { 'content-encoding': 'zstd' });
    expect(answer.json()).toMatchObject({ records: 2, accepted: 1 });
  });

  describe('marks a batch that breaks off, and refuses it whole when it is strict', () => {
    const packed = gzipSync(lines);
    const wrongSum = Buffer.from(packed);
    wrongSum[packed.length - 8] = (wrongSum[packed.length - 8] ?? 0) ^ 1;
    const archive = archiveOf(lines, 1);
    const summed = zstdCompressSync(lines, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    const [oldest = ''] = lines.split('\n');

    test.each([
      ['gzip without a trailer', packed.subarray(0, -8), 'unexpected end of file', 1],
      ['gzip with a wrong checksum', wrongSum, 'incorrect data check', 0],
      ['Zstandard without its checksum', summed.subarray(0, -4), 'unexpected end of file', 1],
      ['an archive without its end', archive.subarray(0, -1024), 'the archive ends without the blocks', 100],
      ['an archive that ends within an entry', archive.subarray(0, 600), 'the archive is damaged', 0],
      ['JSON that ends too early', `{"now": 1767312000, "aircraft": [${oldest}`, 'the text is not JSON', 0],
    ])('%s', async (what, payload, reason, accepted) => {
      const source = `?source=${what.replaceAll(' ', '-')}`;
      const strict = await post(payload, `${source}&strict=true`);
      expect([strict.status, strict.text]).toEqual([400, expect.stringContaining(reason)]);
      const first = await post(payload, source);
      expect(first.status).toBe(200);
      expect(first.json()).toMatchObject({
        duplicate: false,
        accepted,
        truncated: expect.stringContaining(reason),
      });
      expect((await post(payload, source)).json()).toEqual({ ...first.json(), duplicate: true });
    });

    test('but not one that is whole', async () => {
      for (const [index, payload] of [packed, archive, summed].entries()) {
        const answer = await post(payload, `?source=whole-${index}&strict=true`);
        expect(answer.status).toBe(200);
        expect(answer.json()).not.toHaveProperty('truncated');
      }
    });
  });

  test('refuses a request without a body and without a type', async () => {
    const answer = await server.send({
      method: 'POST',
      url: '/v1/adsb/ingest',
      headers: { 'x-api-key': writer },
    });
    expect([answer.status, answer.json().detail]).toEqual([400, 'the body is empty; send reports in it']);
  });

  test('needs the scope adsb:write', async () => {
    expect((await post(lines, '', {}, reader)).status).toBe(403);
  });

  test.each([
    ['no body', '', '', {}, 400],
    ['text that is not a format', 'hello', '', {}, 400],
    ['another format than declared', lines, '?format=readsb_trace_json', {}, 400],
    ['a format that does not exist', lines, '?format=xml', {}, 400],
    ['a source name with a slash', lines, '?source=a/b', {}, 400],
    ['bytes that are not gzip', lines, '', { 'content-encoding': 'gzip' }, 400],
    ['an encoding that is not read', lines, '', { 'content-encoding': 'br' }, 415],
    ['a body beyond the limit', 'x'.repeat(200_000), '', {}, 413],
    [
      'a body that unpacks beyond the limit',
      gzipSync('x'.repeat(2_000_000)),
      '',
      { 'content-encoding': 'gzip' },
      413,
    ],
    ['gzip that unpacks beyond the limit', gzipSync(`${lines}\n`.repeat(2000)), '', {}, 413],
    ['Zstandard that unpacks beyond the limit', zstdCompressSync(`${lines}\n`.repeat(2000)), '', {}, 413],
    [
      'gzip in gzip that unpacks beyond the limit',
      gzipSync(gzipSync(`${lines}\n`.repeat(2000))),
      '',
      {},
      413,
    ],
    [
      'compressed Parquet that unpacks beyond the limit',
      gzipSync(Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(2_000_000)])),
      '',
      {},
      413,
    ],
    ['entries of an archive that unpack beyond the limit', archiveOf(lines), '', {}, 413],
  ] as const)('refuses %s', async (_what, payload, query, headers, status) => {
    const answer = await post(payload as string, query, headers as Record<string, string>);
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
  });

  test('a Parquet table that is damaged anywhere is refused whole or read, and never an internal error', async () => {
    const path = join(await temporaryDirectory(), 'table.parquet');
    await withDuckDb((duckdb) =>
      duckdb.run(
        `COPY (SELECT TIMESTAMP '2026-01-03' + to_seconds(i) AS timestamp, 40.0 + i / 100.0 AS latitude, 8.0 AS longitude,
           30000 AS altitude_baro, '4B1801' AS icao_address FROM range(100) AS numbers(i)) TO '${path}' (FORMAT parquet)`,
      ),
    );
    const whole = await readFile(path);
    const statuses: number[] = [];
    for (let k = 0; k < 20; k++) {
      const damaged = Buffer.from(whole);
      const at = Math.floor((k / 20) * whole.length);
      damaged[at] = (damaged[at] as number) ^ (1 << (k % 8));
      statuses.push((await post(damaged)).status);
      const cut = await post(whole.subarray(0, at));
      expect([k, cut.status]).toEqual([k, 400]);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 400]));
    expect((await post(whole)).status).toBe(200);
  });
});
