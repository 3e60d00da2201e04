/** Flights that were imported from files: which addresses their reports have, and which of them still count. */

import type { FileFlight } from '@contrails/flights/files';
import {
  flightDigest,
  importedAddress,
  isUnrecordedImport,
  unrecordedFlightId,
} from '@contrails/flights/files-as-reports';
import type { Database, Queryable } from '@contrails/platform/database/database';
import { HOUR_MS } from '@contrails/runtime';
import type { AircraftRows } from './read.ts';

/**
 * `pending` until the reports are stored, `replaced` when a later import has the flight. Only the reports of `stored` ones make
 * flights, so an import that breaks off changes nothing.
 */
type ImportState = 'pending' | 'stored' | 'replaced';

/** Where an imported flight comes from. */
export interface ImportOrigin {
  readonly source: string;
  /** Address of the airframe, where the file has it. */
  readonly icaoAddress: string | null;
}

/** Imports of some time. A flight of an aircraft is named by the time of its first report [ms since 1970]. */
export interface Imports {
  /** Undefined for telemetry. */
  originOf(aircraft: ImportedRows, firstMs: number): ImportOrigin | undefined;
  /** False for flights of an import that broke off or was replaced. */
  counts(aircraft: ImportedRows, firstMs: number): boolean;
}

type ImportedRows = Pick<AircraftRows, 'address' | 'source' | 'columns'>;

/** An import that is reserved. */
export interface ReservedImport {
  readonly flight: FileFlight;
  readonly number: number;
}

/** A flight with the name of an earlier one that departs closer to it than this is the same flight. */
const SAME_FLIGHT_MS = 12 * HOUR_MS;
/** Rows of one statement. */
const ROWS_AT_ONCE = 500;
const ADVISORY_LOCK = 7_305_120;

interface ImportRow {
  readonly number: number;
  readonly flight: string;
  readonly digest: string;
  readonly first_ms: number;
}

/** What an import has to store, and what it replaces. */
export interface ImportPlan {
  readonly fresh: readonly ReservedImport[];
  /** Numbers of earlier imports. */
  readonly replaced: readonly number[];
  /** Flights that are stored already as they are. */
  readonly unchanged: number;
}

/**
 * Compares flights with those that the source has stored, and reserves numbers for those that are new or have changed. Flights of
 * one import, whose numbers begin with `since`, never replace each other.
 */
export async function planImport(
  database: Database,
  source: string,
  flights: readonly FileFlight[],
  since: number | undefined,
): Promise<ImportPlan> {
  return database.transaction(async (tx) => {
    if (tx.dialect === 'postgres') await tx.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    const known = await knownImports(tx, source, flights, since);
    const digests = flights.map(flightDigest);
    const open = new Map(known.map((row) => [row.number, row]));
    const keyOf = (flight: string, digest: string) => `${digest} ${flight}`;
    const sameAs = Map.groupBy(known, ({ flight, digest }) => keyOf(flight, digest));
    const isFresh = flights.map(({ flight_id }, k) => {
      const same = sameAs.get(keyOf(flight_id, digests[k] as string))?.pop();
      if (same !== undefined) open.delete(same.number);
      return same === undefined;
    });
    const changed = flights.filter((_, k) => isFresh[k]);
    const replaced: number[] = [];
    const byName = Map.groupBy(open.values(), ({ flight }) => flight);
    for (const { flight_id, timeMs } of changed) {
      for (const { number, first_ms } of byName.get(flight_id) ?? []) {
        if (Math.abs(first_ms - (timeMs[0] as number)) < SAME_FLIGHT_MS && open.delete(number))
          replaced.push(number);
      }
    }
    const [last] = await tx.query<{ number: number | null }>(
      'SELECT max(number) AS number FROM telemetry_imports',
    );
    const first = (last?.number ?? 0) + 1;
    const fresh = changed.map((flight, k) => ({ flight, number: first + k }));
    const digestOf = digests.filter((_, k) => isFresh[k]);
    for (let from = 0; from < fresh.length; from += ROWS_AT_ONCE) {
      const rows = fresh
        .slice(from, from + ROWS_AT_ONCE)
        .map(({ flight, number }, k) => [
          number,
          source,
          flight.flight_id,
          importedAddress(number),
          flight.icao_address,
          digestOf[from + k] as string,
          flight.timeMs[0] as number,
          flight.timeMs.at(-1) as number,
          'pending',
        ]);
      const width = rows[0]?.length ?? 0;
      const places = rows.map((row, r) => `(${row.map((_, c) => `$${r * width + c + 1}`).join(', ')})`);
      await tx.execute(
        `INSERT INTO telemetry_imports (number, source, flight, address, icao_address, digest, first_ms, last_ms, state)
         VALUES ${places.join(', ')}`,
        rows.flat(),
      );
    }
    return { fresh, replaced, unchanged: flights.length - changed.length };
  });
}

/** Stored imports of a source with the names of the flights. */
async function knownImports(
  tx: Queryable,
  source: string,
  flights: readonly FileFlight[],
  since = Number.MAX_SAFE_INTEGER,
): Promise<ImportRow[]> {
  const names = [...new Set(flights.map(({ flight_id }) => flight_id))];
  const rows: ImportRow[] = [];
  for (let from = 0; from < names.length; from += ROWS_AT_ONCE) {
    const some = names.slice(from, from + ROWS_AT_ONCE);
    rows.push(
      ...(await tx.query<ImportRow>(
        `SELECT number, flight, digest, first_ms FROM telemetry_imports
         WHERE source = $1 AND state = 'stored' AND number < $2 AND flight IN (${some.map((_, k) => `$${k + 3}`).join(', ')})
         ORDER BY number`,
        [source, since, ...some],
      )),
    );
  }
  return rows;
}

/** Makes the reports of an import count, in place of those that it replaces. */
export async function concludeImport(database: Database, plan: ImportPlan): Promise<void> {
  const [first, last] = [plan.fresh[0]?.number, plan.fresh.at(-1)?.number];
  if (first === undefined || last === undefined) return;
  await database.transaction(async (tx) => {
    await tx.execute(`UPDATE telemetry_imports SET state = 'stored' WHERE number BETWEEN $1 AND $2`, [
      first,
      last,
    ]);
    for (let from = 0; from < plan.replaced.length; from += ROWS_AT_ONCE) {
      const some = plan.replaced.slice(from, from + ROWS_AT_ONCE);
      await tx.execute(
        `UPDATE telemetry_imports SET state = 'replaced' WHERE number IN (${some.map((_, k) => `$${k + 1}`).join(', ')})`,
        some,
      );
    }
  });
}

/** Imports of flights that depart between two times [ms since 1970]. */
export async function listImports(database: Queryable, fromMs: number, toMs: number): Promise<Imports> {
  const rows = await database.query<{
    address: string;
    source: string;
    flight: string;
    icao_address: string | null;
    first_ms: number;
    state: ImportState;
  }>(
    `SELECT address, source, flight, icao_address, first_ms, state FROM telemetry_imports
     WHERE first_ms >= $1 AND first_ms < $2 ORDER BY number`,
    [fromMs, toMs],
  );
  const byAddress = new Map(rows.map((row) => [row.address, row]));
  const stored = rows.filter(({ state }) => state === 'stored');
  const byUnrecordedId = Map.groupBy(stored, ({ source, flight }) => unrecordedFlightId(source, flight));
  return {
    originOf({ address, source }) {
      const row = byAddress.get(address);
      if (row !== undefined) return { source: row.source, icaoAddress: row.icao_address };
      return isUnrecordedImport(address) ? { source: source[0] ?? '', icaoAddress: null } : undefined;
    },
    counts({ address, columns }, firstMs) {
      const row = byAddress.get(address);
      if (row !== undefined) return row.state === 'stored';
      if (!isUnrecordedImport(address)) return true;
      const id = columns.flight_id[columns.timestamp.indexOf(firstMs)] ?? '';
      const later = byUnrecordedId.get(id) ?? [];
      return !later.some(({ first_ms }) => Math.abs(first_ms - firstMs) < SAME_FLIGHT_MS);
    },
  };
}

/** Changes with the imports that count between two times. */
export async function importsVersion(database: Queryable, fromMs: number, toMs: number): Promise<string> {
  const [row] = await database.query<{ n: number; newest: number | null }>(
    `SELECT count(*) AS n, max(number) AS newest FROM telemetry_imports
     WHERE first_ms >= $1 AND first_ms < $2 AND state = 'stored'`,
    [fromMs, toMs],
  );
  return `${row?.n ?? 0} ${row?.newest ?? 0}`;
}

/** Forgets imports whose hours were removed, so they can be stored again. */
export async function forgetImports(database: Queryable, beforeMs: number): Promise<void> {
  await database.execute('DELETE FROM telemetry_imports WHERE last_ms < $1', [beforeMs]);
}
