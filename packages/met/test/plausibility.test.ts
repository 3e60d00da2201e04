import { HOUR_MS } from '@contrails/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import type { FieldValues, MetField } from '../src/field/field.ts';
import { checkValues } from '../src/inspect/value-check.ts';
import { type Met, openMet } from '../src/met.ts';
import type { WeatherRequest } from '../src/request.ts';
import { DAY, type MadeSource, madeSource } from './support/made-source.ts';

const request: WeatherRequest = {
  for: 'contrails',
  time: [DAY + 2 * HOUR_MS, DAY + 3 * HOUR_MS],
  level: [210, 350],
  latitude: [30, 60],
  longitude: [-60, 10],
};

const opened: Met[] = [];
const warned: string[] = [];
function open(source: MadeSource): Met {
  const onWarning = (_: string, message: string) => warned.push(message);
  const met = openMet({ sources: [source], memoryBytes: 2 ** 29, threads: 1, onWarning });
  opened.push(met);
  return met;
}
afterEach(async () => {
  warned.length = 0;
  await Promise.all(opened.splice(0).map((met) => met.close()));
});

/** A source of which a function changes what is read. */
function changed(change: (field: MetField) => void, source = madeSource()): MadeSource {
  const { read } = source;
  source.read = async (window, options) => {
    const field = await read(window, options);
    change(field);
    return field;
  };
  return source;
}

/** Replaces each value of a variable. */
function valuesOf(name: string, value: (old: number, latitude: number) => number) {
  return ({ variables, slabs, latitude }: MetField) => {
    const v = variables.indexOf(name);
    if (v < 0) return;
    for (const slab of slabs) {
      const rowLength = slab.length / latitude.knots.length;
      for (let at = v; at < slab.length; at += variables.length) {
        slab[at] = value(slab[at] as number, latitude.knots[Math.floor(at / rowLength)] as number);
      }
    }
  };
}

describe('weather that cannot be right is refused', () => {
  test.each([
    [
      'humidity in mg/kg',
      'specific_humidity',
      (q: number) => 1e6 * q,
      /specific_humidity ranges from .* plausible are -0.0001 to 0.05/,
    ],
    [
      'negative humidity',
      'specific_humidity',
      (q: number) => -q,
      /specific_humidity ranges .* all of it negative/,
    ],
    [
      'a temperature in °C',
      'air_temperature',
      (t: number) => t - 273.15,
      /air_temperature ranges from -.* K, plausible/,
    ],
    ['wind in knots × 10', 'eastward_wind', () => 450, /eastward_wind ranges from 450 to 450 m\/s/],
    [
      'cloud ice in g/kg',
      'specific_cloud_ice_water_content',
      () => 0.1,
      /specific_cloud_ice_water_content ranges from 0.1/,
    ],
    ['heights of 0', 'geopotential', (z: number) => -Math.abs(z), /geopotential ranges from -/],
  ])('%s', async (_, name, value, message) => {
    const source = changed(valuesOf(name, value));
    const met = open(source);
    await expect(met.openWeather(request)).rejects.toMatchObject({
      kind: 'unreadable',
      message: expect.stringMatching(message),
      facts: { variable: name, source: 'made' },
    });
    expect(met.statistics().leasedBytes).toBe(0);
    const { findings } = await checkValues(source);
    expect(findings).toContainEqual(expect.objectContaining({ state: 'fail', variable: name }));
  });

  test('one value among many is enough', async () => {
    const spike = changed(({ variables, slabs }) => {
      const t = variables.indexOf('air_temperature');
      if (t >= 0) (slabs[0] as FieldValues)[variables.length * 777 + t] = 12_345;
    });
    await expect(open(spike).openWeather(request)).rejects.toThrow(
      /air_temperature ranges .* to 1\.23\de\+?4|to 12\d+/,
    );
  });

  test('the message names the files, and the data are read once as long as they stay the same', async () => {
    const source = changed(valuesOf('specific_humidity', (q) => 1e6 * q));
    source.pathsOf = async (variable) => [`/data/${variable}.nc`];
    const met = open(source);
    await expect(met.openWeather(request)).rejects.toThrow(
      /made: specific_humidity .* at 2024-01-15T02:00Z \(\/data\/specific_humidity\.nc\); check the unit/,
    );
    const reads = source.windows.length;
    await expect(met.openWeather(request)).rejects.toThrow(/specific_humidity/);
    expect(source.windows).toHaveLength(reads + source.windows.slice(reads).filter(isRadiation).length);

    const repaired = madeSource({ generation: 'two' });
    source.read = repaired.read;
    source.description = repaired.description;
    met.catalogue.forget(source);
    const { release, origin } = await met.openWeather(request);
    expect(origin.warnings).toEqual([]);
    release();
  });
});

const isRadiation = ({ variables }: { readonly variables: readonly string[] }) =>
  variables.some((name) => name.startsWith('top_'));

describe('doubtful weather is used with a warning', () => {
  const jet = (_: number, latitude: number) => 30 * Math.cos(((latitude - 45) * Math.PI) / 90);
  const swapped = () =>
    changed((field) => {
      valuesOf('northward_wind', jet)(field);
      valuesOf('eastward_wind', () => 1)(field);
    });

  test.each([
    [
      'no humidity at all',
      () => changed(valuesOf('specific_humidity', () => 0)),
      /specific_humidity is 0 everywhere/,
    ],
    ['jet streams along the meridians', swapped, /eastward_wind of up to 1 m\/s: the two seem to be swapped/],
  ])('%s', async (_, make, message) => {
    const source = make();
    const met = open(source);
    for (const _again of [1, 2]) {
      const { origin, release } = await met.openWeather(request);
      release();
      expect(origin.warnings).toEqual([expect.stringMatching(message)]);
      expect(origin.warnings[0]).toMatch(/^weather source made: .*; check /);
    }
    expect(warned).toHaveLength(1);
    expect((await checkValues(source)).findings).toContainEqual(
      expect.objectContaining({ state: 'warn', message: expect.stringMatching(message) }),
    );
  });

  test('winds in their places, and those of a region, give none', async () => {
    const right = changed(valuesOf('eastward_wind', jet));
    const met = open(right);
    const { origin, release } = await met.openWeather(request);
    release();
    expect(origin.warnings).toEqual([]);
    expect((await checkValues(right)).findings).toEqual([]);

    const region = changed(
      (field) => valuesOf('northward_wind', () => 40)(field),
      madeSource({ longitude: [-75, -60, -45, -30, -15, 0, 15, 30] }),
    );
    const ofRegion = await open(region).openWeather(request);
    ofRegion.release();
    expect(ofRegion.origin.warnings).toEqual([]);
  });
});
