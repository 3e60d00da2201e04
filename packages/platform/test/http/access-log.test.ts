import { expect, test } from 'vitest';
import { redacted } from '../../src/http/access-log.ts';
import type { App } from '../../src/http/app.ts';
import { startServer } from './harness.ts';

function family(app: App): void {
  app.get('/v0/logs', { config: { scope: 'research' } }, (request) => {
    request.log.info({ step: 1 }, 'half way');
    return { logged: true };
  });
  app.get('/v0/fails', { config: { scope: 'research' } }, () => {
    throw new Error('broken');
  });
}

const server = await startServer({ families: [family] });
const lines = (id: string) =>
  server.log.filter((line) => line.includes(id)).map((line) => JSON.parse(line) as Record<string, unknown>);

test('each request has one line with what happened', async () => {
  await server.send({ url: '/v0/logs?x=1', headers: { 'x-api-key': server.key, 'x-request-id': 'one' } });
  expect(lines('"one"').find(({ msg }) => msg === 'request')).toMatchObject({
    level: 30,
    request_id: 'one',
    method: 'GET',
    url: '/v0/logs?x=1',
    status: 200,
    bytes: 15,
    key: server.key.split('_')[1],
    ms: expect.any(Number) as number,
  });
  expect(lines('"one"').filter(({ msg }) => msg === 'request')).toHaveLength(1);
});

test('lines of the handler have the same id', async () => {
  await server.send({ url: '/v0/logs', headers: { 'x-api-key': server.key, 'x-request-id': 'two' } });
  expect(lines('"two"').find(({ msg }) => msg === 'half way')).toMatchObject({ request_id: 'two', step: 1 });
});

test('probes are logged at debug level only', async () => {
  await server.send({ url: '/healthz', headers: { 'x-request-id': 'probe' } });
  expect(lines('"probe"')).toMatchObject([{ level: 20, status: 200 }]);
});

test('a key never gets into the log, wherever it was put', async () => {
  const { key } = server;
  const secret = key.split('_')[2] ?? '';
  const attempts = [
    { url: '/v0/logs', headers: { 'x-api-key': key } },
    { url: '/v0/fails', headers: { 'x-api-key': key } },
    { url: '/v0/logs', headers: { authorization: `Bearer ${key}` } },
    { url: `/v0/logs?api_key=${key}` },
    { url: `/v0/logs?x-api-key=${key}&b=1` },
    { url: `/v0/logs?key=${encodeURIComponent(key).replaceAll('_', '%5F')}` },
    { url: `/${key}` },
    { url: `/v0/%ff/${key}` },
    { url: '/v0/logs', headers: { 'x-api-key': `${key}x` } },
    { url: '/v0/logs', headers: { 'x-request-id': `${key}!` } },
  ];
  for (const attempt of attempts) await server.send(attempt);
  expect(secret.length).toBeGreaterThan(20);
  expect(server.log.join('')).not.toContain(secret);
});

test('a key as request id is not echoed', async () => {
  const answer = await server.send({ url: '/healthz', headers: { 'x-request-id': server.key } });
  expect(answer.headers['x-request-id']).not.toBe(server.key);
});

test.each([
  ['/v0/grid?time=0', '/v0/grid?time=0'],
  ['/?api_key=abc&x=1', '/?api_key=***&x=1'],
  ['/?x-api-key=abc', '/?x-api-key=***'],
  ['/ctr_a_b/c', '/ctr_***/c'],
  ['/v0/sectors', '/v0/sectors'],
])('%s is logged as %s', (url, shown) => {
  expect(redacted(url)).toBe(shown);
});

test('a long address is cut', () => {
  expect(redacted(`/${'x'.repeat(15_000)}`).length).toBeLessThan(2_100);
});
