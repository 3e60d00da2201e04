import { readTelemetry, worldAirports } from '@contrails/flights';
import { type Met, openMet } from '@contrails/met';
import { HOUR_MS } from '@contrails/runtime';
import { openSyntheticTraffic } from '@contrails/testbed/traffic';
import { openSynthetic } from '@contrails/testbed/weather';
import type { BoundingBox } from '../../../src/grid/layout.ts';
import { NO_AIRFRAMES } from '../../../src/inventory/aircraft.ts';
import { LiveState, liveOptions } from '../../../src/live/cycle.ts';
import { LiveTracks } from '../../../src/live/tracks.ts';

/** Noon: the weather of the demo covers it, and traffic is dense. */
export const NOW_MS = Date.parse('2026-01-15T12:00:20Z');
export const WINDOW_MS = 4 * HOUR_MS;
export const SETTINGS = {
  windowMs: WINDOW_MS,
  staleAfterMs: 300_000,
  options: liveOptions('exponential_boost_latitude_customization'),
  airframes: NO_AIRFRAMES,
};

export function demoMet(memoryBytes = 2 ** 30): Met {
  return openMet({ sources: [openSynthetic({ name: 'demo', resolutionDeg: 5 })], memoryBytes });
}

/** Tracks with the reports of the demo's traffic up to a time. */
export async function demoState(
  toMs: number,
  legsPerDay: number,
  hours = 4,
  box?: BoundingBox,
): Promise<LiveState> {
  const tracks = new LiveTracks(2 ** 28, box);
  const traffic = openSyntheticTraffic({ airports: worldAirports().all, legsPerDay, seed: 1 });
  const chunks = Array.from(traffic.lines(toMs - hours * HOUR_MS, toMs), (lines) => Buffer.from(lines));
  async function* input() {
    yield* chunks;
  }
  const sinceMs = toMs - WINDOW_MS;
  for await (const block of readTelemetry(input(), { format: 'target_ndjson', nowMs: toMs })) {
    const { columns, work, groundReports } = block;
    tracks.add({ source: 'demo', columns, legFlag: work.legFlag }, sinceMs);
    const { timestamp, icao_address } = groundReports;
    tracks.addGround({ source: 'demo', timestamp, icaoAddress: icao_address }, sinceMs);
  }
  return new LiveState(tracks, SETTINGS);
}
