import { Agent, get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { App } from '../../src/http/app.ts';
import { startServer } from './harness.ts';

/** A server with a request that is answered when the test says so. */
async function withHeldRequest(drainMs: number) {
  let release = () => {};
  let onStart = () => {};
  const started = new Promise<void>((resolve) => {
    onStart = resolve;
  });
  const family = (app: App) => {
    const config = { scope: 'public' } as const;
    app.get('/v0/held', { config }, async () => {
      onStart();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { done: true };
    });
    app.get('/v0/never', { config }, async ({ clientAborted }) => {
      onStart();
      await new Promise<void>((resolve) => clientAborted.addEventListener('abort', () => resolve()));
      return {};
    });
    app.get('/v0/quick', { config }, () => ({}));
    app.get('/v0/large', { config }, (_request, reply) =>
      reply
        .type('application/octet-stream')
        .send(Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(100_000)))),
    );
  };
  const server = await startServer({ families: [family], options: { drainMs } });
  return { server, address: await server.address(), started, finish: () => release() };
}

test('requests in flight are finished, and their connection is closed', async () => {
  const { server, address, started, finish } = await withHeldRequest(30_000);
  const agent = new Agent({ keepAlive: true });
  const answer = new Promise<IncomingMessage>((resolve) => httpGet(`${address}/v0/held`, { agent }, resolve));
  await started;
  const closed = server.app.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  finish();
  const response = await answer;
  expect(response.statusCode).toBe(200);
  expect(response.headers.connection).toBe('close');
  expect(await text(response)).toBe('{"done":true}');
  await closed;
  agent.destroy();
});

test('a request that arrives meanwhile is refused with 503', async () => {
  const { server, address, started, finish } = await withHeldRequest(30_000);
  const held = fetch(`${address}/v0/held`);
  await started;
  const [late, ready] = [await beginRequest(address, '/v0/quick'), await beginRequest(address, '/readyz')];
  const closed = server.app.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await late.complete()).toMatch(/^HTTP\/1\.1 503 .*connection: close.*\/problems\/overloaded/is);
  expect(await ready.complete()).toMatch(/^HTTP\/1\.1 503 .*"detail":"the server is stopping"/s);
  finish();
  expect((await held).status).toBe(200);
  await closed;
});

/** Sends half of a request; the other half is up to the test. */
async function beginRequest(address: string, url: string) {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const answer = text(socket);
  await new Promise((resolve) => socket.write(`GET ${url} HTTP/1.1\r\nHo`, resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    complete: () => {
      socket.write('st: x\r\n\r\n');
      return answer;
    },
  };
}

test('idle connections do not hold it up', async () => {
  const { server, address } = await withHeldRequest(30_000);
  const agent = new Agent({ keepAlive: true });
  const response = await new Promise<IncomingMessage>((resolve) =>
    httpGet(`${address}/v0/quick`, { agent }, resolve),
  );
  await text(response);
  const fresh = connect(Number(new URL(address).port), '127.0.0.1');
  await new Promise((resolve) => fresh.once('connect', resolve));
  await server.app.close();
  agent.destroy();
  fresh.destroy();
});

test('an answer that a slow reader is still taking arrives whole', async () => {
  const { server, address } = await withHeldRequest(30_000);
  const response = await new Promise<IncomingMessage>((resolve) =>
    httpGet(`${address}/v0/large`, { agent: new Agent({ keepAlive: true }) }, resolve),
  );
  response.pause();
  const closed = server.app.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(6_400_000);
  await closed;
});

test('what does not end in time is cut off and its work aborted', async () => {
  const { server, address, started } = await withHeldRequest(100);
  const answer = fetch(`${address}/v0/never`).then(
    () => 'answered',
    () => 'cut off',
  );
  await started;
  await server.app.close();
  expect(await answer).toBe('cut off');
});
