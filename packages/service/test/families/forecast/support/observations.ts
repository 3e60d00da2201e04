import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShardName } from '@contrails/engine/skill/observations';
import { openDuckDb, sqlPath } from '@contrails/formats';

/** Some cells with flights, and with contrails that aircraft measured. */
export async function writeObservations(folder: string, shards: readonly ShardName[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const db = await openDuckDb({ memoryMiB: 100, threads: 1, temporaryDirectory: folder });
  try {
    for (const [source, column, every] of [
      ['adsb', 'flight_distance', 1],
      ['iagos', 'pcr_distance', 7],
    ] as const) {
      await mkdir(join(folder, source), { recursive: true });
      for (const { timeMs, flightLevel } of shards)
        await db.run(
          `COPY (SELECT -179.75 + i * 0.25 AS longitude, ((i * 37) % 600) * 0.25 - 75 AS latitude, 1000.0 + i AS ${column}
                 FROM range(0, 1400, ${every}) t(i)) TO ${sqlPath(join(folder, source, `${timeMs / 1000}_${flightLevel}.pq`))} (FORMAT parquet)`,
        );
    }
  } finally {
    db.close();
  }
}
