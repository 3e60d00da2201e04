import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { openFileIndex } from '../../src/store/directory/file-index.ts';

test('work of one process that comes at the same moment is done one after the other', async () => {
  const index = await openFileIndex(join(await temporaryDirectory(), 'index.sqlite'));
  const results = await Promise.all(Array.from({ length: 20 }, (_, n) => index.exclusive(() => n)));
  expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n));
  index.close();
});

test('work that fails gives its error, forgets what it remembered and frees the lock', async () => {
  const directory = await temporaryDirectory();
  const [one, two] = [await openFileIndex(join(directory, 'i')), await openFileIndex(join(directory, 'i'))];
  writeFileSync(join(directory, 'file'), 'x');
  const file = lstatSync(join(directory, 'file'), { bigint: true });
  const fault = new Error('work');
  const failing = one.exclusive((hashes) => {
    hashes.set('key', file, 'hash');
    throw fault;
  });
  await expect(failing).rejects.toBe(fault);
  expect(await two.hashOf('key', file)).toBeUndefined();
  await two.exclusive((hashes) => hashes.set('key', file, 'hash'));
  expect(await one.hashOf('key', file)).toBe('hash');
  for (const index of [one, two]) index.close();
});
