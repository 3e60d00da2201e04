import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSyntheticTraffic } from '@contrails/testbed/traffic';
import { expect, onTestFinished, test } from 'vitest';
import { buildAirframes, flightRecord, openTables, worldAirports } from '../src/index.ts';

const DAY = Date.UTC(2026, 0, 1);

test('several threads build the same flights in the same order as one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-build-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const traffic = openSyntheticTraffic({ airports: worldAirports().all, legsPerDay: 55, seed: 3 });
  const lines = [...traffic.lines(DAY, DAY + 86_400_000)].join('').trim().split('\n');
  const file = join(directory, 'day.ndjson');
  const targets = lines.flatMap((line) => /^\{"target":(.*)\}$/.exec(line)?.[1] ?? []);
  writeFileSync(file, targets.join('\n'));

  const built = async (threads: number) => {
    const settings = { memoryMiB: 128, threads: 1, temporaryDirectory: directory };
    const tables = await openTables([file], settings);
    try {
      const found: string[] = [];
      for await (const { flights, reportCount, onGroundCount } of buildAirframes(tables, { threads })) {
        found.push(`${reportCount} ${onGroundCount}`);
        for (const flight of flights) found.push(JSON.stringify(flightRecord(flight)));
      }
      return found;
    } finally {
      tables.close();
    }
  };
  const alone = await built(1);
  expect(alone.length).toBeGreaterThan(50);
  expect(await built(2)).toEqual(alone);
});

test('an error of a table ends the threads and reaches the caller', async () => {
  const tables = {
    ambiguousIds: new Set<string>(),
    airframes: () => {
      throw new Error('the table is gone');
    },
  };
  await expect(buildAirframes(tables, { threads: 2 }).next()).rejects.toThrow('the table is gone');
});
