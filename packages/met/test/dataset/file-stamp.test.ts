import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contentIdentity, stampOf } from '../../src/dataset/file-stamp.ts';

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'contrails-stamp-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

function identityOf(path: string, bytes: Uint8Array): Promise<string> {
  writeFileSync(path, bytes);
  return contentIdentity(stampOf(path));
}

test('copies in other folders, of other times, have the same identity', async () => {
  const [here, there] = [join(directory(), 'era5.nc'), join(directory(), 'archive', 'era5.nc')];
  mkdirSync(join(there, '..'));
  const bytes = Buffer.alloc(3_000_000, 'weather');
  const first = await identityOf(here, bytes);
  expect(await identityOf(there, bytes)).toBe(first);
  utimesSync(there, 1_700_000_000, 1_700_000_000);
  expect(await contentIdentity(stampOf(there))).toBe(first);
});

test.each([10, 4096, 64 * 4096])('any byte of a small file of %d bytes counts', async (size) => {
  const path = join(directory(), 'small.nc');
  const bytes = Buffer.alloc(size, 1);
  const first = await identityOf(path, bytes);
  for (const at of [0, Math.floor(size / 3), size - 1]) {
    const other = Buffer.from(bytes);
    other[at] = 2;
    expect(await identityOf(path, other)).not.toBe(first);
  }
});

test('a stretch of a sixtieth of a large file counts wherever it lies, and so do its ends, size and name', async () => {
  const path = join(directory(), 'large.nc');
  const size = 10_000_000;
  const bytes = Buffer.alloc(size, 1);
  const first = await identityOf(path, bytes);
  const stretch = Math.ceil(size / 60);
  const starts = Array.from({ length: 12 }, (_, k) => Math.floor((k * (size - stretch)) / 11));
  for (const [at, length] of [[0, 1], [size - 1, 1], ...starts.map((one) => [one, stretch])] as const) {
    const other = Buffer.from(bytes).fill(2, at, (at ?? 0) + (length ?? 0));
    expect(await identityOf(path, other)).not.toBe(first);
  }
  expect(await identityOf(path, bytes.subarray(1))).not.toBe(first);
  expect(await identityOf(join(directory(), 'other.nc'), bytes)).not.toBe(first);
});
