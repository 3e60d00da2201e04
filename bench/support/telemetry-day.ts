import { openCollection, readTelemetry, worldAirports } from '@contrails/flights';
import { DAY_MS } from '@contrails/runtime';
import { openSyntheticTraffic } from '@contrails/testbed/traffic';

const DAY = Date.UTC(2026, 0, 1);
const FORMAT = 'target_ndjson';

/** Writes a day of synthetic traffic with about so many legs as a table of telemetry. Returns the number of reports. */
export async function writeTelemetryDay(legsPerDay: number, file: string): Promise<number> {
  const traffic = openSyntheticTraffic({ airports: worldAirports().all, legsPerDay, seed: 1 });
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const lines of traffic.lines(DAY, DAY + DAY_MS)) yield Buffer.from(lines);
  }
  const collection = await openCollection({ memoryMiB: 1024, threads: 2 });
  try {
    for await (const block of readTelemetry(input(), { format: FORMAT, nowMs: DAY + DAY_MS }))
      await collection.add(block, 0);
    await collection.refuseDuplicates();
    await collection.writeParquet(file);
    return (await collection.counts()).rows;
  } finally {
    await collection.close();
  }
}
