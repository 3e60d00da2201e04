import { sampleInto } from '@contrails/met';
import { levelFromAltitudeFt, relativeHumidityIce } from '@contrails/physics/atmosphere';
import { humidityScalingByName } from '@contrails/physics/humidity-scaling';
import { afterAll, expect, test } from 'vitest';
import { openSynthetic } from '../../src/weather/source.ts';
import { range } from './support.ts';

const FLIGHT_LEVELS = range(270, 440, 10);

const source = openSynthetic({ name: 'demo', resolutionDeg: 3, now: () => Date.UTC(2100, 0), threads: 1 });
afterAll(() => source.close());

/** Share of the earth, over the cruise flight levels, in which the air is supersaturated over ice. */
async function coverage(time: string) {
  const timeMs = Date.parse(time);
  const field = await source.read({
    variables: ['air_temperature', 'specific_humidity'],
    time: [timeMs, timeMs],
    level: [100, 400],
    latitude: [-90, 90],
    longitude: [-180, 180],
  });
  const longitude = field.longitude.knots.slice(0, -1);
  const count = longitude.length;
  const filled = (value: number) => new Float64Array(count).fill(value);
  const [temperature, humidity, scaled, rhi] = [filled(0), filled(0), filled(0), filled(0)];
  const scaling = humidityScalingByName('exponential_boost_latitude_customization');
  const sums = { area: 0, raw: 0, scaled: 0 };
  for (const parallel of field.latitude.knots) {
    const area = Math.cos((parallel * Math.PI) / 180);
    for (const flightLevel of FLIGHT_LEVELS) {
      const level = levelFromAltitudeFt(100 * flightLevel);
      const latitude = filled(parallel);
      const points = { longitude, latitude, level: filled(level), timeMs: filled(timeMs) };
      sampleInto([temperature, humidity], field, 0, points, count);
      scaling.scaleInto(scaled, rhi, humidity, temperature, filled(100 * level), latitude);
      const isSupersaturated = (q: number, i: number) =>
        relativeHumidityIce(q, temperature[i] as number, 100 * level) > 1;
      sums.area += area * count;
      sums.raw += area * humidity.filter(isSupersaturated).length;
      sums.scaled += area * rhi.filter((value) => value > 1).length;
    }
  }
  return { raw: sums.raw / sums.area, scaled: sums.scaled / sums.area };
}

test.each([
  '1985-03-02T06:00Z',
  '2001-09-11T18:00Z',
  '2019-01-01T00:00Z',
  '2024-04-15T06:00Z',
  '2024-07-15T12:00Z',
  '2026-10-31T21:00Z',
  '2060-12-11T03:00Z',
])(
  'ice-supersaturated air covers a tenth to a seventh of the cruise levels on %s, with and without scaling',
  async (time) => {
    const { raw, scaled } = await coverage(time);
    for (const share of [raw, scaled]) {
      expect(share).toBeGreaterThan(0.1);
      expect(share).toBeLessThan(0.15);
    }
  },
);
