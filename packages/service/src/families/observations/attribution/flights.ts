/** Flights of the telemetry as attribution follows them. */

import { type KnownFlight, knownFlights } from '@contrails/engine/attribution/known-flights';
import type { InventoryFlight } from '@contrails/flights/inventory';
import { HOUR_MS } from '@contrails/runtime';
import { CancelledError } from '@contrails/runtime/errors';
import type { Services } from '../../../services.ts';
import { listImports } from '../../../telemetry-store/imports.ts';
import { airframeReports, readAircraftRows } from '../../../telemetry-store/read.ts';

/** A flight takes 19 h at most; what it is called depends on how it began. */
export const MAX_FLIGHT_MS = 20 * HOUR_MS;

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

/** Flights in the order of their airframes. Reports after `toMs` are ignored. */
export async function readFlights(
  { database, store }: Pick<Services, 'database' | 'store'>,
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
  const imports = await listImports(database, query.fromMs, toMs);
  await readAircraftRows({ store }, query, (rows) => {
    if (signal.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
    const counts = (flight: InventoryFlight) =>
      isWanted(flight) && imports.counts(rows, flight.firstReportMs);
    flights.push(...knownFlights(airframeReports(rows), fromMs, counts));
  });
  return flights;
}
