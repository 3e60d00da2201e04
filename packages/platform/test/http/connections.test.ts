import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { App } from '../../src/http/app.ts';
import { connectionsWithin } from '../../src/http/options.ts';
import { PressureGauge } from '../../src/http/pressure.ts';
import { ResourceWarnings } from '../../src/http/resource-warnings.ts';
import { type Server, startServer } from './harness.ts';

const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

async function open(address: string): Promise<Socket> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Sends a request whose answer takes its time; resolves when the server has it. */
async function begin(server: Server, socket: Socket): Promise<void> {
  const arrived = once(server.app.server, 'request');
  socket.write('GET /v0/long HTTP/1.1\r\nhost: x\r\n\r\n');
  await arrived;
}

describe('the limit of connections', () => {
  test.each([
    ['is the wanted number where there are enough descriptors', 10_000, 20_000, 8, 10_000],
    ['leaves descriptors for files and threads', 10_000, 1024, 2, 884],
    ['leaves more where more threads run', 10_000, 1024, 32, 284],
    ['is a quarter of few descriptors', 10_000, 128, 8, 32],
    ['is the wanted number where descriptors are unlimited', 500, Number.POSITIVE_INFINITY, 8, 500],
  ])('%s', (_, wanted, openFiles, cores, expected) => {
    expect(connectionsWithin(wanted, openFiles, cores)).toBe(expected);
  });
});

describe('a server with as many connections as it may have', () => {
  let finish = () => {};
  const family = (app: App) => {
    app.get('/v0/long', { config: { scope: 'public' } }, async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return {};
    });
  };

  test('closes the longest idle one for a new one, and none that waits for its answer', async () => {
    const server = await startServer({ families: [family], options: { maxConnections: 3 } });
    const address = await server.address();
    const busy = await open(address);
    await begin(server, busy);
    const [first, second] = [await open(address), await open(address)];
    await open(address);
    await until('the first idle connection is closed', async () => first.closed);
    expect([busy.closed, second.closed]).toEqual([false, false]);
    expect((await server.send('/readyz')).json()).toMatchObject({
      checks: { process: { ok: true, message: expect.stringContaining('all 3 connections are open') } },
    });
    finish();
  });

  test('answers 503 where every connection waits for its answer', async () => {
    const server = await startServer({ families: [family], options: { maxConnections: 1 } });
    const busy = await open(await server.address());
    await begin(server, busy);
    expect(await server.raw('')).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n[\s\S]*all in use/);
    finish();
    const [answer] = await once(busy, 'data');
    expect(String(answer)).toContain('HTTP/1.1 200');
  });
});

test('a process without descriptors for measuring its memory goes on and reports it', async () => {
  const { rss } = process.memoryUsage;
  process.memoryUsage.rss = () => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  };
  const lines: string[] = [];
  const warnings = new ResourceWarnings(pino({}, { write: (line: string) => lines.push(line) }));
  const gauge = new PressureGauge(warnings);
  try {
    await until('it is reported', async () => warnings.recent() !== undefined);
    expect(warnings.recent()).toBe('cannot measure the memory of the process: EMFILE: too many open files');
    expect(gauge.current.heapBytes).toBeGreaterThan(0);
  } finally {
    gauge.close();
    process.memoryUsage.rss = rss;
  }
});

test('a warning is logged once a minute and reported until a minute after the last time', () => {
  let nowMs = 0;
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const warnings = new ResourceWarnings(log, () => nowMs);
  for (nowMs = 0; nowMs < 60_000; nowMs += 1_000) warnings.report('connections', 'too many');
  expect(lines).toHaveLength(1);
  nowMs = 61_000;
  warnings.report('connections', 'too many');
  expect(lines[1]).toMatchObject({ msg: 'too many', repeated: 59 });
  nowMs = 120_000;
  expect(warnings.recent()).toBe('too many');
  nowMs = 121_001;
  expect(warnings.recent()).toBeUndefined();
});
