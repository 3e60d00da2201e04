import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksFile } from '../../src/http/chunks-file.ts';
import type { File } from '../../src/http/files.ts';

async function bytesOf(file: File, range?: { first: number; last: number }): Promise<Buffer> {
  const body = await file.open(range);
  return Buffer.isBuffer(body) ? body : buffer(body);
}

test('any range of any chunks is that of the bytes together', async () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(), fc.nat(), async (given, a, b) => {
      const whole = Buffer.concat(given);
      const file = await chunksFile(given, 7);
      expect(file).toMatchObject({
        size: whole.length,
        modifiedMs: 7,
        sha256: createHash('sha256').update(whole).digest('hex'),
      });
      expect((await bytesOf(file)).equals(whole)).toBe(true);
      if (whole.length === 0) return;
      const [first, last] = [a % whole.length, b % whole.length].sort((x, y) => x - y) as [number, number];
      expect((await bytesOf(file, { first, last })).equals(whole.subarray(first, last + 1))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('large files are streamed, and every reader has its own stream', async () => {
  const part = new Uint8Array(9_000_000).map((_, index) => index % 251);
  const file = await chunksFile([part, part], 0);
  const [one, other] = await Promise.all([
    bytesOf(file),
    bytesOf(file, { first: 8_999_000, last: 9_100_000 }),
  ]);
  expect(one.length).toBe(18_000_000);
  expect(other.equals(one.subarray(8_999_000, 9_100_001))).toBe(true);
  expect(file.sha256).toBe(createHash('sha256').update(one).digest('hex'));
});
