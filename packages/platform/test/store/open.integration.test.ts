import { UsageError } from '@contrails/runtime/errors';
import { expect, test } from 'vitest';
import { runProgram } from '../../../../test/support/programs.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { openStore } from '../../src/store/index.ts';

test.each(['..', 'a/../b', '/a', 'a//b', 'a b', '%2e%2e'])('rejects the bucket prefix %j', async (prefix) => {
  await expect(openStore({ kind: 's3', bucket: 'bucket', prefix })).rejects.toThrow(UsageError);
});

test('a store reports its location', async () => {
  const store = await openStore({ kind: 's3', bucket: 'bucket', prefix: 'a/b' });
  expect(store.location).toBe('s3://bucket/a/b');
});

test('the users of a directory do not load the S3 library', async () => {
  const program = new URL('./programs/loaded-modules.ts', import.meta.url);
  const loaded = await runProgram(program, [await temporaryDirectory()]).finished;
  expect(loaded.some((url) => url.endsWith('/store/directory/directory-store.ts'))).toBe(true);
  expect(loaded.filter((url) => url.includes('@aws-sdk'))).toEqual([]);
});
