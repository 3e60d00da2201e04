import { solarDirectRadiation } from '@contrails/physics/atmosphere';
import { describe, expect, test } from 'vitest';
import { mean, points, range, SEASONS, surfaceAt, valueAt } from './support.ts';

describe.each(SEASONS)('radiation at %i', (timeMs) => {
  const field = surfaceAt({
    time: [timeMs],
    longitude: range(-180, 175, 5),
    latitude: range(-87.5, 87.5, 5),
  });
  const all = [...points(field)].map(([i, j]) => {
    const [longitude, latitude] = [field.longitude.knots[i] as number, field.latitude.knots[j] as number];
    return {
      area: Math.cos((latitude * Math.PI) / 180),
      incoming: solarDirectRadiation(longitude, latitude, timeMs),
      net: valueAt(field, 'top_net_solar_radiation', i, j),
      outgoing: -valueAt(field, 'top_net_thermal_radiation', i, j),
    };
  });
  const globalMean = (of: (point: (typeof all)[number]) => number) =>
    mean(all.map((point) => of(point) * point.area)) / mean(all.map(({ area }) => area));

  test('is nothing from the sun at night, and never more than comes in', () => {
    const night = all.filter(({ incoming }) => incoming === 0);
    expect(night.length).toBeGreaterThan(all.length / 3);
    expect(Math.max(...night.map(({ net }) => net))).toBe(0);
    for (const { net, incoming } of all.filter((point) => point.incoming > 0)) {
      expect(net / incoming).toBeGreaterThan(0.15);
      expect(net / incoming).toBeLessThan(0.9);
    }
  });

  test('nearly balances over the globe, at the level of the real earth', () => {
    expect(globalMean(({ outgoing }) => outgoing)).toBeGreaterThan(220);
    expect(globalMean(({ outgoing }) => outgoing)).toBeLessThan(250);
    expect(globalMean(({ net }) => net)).toBeGreaterThan(220);
    expect(globalMean(({ net }) => net)).toBeLessThan(255);
  });
});

test('the sun shines before 2000 too', () => {
  const noon = surfaceAt({ time: [Date.UTC(1975, 5, 21, 12)], longitude: [0], latitude: [23] });
  const midnight = surfaceAt({ time: [Date.UTC(1975, 5, 21, 0)], longitude: [0], latitude: [23] });
  expect(valueAt(noon, 'top_net_solar_radiation', 0, 0)).toBeGreaterThan(500);
  expect(valueAt(midnight, 'top_net_solar_radiation', 0, 0)).toBe(0);
});
