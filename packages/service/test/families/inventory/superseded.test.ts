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
  readonly imported?: { readonly source: string; readonly icaoAddress: string | null };
  /** Hours of the day. */
  readonly from: number;
  readonly to: number;
}

const TELEMETRY: readonly Leg[] = [
  { id: 'seen', address: '3C6701', callsign: 'DLH1AA', tail: 'D-AIAA', from: 6, to: 8 },
  { id: 'nameless', address: '3C6702', from: 6, to: 8 },
];

/** `own` is the address of the airframe in the file. */
type Import = Omit<Leg, 'id' | 'address' | 'imported'> & { readonly own?: string };

async function supersededOf(imported: readonly Import[]): Promise<number[]> {
  return withTemporaryFolder('superseded', async (folder) => {
    const duckdb = await openDuckDb({ memoryMiB: 64, threads: 1, temporaryDirectory: folder });
    try {
      const legs = [
        ...TELEMETRY,
        ...imported.map(
          ({ own, ...leg }, k): Leg => ({
            ...leg,
            id: String(k),
            address: 'F20000',
            imported: { source: 'archive', icaoAddress: own ?? null },
          }),
        ),
      ];
      const text = (value: string | undefined) => (value === undefined ? 'NULL' : `'${value}'`);
      const time = (hour: number) => `TIMESTAMP '2026-02-25 00:00:00' + INTERVAL ${60 * hour} MINUTE`;
      const rows = legs.map(
        ({ id, address, callsign, tail, imported: origin, from, to }) =>
          `('${id}', '${address}', ${text(callsign)}, '${JSON.stringify({ tailNumber: tail ?? null, imported: origin })}', ${time(from)}, ${time(to)})`,
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

test('an import is superseded by telemetry of the same airframe or callsign for more than half of its time', async () => {
  const found = await supersededOf([
    { tail: 'D-AIAA', from: 6, to: 8 },
    { callsign: 'DLH1AA', from: 6.5, to: 9 },
    { callsign: 'DLH1AA', from: 7, to: 9.5 },
    { tail: 'D-AIZZ', callsign: 'DLH9ZZ', own: '3C6799', from: 6, to: 8 },
    { from: 6, to: 8 },
    { own: '3C6702', from: 6, to: 8 },
  ]);
  expect(found).toEqual([0, 1, 5]);
});

test('imports do not supersede each other', async () => {
  expect(
    await supersededOf([
      { tail: 'D-AIBB', from: 6, to: 8 },
      { tail: 'D-AIBB', from: 6, to: 8 },
    ]),
  ).toEqual([]);
});
