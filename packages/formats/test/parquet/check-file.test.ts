import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkParquet } from '../../src/parquet/check-file.ts';
import { openDuckDb, sqlText } from '../../src/parquet/duckdb.ts';
import { compressSnappy, decompressSnappy } from '../../src/parquet/snappy.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'check-file-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function written(options: string): Promise<Buffer> {
  const path = join(directory, 'whole.parquet');
  const duckdb = await openDuckDb({
    memoryMiB: 128,
    threads: 1,
    temporaryDirectory: join(directory, 'spill'),
  });
  await duckdb.run(`COPY (
    SELECT range AS number, 'AB' || range % 7 AS text, CASE WHEN range % 3 > 0 THEN range / 7 END AS perhaps, [range] AS list
    FROM range(5000)) TO ${sqlText(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048, ${options})`);
  duckdb.close();
  return readFileSync(path);
}

async function check(bytes: Uint8Array): Promise<void> {
  const path = join(directory, 'checked.parquet');
  writeFileSync(path, bytes);
  await checkParquet(path);
}

describe.each(['snappy', 'zstd', 'gzip', 'brotli', 'lz4_raw', 'uncompressed'])('a file in %s', (codec) => {
  test.each(['v1', 'v2'])('that is whole is accepted in version %s', async (version) => {
    await check(await written(`COMPRESSION ${codec}, PARQUET_VERSION ${version}`));
  });

  test('that is cut anywhere is refused', async () => {
    const whole = await written(`COMPRESSION ${codec}`);
    for (const share of [0, 0.001, 0.5, 0.9, 0.999]) {
      await expect(check(whole.subarray(0, Math.floor(share * whole.length)))).rejects.toThrow(/the file/);
    }
  });
});

test('the message names what is wrong', async () => {
  const whole = await written('COMPRESSION snappy');
  const page = Buffer.from(whole);
  page[60] = (page[60] ?? 0) ^ 0xff;
  await expect(check(page)).rejects.toThrow(/^column "number" of row group 0: /);
  const moved = Buffer.concat([whole.subarray(0, 100), Buffer.from([0]), whole.subarray(100)]);
  await expect(check(moved)).rejects.toThrow(/^column "[a-z.]+" of row group \d: /);
  const foot = Buffer.from(whole);
  foot.writeUInt32LE(whole.length, whole.length - 8);
  await expect(check(foot)).rejects.toThrow(/^the footer of \d+ bytes does not fit into the file$/);
});

describe('Snappy', () => {
  test('unpacks what it has packed', () => {
    const words = fc.array(fc.constantFrom('a', 'ab', 'abcabcabcabcabcabc', 'x'.repeat(300)), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(words, (list) => {
        const bytes = Buffer.from(list.join(''));
        expect(Buffer.from(decompressSnappy(compressSnappy(bytes), bytes.length) ?? [])).toEqual(bytes);
      }),
    );
  });

  test('returns nothing for bytes that end too early, or unpack to another length', () => {
    const bytes = Buffer.from('abcdefgh'.repeat(50));
    const packed = compressSnappy(bytes);
    for (let length = 0; length < packed.length; length++)
      expect(decompressSnappy(packed.subarray(0, length), bytes.length)).toBeUndefined();
    expect(decompressSnappy(packed, bytes.length - 1)).toBeUndefined();
  });
});
