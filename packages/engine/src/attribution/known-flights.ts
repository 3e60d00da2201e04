/** Flights of an airframe as attribution follows them. */

import { buildFlights } from '@contrails/flights';
import type { InventoryFlight } from '@contrails/flights/inventory';
import { type FlightPoints, prepareFlight } from '@contrails/observations/attribution';
import { type FixedGrid, toScanAngle } from '@contrails/observations/navigation';
import { feetToMetres } from '@contrails/physics/common';
import { MINUTE_MS } from '@contrails/runtime';
import { legRecord } from '../inventory/leg-record.ts';
import { type FlightName, flightName } from './flight-key.ts';

export interface KnownFlight {
  readonly id: string;
  /** Null where telemetry does not report enough for a request to name it. */
  readonly name: FlightName | null;
  readonly flight: InventoryFlight;
  /** Points of the cruise, or why there are none. */
  readonly points: FlightPoints | { readonly reason: string };
}

/** Minutes in a longer gap between reports are made up. */
const MAX_GAP_S = (20 * MINUTE_MS) / 1000;
const EVERYONE = {
  excludedAirlines: new Set<string>(),
  excludedAddresses: new Set<string>(),
  completeUntilMs: Number.POSITIVE_INFINITY,
};

/** Those that are in the air at `fromMs` or later. */
export function knownFlights(
  reports: Parameters<typeof buildFlights>[0],
  fromMs: number,
  isWanted: (flight: InventoryFlight) => boolean,
): KnownFlight[] {
  return buildFlights(reports).flights.flatMap((built) => {
    if (built.lastMs < fromMs) return [];
    const { flight } = legRecord(built, EVERYONE);
    return flight !== null && isWanted(flight) ? [knownFlight(flight)] : [];
  });
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

/** Scan angles [rad] beyond the image from which exhaust may drift into it. */
const DRIFT_RAD = 0.01;
/** Minutes between sampled positions. */
const NEAR_STEP = 5;

/** Whether a flight comes so close to what the image shows that its exhaust may be seen. */
export function isNear(grid: FixedGrid, { columns: { longitude, latitude } }: InventoryFlight): boolean {
  const [west, east] = [grid.x0, grid.x0 + (grid.columns - 1) * grid.dx];
  const [north, south] = [grid.y0, grid.y0 + (grid.rows - 1) * grid.dy];
  for (let i = 0; i < longitude.length; i += NEAR_STEP) {
    const [x, y] = toScanAngle(grid, longitude[i] as number, latitude[i] as number);
    if (x >= west - DRIFT_RAD && x <= east + DRIFT_RAD && y >= south - DRIFT_RAD && y <= north + DRIFT_RAD)
      return true;
  }
  return false;
}
