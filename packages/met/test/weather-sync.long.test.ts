import { describe, expect, test } from 'vitest';
import type { WeatherRequest } from '../src/index.ts';
import { openMet, openSource, type SourceSettings, samplePoint } from '../src/index.ts';
import { expected, toleranceOf, treePath } from './support/weather-sync.ts';

const ECMWF: SourceSettings = {
  name: 'ecmwf',
  kind: 'grib',
  provider: 'ECMWF',
  dataset: 'IFS',
  product: 'forecast',
  directory: treePath('ecmwf'),
  paths: ['20260914/00z/ifs/0p25/oper/*.grib2'],
  radiationIntervals: true,
  estimateRadiation: true,
  attribution: 'Contains modified data of ECMWF open data (CC-BY-4.0).',
};
const GFS: SourceSettings = {
  name: 'gfs',
  kind: 'grib',
  provider: 'NOAA',
  dataset: 'GFS',
  product: 'forecast',
  directory: treePath('gfs'),
  paths: ['gfs.20260914/00/atmos/gfs.t00z.pgrb2.0p25.f???'],
  radiationIntervals: true,
  attribution: 'Contains data of NOAA/NCEP GFS.',
};

async function met(...settings: readonly SourceSettings[]) {
  const sources = await Promise.all(settings.map(openSource));
  return openMet({ sources, memoryBytes: 64 * 2 ** 20, threads: 1 });
}

describe.each([
  ['ecmwf', [ECMWF]],
  ['gfs', [GFS]],
  ['ecmwf+gfs', [{ ...ECMWF, radiationFrom: 'gfs' }, GFS]],
] as const)('weather of %s', (name, settings) => {
  test('has the expected values at every point', async () => {
    const weather = await met(...settings);
    const { points, source, run, radiation } = expected[name] as (typeof expected)[string];
    const wrong: string[] = [];
    for (const { time, values, ...at } of points) {
      const sample = await samplePoint(weather, { source, timeMs: Date.parse(time), ...at });
      expect(sample.radiation).toBe(radiation);
      expect(sample.radiationSource).toBe(name === 'ecmwf+gfs' ? 'gfs' : source);
      expect(sample.referenceTime).toBe(Date.parse(run ?? ''));
      for (const [variable, value] of Object.entries(values)) {
        const found = sample.values[variable] ?? Number.NaN;
        if (!(Math.abs(found - value) <= toleranceOf(variable, value)))
          wrong.push(`${variable} ${time} ${at.longitude} ${at.latitude}: ${found} instead of ${value}`);
      }
    }
    await weather.close();
    expect(wrong).toEqual([]);
  });
});

const HOURS = 3_600_000;
const START = Date.parse('2026-09-14T00:00:00Z');
const over = (
  from: number,
  to: number,
  longitude: readonly [number, number] = [-20, 20],
): WeatherRequest => ({
  source: 'ecmwf',
  for: 'contrails',
  time: [START + from * HOURS, START + to * HOURS],
  level: [200, 300],
  latitude: [30, 60],
  longitude,
});

describe('radiation of another source', () => {
  test('is named with its run, and both providers are attributed', async () => {
    const weather = await met({ ...ECMWF, radiationFrom: 'gfs' }, GFS);
    const { origin, release } = await weather.openWeather(over(3, 9));
    release();
    await weather.close();
    expect(origin).toMatchObject({
      name: 'ecmwf',
      radiation: 'gfs 2026-09-14T00:00:00Z',
      attributions: [ECMWF.attribution, GFS.attribution],
    });
  });

  test('goes on as an estimate where the other source ends', async () => {
    const [mixed, alone] = [await met({ ...ECMWF, radiationFrom: 'gfs' }, GFS), await met(ECMWF)];
    const [both, own] = [await mixed.openWeather(over(9, 18)), await alone.openWeather(over(9, 18))];
    expect(both.origin.radiation).toBe('gfs 2026-09-14T00:00:00Z, estimated after 12:00');
    expect(own.origin.radiation).toBe('estimated');
    const points = {
      longitude: Float64Array.of(3, 3),
      latitude: Float64Array.of(44, 44),
      level: Float64Array.of(250, 250),
      timeMs: Float64Array.of(START + 11 * HOURS, START + 14 * HOURS),
    };
    const sampled = ({ weather }: typeof both) => {
      const [shortwave, longwave] = [new Float64Array(2), new Float64Array(2)];
      weather.sampleRadiation(shortwave, longwave, points, 2);
      const [located, again] = [new Float64Array(2), new Float64Array(2)];
      weather.locate(points, 2).sampleRadiation(located, again, 2);
      expect(located).toEqual(shortwave);
      return shortwave;
    };
    const [withOther, estimated] = [sampled(both), sampled(own)];
    expect(withOther[0]).not.toBeCloseTo(estimated[0] as number, 3);
    expect(withOther[1]).toBe(estimated[1]);
    both.release();
    own.release();
    await Promise.all([mixed.close(), alone.close()]);
  });

  test('is required where the source can neither estimate nor find it', async () => {
    const weather = await met({ ...ECMWF, estimateRadiation: false, radiationFrom: 'gfs' }, GFS);
    await expect(weather.openWeather(over(24, 30))).rejects.toThrow(
      'ecmwf takes its radiation from gfs, which has none at 2026-09-15T00:00Z',
    );
    await weather.close();
  });
});

test('does not run the contrail model without radiation where estimates are off', async () => {
  const weather = await met({ ...ECMWF, estimateRadiation: false });
  await expect(weather.openWeather(over(3, 9))).rejects.toThrow('radiation at the top of the atmosphere');
  await weather.close();
});

test('gives the same radiation for a part of the globe as for all of it', async () => {
  const small = await met(ECMWF);
  const point = { source: 'ecmwf', longitude: -43, latitude: 33, level: 250 };
  // Around sunset, where the albedo of other intervals counts.
  for (const hour of [19, 20, 20.75, 21, 21.25]) {
    const timeMs = START + hour * HOURS;
    const alone = await samplePoint(small, { ...point, timeMs });
    const whole = await met(ECMWF);
    const globe = await whole.openWeather(over(0, 36, [-180, 180]));
    globe.release();
    expect((await samplePoint(whole, { ...point, timeMs })).values).toEqual(alone.values);
    await whole.close();
  }
  await small.close();
});
