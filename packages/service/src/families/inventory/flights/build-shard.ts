/** The flights of a day from telemetry: one share of the airframes. */

import { dateOfLeg, type LegPolicy, legRecord } from '@contrails/engine/inventory/leg-record';
import { readParquet } from '@contrails/engine/inventory/parquet';
import { openWeatherAltitude, type ReportPosition } from '@contrails/engine/inventory/weather-altitude';
import { buildFlights, type LegIdSettings, type PressureAltitude } from '@contrails/flights';
import { LEG_COLUMNS } from '@contrails/flights/inventory';
import type { DuckDb } from '@contrails/formats';
import type { Workspace } from '@contrails/platform/workspace';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { CancelledError } from '@contrails/runtime/errors';
import type { Services } from '../../../services.ts';
import { listImports } from '../../../telemetry-store/imports.ts';
import {
  type AddressRange,
  type AircraftRows,
  airframeReports,
  inRange,
  readAircraftRows,
} from '../../../telemetry-store/read.ts';
import { LegWriter } from './flights-file.ts';

/** Flights of a day begin on it and take 19 h at most; what came before it decides where its first flights begin. */
export function telemetryWindow(dayMs: number): { fromMs: number; toMs: number } {
  return { fromMs: dayMs - DAY_MS, toMs: dayMs + DAY_MS + 20 * HOUR_MS };
}

export interface ShardRequest {
  readonly date: string;
  readonly shard: number;
  readonly shards: number;
  readonly isStrict: boolean;
  /** Whether forecasts will do for what the weather decides. */
  readonly allowsForecast: boolean;
  readonly policy: LegPolicy;
  /** Files of legs that were published; their flights keep their ids. */
  readonly published: readonly string[];
  readonly memoryMiB: number;
}

export interface BuiltShard {
  readonly legs: string;
  readonly minutes: string;
  /** Which generation of each hour was read. */
  readonly generations: Readonly<Record<string, number>>;
  readonly counts: { readonly aircraft: number; readonly legs: number; readonly flights: number };
}

/** Only one airframe is in memory at a time; legs of other days are left to those. */
export async function buildShard(
  services: Pick<Services, 'store' | 'database' | 'met'>,
  workspace: Workspace,
  { date, shard, shards, isStrict, allowsForecast, policy, published, memoryMiB }: ShardRequest,
  signal: AbortSignal,
): Promise<BuiltShard> {
  const writer = await LegWriter.open(workspace, { index: shard, count: shards });
  let publishedId: PublishedId | undefined;
  let [aircraft, legs, flights] = [0, 0, 0];
  const window = telemetryWindow(Date.parse(date));
  const imports = await listImports(services.database, window.fromMs, window.toMs);
  const use = async (rows: AircraftRows, range: AddressRange) => {
    if (signal.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
    publishedId ??= await readPublishedIds(workspace.duckdb, published, range);
    aircraft++;
    const positions: ReportPosition[] = [];
    const reports = airframeReports(rows);
    const settings = { isStrict, publishedId };
    let { flights: all } = buildFlights(reports, { ...settings, pressureAltitude: noting(positions) });
    if (positions.length > 0) {
      const met = await services.met.open();
      const pressureAltitude = await openWeatherAltitude(met, positions, { allowsForecast, signal });
      all = buildFlights(reports, { ...settings, pressureAltitude }).flights;
    }
    for (const built of all) {
      if (dateOfLeg(built) !== date || !imports.counts(rows, built.firstMs)) continue;
      const record = legRecord(built, policy, imports.originOf(rows, built.firstMs));
      legs++;
      if (record.flight !== null) flights++;
      await writer.add(record);
    }
  };
  try {
    const query = { ...window, shard: { index: shard, count: shards }, memoryMiB };
    const generations = await readAircraftRows(services, query, use);
    return { ...(await writer.finish()), generations, counts: { aircraft, legs, flights } };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Weather is read only where some leg has no pressure altitude at all. */
function noting(positions: ReportPosition[]): PressureAltitude {
  return (longitude, latitude, timeMs) => {
    positions.push({ longitude, latitude, timeMs });
    return Number.NaN;
  };
}

type PublishedId = NonNullable<LegIdSettings['publishedId']>;

/**
 * The id of the flight whose first report, when it was published, lies in a leg. Legs do not overlap, so no two of them
 * get the same one.
 */
async function readPublishedIds(
  duckdb: DuckDb,
  paths: readonly string[],
  range: AddressRange,
): Promise<PublishedId> {
  const flights = new Map<string, { readonly firstMs: number; readonly flightId: string }[]>();
  const chunks = duckdb.chunks(
    `SELECT icao_address, first_time, flight_id FROM ${readParquet(paths, LEG_COLUMNS)}
     WHERE ${["outcome IN ('ok', 'partial')", ...inRange(range)].join(' AND ')}
     ORDER BY icao_address, first_time`,
  );
  for await (const chunk of chunks) {
    const [addresses, times, ids] = [chunk.texts(0), chunk.numbers(1), chunk.texts(2)];
    addresses.forEach((address, row) => {
      const list = flights.get(address ?? '') ?? [];
      list.push({ firstMs: times[row] as number, flightId: ids[row] ?? '' });
      flights.set(address ?? '', list);
    });
  }
  return ({ icaoAddress, firstMs, lastMs }) =>
    flights.get(icaoAddress)?.find((flight) => flight.firstMs >= firstMs && flight.firstMs <= lastMs)
      ?.flightId;
}
