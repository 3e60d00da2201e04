import { openMet } from '@contrails/met';
import { altitudeFtFromLevel, geopotentialHeight } from '@contrails/physics/atmosphere';
import { HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, expect, test } from 'vitest';
import { openWeatherAltitude } from '../../src/inventory/weather-altitude.ts';

const START_MS = Date.UTC(2024, 1, 29);
const source = openSynthetic({ name: 'made', resolutionDeg: 5, seed: 1 });
const met = openMet({ sources: [source], memoryBytes: 2 ** 28, threads: 1 });
afterAll(() => met.close());
const options = { allowsForecast: false, signal: new AbortController().signal };
const place = { longitude: 10, latitude: 50, timeMs: START_MS };

/** Geometric altitude [ft] of the levels [hPa] of the weather at the place, and their pressure altitude. */
async function levels() {
  const field = await source.read({
    variables: ['geopotential'],
    time: [START_MS, START_MS],
    level: [100, 850],
    latitude: [place.latitude, place.latitude],
    longitude: [place.longitude, place.longitude],
  });
  const radius = 6_371_229;
  return Array.from(field.level.knots, (level, k) => {
    const metres = geopotentialHeight(field.slabs[0]?.[k] as number);
    return {
      gnssFt: (radius * metres) / (radius - metres) / 0.3048,
      pressureFt: altitudeFtFromLevel(level),
    };
  });
}

test('takes the pressure altitude of a height from the levels of the weather', async () => {
  const altitude = await openWeatherAltitude(met, [place], options);
  const known = await levels();
  for (const { gnssFt, pressureFt } of known)
    expect(altitude(place.longitude, place.latitude, place.timeMs, gnssFt - 0.01)).toBeCloseTo(pressureFt, 0);
  const lowest = known.at(-1);
  // Below the lowest level its difference holds on.
  const low = altitude(place.longitude, place.latitude, place.timeMs, (lowest?.gnssFt ?? 0) - 3000);
  expect(low).toBeGreaterThan((lowest?.pressureFt ?? 0) - 3010);
  expect(low).toBeLessThan((lowest?.pressureFt ?? 0) - 2990);
  expect(altitude(place.longitude, place.latitude, place.timeMs, 70_000)).toBeNaN();
});

test('knows nothing of hours and places that it was not opened for, or without weather', async () => {
  const altitude = await openWeatherAltitude(met, [place], options);
  expect(altitude(place.longitude, place.latitude, START_MS + 5 * HOUR_MS, 30_000)).toBeNaN();
  const future = { ...place, timeMs: Date.now() + 400 * 24 * HOUR_MS };
  const later = await openWeatherAltitude(met, [future], options);
  expect(later(future.longitude, future.latitude, future.timeMs, 30_000)).toBeNaN();
});
