import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import type { App } from '../../src/http/app.ts';
import { select } from '../../src/http/conditional.ts';
import { contentDisposition, memoryFile, sendFile, storedFile } from '../../src/http/files.ts';
import { openStore } from '../../src/store/index.ts';
import { startServer } from './harness.ts';

const BYTES = randomBytes(100_000);
const TAG = `"${createHash('sha256').update(BYTES).digest('hex')}"`;
const store = await openStore({ kind: 'directory', path: await temporaryDirectory() });
await store.put('forecast/FL350.nc', BYTES);
const modifiedMs = (await store.head('forecast/FL350.nc'))?.modifiedMs ?? Number.NaN;
const MODIFIED = new Date(modifiedMs).toUTCString();

function family(app: App): void {
  const config = { scope: 'public' } as const;
  const answer = { contentType: 'application/netcdf', name: 'contrails_2024-02-29T06Z_FL350.nc' };
  app.get('/v0/stored', { config }, async (request, reply) =>
    sendFile(request, reply, await storedFile(store, 'forecast/FL350.nc'), answer),
  );
  app.get('/v0/memory', { config }, async (request, reply) =>
    sendFile(request, reply, memoryFile(BYTES, modifiedMs), answer),
  );
  app.get('/v0/missing', { config }, async (request, reply) =>
    sendFile(request, reply, await storedFile(store, 'forecast/none.nc'), answer),
  );
  app.get('/v0/replaced', { config }, async (request, reply) => {
    await store.put('replaced', Buffer.from('old'));
    const file = await storedFile(store, 'replaced');
    await store.put('replaced', Buffer.from('new'));
    return sendFile(request, reply, file, answer);
  });
  app.get('/v0/empty', { config }, (request, reply) =>
    sendFile(request, reply, memoryFile(new Uint8Array(), 0), answer),
  );
}

const server = await startServer({ families: [family] });

describe.each(['/v0/stored', '/v0/memory'])('a file at %s', (url) => {
  const get = (headers: Record<string, string> = {}) => server.send({ url, headers });

  test('has length, name, tag and time', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/netcdf',
      'content-length': '100000',
      'content-disposition': 'attachment; filename="contrails_2024-02-29T06Z_FL350.nc"',
      etag: TAG,
      'last-modified': MODIFIED,
      'accept-ranges': 'bytes',
    });
    expect(answer.bytes.equals(BYTES)).toBe(true);
  });

  test.each([TAG, `W/${TAG}`, `"x", ${TAG}`, `"x",W/${TAG} , "y"`, '*'])(
    'If-None-Match: %s is 304',
    async (tags) => {
      const answer = await get({ 'if-none-match': tags });
      expect(answer.status).toBe(304);
      expect(answer.headers.etag).toBe(TAG);
      expect(answer.bytes).toHaveLength(0);
      expect(answer.headers['content-type']).toBeUndefined();
    },
  );

  test.each(['"x"', '""', 'nonsense', TAG.slice(1), '"*"'])('If-None-Match: %s is the file', async (tags) => {
    expect((await get({ 'if-none-match': tags, 'if-modified-since': MODIFIED })).status).toBe(200);
  });

  test('If-Modified-Since is 304 where the file is no newer', async () => {
    expect((await get({ 'if-modified-since': MODIFIED })).status).toBe(304);
    expect((await get({ 'if-modified-since': new Date(modifiedMs + 5_000).toUTCString() })).status).toBe(304);
    expect((await get({ 'if-modified-since': new Date(modifiedMs - 5_000).toUTCString() })).status).toBe(200);
    expect((await get({ 'if-modified-since': 'yesterday' })).status).toBe(200);
  });

  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=99990-', 99_990, 99_999],
    ['bytes=-10', 99_990, 99_999],
    ['bytes=50-999999', 50, 99_999],
    ['bytes=-999999', 0, 99_999],
    ['BYTES = 5 - 5', 5, 5],
  ])('Range: %s is 206', async (range, first, last) => {
    const answer = await get({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${first}-${last}/100000`);
    expect(answer.headers['content-length']).toBe(String(last - first + 1));
    expect(answer.bytes.equals(BYTES.subarray(first, last + 1))).toBe(true);
  });

  test.each(['bytes=0-1,5-6', 'lines=1-2', 'bytes=x', 'bytes=5-2', 'bytes=-', 'bytes=1-2-3', ''])(
    'Range: %j is the whole file',
    async (range) => {
      const answer = await get({ range });
      expect(answer.status).toBe(200);
      expect(answer.bytes).toHaveLength(100_000);
    },
  );

  test.each(['bytes=100000-', 'bytes=100000-200000', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'Range: %s is 416',
    async (range) => {
      const answer = await get({ range });
      expect(answer.status).toBe(416);
      expect(answer.headers['content-range']).toBe('bytes */100000');
      expect(answer.headers.etag).toBeUndefined();
      expect(answer.problem().type).toBe('/problems/range-not-satisfiable');
    },
  );

  test.each([
    [TAG, 206],
    [MODIFIED, 206],
    [`W/${TAG}`, 200],
    ['"x"', 200],
    [new Date(0).toUTCString(), 200],
    ['nonsense', 200],
  ])('If-Range: %s with a range is %i', async (condition, status) => {
    expect((await get({ range: 'bytes=0-9', 'if-range': condition })).status).toBe(status);
  });

  test('HEAD has the headers of the whole file, also with a range', async () => {
    const head = await fetch((await server.address()) + url, {
      method: 'HEAD',
      headers: { range: 'bytes=0-9' },
    });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe('100000');
    expect(head.headers.get('etag')).toBe(TAG);
    expect(await head.bytes()).toHaveLength(0);
  });

  test('HEAD with a known tag is 304', async () => {
    const head = await fetch((await server.address()) + url, {
      method: 'HEAD',
      headers: { 'if-none-match': TAG },
    });
    expect(head.status).toBe(304);
    expect(head.headers.get('content-length')).toBeNull();
  });

  test('over a connection, whole and in pieces, nothing is lost', async () => {
    const address = (await server.address()) + url;
    const whole = Buffer.from(await (await fetch(address)).arrayBuffer());
    expect(whole.equals(BYTES)).toBe(true);
    const halves = await Promise.all(
      ['bytes=0-49999', 'bytes=50000-'].map(async (range) =>
        (await fetch(address, { headers: { range } })).bytes(),
      ),
    );
    expect(Buffer.concat(halves).equals(BYTES)).toBe(true);
  });
});

test('a file that is not there is 404 without the headers of one', async () => {
  const answer = await server.send('/v0/missing');
  expect(answer.status).toBe(404);
  expect(answer.headers['content-disposition']).toBeUndefined();
});

test('a file replaced while it is opened is 503, not a mixture', async () => {
  const answer = await server.send('/v0/replaced');
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  expect(answer.headers.etag).toBeUndefined();
});

test('an empty file is sent and has no ranges', async () => {
  const answer = await server.send('/v0/empty');
  expect([answer.status, answer.headers['content-length']]).toEqual([200, '0']);
  expect((await server.send({ url: '/v0/empty', headers: { range: 'bytes=0-' } })).status).toBe(416);
});

test('any range that is served lies within the file', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.option(fc.nat(1200)), fc.option(fc.nat(1200)), (size, first, last) => {
      const range = `bytes=${first ?? ''}-${last ?? ''}`;
      const selection = select('GET', { range }, { etag: '"x"', modifiedMs: 0, size });
      if (selection.status !== 206) return;
      expect(selection.range.first).toBeGreaterThanOrEqual(0);
      expect(selection.range.last).toBeLessThan(size);
      expect(selection.range.first).toBeLessThanOrEqual(selection.range.last);
    }),
  );
});

describe('names of files', () => {
  test('plain names stay', () => {
    expect(contentDisposition('a-b_c.1.nc')).toBe('attachment; filename="a-b_c.1.nc"');
  });

  test('any text gives one safe header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(contentDisposition(name)).toMatch(
          /^attachment; filename="[\w.+=@ -]*"(; filename\*=UTF-8''[\w.!~%-]*)?$/,
        );
      }),
    );
  });
});
