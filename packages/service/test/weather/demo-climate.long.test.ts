import { beforeAll, describe, expect, test } from 'vitest';
import {
  type DemoClimate,
  FLIGHT_LEVELS,
  LATITUDE_BANDS,
  measureDemoClimate,
} from '../../../../test/support/demo-climate.ts';

/** A small part of what `npm run bench -- demo-climate` measures; its bands are wider for that reason. */
let climate: DemoClimate;
beforeAll(async () => {
  climate = await measureDemoClimate({
    days: [Date.UTC(2023, 0, 15)],
    flightsPerRoute: 6,
    resolutionDeg: 3,
  });
}, 600_000);

function coverage([south, north]: readonly [number, number], flightLevel: (typeof FLIGHT_LEVELS)[number]) {
  const band = LATITUDE_BANDS.findIndex((one) => one[0] === south && one[1] === north);
  return climate.issr[band]?.[FLIGHT_LEVELS.indexOf(flightLevel)];
}

describe('contrails in the weather of the demonstration', () => {
  test('live for two to three and a half hours on average, and few reach the end of the model', () => {
    expect(climate.lifetimeHours.mean).toBeGreaterThan(2);
    expect(climate.lifetimeHours.mean).toBeLessThan(3.5);
    expect(climate.shareAtCap).toBeLessThan(0.06);
  });

  test('persist behind about 5 % of the flown distance', () => {
    expect(climate.persistentShare).toBeGreaterThan(0.03);
    expect(climate.persistentShare).toBeLessThan(0.08);
  });

  test('warm less when they form by day, and some of those cool', () => {
    expect(climate.day.energyForcingPerMetre).toBeLessThan(0.7 * climate.night.energyForcingPerMetre);
    expect(climate.day.coolingShare).toBeGreaterThan(0.2);
    expect(climate.night.coolingShare).toBeLessThan(climate.day.coolingShare / 2);
  });
});

describe('ice-supersaturated air', () => {
  test('is 5 to 25 % of middle and high latitudes below the tropopause', () => {
    for (const band of LATITUDE_BANDS.filter(([south, north]) => south >= 30 || north <= -30)) {
      for (const level of [270, 300] as const) {
        expect(coverage(band, level)).toBeGreaterThan(0.05);
        expect(coverage(band, level)).toBeLessThan(0.25);
      }
    }
  });

  test('declines smoothly above the tropopause of high latitudes', () => {
    for (const band of [LATITUDE_BANDS[0], LATITUDE_BANDS[4]]) {
      expect(coverage(band, 330)).toBeGreaterThan(0.03);
      expect(coverage(band, 360)).toBeGreaterThan(0.01);
      expect(coverage(band, 390)).toBeGreaterThan(0.001);
      expect(coverage(band, 390)).toBeLessThan(0.06);
    }
  });

  test('is 3 to 25 % of the tropics at all cruise levels', () => {
    for (const level of FLIGHT_LEVELS) {
      expect(coverage(LATITUDE_BANDS[2], level)).toBeGreaterThan(0.03);
      expect(coverage(LATITUDE_BANDS[2], level)).toBeLessThan(0.25);
    }
  });
});
