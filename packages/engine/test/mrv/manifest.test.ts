import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { readManifest } from '../../src/mrv/verify.ts';

const HASH = { sha256: '0', bytes: 1 };
const WHOLE = {
  schema: 1,
  ...{ parameters: {}, request: {}, scope: {}, tables: {}, weather: [] },
  inputs: [{ ...HASH, name: 'inputs/flights.my table', table: 'flights', rows: 1 }],
  files: { 'flights.csv': HASH },
};

async function read(manifest: unknown) {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return readManifest(folder);
}

test('reads a manifest that has what verification needs', async () => {
  expect(await read(WHOLE)).toEqual(WHOLE);
});

test.each<[string, unknown, string]>([
  ['is a list', [], 'its schema is undefined'],
  ['has nothing but a schema', { schema: 1 }, 'its manifest has no parameters and request'],
  ['has inputs that are not a list', { ...WHOLE, inputs: {} }, 'its manifest has no inputs'],
  [
    'has an input without a name',
    { ...WHOLE, inputs: [null] },
    'names undefined, which is not in the folder',
  ],
  ['has a file without a hash', { ...WHOLE, files: { a: 1 } }, 'has no hash of a'],
  ['names a file of the system', { ...WHOLE, files: { '/etc/passwd': HASH } }, 'is not in the folder'],
  ['names a file above the folder', { ...WHOLE, files: { 'a/../../b': HASH } }, 'is not in the folder'],
])('refuses a manifest that %s', async (_, manifest, message) => {
  await expect(read(manifest)).rejects.toThrow(message);
});
