import { join } from 'node:path';
import { openDuckDb, sqlPath } from '@contrails/formats';
import { withTemporaryFolder } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { readSuperseded } from '../../../src/families/inventory/flights/flights-file.ts';

interface Leg {
  readonly id: string;
  readonly address: string;
  readonly callsign?: string;
  readonly tail?: string;
  /** Hours of the day. */
  readonly from: number;
  readonly to: number;
}

const TELEMETRY: readonly Leg[] = [
  { id: 'seen', address: '3C6701', callsign: 'DLH1AA', tail: 'D-AIAA', from: 6, to: 8 },
  { id: 'nameless', address: '3C6702', from: 6, to: 8 },
];

async function supersededOf(imported: readonly Omit<Leg, 'id'>[]): Promise<number[]> {
  return withTemporaryFolder('superseded', async (folder) => {
    const duckdb = await openDuckDb({ memoryMiB: 64, threads: 1, temporaryDirectory: folder });
    try {
      const legs = [...TELEMETRY, ...imported.map((leg, k) => ({ ...leg, id: String(k) }))];
      const text = (value: string | undefined) => (value === undefined ? 'NULL' : `'${value}'`);
      const time = (hour: number) => `TIMESTAMP '2026-02-25 00:00:00' + INTERVAL ${60 * hour} MINUTE`;
      const rows = legs.map(
        ({ id, address, callsign, tail, from, to }) =>
          `('${id}', '${address}', ${text(callsign)}, '${JSON.stringify({ tailNumber: tail ?? null })}', ${time(from)}, ${time(to)})`,
      );
      const path = join(folder, 'legs.parquet');
      const columns = 'flight_id, icao_address, callsign, flight, first_time, last_time';
      await duckdb.run(
        `COPY (SELECT * FROM (VALUES ${rows.join(', ')}) AS l(${columns})) TO ${sqlPath(path)}`,
      );
      await duckdb.run(`CREATE VIEW legs AS SELECT * FROM read_parquet(${sqlPath(path)})`);
      return [...(await readSuperseded(duckdb, { legs: [path] }))].map(Number).sort();
    } finally {
      duckdb.close();
    }
  });
}

test('an import is superseded by telemetry of the same registration or callsign for more than half of its time', async () => {
  const address = 'F20000';
  const found = await supersededOf([
    { address, tail: 'D-AIAA', from: 6, to: 8 },
    { address, callsign: 'DLH1AA', from: 6.5, to: 9 },
    { address, callsign: 'DLH1AA', from: 7, to: 9.5 },
    { address, tail: 'D-AIZZ', callsign: 'DLH9ZZ', from: 6, to: 8 },
    { address, from: 6, to: 8 },
  ]);
  expect(found).toEqual([0, 1]);
});

test('telemetry is never superseded, and imports do not supersede each other', async () => {
  const found = await supersededOf([
    { address: '3C6703', tail: 'D-AIAA', from: 6, to: 8 },
    { address: 'F20000', tail: 'D-AIBB', from: 6, to: 8 },
    { address: 'F30000', tail: 'D-AIBB', from: 6, to: 8 },
  ]);
  expect(found).toEqual([]);
});
