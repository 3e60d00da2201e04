import { readFileSync } from 'node:fs';
import { DAY_MS, HOUR_MS, isoDate } from '@contrails/runtime';
import { legsBetween } from '@contrails/testbed/traffic';
import { expect, test } from 'vitest';
import { demoFleet } from './support/demo-fleet.ts';

/** Atlanta is five hours behind in winter, four in summer. */
const ZONE_MS = -5 * HOUR_MS;
const DAYS = 366;

test('the flight of the guide departs several times on every day of the demo', () => {
  const guide = readFileSync(new URL('../../../../../docs/observations.md', import.meta.url), 'utf8');
  const [, carrier, number, airport] = /flight=([A-Z0-9]{2})~(\d+)~\$\{?\w+\}?~([A-Z]{3})/.exec(guide) ?? [];
  expect([carrier, airport]).toEqual(['X2', 'ATL']);
  // Flights out have even numbers, those back the odd ones after them.
  const index = Math.floor((Number(number) - 100) / 2);
  const airframe = demoFleet().find((one) => one.index === index);
  if (airframe === undefined) throw new Error(`the demo has no airframe ${index}`);
  const startMs = Date.UTC(2026, 0, 1);
  const departures = new Map<string, number>();
  for (const leg of legsBetween(airframe, startMs, startMs + DAYS * DAY_MS)) {
    if ((leg.number & 1) !== (Number(number) & 1) || leg.takeoffMs < startMs) continue;
    expect(leg.origin.icao).toBe('KATL');
    const date = isoDate(leg.takeoffMs + ZONE_MS);
    departures.set(date, (departures.get(date) ?? 0) + 1);
  }
  const dates = Array.from({ length: DAYS - 2 }, (_, k) => isoDate(startMs + (k + 1) * DAY_MS));
  expect(dates.filter((date) => (departures.get(date) ?? 0) < 2)).toEqual([]);
});
