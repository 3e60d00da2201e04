import { readFileSync } from 'node:fs';
import { openCompute } from '@contrails/engine/compute';
import { NO_AIRFRAMES } from '@contrails/engine/inventory/aircraft';
import { inventoryOptions } from '@contrails/engine/inventory/settings';
import type { InventoryFlight } from '@contrails/flights/inventory';
import { openDuckDb, sqlText } from '@contrails/formats';
import { openMet } from '@contrails/met';
import { type Workspace, withWorkspace } from '@contrails/platform/workspace';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import {
  LegWriter,
  openLegs,
  readFlights,
  readHeads,
} from '../../../src/families/inventory/flights/flights-file.ts';
import { runSlot } from '../../../src/families/inventory/model/run-slot.ts';
import { warmCompute } from '../../support/warm-services.ts';
import { legRowOf, syntheticFlights } from './support.ts';

const SLOTS = 3;
const MEBIBYTE = 2 ** 20;
const flights = syntheticFlights(36);
const files = await writeShards([flights.slice(0, 15), flights.slice(15)]);

/** Files of two shards of the day; the third one has no flight. */
async function writeShards(shards: readonly (readonly InventoryFlight[])[]) {
  const paths: { legs: string; minutes: string }[] = [];
  for (const [index, some] of [...shards, []].entries()) {
    const directory = await temporaryDirectory();
    paths.push(
      await withWorkspace({ memoryMiB: 128 }, async (workspace) => {
        const writer = await LegWriter.open({ ...workspace, directory }, { index, count: SLOTS });
        for (const flight of some) await writer.add({ row: legRowOf(flight), flight });
        await writer.add({
          row: {
            ...legRowOf(flights[index] as InventoryFlight),
            flight_id: `no flight ${index}`,
            outcome: 'too_short',
          },
          flight: null,
        });
        return writer.finish();
      }),
    );
  }
  return { legs: paths.map(({ legs }) => legs), minutes: paths.map(({ minutes }) => minutes) };
}

async function inWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const directory = await temporaryDirectory();
  return withWorkspace({ memoryMiB: 256, threads: 1 }, (workspace) => work({ ...workspace, directory }));
}

function readSlot(slot: number, minutes = files.minutes): Promise<InventoryFlight[]> {
  return inWorkspace(async ({ duckdb }) => {
    await openLegs(duckdb, files, slot);
    return readFlights(duckdb, minutes, slot, await readHeads(duckdb));
  });
}

test('flights of all shards come back with their minutes, each in one slot', async () => {
  const slots = [await readSlot(0), await readSlot(1), await readSlot(2)];
  expect(slots.every(({ length }) => length > 3)).toBe(true);
  const byId = (a: InventoryFlight, b: InventoryFlight) => (a.flightId < b.flightId ? -1 : 1);
  expect(slots.flat().sort(byId)).toEqual([...flights].sort(byId));
});

test('minutes that are missing are an error that names the flight', async () => {
  await expect(readSlot(0, files.minutes.slice(1))).rejects.toThrow(
    /minutes of flight .+ are missing in .+parquet/,
  );
});

test('the tables of a slot are the same bytes with any number of threads', async () => {
  const source = openSynthetic({ name: 'made', resolutionDeg: 10, seed: 1 });
  const met = openMet({ sources: [source], memoryBytes: 256 * MEBIBYTE, threads: 1 });
  afterAll(() => met.close());
  const options = inventoryOptions('exponential_boost_latitude_customization', { maxAgeHours: 2 });
  const run = (threads: number) =>
    inWorkspace(async (workspace) => {
      const compute = threads === 1 ? warmCompute : openCompute({ threads, maxQueue: 10 });
      try {
        const written = await runSlot(
          { met: { open: async () => met }, compute },
          workspace,
          {
            slot: 1,
            flights: files,
            earlier: undefined,
            airframes: NO_AIRFRAMES,
            weather: () => '',
            settings: { options, allowsForecast: false },
          },
          {},
        );
        const bytes = [written.legs, written.summary, written.segments].map((path) => readFileSync(path));
        return { ...written, bytes };
      } finally {
        if (compute !== warmCompute) await compute.close();
      }
    });
  const [one, three] = [await run(1), await run(3)];
  expect(one.counts.computed).toBeGreaterThan(3);
  expect(three.bytes.map((bytes, k) => bytes.equals(one.bytes[k] as Buffer))).toEqual([true, true, true]);
  const duckdb = await openDuckDb({
    memoryMiB: 128,
    threads: 1,
    temporaryDirectory: await temporaryDirectory(),
  });
  const [sums] = await duckdb.rows(
    `SELECT count(*) AS n, max(abs(s.minutes - f.seg_cnt)) AS minutes, max(abs(s.km - f.chunk_len_km) / f.chunk_len_km) AS km
     FROM (SELECT flight_id, count(*) AS minutes, sum(chunk_len_km) AS km FROM read_parquet(${sqlText(one.segments)}) GROUP BY flight_id) AS s
     JOIN read_parquet(${sqlText(one.summary)}) AS f USING (flight_id)`,
  );
  duckdb.close();
  expect(sums?.n).toBe(BigInt(one.counts.computed));
  expect(Number(sums?.minutes)).toBe(0);
  expect(Number(sums?.km)).toBeLessThan(1e-6);
});
