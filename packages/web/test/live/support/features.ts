/** Aircraft and contrails as the service sends them. */
import type { LiveEvent, LiveSummary } from '@contrails/client';

type Snapshot = Extract<LiveEvent, { type: 'snapshot' | 'update' }>;
type Flight = Snapshot['flights'][number];
type Contrail = Snapshot['contrails'][number];

const NOW = '2026-01-15T12:00:00Z';
export const NOW_MS = Date.parse(NOW);

export function flight(id: string, facts: Partial<Flight['properties']> = {}, at = [10, 50]): Flight {
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: at },
    properties: {
      id,
      icao_address: `3C${id}`,
      callsign: `DLH${id}`,
      aircraft_type_icao: 'A320',
      aircraft_type_assumed: false,
      departure_airport_icao: 'EDDF',
      arrival_airport_icao: null,
      altitude_ft: 35_000,
      track: 90,
      ground_speed_kt: 450,
      vertical_rate_fpm: 0,
      first_seen: '2026-01-15T11:00:00Z',
      last_seen: NOW,
      state: 'airborne',
      truncated: false,
      persistent: false,
      energy_forcing_so_far_j: 0,
      energy_forcing_j: 0,
      ahead: { energy_forcing_j: 0, persistent_km: 0, first_persistent_min: null },
      ...facts,
    },
  };
}

export function contrail(
  id: string,
  facts: Partial<Contrail['properties']> = {},
  coordinates = [
    [8, 50],
    [9, 50],
    [10, 50],
  ],
): Contrail {
  return {
    type: 'Feature',
    id,
    geometry: { type: 'LineString', coordinates },
    properties: {
      flight_id: id.split('/')[0] ?? '',
      formed_from: '2026-01-15T11:20:00Z',
      formed_to: '2026-01-15T11:40:00Z',
      age_min_s: 1200,
      age_max_s: 2400,
      width_m: 4000,
      optical_depth: 0.1,
      net_forcing_w_per_m2: 8,
      drift_m_per_s: [0, 0],
      energy_forcing_so_far_j: 1e12,
      energy_forcing_j: 3e12,
      ...facts,
    },
  };
}

export const summary = (facts: Partial<LiveSummary> = {}): LiveSummary => ({
  time: NOW,
  aircraft: 214,
  airborne: 214,
  forming_persistent: 31,
  living_contrail_km: 5200,
  cover_km2: 9000,
  net_forcing_w: 3.2e9,
  net_forcing_mw_per_m2: 0.006,
  energy_forcing_last_hour_j: 1e13,
  largest: [],
  newest_report: NOW,
  evicted_aircraft: 0,
  weather: { source: 'demo', forecast_time: '2026-01-15T06:00:00Z' },
  hours: 4,
  feeds: [{ name: 'roof', kind: 'poll', newest_report: NOW, stalled: false }],
  cycle: 1,
  cycle_age_s: 0,
  ...facts,
});
