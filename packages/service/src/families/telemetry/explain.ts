/** The story of an airframe on a day: what was received of it, what was refused and why, and what became of its legs. */
import { type BuiltFlight, buildFlights, type RefusalCode } from '@contrails/flights';
import { sqlPath, sqlText } from '@contrails/formats';
import type { Queryable } from '@contrails/platform/database/database';
import { localCopies, withWorkspace } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS, isoDate, isoHour } from '@contrails/runtime';
import { airframeReports, readAircraftRows } from '../../telemetry-store/read.ts';
import { dayOf } from '../../telemetry-store/refusals.ts';
import type { TelemetryServices } from '../../telemetry-store/services.ts';
import { listHours, walOf } from '../../telemetry-store/table.ts';
import { listQuarantine, quarantinedRecords } from './ingest/quarantine.ts';

export interface AirframeReport {
  readonly address: string;
  /** 2026-01-01 */
  readonly date: string;
  /** Hours of the day that are published, that wait, and without any data. */
  readonly hours: {
    readonly published: readonly string[];
    readonly waiting: readonly string[];
    readonly missing: readonly string[];
  };
  readonly reports: {
    /** Received in the air, as long as the batches are kept: until the hours are closed. */
    readonly received: number | null;
    /** How many of them have the time of another one: one of each time is left. */
    readonly repeated: number | null;
    /** In the published hours: one for each 30 s, without duplicates. */
    readonly published: number;
    readonly onGround: number;
    readonly bySource: Readonly<Record<string, number>>;
  };
  /** Records of the day that were refused, by source and code; the most frequent first. */
  readonly refused: readonly RefusedReports[];
  /** Refused records that name the address, the first `MAX_REFUSED` of them. */
  readonly quarantined: readonly QuarantinedReport[];
  /** Legs that touch the day, in order of time. */
  readonly legs: readonly BuiltFlight[];
}

export interface RefusedReports {
  /** `~` before it stands for an address that is none of ICAO. */
  readonly address: string;
  readonly source: string;
  readonly code: RefusalCode;
  readonly records: number;
  /** The batch and the number of the first of them, from 0. */
  readonly batch: string;
  readonly record: number;
  readonly detail: string;
}

export interface QuarantinedReport {
  readonly code: RefusalCode;
  readonly detail: string;
  readonly source: string;
  readonly batch: string;
}

const MAX_REFUSED = 1_000;

/** `dayMs` is the begin of the day. Legs are cut from the reports of the day and of the days before and after it. */
export async function explainAirframe(
  services: TelemetryServices,
  {
    address,
    dayMs,
    memoryMiB,
    isStrict = false,
  }: { address: string; dayMs: number; memoryMiB: number; isStrict?: boolean },
): Promise<AirframeReport> {
  const endMs = dayMs + DAY_MS;
  const hours = await listHours(services.database, dayMs, endMs);
  const known = new Map(hours.map((hour) => [hour.hourMs, hour.generation > 0]));
  const all = Array.from({ length: 24 }, (_, hour) => dayMs + hour * HOUR_MS);
  const named = (isWanted: (published: boolean | undefined) => boolean) =>
    all.filter((hourMs) => isWanted(known.get(hourMs))).map(isoHour);

  const legs: BuiltFlight[] = [];
  const bySource: Record<string, number> = {};
  let [published, onGround] = [0, 0];
  const isOnDay = (timeMs: number) => timeMs >= dayMs && timeMs < endMs;
  await readAircraftRows(
    services,
    { fromMs: dayMs - DAY_MS, toMs: endMs + DAY_MS, addresses: [address], memoryMiB },
    (rows) => {
      const { flights } = buildFlights(airframeReports(rows), { isStrict });
      legs.push(...flights.filter(({ firstMs, lastMs }) => firstMs < endMs && lastMs >= dayMs));
      onGround = rows.groundMs.filter(isOnDay).length;
      rows.columns.timestamp.forEach((timeMs, row) => {
        if (!isOnDay(timeMs)) return;
        published += 1;
        const source = rows.source[row] ?? '';
        bySource[source] = (bySource[source] ?? 0) + 1;
      });
    },
  );
  return {
    address,
    date: isoDate(dayMs),
    hours: {
      published: named((isPublished) => isPublished === true),
      waiting: named((isPublished) => isPublished === false),
      missing: named((isPublished) => isPublished === undefined),
    },
    reports: {
      ...(await countReceived(services, address, all, memoryMiB)),
      published,
      onGround,
      bySource,
    },
    refused: await refusedReports(services.database, address, dayMs),
    quarantined: await quarantinedOf(services, address, dayMs),
    legs,
  };
}

/** Reports in the write-ahead store; null once the batches of an hour are removed. */
async function countReceived(
  { database, store }: TelemetryServices,
  address: string,
  hours: readonly number[],
  memoryMiB: number,
): Promise<Pick<AirframeReport['reports'], 'received' | 'repeated'>> {
  const objects = (await Promise.all(hours.map((hourMs) => walOf(database, hourMs)))).flat();
  const keys = objects.filter(({ kind }) => kind !== 'ground').map(({ key }) => key);
  if (keys.length === 0) return { received: null, repeated: null };
  return withWorkspace({ memoryMiB }, async ({ duckdb, directory }) => {
    const paths = await localCopies(store, keys, directory);
    const [row] = await duckdb.rows(
      `SELECT count(*) AS reports, count(DISTINCT "timestamp"::TIMESTAMP) AS times FROM read_parquet([${paths.map(sqlPath).join(', ')}],
        hive_partitioning = false, union_by_name = true) WHERE icao_address = ${sqlText(address)}`,
    );
    const received = Number(row?.reports);
    return { received, repeated: received - Number(row?.times) };
  });
}

async function refusedReports(
  database: Queryable,
  address: string,
  dayMs: number,
): Promise<RefusedReports[]> {
  return database.query(
    `SELECT address, source, code, records, batch, record, detail FROM telemetry_airframe_refusals
     WHERE address IN ($1, $2) AND day = $3 ORDER BY records DESC, source, code`,
    [address, `~${address}`, dayOf(dayMs)],
  );
}

/** Quarantined records with the address in their text, of batches received since the day. */
async function quarantinedOf(
  { database, store }: TelemetryServices,
  address: string,
  dayMs: number,
): Promise<QuarantinedReport[]> {
  const found: QuarantinedReport[] = [];
  for (const entry of await listQuarantine(database, {})) {
    if (entry.createdMs < dayMs) continue;
    for await (const { code, detail = '', raw = '' } of quarantinedRecords(store, entry)) {
      if (!raw.toUpperCase().includes(address)) continue;
      found.push({ code, detail, source: entry.source, batch: entry.batch });
      if (found.length === MAX_REFUSED) return found;
    }
  }
  return found;
}
