import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { downloadPart, findArchive } from '../src/daily-archive.ts';

const DAY = Date.UTC(2026, 1, 25);
const TAG = 'v2026.02.25-planes-readsb-prod-0';
const BYTES = Buffer.from('0123456789'.repeat(1000));
/** What the mirror has, by path. */
const files = new Map<string, Buffer>();
const asked: string[] = [];
let failures = 0;
let server: Server;
let root: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'contrails-archive-'));
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.range ?? ''}`.trim());
    const bytes = files.get(request.url ?? '');
    if (bytes === undefined) return response.writeHead(404).end();
    if (failures > 0 && request.method === 'GET') {
      failures--;
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 3000));
      return setTimeout(() => response.destroy(), 50);
    }
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length - start });
    return response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const options = () => ({ root });
const path = (name: string, tag = TAG, year = 2026) =>
  `/globe_history_${year}/releases/download/${tag}/${name}`;

test('a day is found as its parts, in their order', async () => {
  files.set(path(`${TAG}.tar.aa`), BYTES);
  files.set(path(`${TAG}.tar.ab`), BYTES.subarray(0, 100));
  const found = await findArchive(DAY, options());
  expect(found).toMatchObject({ date: '2026-02-25', tag: TAG, bytes: 10_100 });
  expect(found?.files.map(({ name }) => name)).toEqual([`${TAG}.tar.aa`, `${TAG}.tar.ab`]);
});

test('a day of another variant, or of the repository of the next year, is found', async () => {
  const tag = 'v2026.12.31-planes-readsb-staging-0';
  files.set(path(`${tag}.tar`, tag, 2027), BYTES);
  expect(await findArchive(Date.UTC(2026, 11, 31), options())).toMatchObject({ tag, bytes: 10_000 });
  expect(await findArchive(Date.UTC(2026, 3, 1), options())).toBeUndefined();
});

test('a download that breaks off is continued', async () => {
  failures = 1;
  const [file] = (await findArchive(DAY, options()))?.files ?? [];
  if (file === undefined) throw new Error('no file');
  const done = await downloadPart(file, folder, options());
  expect(readFileSync(done)).toEqual(BYTES);
  expect(asked).toContain(`GET ${path(`${TAG}.tar.aa`)} bytes=3000-`);
  asked.length = 0;
  await downloadPart(file, folder, options());
  expect(asked).toEqual([]);
});

test('a file with other bytes than stated is not kept', async () => {
  const sha256 = createHash('sha256').update('other').digest('hex');
  const url = `${root}${path(`${TAG}.tar.ab`)}`;
  const file = { name: 'wrong.tar', url, bytes: 100, sha256 };
  writeFileSync(join(folder, 'wrong.tar.part'), 'x'.repeat(200));
  await expect(downloadPart(file, folder, options())).rejects.toThrow('other bytes');
});
