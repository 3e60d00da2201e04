import { HOUR_MS } from '@contrails/runtime';

/** A short flight over the Atlantic, the same as `docs/examples/flight.json`. */
export const EXAMPLE_FLIGHT = {
  longitude: [-57.7, -57.4, -57.1, -56.8, -56.5],
  latitude: [40.1, 40.2, 40.3, 40.4, 40.5],
  altitude: [33_000, 33_000, 33_000, 33_000, 33_000],
  time: [
    '2024-02-29T06:02Z',
    '2024-02-29T06:04Z',
    '2024-02-29T06:06Z',
    '2024-02-29T06:08Z',
    '2024-02-29T06:10Z',
  ],
  aircraft_type: 'A320',
};

export const EXAMPLE_FLEET = {
  flight_id: ['first', 'first', 'first', 'second', 'second', 'second'],
  aircraft_type: ['A320', 'A320', 'A320', 'B738', 'B738', 'B738'],
  longitude: [-57.7, -57.4, -57.1, -33.4, -33.1, -32.8],
  latitude: [40.1, 40.2, 40.3, 49, 49.1, 49.2],
  altitude: [33_000, 33_000, 33_000, 33_000, 33_000, 33_000],
  time: [
    '2024-02-29T06:02Z',
    '2024-02-29T06:04Z',
    '2024-02-29T06:06Z',
    '2024-02-29T09:52Z',
    '2024-02-29T09:54Z',
    '2024-02-29T09:56Z',
  ],
};

const FLIGHT_HOURS = 8;

/** From Europe to North America in the next hour, like the flight that the app begins with. */
export function nextAtlanticFlight(nowMs: number) {
  const departureMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
  const hours = Array.from({ length: FLIGHT_HOURS + 1 }, (_, hour) => hour);
  return {
    longitude: hours.map((hour) => 8 - (82 * hour) / FLIGHT_HOURS),
    latitude: hours.map((hour) => 50 + 8 * Math.sin((Math.PI * hour) / FLIGHT_HOURS) - hour),
    altitude: hours.map(() => 35_000),
    time: hours.map((hour) => new Date(departureMs + hour * HOUR_MS).toISOString()),
    aircraft_type: 'A333',
  };
}
