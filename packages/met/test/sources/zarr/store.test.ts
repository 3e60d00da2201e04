import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../../src/sources/zarr/http-get.ts';
import { openStore } from '../../../src/sources/zarr/store.ts';

describe('an object of a directory, read in pieces', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'contrails-objects-'));
    path = join(directory, 'object');
    writeFileSync(path, 'the first content');
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const open = async (key: string) => {
    const object = await openStore({ kind: 'directory', path: directory }, HTTP_LIMITS).open(key);
    return object ?? Promise.reject(new Error('it is not there'));
  };
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

  test('gives any part, and less at its end', async () => {
    const object = await open('/object');
    expect(text(await object.read(4, 5))).toBe('first');
    expect(text(await object.read(10, 100))).toBe('content');
    await object.close();
  });

  test('is absent when there is none', async () => {
    await expect(open('/nothing')).rejects.toThrow('it is not there');
  });

  test('that is overwritten meanwhile is refused', async () => {
    const object = await open('/object');
    await object.read(0, 3);
    writeFileSync(path, 'another and longer content');
    await expect(object.read(4, 5)).rejects.toMatchObject({
      kind: 'changed',
      message: expect.stringMatching(/replaced while it was read; try again/),
    });
    await object.close();
  });

  test('in whose place another is put stays what it was', async () => {
    const object = await open('/object');
    writeFileSync(join(directory, 'other'), 'another and longer content');
    renameSync(join(directory, 'other'), path);
    expect(text(await object.read(4, 5))).toBe('first');
    await object.close();
  });
});
