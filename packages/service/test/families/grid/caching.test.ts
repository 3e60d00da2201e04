import { expect, test } from 'vitest';
import { startGridServer } from './support/grid-server.ts';

const { get, server, services } = await startGridServer();
const SMALL = '/v0/grid/sac?time=2024-06-12T03&bbox=-40,40,-30,50&flight_level=320';

async function computeSeconds(): Promise<number> {
  return (await server.usage()).reduce((sum, row) => sum + row.computeSeconds, 0);
}

test('a repeated request is answered without computing', async () => {
  const first = await get(`${SMALL}&format=kml`);
  const spent = await computeSeconds();
  const second = await get(`${SMALL}&format=kml`);
  expect(spent).toBeGreaterThan(0);
  expect(await computeSeconds()).toBe(spent);
  expect(second.bytes.equals(first.bytes)).toBe(true);
  expect(second.headers['last-modified']).toBe(first.headers['last-modified']);
});

test('requests at the same time are computed once', async () => {
  const before = services.compute.state().tasks;
  const asked = Array.from({ length: 20 }, () => get(`${SMALL}&format=geojson&simplify=2`));
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, services.compute.state().tasks - before);
  }, 0);
  const answers = await Promise.all(asked);
  clearInterval(watch);
  expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(most).toBeLessThanOrEqual(1);
});

test('a client that has the file gets 304', async () => {
  const { headers } = await get(SMALL);
  const again = await get(SMALL, { 'if-none-match': String(headers.etag) });
  expect(again.status).toBe(304);
  expect(again.bytes.length).toBe(0);
  const head = await server.send({ method: 'HEAD', url: SMALL, headers: { 'x-api-key': server.key } });
  expect(head.headers).toMatchObject({ etag: headers.etag, 'content-length': headers['content-length'] });
});

test('a part of the file can be asked for', async () => {
  const whole = await get(SMALL);
  const part = await get(SMALL, { range: 'bytes=100-199', 'if-range': String(whole.headers.etag) });
  expect(part.status).toBe(206);
  expect(part.bytes.equals(whole.bytes.subarray(100, 200))).toBe(true);
});
