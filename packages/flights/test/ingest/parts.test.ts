import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { partsOf, readTelemetry, withoutOtherParts } from '../../src/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contrails-parts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function archive(): Promise<Buffer> {
  const tar = pack();
  for (const hex of ['4ab1c2', '4ab1d0']) {
    const trace = Array.from({ length: 50 }, (_, k) => [k * 10, 50 + k / 100, 8, 35_000, 450, 90, 0, 0]);
    const text = JSON.stringify({ icao: hex, timestamp: 1_770_000_000, trace });
    // Compressed in spite of its name, as the archives have it.
    tar.entry({ name: `./traces/${hex.slice(-2)}/trace_full_${hex}.json` }, gzipSync(text));
  }
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>));
}

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function read(path: string) {
  const result = { rows: 0, truncations: [] as string[] };
  for await (const block of readTelemetry(path, { nowMs: Date.UTC(2026, 5) })) {
    result.rows += block.columns.timestamp.length;
    result.truncations.push(...block.truncations);
  }
  return result;
}

test('an archive that was cut into parts is read as one, whichever part is named', async () => {
  const whole = await archive();
  const cuts = [0, 700, 1900, whole.length];
  const parts = [0, 1, 2].map((k) => write(`day.tar.a${'abc'[k]}`, whole.subarray(cuts[k], cuts[k + 1])));
  const wanted = await read(write('whole.tar', whole));
  expect(wanted).toEqual({ rows: 100, truncations: [] });
  for (const part of parts) expect(await read(part)).toEqual(wanted);
  expect(await withoutOtherParts([...parts, join(folder, 'whole.tar')])).toEqual([
    parts[0],
    join(folder, 'whole.tar'),
  ]);
});

test('a missing part is named', async () => {
  write('day.tar.aa', new Uint8Array(1));
  const last = write('day.tar.ac', new Uint8Array(1));
  await expect(partsOf(last)).rejects.toThrow('day.tar.ab is missing');
  await expect(partsOf(write('other.tar.ab', new Uint8Array(1)))).rejects.toThrow('other.tar.aa is missing');
});

test('a compressed archive is not a part', async () => {
  const path = write('day.tar.gz', gzipSync(await archive()));
  expect(await partsOf(path)).toEqual([path]);
  expect((await read(path)).rows).toBe(100);
});

test('the archive of a whole day says which share of its folders it has', async () => {
  const day = write('v2026.02.25-planes-readsb-prod-0.tar', await archive());
  const { rows, truncations } = await read(day);
  expect([rows, truncations.join()]).toEqual([
    100,
    expect.stringMatching(/is incomplete: \d of 256 folders/),
  ]);
  expect((await read(write('some.tar', await archive()))).truncations).toEqual([]);
});

test('an archive that breaks off says how far it goes', async () => {
  const whole = await archive();
  const { rows, truncations } = await read(write('cut.tar', whole.subarray(0, 1536)));
  expect(rows).toBeLessThan(100);
  expect(truncations.join()).toMatch(/2 of 256 folders, last entry .*trace_full_4ab1d0.json/);
});
