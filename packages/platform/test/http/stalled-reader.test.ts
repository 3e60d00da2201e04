import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { App } from '../../src/http/app.ts';
import { startServer } from './harness.ts';

/** More than a connection buffers on both sides. */
const LARGE_BYTES = 64 * 2 ** 20;
const config = { scope: 'public' } as const;

const family = (app: App) => {
  app.get('/v0/large', { config }, (_request, reply) =>
    reply.type('application/octet-stream').send(Buffer.alloc(LARGE_BYTES)),
  );
  app.get('/v0/stream', { config }, (_request, reply) =>
    reply.type('application/octet-stream').send(Readable.from(slices())),
  );
  app.get('/v0/slow', { config }, (_request, reply) =>
    reply.type('application/octet-stream').send(Readable.from(thoughtful())),
  );
};

function* slices() {
  for (let sent = 0; sent < LARGE_BYTES; sent += 2 ** 20) yield Buffer.alloc(2 ** 20);
}

async function* thoughtful() {
  yield Buffer.from('begin ');
  await sleep(300);
  yield Buffer.from('end');
}

test.each(['/v0/large', '/v0/stream'])('a client that reads nothing of %s is let go', async (url) => {
  const server = await startServer({ families: [family], options: { stalledReaderMs: 100 } });
  const { port } = new URL(await server.address());
  const socket = connect(Number(port), '127.0.0.1');
  socket.pause();
  const [[taken]] = await Promise.all([
    once(server.app.server, 'connection'),
    new Promise((resolve) => socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`, resolve)),
  ]);
  await once(taken, 'close');
  expect(taken.destroyed).toBe(true);
  socket.destroy();
});

test('an answer that takes its time to make is not broken off', async () => {
  const server = await startServer({ families: [family], options: { stalledReaderMs: 100 } });
  const answer = await fetch(`${await server.address()}/v0/slow`);
  expect(await answer.text()).toBe('begin end');
});
