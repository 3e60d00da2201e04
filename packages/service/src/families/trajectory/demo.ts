import { computeTrajectories, type TrajectoryServices } from '@contrails/engine/flights/compute';
import { needsOf } from '@contrails/engine/flights/needs';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { readFleet } from '@contrails/engine/flights/read-fleet';
import { HOUR_MS } from '@contrails/runtime';
import { Rejected } from '@contrails/runtime/options/rejected';
import { EXAMPLE_FLIGHT } from '../../endpoints/flight.ts';

/**
 * Computes the sample flight, and the one that the app begins with, so their weather and the code of the compute
 * threads are ready before someone posts them.
 */
export async function computeSample(services: TrajectoryServices, signal: AbortSignal): Promise<void> {
  for (const flight of [EXAMPLE_FLIGHT, nextAtlanticFlight(Date.now())]) {
    const fleet = readFleet(flight, needsOf('cocip', []));
    if (fleet instanceof Rejected) throw new TypeError('the sample flight is not a valid flight');
    const request = { model: 'cocip', fleet, options: DEFAULT_TRAJECTORY_OPTIONS, unitWarnings: [] } as const;
    await computeTrajectories(services, request, { signal });
  }
}

const FLIGHT_HOURS = 8;

/** From Europe to North America in the next hour; its hours of weather are also those that the forecast needs first. */
function nextAtlanticFlight(nowMs: number): Record<string, unknown> {
  const departureMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
  const hours = Array.from({ length: FLIGHT_HOURS + 1 }, (_, hour) => hour);
  return {
    longitude: hours.map((hour) => 8 - (82 * hour) / FLIGHT_HOURS),
    latitude: hours.map((hour) => 50 + 8 * Math.sin((Math.PI * hour) / FLIGHT_HOURS) - hour),
    altitude: hours.map(() => 35_000),
    time: hours.map((hour) => new Date(departureMs + hour * HOUR_MS).toISOString()),
    aircraft_type: 'A320',
  };
}
