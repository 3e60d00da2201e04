import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { preferredEncoding } from '../../src/http/accept-encoding.ts';
import type { App } from '../../src/http/app.ts';
import { memoryFile, sendFile } from '../../src/http/files.ts';
import { startServer } from './harness.ts';

const TEXT = JSON.stringify({ values: Array.from({ length: 5_000 }, (_, index) => index) });
const streamed: Readable[] = [];
const file = memoryFile(Buffer.from(TEXT), 0);

function family(app: App): void {
  const config = { scope: 'public' } as const;
  app.get('/v0/json', { config }, () => JSON.parse(TEXT) as object);
  app.get('/v0/small', { config }, () => ({ small: true }));
  app.get('/v0/stream', { config }, (_request, reply) => {
    const stream = Readable.from([TEXT.slice(0, 100), TEXT.slice(100)]);
    streamed.push(stream);
    return reply.type('application/json').send(stream);
  });
  app.get('/v0/broken', { config }, (_request, reply) =>
    reply.type('application/json').send(
      Readable.from(
        (async function* () {
          yield TEXT;
          throw new Error('disk gone');
        })(),
      ),
    ),
  );
  for (const [name, contentType] of [
    ['geojson', 'application/geo+json'],
    ['kml', 'application/vnd.google-earth.kml+xml'],
    ['netcdf', 'application/netcdf'],
    ['parquet', 'application/vnd.apache.parquet'],
  ] as const) {
    app.get(`/v0/${name}`, { config }, (request, reply) =>
      sendFile(request, reply, file, { contentType, name }),
    );
  }
}

const server = await startServer({ families: [family] });
const get = (url: string, encoding?: string, headers: Record<string, string> = {}) =>
  server.send({
    url,
    headers: { ...headers, ...(encoding === undefined ? {} : { 'accept-encoding': encoding }) },
  });

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };

describe.each(['br', 'gzip'] as const)('compression with %s', (encoding) => {
  test.each(['/v0/json', '/v0/stream', '/v0/geojson', '/v0/kml'])('of %s', async (url) => {
    const answer = await get(url, encoding);
    expect(answer.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
    expect(UNPACK[encoding](answer.bytes).toString()).toBe(TEXT);
    expect(answer.bytes.length).toBeLessThan(TEXT.length / 2);
  });

  test.each(['/v0/netcdf', '/v0/parquet'])('not of %s, which is compressed inside', async (url) => {
    const answer = await get(url, encoding);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.vary).toBeUndefined();
    expect(answer.headers['content-length']).toBe(String(TEXT.length));
  });

  test('not of what is small', async () => {
    expect((await get('/v0/small', encoding)).headers['content-encoding']).toBeUndefined();
  });
});

test('a client that does not ask gets plain bytes, with Vary for caches', async () => {
  const answer = await get('/v0/json');
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(answer.headers.vary).toBe('accept-encoding');
  expect(answer.text).toBe(TEXT);
});

describe('tags', () => {
  test('of compressed bytes are weak, and still match', async () => {
    const plain = await get('/v0/geojson');
    const packed = await get('/v0/geojson', 'gzip');
    expect(packed.headers.etag).toBe(`W/${plain.headers.etag}`);
    expect(packed.headers['accept-ranges']).toBeUndefined();
    expect((await get('/v0/geojson', 'gzip', { 'if-none-match': String(packed.headers.etag) })).status).toBe(
      304,
    );
    expect(
      (await get('/v0/geojson', undefined, { 'if-none-match': String(packed.headers.etag) })).status,
    ).toBe(304);
  });

  test('a range is of the plain bytes, and not resumed from compressed ones', async () => {
    const packed = await get('/v0/geojson', 'gzip');
    const part = await get('/v0/geojson', 'gzip', { range: 'bytes=0-1999' });
    expect(part.status).toBe(206);
    expect(part.headers['content-encoding']).toBeUndefined();
    expect(part.text).toBe(TEXT.slice(0, 2000));
    const resumed = await get('/v0/geojson', 'gzip', {
      range: 'bytes=0-1999',
      'if-range': String(packed.headers.etag),
    });
    expect(resumed.status).toBe(200);
  });
});

test('HEAD has the headers of the compressed answer', async () => {
  const head = await fetch(`${await server.address()}/v0/geojson`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(head.headers.get('content-encoding')).toBe('gzip');
  expect(head.headers.get('vary')).toBe('accept-encoding');
  expect(head.headers.get('content-length')).toBeNull();
});

test('a stream that breaks breaks the answer off, it does not end it', async () => {
  const answer = await fetch(`${await server.address()}/v0/broken`, {
    headers: { 'accept-encoding': 'gzip' },
  });
  await expect(answer.text()).rejects.toThrow();
});

test('HEAD of a stream closes it unread', async () => {
  streamed.length = 0;
  await fetch(`${await server.address()}/v0/stream`, { method: 'HEAD' });
  expect(streamed.map(({ destroyed, readableDidRead }) => [destroyed, readableDidRead])).toEqual([
    [true, false],
  ]);
});

test('errors are sent too', async () => {
  const answer = await get(`/v0/json/${'x'.repeat(60)}`, 'gzip');
  expect(answer.status).toBe(404);
});

describe('Accept-Encoding', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;Q=0.5, br;q=0.4', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['deflate, zstd', undefined],
    ['gzip;q=abc', undefined],
    ['gzip;level=9;q=0.8', 'gzip'],
    [';;;,,,=', undefined],
  ] as const)('%s → %s', (header, encoding) => {
    expect(preferredEncoding(header)).toBe(encoding);
  });
});
