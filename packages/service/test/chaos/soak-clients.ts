/** What clients of a soak ask for: everything that takes memory, of weather anywhere. */
import { HOUR_MS, isoHour, isoTime, MINUTE_MS } from '@contrails/runtime';

export interface SoakRequest {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The n-th request: kinds take turns; levels, hours and places change, so caches are not enough. */
export function requestOf(n: number, nowMs: number): SoakRequest {
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  const startMs = hourMs + ((n * 7) % 6) * HOUR_MS;
  const time = isoHour(startMs);
  const level = 270 + 10 * ((n * 5) % 18);
  const west = ((n * 37) % 300) - 180;
  const kinds: readonly (() => SoakRequest)[] = [
    () => ({ path: '/v1/planning/levels', body: flight(n, startMs) }),
    () => ({ path: `/v0/grid/pcr?time=${time}&flight_level=${level}` }),
    () => ({ path: '/v0/trajectory/cocip', body: flight(n, startMs) }),
    () => ({ path: `/v1/regions?time=${time}&flight_level=${level}` }),
    () => ({ path: '/v1/planning/levels', body: flight(n + 5, startMs) }),
    () => ({
      path: `/v0/grid/sac?time=${time}&flight_level=${level}&bbox=${west},20,${west + 50},70&format=geojson`,
    }),
    () => ({ path: '/v1/adsb/ingest?source=soak', body: reports(n, nowMs) }),
    () => ({ path: `/v1/grids?time=${time}&flight_level=${level}` }),
    () => ({ path: '/v0/trajectory/cocip', body: fleet(n, startMs) }),
    () => ({ path: '/v0/grid/availability' }),
    () => ({
      path: '/v1/planning/profile',
      body: flight(n, startMs),
      headers: { prefer: 'respond-async' },
    }),
    () => ({ path: `/v0/grid/issr?time=${time}` }),
    // Not valid: refusals take memory as well.
    () => ({ path: '/v0/trajectory/cocip', body: { ...flight(n, startMs), aircraft_type: 'X' } }),
  ];
  return (kinds[n % kinds.length] as () => SoakRequest)();
}

/** Three hours across some ocean, a waypoint each minute. */
function flight(n: number, startMs: number) {
  const steps = Array.from({ length: 180 }, (_, i) => i);
  const [latitude, longitude] = [((n * 13) % 100) - 50, ((n * 29) % 300) - 170];
  return {
    aircraft_type: 'B738',
    time: steps.map((i) => isoTime(startMs + i * MINUTE_MS)),
    latitude: steps.map((i) => latitude + i * 0.02),
    longitude: steps.map((i) => longitude + i * 0.12),
    altitude: steps.map(() => 31_000 + 1000 * (n % 9)),
  };
}

const FLIGHTS_OF_A_FLEET = 40;

function fleet(n: number, startMs: number) {
  return Array.from({ length: FLIGHTS_OF_A_FLEET }, (_, i) => ({
    flight_id: `soak-${n}-${i}`,
    ...flight(n, startMs + i * MINUTE_MS),
  }));
}

const AIRCRAFT_OF_A_POST = 2000;

/** What a receiver sees. */
function reports(n: number, nowMs: number) {
  return {
    now: nowMs / 1000,
    messages: n,
    aircraft: Array.from({ length: AIRCRAFT_OF_A_POST }, (_, i) => ({
      hex: (0xa00000 + i).toString(16),
      type: 'adsb_icao',
      flight: `SOA${i}`,
      t: 'A320',
      alt_baro: 30_000 + (i % 100) * 100,
      gs: 450,
      lat: ((i * 7 + n) % 120) - 60,
      lon: ((i * 11 + n) % 340) - 170,
      nic: 8,
      nac_p: 10,
      seen_pos: 0.4,
    })),
  };
}
