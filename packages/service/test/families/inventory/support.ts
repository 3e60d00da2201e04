/** Flights of the synthetic fleet at whole minutes, as the flight building would hand them on. */
import { worldAirports } from '@contrails/flights';
import type { InventoryFlight } from '@contrails/flights/inventory';
import { legsBetween, type SyntheticLeg, syntheticFleet } from '@contrails/flights/synthetic';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const DAY_START_MS = Date.UTC(2024, 1, 29);

/** Flights that take off on a day, of about so many in all. */
export function syntheticFlights(count: number, startMs = DAY_START_MS): InventoryFlight[] {
  const airports = worldAirports().all.map((airport) => ({
    ...airport,
    isScheduled: airport.isScheduled ?? false,
  }));
  return syntheticFleet({ airports, legsPerDay: 2 * count, seed: 7 })
    .flatMap((airframe) => [...legsBetween(airframe, startMs, startMs + DAY_MS)])
    .filter(({ takeoffMs }) => takeoffMs >= startMs)
    .slice(0, count)
    .map(flightOf);
}

function flightOf(leg: SyntheticLeg): InventoryFlight {
  const { airframe, takeoffMs, landingMs, origin, destination, profile } = leg;
  const times: number[] = [];
  for (let ms = Math.ceil(takeoffMs / MINUTE_MS) * MINUTE_MS; ms <= landingMs; ms += MINUTE_MS)
    times.push(ms);
  const points = times.map((ms) => profile.at(ms - takeoffMs));
  const airport = (icao: string) => {
    const found = worldAirports().find(icao);
    return found === undefined
      ? null
      : {
          longitude: found.longitude,
          latitude: found.latitude,
          country: found.country ?? null,
          continent: found.continent ?? null,
        };
  };
  return {
    flightId: `${airframe.icaoAddress}-${takeoffMs}`,
    icaoAddress: airframe.icaoAddress,
    callsign: airframe.airline.callsign,
    tailNumber: airframe.tailNumber,
    flightNumber: null,
    airlineIata: airframe.airline.iata,
    aircraftType: airframe.type,
    departureIcao: origin.icao,
    arrivalIcao: destination.icao,
    departure: airport(origin.icao),
    arrival: airport(destination.icao),
    departureScheduledMs: null,
    arrivalScheduledMs: null,
    isPartial: false,
    grade: 'A',
    quality: 0,
    reportCount: times.length,
    usedCount: times.length,
    satelliteShare: 0,
    maxGapS: 60,
    firstReportMs: takeoffMs,
    lastReportMs: landingMs,
    columns: {
      timeMs: Float64Array.from(times),
      longitude: Float64Array.from(points, ({ longitude }) => longitude),
      latitude: Float64Array.from(points, ({ latitude }) => latitude),
      altitudeFt: Float64Array.from(points, ({ altitudeFt }) => altitudeFt),
      gapS: new Float64Array(times.length),
      imputed: new Uint8Array(times.length),
    },
  };
}
