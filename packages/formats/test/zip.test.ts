import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary.ts';
import { writeZip } from '../src/zip.ts';

test('an archive has its files with their names and bytes, as another program reads it', async () => {
  const files = { 'a.txt': 'one', 'inputs/ü.csv': 'x,y\n'.repeat(10_000), empty: '' };
  const entries = Object.entries(files).map(([name, text]) => ({
    name,
    read: async () => Buffer.from(text),
  }));
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeZip(entries)) chunks.push(chunk);
  const path = join(await temporaryDirectory(), 'files.zip');
  writeFileSync(path, Buffer.concat(chunks));
  const script =
    'import json, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))';
  const read = execFileSync('python3', ['-c', script, path], { encoding: 'utf8' });
  expect(JSON.parse(read)).toEqual(files);
});
