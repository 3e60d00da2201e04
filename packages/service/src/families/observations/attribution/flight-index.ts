/**
 * Which aircraft flew under which numbers and callsigns on a day, from the hours of telemetry as they are published: a request learns at once
 * whether telemetry has a flight, without a look into the files.
 */

import { CALLSIGN_CARRIER, type FlightKey, numberOf } from '@contrails/engine/attribution/flight-key';
import type { Database, Queryable } from '@contrails/platform/database/database';
import {
  defineJob,
  handleJob,
  type JobHandler,
  type Jobs,
  MAX_PRIORITY,
  requestJob,
} from '@contrails/platform/jobs';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { Type } from 'typebox';
import type { Services } from '../../../services.ts';
import { listDesignators } from '../../../telemetry-store/read.ts';
import type { ObservationRules, ObservationsConfig } from '../config.ts';

export const indexKind = defineJob({
  name: 'observations.index',
  payload: Type.Object({ turn: Type.Integer() }),
  attempts: 3,
  priority: 860,
});

const TURN_MS = 60_000;
/** Hours of one job; those before them are left to the next one. */
const MAX_HOURS = 24;
/** Older hours are those of an archive. */
const RECENT_MS = 2 * DAY_MS;
/** Rows of one statement. */
const MAX_ROWS = 200;

/** Local dates begin and end up to so long before and after those in UTC. */
const ZONE_MS = 14 * HOUR_MS;

/** When a flight with a departure date can begin. */
export function departureSpan({ date }: Pick<FlightKey, 'date'>): { fromMs: number; toMs: number } {
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  return { fromMs: dayMs - ZONE_MS, toMs: dayMs + DAY_MS + ZONE_MS };
}

/** What telemetry knows of the number of a flight: aircraft that flew under it, and whether all hours were searched for it. */
interface Designated {
  readonly addresses: readonly string[];
  readonly isComplete: boolean;
}

export async function findDesignated(database: Queryable, key: FlightKey): Promise<Designated> {
  const { fromMs, toMs } = departureSpan(key);
  const rows = await database.query<{ address: string }>(
    `SELECT DISTINCT address FROM observation_designators
     WHERE carrier = $1 AND flight_number = $2 AND day_ms >= $3 AND day_ms < $4 ORDER BY address`,
    [key.carrier, key.number, dayOf(fromMs), toMs],
  );
  const [missing] = await database.query(
    `SELECT h.hour_ms ${UNINDEXED} AND h.hour_ms >= $1 AND h.hour_ms < $2 LIMIT 1`,
    [fromMs, toMs],
  );
  return { addresses: rows.map(({ address }) => address), isComplete: missing === undefined };
}

/** Published hours that the index lacks, or has in an earlier generation. */
const UNINDEXED = `FROM telemetry_hours h LEFT JOIN observation_indexed_hours i ON i.hour_ms = h.hour_ms
  WHERE h.generation > 0 AND h.state <> 'removed' AND (i.generation IS NULL OR i.generation <> h.generation)`;

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Queues the hours that were published since. */
export async function enqueueIndex(
  { database, jobs }: Pick<Services, 'database'> & { readonly jobs: Pick<Jobs, 'enqueueAll'> },
  { sources }: ObservationRules,
  nowMs: number,
): Promise<void> {
  if (sources.length === 0) return;
  const [newest] = await unindexedHours(database, 1);
  if (newest === undefined) return;
  const turn = Math.floor(nowMs / TURN_MS);
  const isRecent = newest.hourMs > nowMs - RECENT_MS;
  await jobs.enqueueAll([
    requestJob(indexKind, { turn }, { key: String(turn), ...(isRecent ? {} : { priority: -MAX_PRIORITY }) }),
  ]);
}

interface PublishedHour {
  readonly hourMs: number;
  readonly generation: number;
}

/** Newest first. */
async function unindexedHours(database: Queryable, limit: number): Promise<PublishedHour[]> {
  const rows = await database.query<{ hour_ms: number; generation: number }>(
    `SELECT h.hour_ms, h.generation ${UNINDEXED} ORDER BY h.hour_ms DESC LIMIT ${limit}`,
  );
  return rows.map(({ hour_ms, generation }) => ({ hourMs: hour_ms, generation }));
}

export function indexHandler(
  services: Pick<Services, 'database' | 'store'>,
  { telemetry }: ObservationsConfig,
): JobHandler {
  return handleJob(indexKind, async (_, { signal }) => {
    const hours = await unindexedHours(services.database, MAX_HOURS);
    for (const hour of hours) {
      signal.throwIfAborted();
      await indexHour(services, hour, telemetry.memory_mib);
    }
    return { hours: hours.length };
  }) as JobHandler;
}

async function indexHour(
  { database, store }: Pick<Services, 'database' | 'store'>,
  { hourMs, generation }: PublishedHour,
  memoryMiB: number,
): Promise<void> {
  const found = new Map<string, readonly string[]>();
  const add = (...row: readonly [carrier: string, number: string, address: string]) =>
    found.set(row.join(' '), row);
  for (const { airlineIata, flightNumber, callsign, address } of await listDesignators(
    { store },
    hourMs,
    memoryMiB,
  )) {
    if (callsign !== null) add(CALLSIGN_CARRIER, callsign.trim().toUpperCase(), address);
    const number = airlineIata === null || flightNumber === null ? null : numberOf(flightNumber, airlineIata);
    if (airlineIata !== null && number !== null) add(airlineIata.toUpperCase(), number, address);
  }
  // In one order: two processes that wait for each other's rows would stand still.
  const rows = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await database.transaction((tx) => writeHour(tx, { hourMs, generation }, rows));
}

async function writeHour(
  tx: Queryable,
  { hourMs, generation }: PublishedHour,
  designators: readonly (readonly string[])[],
): Promise<void> {
  for (let from = 0; from < designators.length; from += MAX_ROWS) {
    const some = designators.slice(from, from + MAX_ROWS);
    const values = some.map((_, k) => `($${3 * k + 2}, $${3 * k + 3}, $1, $${3 * k + 4})`);
    await tx.execute(
      `INSERT INTO observation_designators (carrier, flight_number, day_ms, address) VALUES ${values.join(', ')}
       ON CONFLICT (carrier, flight_number, day_ms, address) DO NOTHING`,
      [dayOf(hourMs), ...some.flat()],
    );
  }
  await tx.execute(
    `INSERT INTO observation_indexed_hours (hour_ms, generation) VALUES ($1, $2)
     ON CONFLICT (hour_ms) DO UPDATE SET generation = excluded.generation`,
    [hourMs, generation],
  );
}

/** Forgets the index of hours whose telemetry is no longer kept; returns how many. */
export async function forgetIndex({ database }: { readonly database: Database }): Promise<number> {
  return database.transaction(async (tx) => {
    const removed = await tx.execute(
      `DELETE FROM observation_indexed_hours WHERE hour_ms NOT IN (SELECT hour_ms FROM telemetry_hours WHERE state <> 'removed')`,
    );
    if (removed === 0) return 0;
    const [kept] = await tx.query<{ first: number | null }>(
      'SELECT MIN(hour_ms) AS first FROM observation_indexed_hours',
    );
    await tx.execute('DELETE FROM observation_designators WHERE day_ms < $1', [
      kept?.first == null ? Number.MAX_SAFE_INTEGER : dayOf(kept.first),
    ]);
    return removed;
  });
}
