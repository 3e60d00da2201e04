/** Flights of the telemetry as attribution follows them. */

import { legRecord } from '@contrails/engine/inventory/leg-record';
import { buildFlights } from '@contrails/flights';
import type { InventoryFlight } from '@contrails/flights/inventory';
import { type FlightPoints, prepareFlight } from '@contrails/observations/attribution';
import { feetToMetres } from '@contrails/physics/common';
import type { Queryable } from '@contrails/platform/database/database';
import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import { CancelledError } from '@contrails/runtime/errors';
import type { Services } from '../../../services.ts';
import { airframeReports, readAircraftRows } from '../../telemetry/index.ts';
import { type FlightName, flightName } from './flight-key.ts';

export interface KnownFlight {
  readonly id: string;
  /** Null where telemetry does not report enough for a request to name it. */
  readonly name: FlightName | null;
  readonly flight: InventoryFlight;
  /** Points of the cruise, or why there are none. */
  readonly points: FlightPoints | { readonly reason: string };
}

/** A flight takes 19 h at most; what it is called depends on how it began. */
export const MAX_FLIGHT_MS = 20 * HOUR_MS;
/** Minutes in a longer gap between reports are made up. */
const MAX_GAP_S = (20 * MINUTE_MS) / 1000;
const EVERYONE = {
  excludedAirlines: new Set<string>(),
  excludedAddresses: new Set<string>(),
  completeUntilMs: Number.POSITIVE_INFINITY,
};

export interface FlightQuery {
  /** Flights that are in the air at some time from `fromMs` to before `toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly memoryMiB: number;
  /** Only these aircraft. */
  readonly addresses?: readonly string[];
  /** Keeps a flight; all are kept without. */
  readonly isWanted?: (flight: InventoryFlight) => boolean;
}

/** Flights in the order of their airframes. Reports after `toMs` are not looked at. */
export async function readFlights(
  { store }: Pick<Services, 'store'>,
  { fromMs, toMs, memoryMiB, addresses, isWanted = () => true }: FlightQuery,
  signal: AbortSignal,
): Promise<KnownFlight[]> {
  const flights: KnownFlight[] = [];
  const query = {
    fromMs: fromMs - MAX_FLIGHT_MS,
    toMs,
    memoryMiB,
    ...(addresses === undefined ? {} : { addresses }),
  };
  await readAircraftRows({ store }, query, (rows) => {
    if (signal.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
    for (const built of buildFlights(airframeReports(rows)).flights) {
      if (built.lastMs < fromMs) continue;
      const { flight } = legRecord(built, EVERYONE);
      if (flight !== null && isWanted(flight)) flights.push(knownFlight(flight));
    }
  });
  return flights;
}

function knownFlight(flight: InventoryFlight): KnownFlight {
  const { flightId: id, firstReportMs, columns } = flight;
  const { timeMs, longitude, latitude, altitudeFt, gapS } = columns;
  const seen = Array.from(timeMs.keys()).filter((i) => !((gapS[i] as number) > MAX_GAP_S));
  const pick = (column: Float64Array) => seen.map((i) => column[i] as number);
  return {
    id,
    name: flightName({ ...flight, firstMs: firstReportMs }),
    flight,
    points: prepareFlight({
      flight: id,
      timeMs: pick(timeMs),
      longitude: pick(longitude),
      latitude: pick(latitude),
      altitudeM: pick(altitudeFt).map(feetToMetres),
    }),
  };
}

/**
 * Until when telemetry is complete: the end of the newest published hour, unless an hour before it has reports that are not
 * published yet. Undefined without any.
 */
export async function telemetryUntilMs(database: Queryable, fromMs: number): Promise<number | undefined> {
  const [row] = await database.query<{ newest: number | null; unfinished: number | null }>(
    `SELECT (SELECT MAX(hour_ms) FROM telemetry_hours WHERE generation > 0) AS newest,
       (SELECT MIN(hour_ms) FROM telemetry_hours WHERE generation = 0 AND hour_ms >= $1) AS unfinished`,
    [fromMs - HOUR_MS],
  );
  if (row === undefined || row.newest === null) return undefined;
  return Math.min(row.newest + HOUR_MS, row.unfinished ?? Number.POSITIVE_INFINITY);
}
