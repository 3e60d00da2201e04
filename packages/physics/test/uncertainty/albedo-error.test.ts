import { expect, test } from 'vitest';
import type { Weather } from '../../src/cocip/weather.ts';
import { withAlbedoError } from '../../src/uncertainty/perturbed-flight.ts';

const points = {
  longitude: new Float64Array(3),
  latitude: new Float64Array(3),
  level: new Float64Array(3),
  timeMs: Float64Array.of(0, 10, 20),
};
const sampleRadiation = (shortwave: Float64Array) => shortwave.set([0.3, 0.3, 0.94]);
const WEATHER: Weather = {
  radiationPair: 'albedo',
  sample: () => undefined,
  sampleRadiation,
  locate: () => ({ sample: () => undefined, sampleRadiation }),
};

function albedos(weather: Weather): number[] {
  const [shortwave, located] = [new Float64Array(3), new Float64Array(3)];
  weather.sampleRadiation(shortwave, new Float64Array(3), points, 3);
  weather.locate(points, 3).sampleRadiation(located, new Float64Array(3), 3);
  expect(located).toEqual(shortwave);
  return [...shortwave];
}

test('shifts albedos that are estimated, within their limits', () => {
  expect(albedos(withAlbedoError({ ...WEATHER, estimatedAfterMs: 5 }, 0.02))).toEqual([0.3, 0.32, 0.95]);
  expect(albedos(withAlbedoError({ ...WEATHER, estimatedAfterMs: -1 }, -0.29))).toEqual([
    0.02,
    0.02,
    expect.closeTo(0.65),
  ]);
});

test('leaves radiation that is not estimated', () => {
  expect(withAlbedoError(WEATHER, 0.02)).toBe(WEATHER);
});
