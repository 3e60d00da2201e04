import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { MemoryBudget } from '@contrails/runtime';
import { number } from '@contrails/runtime/options/number';
import { query, body as readerOfBody } from '@contrails/runtime/options/query';
import { Rejected } from '@contrails/runtime/options/rejected';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import type { App } from '../../src/http/app.ts';
import { collectBytes } from '../../src/http/incoming.ts';
import { startServer } from './harness.ts';

const LIMIT = 1_000_000;
const body = Type.Object({ values: Type.Array(Type.Number()), name: Type.Optional(Type.String()) });

function family(app: App): void {
  for (const version of ['v0', 'v1']) {
    app.post(
      `/${version}/sum`,
      { config: { scope: 'public' }, schema: { body, querystring: query({ factor: number() }) } },
      (request) => ({
        sum: request.body.values.reduce((sum, value) => sum + value, 0),
        name: request.body.name,
      }),
    );
  }
  const later = readerOfBody<{ sum: number }>(body, async (raw) => {
    const values = (raw as { values: number[] }).values;
    const [first] = values;
    if (first === 0)
      return new Rejected([{ loc: ['body', 'values', 0], msg: 'values[0] is 0', type: 'range' }]);
    return { sum: values.reduce((sum, value) => sum + value, 0) };
  });
  app.post(
    '/v0/later',
    { config: { scope: 'public' }, schema: { body: later, querystring: query({ factor: number() }) } },
    (request) => request.body,
  );
  app.post('/v0/bare', { config: { scope: 'public' } }, () => ({ reached: true }));
}

const server = await startServer({ families: [family], options: { bodyLimitBytes: LIMIT } });

const post = (payload: string | Buffer, headers: Record<string, string> = {}, url = '/v0/sum?factor=1') =>
  server.send({ method: 'POST', url, payload, headers: { 'content-type': 'application/json', ...headers } });

const GOOD = '{"values":[1,2,3]}';

describe('reads', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/geo+json',
    'application/vnd.api+json; charset=utf-8',
  ])('a body of type %s is read', async (type) => {
    const answer = await post(GOOD, { 'content-type': type });
    expect(answer.json()).toEqual({ sum: 6 });
  });

  test.each(['gzip', 'GZIP', 'x-gzip'])('Content-Encoding: %s', async (encoding) => {
    const answer = await post(gzipSync(GOOD), { 'content-encoding': encoding });
    expect(answer.json()).toEqual({ sum: 6 });
  });

  test('gzip in several parts, and none', async () => {
    const parts = Buffer.concat([gzipSync('{"values":[1,'), gzipSync('2,3]}')]);
    expect((await post(parts, { 'content-encoding': 'gzip' })).json()).toEqual({ sum: 6 });
    expect((await post(GOOD, { 'content-encoding': 'identity' })).json()).toEqual({ sum: 6 });
  });

  test('a body with a byte order mark', async () => {
    expect((await post(`\uFEFF${GOOD}`)).json()).toEqual({ sum: 6 });
  });

  test('names in any script', async () => {
    expect((await post('{"values":[],"name":"Zürich 東京 \\ud83d\\ude00"}')).json()).toMatchObject({
      name: 'Zürich 東京 😀',
    });
  });

  test('a body of many parts, packed or not, with or without a declared length', async () => {
    const large = await startServer({ families: [family], options: { bodyLimitBytes: 20 * LIMIT } });
    const values = Array.from({ length: 1_000_000 }, (_, i) => i);
    const text = JSON.stringify({ values, name: 'last' });
    const packed = gzipSync(text);
    const stream = () => new Blob([text]).stream();
    for (const { encoding = 'identity', ...sent } of [
      { body: text },
      { body: stream(), duplex: 'half' as const },
      { body: packed, encoding: 'gzip' },
    ]) {
      const answer = await fetch(`${await large.address()}/v0/sum?factor=1`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        ...sent,
      });
      expect(await answer.json()).toEqual({ sum: 499_999_500_000, name: 'last' });
    }
  });

  test('bodies up to the limit, also when they were compressed', async () => {
    const full = `{"values":[${'0,'.repeat(400_000)}0]}`.padEnd(LIMIT, ' ');
    expect((await post(full)).status).toBe(200);
    expect((await post(gzipSync(full), { 'content-encoding': 'gzip' })).status).toBe(200);
    expect((await post(`${full} `)).status).toBe(413);
    expect((await post(gzipSync(`${full} `), { 'content-encoding': 'gzip' })).status).toBe(413);
  });
});

describe('what is not JSON', () => {
  test.each([
    ['cut off', '{"values":[1,2', 'not valid JSON'],
    ['a trailing comma', '{"values":[1,]}', 'not valid JSON'],
    ['two documents', `${GOOD}${GOOD}`, 'not valid JSON'],
    ['NaN', '{"values":[NaN]}', 'not valid JSON'],
    ['HTML', '<html>', 'not valid JSON'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'not valid UTF-8'],
    ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'not valid UTF-8'],
    ['a lone surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not valid UTF-8'],
    ['UTF-16', Buffer.from(`\uFEFF${GOOD}`, 'utf16le'), 'not valid UTF-8'],
    ['zeros', Buffer.alloc(100), 'not valid JSON'],
  ])('%s is refused', async (_, payload, words) => {
    for (const [version, status] of [
      ['v0', 422],
      ['v1', 400],
    ] as const) {
      const answer = await post(payload, {}, `/${version}/sum?factor=1`);
      expect(answer.status).toBe(status);
      expect(answer.problem().errors).toHaveLength(1);
      expect(answer.problem().errors?.[0]).toMatchObject({ loc: ['body'] });
      expect(answer.problem().detail).toContain(words);
    }
  });

  test('refuses an empty body', async () => {
    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      const answer = await post(headers['content-encoding'] ? gzipSync('') : '', headers);
      expect(answer.status).toBe(422);
      expect(answer.problem().detail).toContain('the body is missing');
    }
    const none = await server.send({ method: 'POST', url: '/v0/sum?factor=1' });
    expect(none.problem().detail).toContain('the body is missing');
  });

  test.each([
    ['no gzip', Buffer.from(GOOD)],
    ['cut off', gzipSync(GOOD).subarray(0, 20)],
    ['a wrong checksum', Buffer.concat([gzipSync(GOOD).subarray(0, -8), Buffer.alloc(8)])],
    ['empty', Buffer.alloc(0)],
  ])('refuses gzip that is %s', async (_, payload) => {
    const answer = await post(payload, { 'content-encoding': 'gzip' });
    expect(answer.status).toBe(422);
    expect(answer.problem().detail).toMatch(/not valid gzip|body is missing/);
  });

  test('errors of the body and of the query come together', async () => {
    const answer = await post('{broken', {}, '/v0/sum?factor=x');
    expect(answer.problem().errors?.map(({ loc }) => loc)).toEqual([['query', 'factor'], ['body']]);
    const both = await post('{"values":[1,"x"]}', {}, '/v0/sum');
    expect(both.problem().errors?.map(({ loc }) => loc)).toEqual([
      ['query', 'factor'],
      ['body', 'values', 1],
    ]);
  });

  test('the same for a body that is read in turns', async () => {
    const good = await post(GOOD, {}, '/v0/later?factor=1');
    expect(good.json()).toEqual({ sum: 6 });
    const wrong = await post('{"values":[0]}', {}, '/v0/later?factor=x');
    expect(wrong.problem().errors?.map(({ loc }) => loc)).toEqual([
      ['query', 'factor'],
      ['body', 'values', 0],
    ]);
    const failed = await post('{}', {}, '/v0/later?factor=1');
    expect(failed.status).toBe(500);
  });

  test('is refused also where the route declares no body', async () => {
    expect((await post('{broken', {}, '/v0/bare')).status).toBe(422);
  });
});

describe('bombs', () => {
  test('a gzip bomb is refused at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000), { level: 9 });
    expect(bomb.length).toBeLessThan(LIMIT);
    const before = process.memoryUsage().arrayBuffers;
    const answer = await post(bomb, { 'content-encoding': 'gzip' });
    expect(answer.status).toBe(413);
    expect(answer.problem().detail).toBe(
      'the body is larger than 1000000 bytes after decompression; send it in parts',
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });

  test.each([
    ['lists', '['.repeat(200_000)],
    ['objects', '{"a":'.repeat(100_000)],
  ])('%s nested without end are refused', async (_, payload) => {
    const answer = await post(payload);
    expect(answer.status).toBe(422);
    expect(answer.problem().detail).toContain('more than 64 deep');
  });

  test.each([
    ['lists', `[${'[],'.repeat(250_000)}0]`],
    [
      'keys',
      `{${Array.from({ length: 90_000 }, (_, index) => `"${index}":0`).join(',')}}`.padEnd(900_000, ' '),
    ],
    ['brackets in texts', `{"values":[],"x":"${'[{:'.repeat(250_000)}"}`],
  ])('many %s are refused', async (kind, payload) => {
    const answer = await post(payload);
    if (kind === 'lists') expect(answer.problem().detail).toContain('more than 200000 lists');
    else expect(answer.status).toBe(kind === 'keys' ? 422 : 200);
    if (kind === 'keys') expect(answer.problem().detail).toContain('values is missing');
  });

  test('numbers beyond a double are refused where a number is wanted', async () => {
    const answer = await post('{"values":[1e999]}');
    expect(answer.problem().detail).toContain('values[0] Infinity');
  });
});

describe('types that are not read: 415', () => {
  test.each([
    'text/plain',
    'text/csv',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-seq',
    'application/octet-stream',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'nonsense',
    '/',
    '../../etc/passwd',
    'application/json/x',
  ])('a body of type %s is refused', async (type) => {
    const answer = await post(GOOD, { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.problem()).toMatchObject({ type: '/problems/unsupported-media-type' });
  });

  test('refuses a body without a type', async () => {
    const answer = await server.send({ method: 'POST', url: '/v0/sum?factor=1', payload: GOOD });
    expect(answer.status).toBe(415);
  });

  test.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'gzip;q=1', '*'])(
    'Content-Encoding: %s',
    async (encoding) => {
      const answer = await post(gzipSync(GOOD), { 'content-encoding': encoding });
      expect(answer.status).toBe(415);
      expect(answer.headers['accept-encoding']).toBe('gzip');
    },
  );
});

describe('too large', () => {
  test('a declared length is refused before the body comes', async () => {
    const answer = await server.raw(
      `POST /v0/sum?factor=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`,
      /\r\n\r\n.+/s,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a client that sends everything first still gets its answer', async () => {
    const chunk = Buffer.alloc(100_000, 0x20);
    const payload = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 50; index++) controller.enqueue(chunk);
        controller.close();
      },
    });
    const answer = await fetch(`${await server.address()}/v0/sum?factor=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: payload,
      duplex: 'half',
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ type: '/problems/payload-too-large' });
  });

  test('a client that reads only when all is sent gets its answer, and may go on', async () => {
    const body = Buffer.alloc(8_000_000, 0x20);
    const head = (length: number) =>
      `POST /v0/sum?factor=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await server.raw(Buffer.concat([Buffer.from(head(body.length)), body, Buffer.from(next)]));
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*HTTP\/1\.1 200 OK.*\{"status":"ok"\}/s);
  });

  test('what comes of refused bodies is taken in turns', async () => {
    const sockets: Socket[] = [];
    const own = await startServer({ families: [family], options: { bodyLimitBytes: LIMIT } });
    own.app.server.on('connection', (socket) => sockets.push(socket));
    const [clients, bytes] = [8, 2 ** 24];
    const { port } = new URL(await own.address());
    const request = Buffer.concat([
      Buffer.from(
        `POST /v0/sum?factor=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
      ),
      Buffer.alloc(bytes, 0x20),
    ]);
    const connections = Array.from({ length: clients }, () => connect(Number(port), '127.0.0.1'));
    await Promise.all(connections.map((connection) => once(connection, 'connect')));
    for (const connection of connections) connection.write(request);
    const taken = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    const rounds: number[] = [];
    for (let before = 0; before < clients * request.length; ) {
      await new Promise((resolve) => setImmediate(resolve));
      rounds.push(taken() - before);
      before = taken();
    }
    for (const connection of connections) connection.destroy();
    // Two of each that come before its turn and one whose turn it is.
    expect(Math.max(...rounds)).toBeLessThan(4 * 2 ** 20);
  });

  test('large bodies that arrive together begin one by one, and others do not wait for them', async () => {
    const startedMs = performance.now();
    /** When the body begins, and when all of it is there. */
    const collect = async (bytes: number, isGone = false) => {
      const payload = Readable.from([Buffer.alloc(bytes)]);
      Object.assign(payload, { headers: { 'content-length': String(bytes) } });
      let beganMs = 0;
      const collected = collectBytes(payload as IncomingMessage, bytes, () => {
        beganMs ||= performance.now() - startedMs;
      });
      if (isGone) payload.destroy(new Error('gone'));
      expect(await collected.then(({ length }) => length, String)).toEqual(isGone ? 'Error: gone' : bytes);
      return beganMs;
    };
    const [first = 0, , second = 0, third = 0, ...others] = await Promise.all([
      collect(2 ** 24),
      collect(2 ** 24, true),
      collect(2 ** 24),
      collect(2 ** 24),
      collect(2 ** 22),
      collect(100),
    ]);
    // Less than the time between turns, because a busy machine brings the first part later.
    expect(second - first).toBeGreaterThan(50);
    expect(third - second).toBeGreaterThan(50);
    expect(Math.max(...others)).toBeLessThan(second);
  });

  test('more bodies at once than memory is set aside for are refused as overload', async () => {
    const small = await startServer({
      families: [family],
      options: { bodyLimitBytes: LIMIT, maxBodyBytesInFlight: 100_000 },
    });
    const big = `{"values":[${'0,'.repeat(200_000)}0]}`;
    const send = () =>
      small.send({
        method: 'POST',
        url: '/v0/sum?factor=1',
        payload: big,
        headers: { 'content-type': 'application/json' },
      });
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('5');
    const fine = await small.send({
      method: 'POST',
      url: '/v0/sum?factor=1',
      payload: GOOD,
      headers: { 'content-type': 'application/json' },
    });
    expect(fine.status).toBe(200);
  });

  test('bodies count in the memory of the process until they are answered', async () => {
    const memory = new MemoryBudget({ limitBytes: 4_000_000, residentBytes: () => 0 });
    const server = await startServer({ families: [family], services: { memory } });
    const others = memory.take('bodies', 2_500_000);
    const post = (headers: Record<string, string>, payload: string | Buffer) =>
      server.send({
        method: 'POST',
        url: '/v0/sum?factor=1',
        payload,
        headers: { 'content-type': 'application/json', ...headers },
      });
    const text = `{"values":[${'0,'.repeat(200_000)}0]}`;
    const packed = gzipSync(text);
    for (const refused of [await post({}, text), await post({ 'content-encoding': 'gzip' }, packed)]) {
      expect(refused.status).toBe(503);
      expect(refused.headers['retry-after']).toBe('5');
      expect(refused.problem().type).toBe('/problems/overloaded');
    }
    expect((await post({}, GOOD)).status).toBe(200);
    others.release();
    expect((await post({}, text)).status).toBe(200);
    expect(memory.usage().bodies).toBe(0);
  });

  test.each([
    ['a text without end', `{"values":"${'x'.repeat(2 ** 21)}"}`, 'a text of more than 1048576 bytes'],
    ['more values than any request has', `[${'0,'.repeat(10_000_001)}0]`, 'more than 10000000 values'],
  ])('%s is refused before it is parsed', async (_, payload, words) => {
    const wide = await startServer({ families: [family] });
    const answer = await wide.send({
      method: 'POST',
      url: '/v0/sum?factor=1',
      payload,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.problem().detail).toContain(words);
  });
});
