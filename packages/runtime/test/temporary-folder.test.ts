import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTemporaryFolder, sweepTemporaryFolders, withTemporaryFolder } from '../src/index.ts';

const own = process.env.TMPDIR;
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sweep of 50 % #?'));
  process.env.TMPDIR = directory;
});

afterEach(() => {
  process.env.TMPDIR = own;
});

test('a folder is private, and nothing of it is left after the work, also when that fails', async () => {
  await expect(
    withTemporaryFolder('trial', async (path) => {
      expect(statSync(path).mode & 0o777).toBe(0o700);
      writeFileSync(join(path, 'file'), 'bytes');
      throw new Error('the work failed');
    }),
  ).rejects.toThrow('the work failed');
  expect(readdirSync(directory)).toEqual([]);
});

test('a sweep leaves alone what has no lock file, and what is not a folder of ours', async () => {
  const others = ['contrails-telemetry-1', 'contrails-data', 'other.lock'];
  for (const name of others) mkdirSync(join(directory, name));
  writeFileSync(join(directory, 'contrails-key'), '');
  await sweepTemporaryFolders();
  expect(readdirSync(directory).sort()).toEqual([...others, 'contrails-key'].sort());
});

test('a sweep removes a folder whose lock is free, and a lock file without a folder', async () => {
  mkdirSync(join(directory, 'contrails-cut-1', 'spill'), { recursive: true });
  writeFileSync(join(directory, 'contrails-cut-1.lock'), '');
  writeFileSync(join(directory, 'contrails-table-2.lock'), '');
  const folder = await makeTemporaryFolder('trial');
  expect(readdirSync(directory)).toHaveLength(2);
  await folder.remove();
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

test('folders that are made at the same time are kept apart', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => makeTemporaryFolder('trial')));
  expect(new Set(made.map(({ path }) => path)).size).toBe(20);
  expect(made.every(({ path }) => existsSync(path))).toBe(true);
  await Promise.all(made.map((folder) => folder.remove()));
  expect(readdirSync(directory)).toEqual([]);
});
