import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { potentialTemperature1000 } from '@contrails/physics/climate';
import { afterAll, describe, expect, test } from 'vitest';
import { allocateField, type FieldAxes, type MetField, offsetOf } from '../../src/field/field.ts';
import { fieldLongitudes } from '../../src/field/longitudes.ts';
import { climateAirOf } from '../../src/interpolate/climate-air.ts';
import { potentialVorticityOf } from '../../src/interpolate/potential-vorticity.ts';
import { WEATHER_VARIABLES } from '../../src/interpolate/weather.ts';
import { openMet } from '../../src/met.ts';
import { openNetcdf } from '../../src/sources/netcdf/source.ts';
import { keepThreads } from '../support/written-netcdf.ts';

const directory = fileURLToPath(new URL('../reference/climate/', import.meta.url));

interface Node {
  readonly longitude: number;
  readonly latitude: number;
  readonly level: number;
  readonly time: string;
  readonly pvu: number;
}

const source = openNetcdf({
  name: 'kept',
  directory: '.',
  paths: [],
  provider: '',
  dataset: '',
  product: '',
});
keepThreads(source);

describe.each(['europe', 'globe'])('potential vorticity of the weather %s', (name) => {
  const { nodes } = JSON.parse(readFileSync(`${directory}pv-${name}.json`, 'utf8')) as {
    nodes: readonly Node[];
  };
  const met = openMet({
    sources: [
      openNetcdf({
        name,
        provider: 'ECMWF',
        dataset: 'ERA5',
        product: 'reanalysis',
        paths: [`met/${name}.*.nc`],
        directory,
        threads: 1,
      }),
    ],
    memoryBytes: 2 ** 28,
    threads: 1,
  });
  afterAll(() => met.close());

  test('is that of the reference at grid points, and does not depend on the window', async () => {
    let worst = 0;
    for (const { longitude, latitude, level, time, pvu } of nodes) {
      const timeMs = Date.parse(time);
      const { levels, radiation, climate, release } = await met.openWeather({
        for: 'accf',
        time: [timeMs, timeMs],
        level: [level, level],
        latitude: [latitude, latitude],
        longitude: [longitude, longitude],
      });
      const out = {
        geopotential: new Float64Array(1),
        potentialVorticity: new Float64Array(1),
        olr: new Float64Array(1),
      };
      if (climate === undefined) throw new Error('the weather was opened for climate change functions');
      climateAirOf(levels, radiation, climate)(
        out,
        {
          longitude: Float64Array.of(longitude),
          latitude: Float64Array.of(latitude),
          level: Float64Array.of(level),
          timeMs: Float64Array.of(timeMs),
        },
        1,
      );
      release();
      const deviation = Math.abs((out.potentialVorticity[0] as number) - pvu) / (Math.abs(pvu) + 0.1);
      worst = Math.max(worst, deviation);
      expect(deviation).toBeLessThan(1e-9);
      expect(out.olr[0]).toBeGreaterThan(80);
    }
    console.log(`${name}: worst deviation ${worst.toExponential(1)} of ${nodes.length} grid points`);
  });
});

const LEVELS = [100, 150, 200, 250, 300, 400];
const SPEED = 40;

/** θ(p) at rest or in solid rotation. */
function rotating(longitude: Float64Array | number[], latitude: number[], mirrored = false): MetField {
  const axes: FieldAxes = { longitude, latitude, level: LEVELS, time: [0, 3_600_000] };
  const field = allocateField(WEATHER_VARIABLES, axes, 'float64');
  for (const slab of field.slabs) {
    for (let i = 0; i < longitude.length; i++) {
      latitude.forEach((degrees, j) => {
        LEVELS.forEach((hpa, k) => {
          const theta = 500 - 0.6 * hpa;
          slab[offsetOf(field, i, j, k, 0)] = theta / potentialTemperature1000(1, 100 * hpa);
          slab[offsetOf(field, i, j, k, 1)] =
            (mirrored ? -1 : 1) * SPEED * Math.cos((degrees * Math.PI) / 180);
          slab[offsetOf(field, i, j, k, 2)] = 0;
        });
      });
    }
  }
  return field;
}

function at(field: MetField, longitude: number, latitude: number): number {
  const out = new Float64Array(1);
  const points = {
    longitude: Float64Array.of(longitude),
    latitude: Float64Array.of(latitude),
    level: Float64Array.of(250),
    timeMs: Float64Array.of(0),
  };
  potentialVorticityOf(field)(out, points, 1);
  return out[0] as number;
}

const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step);

describe('potential vorticity', () => {
  const globe = fieldLongitudes(range(0, 350, 10));
  const field = rotating(globe, range(-90, 90, 1));
  const exact = (latitude: number) =>
    -9.80665e6 *
    (2 * 7.292115e-5 + (2 * SPEED) / 6_371_229) *
    Math.sin((latitude * Math.PI) / 180) *
    (-0.6 / 100);

  test('of solid rotation is that of the formula, also beside the poles', () => {
    for (const latitude of [-89, -60, 1, 45, 89]) {
      for (const longitude of [-180, -5, 0, 123, 180]) {
        expect(at(field, longitude, latitude) / exact(latitude)).toBeCloseTo(1, 3);
      }
    }
    expect(at(field, 12, 90)).toBeCloseTo(at(field, 100, 89), 9);
  });

  test('changes its sign with the hemisphere', () => {
    expect(at(field, 20, -50)).toBeCloseTo(-at(field, 20, 50), 9);
  });

  test('of a window is that of the whole, inside and where the antimeridian crosses it', () => {
    const rows = range(30, 60, 1);
    const east = rotating(range(0, 40, 10), rows);
    expect(at(east, 15, 45.5)).toBe(at(field, 15, 45.5));
    const across = rotating(fieldLongitudes([160, 170, 180, 190, 200]), rows);
    expect(at(across, 175, 45.5)).toBeCloseTo(at(field, 175, 45.5), 9);
    expect(at(across, -175, 45.5)).toBeCloseTo(at(field, -175, 45.5), 9);
  });

  test('of a point does not depend on the points before it', () => {
    const longitude = Float64Array.of(11, 12, 12, 13, 29, 12, 200);
    const latitude = Float64Array.of(45.2, 45.4, 45, 46, 60, 45.9, 89.5);
    const count = longitude.length;
    const points = {
      ...{ longitude, latitude, count },
      ...{ level: new Float64Array(count).fill(250), timeMs: new Float64Array(count) },
    };
    const out = new Float64Array(count);
    potentialVorticityOf(field)(out, points, count);
    expect([...out]).toEqual(
      Array.from(longitude, (degrees, p) => at(field, degrees, latitude[p] as number)),
    );
  });

  test('is unknown on fewer than three rows, and outside', () => {
    expect(at(rotating(globe, [40, 50]), 0, 45)).toBeNaN();
    expect(at(rotating(range(0, 40, 10), range(30, 60, 1)), 50, 45)).toBeNaN();
  });
});
