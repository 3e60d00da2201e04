import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chunksOf } from '../../../src/families/observations/sources/chunks.ts';
import { type FetchRequest, fetchFrames } from '../../../src/families/observations/sources/fetch-frames.ts';
import { serve as openServer, dataStore as openStore, type StoreProduct } from './support/data-store.ts';

const NOON = Date.UTC(2026, 1, 25, 12);
let folder: string;
let close: () => void = () => {};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contrails-fetch-'));
});
afterEach(() => {
  close();
  rmSync(folder, { recursive: true });
});

async function serve(answer: Parameters<typeof openServer>[0]): Promise<string> {
  const server = await openServer(answer);
  close = server.close;
  return server.root;
}

const contentOf = (name: string) => Buffer.from(`${name}\n`.repeat(50));

/** One product for each cycle, at ten-minute steps from noon, which is cycle 73. */
async function dataStore(cycles: readonly number[]) {
  const products = cycles.map((cycle): StoreProduct => ({ timeMs: NOON + (cycle - 73) * 600_000 }));
  const store = await openStore(products, contentOf);
  close = store.close;
  return store;
}

const request = (given: Partial<FetchRequest>): FetchRequest => ({
  satellite: 'mtg-0',
  fromMs: NOON,
  toMs: NOON,
  folder,
  dataStore: {
    consumerKey: 'key',
    consumerSecret: 'secret',
    retry: { pauseMs: 1 },
  },
  signal: new AbortController().signal,
  ...given,
});

test('a frame of the Data Store is its forty chunks, and is not downloaded twice', async () => {
  const { root, seen } = await dataStore([73, 74]);
  const [frame, ...others] = await Array.fromAsync(fetchFrames(request({ endpoint: root })));
  expect([frame?.timeMs, frame?.paths.length, frame?.isComplete, others]).toEqual([NOON, 40, true, []]);
  for (const path of frame?.paths ?? []) {
    expect(readFileSync(path).equals(contentOf(path.slice(folder.length + 1)))).toBe(true);
  }
  expect(seen.searches).toEqual(['EO:EUM:DAT:0662 2026-02-25T12:00:00Z']);
  await Array.fromAsync(fetchFrames(request({ endpoint: root })));
  expect(seen.downloads).toHaveLength(40);
  expect(seen.tokens).toBe(1);
});

test('earlier frames come with a later end, and a region takes only its chunks', async () => {
  const { root, seen } = await dataStore([72, 73]);
  const region = { west: -10, south: 45, east: 15, north: 55 };
  const wanted = chunksOf(region);
  const frames = await Array.fromAsync(
    fetchFrames(request({ endpoint: root, region, fromMs: NOON - 600_000 })),
  );
  expect(frames.map(({ timeMs, isComplete }) => [timeMs, isComplete])).toEqual([
    [NOON - 600_000, true],
    [NOON, true],
  ]);
  expect(wanted.size).toBeLessThan(8);
  expect(seen.downloads).toHaveLength(2 * wanted.size);
});

test('chunks count from the south', () => {
  const [south, north] = [-70, 55].map((latitude) =>
    chunksOf({ west: 0, east: 5, south: latitude, north: latitude + 5 }),
  ) as [ReadonlySet<number>, ReadonlySet<number>];
  expect(Math.max(...south)).toBeLessThan(6);
  expect(Math.min(...north)).toBeGreaterThan(34);
  expect([...chunksOf({ west: -1, east: 1, south: -1, north: 1 })].sort()).toEqual([20, 21]);
});

test('an ended token, limits, failures and cut connections are overcome', async () => {
  const { root, seen, faults } = await dataStore([73]);
  faults.push(
    (response) => {
      seen.tokens++;
      response.writeHead(401).end();
    },
    (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
    (response) => response.writeHead(500).end(),
    (response, content) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 1000));
      setTimeout(() => response.destroy(), 50);
    },
  );
  const region = { west: -1, south: -1, east: 1, north: 1 };
  const [frame] = await Array.fromAsync(fetchFrames(request({ endpoint: root, region })));
  for (const path of frame?.paths ?? []) {
    expect(readFileSync(path).equals(contentOf(path.slice(folder.length + 1)))).toBe(true);
  }
  expect(seen.ranges).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a wrong key and none are usage errors with the remedy', async () => {
  const { root } = await dataStore([73]);
  const fetching = (dataStoreSettings: FetchRequest['dataStore']) =>
    Array.fromAsync(fetchFrames(request({ endpoint: root, dataStore: dataStoreSettings })));
  await expect(fetching({})).rejects.toThrow('set EUMETSAT_CONSUMER_KEY');
  await expect(
    fetching({ consumerKey: 'key', consumerSecret: 'wrong', retry: { attempts: 1 } }),
  ).rejects.toThrow('does not accept EUMETSAT_CONSUMER_KEY');
});

test('a frame of GOES comes from the bucket of the spacecraft that was in place', async () => {
  const name = (band: number, hour: number) =>
    `OR_ABI-L2-CMIPF-M6C${band}_G16_s2024067${hour}00204_e2024067${hour}09512_c2024067${hour}09581.nc`;
  const keys = [2, 11, 14, 15].flatMap((band) => [15, 16].map((hour) => name(band, hour)));
  const asked: string[] = [];
  const root = await serve((incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://localhost');
    const prefix = url.searchParams.get('prefix');
    const [, bucket = '', ...key] = url.pathname.split('/');
    if (prefix !== null) {
      const listed =
        bucket === 'noaa-goes16' ? keys.filter((one) => one.includes(`s2024067${prefix.slice(-3, -1)}`)) : [];
      const contents = listed.map(
        (one) =>
          `<Contents><Key>${prefix}${one}</Key><Size>${contentOf(one).length}</Size><ETag>&quot;${one.length}&quot;</ETag></Contents>`,
      );
      response.writeHead(200, { 'content-type': 'application/xml' });
      return response.end(
        `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`,
      );
    }
    const one = key.at(-1) ?? '';
    asked.push(one);
    const modified = 'Thu, 07 Mar 2024 15:12:00 GMT';
    response.writeHead(200, {
      'last-modified': modified,
      etag: `"${one.length}"`,
      'content-length': contentOf(one).length,
    });
    return response.end(contentOf(one));
  });
  writeFileSync(join(folder, name(14, 15)), contentOf(name(14, 15)));
  const ms = Date.UTC(2024, 2, 7, 15);
  const frames = await Array.fromAsync(
    fetchFrames(request({ satellite: 'goes-east', endpoint: root, fromMs: ms, toMs: ms })),
  );
  expect(frames).toEqual([
    { timeMs: ms, paths: [11, 14, 15].map((band) => join(folder, name(band, 15))), isComplete: true },
  ]);
  expect(asked.sort()).toEqual([name(11, 15), name(15, 15)]);
  expect(readdirSync(folder).sort()).toEqual([11, 14, 15].map((band) => name(band, 15)));
});
