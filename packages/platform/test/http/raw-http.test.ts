import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { App } from '../../src/http/app.ts';
import { startServer } from './harness.ts';

interface Seen {
  aborted: boolean;
  finished: boolean;
}

const seen = new Map<string, Seen>();

function family(app: App): void {
  const config = { scope: 'public' } as const;
  app.get('/v0/quick', { config }, () => ({ quick: true }));
  app.post('/v0/echo', { config }, ({ body }) => ({ body }));
  const wait = async (id: string, signal: AbortSignal) => {
    const state: Seen = { aborted: false, finished: false };
    seen.set(id, state);
    signal.addEventListener('abort', () => {
      state.aborted = true;
    });
    for (let step = 0; step < 100 && !signal.aborted; step++) await sleep(10);
    state.finished = true;
    return {};
  };
  app.get('/v0/wait', { config }, (request) => wait(request.id, request.clientAborted));
  app.post('/v0/wait', { config }, (request) => wait(request.id, request.clientAborted));
}

const server = await startServer({ families: [family] });

describe('what is not HTTP', () => {
  test.each([
    ['noise', '\u0000\u0001\u0002\r\n\r\n', 400],
    ['a sentence', 'hello there\r\n\r\n', 400],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['another protocol', 'GET / RTSP/9.0\r\nHost: x\r\n\r\n', 400],
    ['a blank in a header name', 'GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', 400],
    ['a null in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\u0000b\r\n\r\n', 400],
    [
      'two lengths',
      'POST /v0/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    [
      'a length and chunks',
      'POST /v0/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a negative length', 'POST /v0/echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'a length that is not a number',
      'POST /v0/echo HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n',
      400,
    ],
    ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0x00, 0x00, 0xa1, 0x03, 0x03]), 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['17 kB of one header', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    ['a flood of headers', `GET / HTTP/1.1\r\nHost: x\r\n${'X-A: 1\r\n'.repeat(5_000)}\r\n`, 431],
    ['17 kB of query', `GET /v0/quick?x=${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['a huge key', `GET / HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${'k'.repeat(100_000)}\r\n\r\n`, 431],
  ])('%s is answered as a problem and closed', async (_, text, status) => {
    const answer = await server.raw(text);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/content-type: application\/problem\+json/i);
    expect(head).toMatch(/connection: close/i);
    const problem = JSON.parse(body) as { status: number; instance: string; type: string };
    expect(problem.status).toBe(status);
    expect(head).toContain(`x-request-id: ${problem.instance}`);
    expect(problem.type).toMatch(/^\/problems\/(bad-request|headers-too-large)$/);
  });

  test('HTTP/1.1 without Host is refused', async () => {
    const answer = await server.raw('GET /v0/quick HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('the header Host is missing');
  });

  test('HTTP/1.0 needs no Host', async () => {
    expect(await server.raw('GET /v0/quick HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 .*\{"quick":true\}/s);
  });

  test('Expect with anything but 100-continue is 417', async () => {
    const answer = await server.raw(
      'POST /v0/echo HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n',
      /\}$/,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 417 .*application\/problem\+json/s);
  });

  test('Expect: 100-continue is met', async () => {
    const answer = await server.raw(
      'POST /v0/echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  test('an absolute address is the path in it', async () => {
    expect(
      await server.raw('GET http://any.example/v0/quick HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(['GET *', 'GET quick', 'DELETE *', 'GET http://'])('%s has no path', async (line) => {
    expect(await server.raw(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 40[045] /,
    );
  });

  test('CONNECT and upgrades lead nowhere', async () => {
    expect(await server.raw('CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')).not.toMatch(
      /^HTTP\/1\.1 2/,
    );
    const upgraded = await server.raw(
      'GET /v0/quick HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n',
      /true\}/,
    );
    expect(upgraded).not.toContain('101');
  });

  test('a broken connection leaves the next one alone', async () => {
    expect((await fetch(`${await server.address()}/v0/quick`)).status).toBe(200);
  });
});

describe('bodies that do not end', () => {
  test('a GET with chunks and no end is answered at once', async () => {
    const answer = await server.raw(
      'GET /v0/quick HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close.*\{"quick":true\}$/is);
  });

  test('a GET with a length and no body is answered at once', async () => {
    const answer = await server.raw('GET /v0/quick HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a GET with an empty chunked body keeps its connection', async () => {
    const request = 'GET /v0/wait HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const answer = await server.raw(
      `${request}GET /v0/quick HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  test('a request that comes too slowly is answered 408', async () => {
    const impatient = await startServer({ families: [family], options: { requestTimeoutMs: 300 } });
    const answers = await Promise.all([
      impatient.raw('GET /v0/quick HTTP/1.1\r\nHo'),
      impatient.raw(
        'POST /v0/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      ),
    ]);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 .*\/problems\/timeout/s);
  });
});

describe('a client that closes the connection', () => {
  test.each(['GET', 'POST'])('during a %s aborts the work', async (method) => {
    const id = `hang-up-${method}`;
    const { port } = new URL(await server.address());
    const socket = connect(Number(port), '127.0.0.1');
    const body = method === 'POST' ? 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}' : '\r\n';
    socket.write(`${method} /v0/wait HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${body}`);
    await until('the work has begun', () => seen.has(id));
    expect(seen.get(id)?.aborted).toBe(false);
    socket.destroy();
    await until('the work has ended', () => seen.get(id)?.finished);
    expect(seen.get(id)?.aborted).toBe(true);
    await until('499 is logged', () =>
      server.log.some((line) => line.includes(id) && line.includes('"status":499')),
    );
  });

  test.each(['GET', 'POST'] as const)('never aborts a %s that is waited for', async (method) => {
    const id = `patient-${method}`;
    const answer = await fetch(`${await server.address()}/v0/wait`, {
      method,
      headers: { 'x-request-id': id, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    expect(answer.status).toBe(200);
    expect(seen.get(id)).toEqual({ aborted: false, finished: true });
  });

  test('in the middle of a body leaves nothing behind', async () => {
    const { port } = new URL(await server.address());
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'POST /v0/echo HTTP/1.1\r\nHost: x\r\nX-Request-Id: half\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
    );
    await sleep(50);
    socket.destroy();
    await until('the request is logged', () =>
      server.log.some((line) => line.includes('"request_id":"half"')),
    );
    expect(server.log.filter((line) => line.includes('half')).join()).not.toContain('"level":50');
  });
});
