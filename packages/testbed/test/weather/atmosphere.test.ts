import { potentialTemperature, relativeHumidityIce } from '@contrails/physics/atmosphere';
import { GAS_CONSTANT_DRY } from '@contrails/physics/common';
import { MINUTE_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VARIABLES } from '../../../met/src/variables.ts';
import { mean, points, range, SEASONS, surfaceAt, valueAt, weatherAt } from './support.ts';

const anyTime = fc.integer({ min: 0, max: Date.UTC(2100, 11, 31) });
const anySeed = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('at any time, of any seed', () => {
  test('every value is finite and within what is plausible', () => {
    fc.assert(
      fc.property(anyTime, anySeed, (timeMs, seed) => {
        for (const field of [weatherAt({ time: [timeMs] }, seed), surfaceAt({ time: [timeMs] })]) {
          for (const [i, j, k] of points(field)) {
            for (const name of field.variables) {
              const [low, high] = VARIABLES.find((one) => one.name === name)?.plausible ?? [1, 0];
              const value = valueAt(field, name, i, j, k);
              if (!(value >= low && value <= high)) throw new Error(`${name} is ${value}`);
            }
          }
        }
      }),
      { numRuns: 12 },
    );
  });

  test('the air is stably layered: potential temperature rises with height', () => {
    fc.assert(
      fc.property(anyTime, anySeed, (timeMs, seed) => {
        const field = weatherAt({ time: [timeMs], level: range(100, 850, 25) }, seed);
        for (const [i, j, k] of points(field)) {
          if (k === 0) continue;
          const [above, below] = [k - 1, k].map((level) =>
            potentialTemperature(
              valueAt(field, 'air_temperature', i, j, level),
              100 * (field.level.knots[level] as number),
            ),
          ) as [number, number];
          if (!(above > below)) throw new Error(`${above} K above ${below} K at ${[i, j, k]}`);
        }
      }),
      { numRuns: 6 },
    );
  });

  test('nothing jumps: a minute changes little, and half a minute half of it', () => {
    fc.assert(
      fc.property(anyTime, (timeMs) => {
        const field = weatherAt({
          time: [timeMs, timeMs + 30_000, timeMs + MINUTE_MS],
          level: [200, 250, 300],
        });
        // At the edge of the strongest jets the wind changes by up to 0.23 m/s in a minute (of 14,000 times).
        const sizes = { air_temperature: 1, northward_wind: 4, geopotential: 500 };
        for (const [i, j, k] of points(field)) {
          for (const [name, size] of Object.entries(sizes)) {
            const [a, b, c] = [0, 1, 2].map((l) => valueAt(field, name, i, j, k, l) / size) as [
              number,
              number,
              number,
            ];
            if (!(Math.abs(c - a) < 0.1)) throw new Error(`${name} jumps from ${a} to ${c} times ${size}`);
            if (!(Math.abs(c - 2 * b + a) < 1e-3)) throw new Error(`${name} kinks at ${[a, b, c]}`);
          }
        }
      }),
      { numRuns: 3 },
    );
  });

  test('seeds give different weather of the same climate', () => {
    const temperature = (seed: number) => {
      const field = weatherAt({ level: [250] }, seed);
      return [...points(field)].map(([i, j, k]) => valueAt(field, 'air_temperature', i, j, k));
    };
    const [one, other] = [temperature(1), temperature(2)];
    expect(Math.max(...one.map((value, p) => Math.abs(value - (other[p] as number))))).toBeGreaterThan(5);
    expect(Math.abs(mean(one) - mean(other))).toBeLessThan(1);
  });
});

describe('balance', () => {
  test('thickness of a layer follows the mean temperature in it (hydrostatic)', () => {
    const steps = 40;
    const level = Array.from({ length: steps + 1 }, (_, s) => 200 * Math.exp((s / steps) * Math.log(2)));
    const field = weatherAt({ level, time: SEASONS.slice(0, 1) });
    for (const [i, j] of points(weatherAt({ level: [250] }))) {
      const kelvin = level.map((_, k) => valueAt(field, 'air_temperature', i, j, k));
      const trapezoids = mean(kelvin.slice(1).map((value, k) => (value + (kelvin[k] as number)) / 2));
      const thickness = valueAt(field, 'geopotential', i, j, 0) - valueAt(field, 'geopotential', i, j, steps);
      expect(thickness / (GAS_CONSTANT_DRY * Math.log(2) * trapezoids)).toBeCloseTo(1, 4);
    }
  });

  test('wind outside the tropics follows the slope of pressure surfaces (geostrophic)', () => {
    const field = weatherAt({ longitude: range(0, 2, 0.5), latitude: range(50, 52, 0.5), level: [250] });
    const metresPerDegree = 111_198.9;
    for (const timeless of [
      [1, 1],
      [2, 3],
      [3, 2],
    ] as const) {
      const [i, j] = timeless;
      const latitude = ((field.latitude.knots[j] as number) * Math.PI) / 180;
      const coriolis = 2 * 7.292e-5 * Math.sin(latitude);
      const z = (a: number, b: number) => valueAt(field, 'geopotential', a, b);
      const v = (z(i + 1, j) - z(i - 1, j)) / (metresPerDegree * Math.cos(latitude)) / coriolis;
      const u = -(z(i, j + 1) - z(i, j - 1)) / metresPerDegree / coriolis;
      expect(valueAt(field, 'northward_wind', i, j) / v).toBeCloseTo(0.93, 1);
      expect(valueAt(field, 'eastward_wind', i, j) / u).toBeCloseTo(0.93, 1);
    }
  });

  test('all meridians meet in one temperature and no wave at the poles', () => {
    const field = weatherAt({ latitude: [-90, 90] });
    for (const [i, j, k] of points(field)) {
      for (const name of ['air_temperature', 'specific_humidity', 'geopotential']) {
        expect(valueAt(field, name, i, j, k)).toBeCloseTo(valueAt(field, name, 0, j, k), 6);
      }
      expect(Math.abs(valueAt(field, 'northward_wind', i, j, k))).toBeLessThan(1e-6);
    }
  });
});

describe('climate', () => {
  const zonal = (name: string, timeMs: number, level: number) => {
    const latitude = range(-85, 85, 5);
    const field = weatherAt({ latitude, level: [level], time: [timeMs], longitude: range(-180, 178, 2) });
    return latitude.map((_, j) =>
      mean(Array.from(field.longitude.knots, (__, i) => valueAt(field, name, i, j))),
    );
  };

  test.each(SEASONS)('has a jet in each hemisphere between 25° and 50° (%i)', (timeMs) => {
    const wind = zonal('eastward_wind', timeMs, 200);
    const strongest = (from: number, to: number) =>
      range(-85, 85, 5)
        .map((latitude, j) => ({ latitude, speed: wind[j] as number }))
        .filter(({ latitude }) => latitude >= from && latitude <= to)
        .reduce((best, one) => (one.speed > best.speed ? one : best));
    for (const jet of [strongest(-85, 0), strongest(0, 85)]) {
      expect(jet.speed).toBeGreaterThan(18);
      expect(jet.speed).toBeLessThan(60);
      expect(Math.abs(jet.latitude)).toBeGreaterThanOrEqual(25);
      expect(Math.abs(jet.latitude)).toBeLessThanOrEqual(50);
    }
  });

  test('the jet is stronger in winter', () => {
    const [january, july] = [SEASONS[0], SEASONS[2]].map((time) =>
      Math.max(...zonal('eastward_wind', time as number, 200).slice(17)),
    ) as [number, number];
    expect(january).toBeGreaterThan(1.3 * july);
  });

  test('the tropopause is high and cold over the tropics, low over the poles, lower in winter', () => {
    const tropopause = (latitude: number, timeMs: number) => {
      const level = range(80, 400, 5);
      const field = weatherAt({ latitude: [latitude], level, time: [timeMs] });
      const lapse = level.slice(1).map((_, k) => {
        const kelvin = (at: number) =>
          mean(Array.from(field.longitude.knots, (__, i) => valueAt(field, 'air_temperature', i, 0, at)));
        const height = (at: number) => valueAt(field, 'geopotential', 0, 0, at) / 9.80665 / 1000;
        return (kelvin(k + 1) - kelvin(k)) / (height(k) - height(k + 1));
      });
      // The lowest level above which it gets colder by less than 2 K per km.
      return level[lapse.findLastIndex((kelvinPerKm) => kelvinPerKm < 2)] as number;
    };
    const [january, , july] = SEASONS as [number, number, number, number];
    expect(tropopause(0, january)).toBeLessThan(140);
    expect(tropopause(50, january)).toBeGreaterThan(200);
    expect(tropopause(80, january)).toBeGreaterThan(tropopause(80, july));
  });
});

describe('weather systems', () => {
  test('air rises where it flows poleward, ahead of troughs, and sinks behind them', () => {
    for (const latitude of [-50, 50]) {
      const field = weatherAt({ latitude: [latitude], level: [400], longitude: range(-180, 179, 1) });
      const pairs = Array.from(field.longitude.knots, (_, i) => ({
        poleward: valueAt(field, 'northward_wind', i, 0) * Math.sign(latitude),
        omega: valueAt(field, 'lagrangian_tendency_of_air_pressure', i, 0),
      }));
      for (const { poleward, omega } of pairs) {
        if (Math.abs(poleward) > 5) expect(Math.sign(omega)).toBe(-Math.sign(poleward));
      }
      expect(pairs.filter(({ poleward }) => poleward > 5).length).toBeGreaterThan(30);
      expect(pairs.filter(({ poleward }) => poleward < -5).length).toBeGreaterThan(30);
    }
  });

  test('cloud ice is only where air is cold and near saturation, and there is some', () => {
    const field = weatherAt({ longitude: range(-180, 177, 3), latitude: range(-87, 87, 3) });
    let cloudy = 0;
    let driest = Number.POSITIVE_INFINITY;
    let mostWhereWarm = 0;
    for (const [i, j, k] of points(field)) {
      const ice = valueAt(field, 'specific_cloud_ice_water_content', i, j, k);
      if (ice === 0) continue;
      cloudy++;
      const kelvin = valueAt(field, 'air_temperature', i, j, k);
      const pressurePa = 100 * (field.level.knots[k] as number);
      const humidity = valueAt(field, 'specific_humidity', i, j, k);
      driest = Math.min(driest, relativeHumidityIce(humidity, kelvin, pressurePa));
      if (kelvin > 273.15) mostWhereWarm = Math.max(mostWhereWarm, ice);
    }
    expect(driest).toBeGreaterThan(0.9);
    expect(mostWhereWarm).toBeLessThan(1e-6);
    expect(cloudy).toBeGreaterThan(1000);
  });
});
