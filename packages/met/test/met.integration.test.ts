import { Worker } from 'node:worker_threads';
import { HOUR_MS, WaitLimit } from '@contrails/runtime';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { MetError } from '../src/errors.ts';
import { type Met, openMet } from '../src/met.ts';
import type { WeatherRequest } from '../src/request.ts';
import type { ReadOptions } from '../src/source.ts';
import { DAY, hours, type MadeSource, madeSource, valueOfPoint } from './support/made-source.ts';

const MEBIBYTE = 2 ** 20;
const at = (hour: number) => DAY + hour * HOUR_MS;

const request: WeatherRequest = {
  for: 'contrails',
  time: [at(2), at(3.5)],
  level: [210, 350],
  latitude: [30, 60],
  longitude: [-60, 10],
  margin: { afterMs: 2 * HOUR_MS, levelHpa: 40, degrees: 10 },
};

const opened: Met[] = [];
function open(source: MadeSource, memoryBytes = 512 * MEBIBYTE): Met {
  const met = openMet({ sources: [source], memoryBytes, threads: 1 });
  opened.push(met);
  return met;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((met) => met.close()));
});

const column = (...values: number[]) => Float64Array.from(values);

describe('weather of a request', () => {
  test('is interpolated from what the source holds, at any place of it', async () => {
    const { weather, release } = await open(madeSource()).openWeather(request);
    const points = {
      longitude: column(-33.3, 179.9, -179.9),
      latitude: column(47.1, -12, 88),
      level: column(260, 210, 350),
      timeMs: column(at(2.25), at(3), at(5.5)),
    };
    const [temperature, u, v, q, omega, tau] = Array.from({ length: 6 }, () => new Float64Array(3));
    const out = [temperature, u, v, q, omega, tau] as Float64Array[];
    weather.sample(out, points, 3);
    release();
    const expected = (name: string, p: number) =>
      valueOfPoint(name, {
        longitude: points.longitude[p] as number,
        latitude: points.latitude[p] as number,
        level: points.level[p] as number,
        time: points.timeMs[p] as number,
      });
    expect(temperature?.[0]).toBeCloseTo(expected('air_temperature', 0), 3);
    expect(q?.[1]).toBeCloseTo(expected('specific_humidity', 1), 9);
    expect(omega?.[2]).toBe(expected('lagrangian_tendency_of_air_pressure', 2));
    for (const depth of tau ?? []) expect(depth).toBeGreaterThan(0);
  });

  test('has radiation in watts, dated in the middle of the hour it describes', async () => {
    const { weather, release } = await open(madeSource()).openWeather(request);
    const [shortwave, longwave] = [new Float64Array(2), new Float64Array(2)];
    const points = {
      longitude: column(0, 20),
      latitude: column(50, 0),
      level: column(250, 250),
      timeMs: column(at(2), at(5.25)),
    };
    weather.sampleRadiation(shortwave, longwave, points, 2);
    release();
    // The value stamped at an hour h is h + 100 and describes the hour before.
    expect([...shortwave]).toEqual([102.5, 105.75]);
    expect([...longwave]).toEqual([-200, -200]);
    expect(weather.radiationPair).toBe('net');
  });

  test('names its source', async () => {
    const referenceTime = at(-6);
    const runs = [{ referenceTime, times: hours(-6, 30) }];
    const { origin, release } = await open(madeSource({ type: 'forecast', runs })).openWeather(request);
    release();
    expect(origin).toEqual({
      name: 'made',
      kind: 'netcdf',
      provider: 'ECMWF',
      dataset: 'ERA5',
      product: 'reanalysis',
      type: 'forecast',
      generation: 'one',
      levelType: 'pressure',
      attributions: [],
      radiation: 'own',
      warnings: [],
      referenceTime,
    });
  });

  test('without wind has temperature and humidity for the criteria of formation', async () => {
    const source = madeSource({ variables: ['air_temperature', 'specific_humidity'] });
    const { weather, levels, radiation, release } = await open(source).openWeather({
      ...request,
      for: 'air',
    });
    expect(levels.variables).toEqual([
      'air_temperature',
      'eastward_wind',
      'northward_wind',
      'specific_humidity',
    ]);
    const [temperature, u, v, q] = Array.from({ length: 4 }, () => new Float64Array(1));
    const points = { longitude: column(0), latitude: column(50), level: column(250), timeMs: column(at(3)) };
    weather.sample([temperature, u, v, q] as Float64Array[], points, 1);
    release();
    expect(temperature?.[0]).toBeGreaterThan(200);
    expect(u?.[0]).toBeNaN();
    expect(q?.[0]).toBeGreaterThan(0);
    expect(radiation).toBeUndefined();
  });

  test('without cloud ice has no cirrus', async () => {
    const { description } = madeSource();
    const variables = description.variables.filter((name) => !name.includes('ice'));
    const { levels, release } = await open(madeSource({ variables })).openWeather(request);
    release();
    const tau = levels.variables.indexOf('tau_cirrus');
    expect(levels.slabs[0]?.filter((_, i) => i % 6 === tau).every((depth) => depth === 0)).toBe(true);
  });

  test('counts the cirrus of the lowest level as of any other', async () => {
    // With the same ice everywhere the optical depth of a layer follows its depth, which needs the level below.
    const cruise = await open(madeSource()).openWeather(request);
    const ground = await open(madeSource()).openWeather({ ...request, level: [210, 840] });
    const lowest = cruise.levels.level.knots.length - 1;
    expect(cruise.levels.level.knots[lowest]).toBe(500);
    expect(ground.levels.level.knots.length).toBeGreaterThan(lowest + 1);
    expect(cruise.levels.slabs[0]?.[lowest * 6 + 5]).toBe(ground.levels.slabs[0]?.[lowest * 6 + 5]);
    cruise.release();
    ground.release();
  });

  test('is that of the part that is covered, nothing beyond', async () => {
    const source = madeSource({ latitude: [30, 45, 60], longitude: [-60, -45, -30, -15, 0] });
    const { weather, covered, release } = await open(source).openWeather({
      ...request,
      partial: true,
      time: [at(-3), at(2)],
      level: [210, 1013],
      longitude: [-80, -20],
    });
    expect(covered).toMatchObject({ time: [at(0), at(2)], level: [210, 850] });
    const out = [new Float64Array(4)];
    const points = {
      longitude: column(-40, -40, -70, -40),
      latitude: column(50, 50, 50, 50),
      level: column(300, 900, 300, 300),
      timeMs: column(at(1), at(1), at(1), at(-1)),
    };
    weather.sample(out, points, 4);
    release();
    expect([...(out[0] ?? [])].map(Number.isFinite)).toEqual([true, false, false, false]);
  });

  test('can be made again in a thread, from the same memory', async () => {
    const { weather, levels, radiation, release } = await open(madeSource()).openWeather(request);
    const points = { longitude: column(7), latitude: column(44), level: column(222), timeMs: column(at(3)) };
    const here = [new Float64Array(1)];
    weather.sample(here, points, 1);
    const worker = new Worker(new URL('support/weather-thread.ts', import.meta.url), {
      workerData: { levels, radiation, points },
    });
    const there = await new Promise((resolve, reject) => {
      worker.on('message', resolve).on('error', reject);
    });
    release();
    expect(there).toEqual({ temperature: here[0]?.[0], shortwave: 103.5, shares: true });
  });
});

test('what a source allocates for itself comes into the memory for weather', async () => {
  const made = madeSource();
  const source: MadeSource = { ...made, read: (window, options) => made.read(window, omitAllocate(options)) };
  const [own, usual] = await Promise.all(
    [open(source), open(madeSource())].map((met) => met.openWeather(request)),
  );
  expect(own?.levels.slabs).toEqual(usual?.levels.slabs);
  expect(new Set(own?.levels.slabs.map(({ buffer }) => buffer)).size).toBe(1);
});

const omitAllocate = ({ allocate: _, ...options }: ReadOptions = {}): ReadOptions => options;

describe('times', () => {
  const timesOf = async (source: MadeSource, changes: Partial<WeatherRequest> = {}) => {
    const { levels, release } = await open(source).openWeather({ ...request, ...changes });
    release();
    return [...levels.time.knots].map((time) => (time - DAY) / HOUR_MS);
  };

  test('reach from the hour before to the hour after what is useful', async () => {
    expect(await timesOf(madeSource())).toEqual([2, 3, 4, 5, 6]);
  });
  test('end with the data', async () => {
    expect(await timesOf(madeSource({ runs: [{ times: hours(0, 5) }] }))).toEqual([2, 3, 4, 5]);
  });
  test('end at a hole', async () => {
    expect(await timesOf(madeSource({ runs: [{ times: [...hours(0, 4), ...hours(8, 20)] }] }))).toEqual([
      2, 3, 4,
    ]);
  });
  test('end where a variable ends', async () => {
    const incomplete = [{ variable: 'northward_wind', missing: hours(5, 24) }];
    expect(await timesOf(madeSource({ incomplete }))).toEqual([2, 3, 4]);
  });
  test('are one for a request of an hour', async () => {
    const changes = { time: [at(2), at(2)] as const, margin: {} };
    expect(await timesOf(madeSource(), changes)).toEqual([2]);
  });
  test('of radiation that accumulates since the start of a forecast are middles of its steps', async () => {
    const source = madeSource({
      radiation: { kind: 'since-run-start', unit: 'J m-2' },
      type: 'forecast',
      runs: [{ referenceTime: DAY, times: hours(0, 24) }],
    });
    const { radiation, release } = await open(source).openWeather(request);
    release();
    const middles = [...(radiation?.field.time.knots ?? [])].map((time) => (time - DAY) / HOUR_MS);
    expect(middles).toEqual([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
    // Sums grow by 3600 J an hour: 1 W.
    expect((radiation?.field.slabs[0]?.[0] ?? 0) * (radiation?.fluxPerUnit ?? 0)).toBe(1);
  });
});

describe('memory', () => {
  test('a second request of the same hours reads nothing', async () => {
    const source = madeSource();
    const met = open(source);
    (await met.openWeather(request)).release();
    const reads = source.windows.length;
    (await met.openWeather({ ...request, latitude: [-20, 5], longitude: [100, 140] })).release();
    expect(source.windows).toHaveLength(reads);
    expect(met.statistics()).toMatchObject({ leasedBytes: 0, waiting: 0, failures: 0, reads });
  });

  test('a later request reads only the hours that are new', async () => {
    const source = madeSource();
    const met = open(source);
    (await met.openWeather(request)).release();
    source.windows.length = 0;
    (await met.openWeather({ ...request, time: [at(3), at(5)] })).release();
    const levels = source.windows.filter(({ variables }) => variables.includes('air_temperature'));
    expect(levels.map(({ time }) => time)).toEqual([[at(7), at(7)]]);
  });

  test('requests at the same time read an hour once', async () => {
    const source = madeSource();
    const met = open(source);
    const all = await Promise.all(Array.from({ length: 5 }, () => met.openWeather(request)));
    for (const { release } of all) release();
    const what = source.windows.map(({ variables }) => variables[0]).sort();
    expect(what).toEqual(['air_temperature', 'geopotential', 'top_net_solar_radiation']);
  });

  test('criteria of formation are served from what contrails needed', async () => {
    const source = madeSource();
    const met = open(source);
    (await met.openWeather(request)).release();
    source.windows.length = 0;
    (await met.openWeather({ ...request, for: 'formation' })).release();
    (await met.openWeather({ ...request, for: 'air' })).release();
    expect(source.windows).toEqual([]);
  });

  test('for formation alone nothing but temperature and humidity is read', async () => {
    const source = madeSource();
    const { levels, release } = await open(source).openWeather({ ...request, for: 'formation' });
    expect(source.windows.map(({ variables }) => variables)).toEqual([levels.variables]);
    expect(levels.variables).toEqual(['air_temperature', 'specific_humidity']);
    release();
  });

  test('with little memory a region is read, and a request inside it finds it', async () => {
    const source = madeSource();
    const met = open(source, MEBIBYTE);
    (await met.openWeather(request)).release();
    expect(source.windows[0]).toMatchObject({ latitude: [0, 90], longitude: [-90, 30] });
    source.windows.length = 0;
    (await met.openWeather({ ...request, longitude: [-20, 5], latitude: [40, 45] })).release();
    expect(source.windows).toEqual([]);
  });

  test('runs of a forecast are kept apart', async () => {
    const runs = [-6, 0].map((start) => ({ referenceTime: at(start), times: hours(start, 30) }));
    const met = open(madeSource({ type: 'forecast', runs }));
    const windOf = async (referenceTime: number) => {
      const { levels, release } = await met.openWeather({ ...request, referenceTime });
      release();
      return levels.slabs[0]?.[1];
    };
    expect(await windOf(at(-6))).toBe(94);
    expect(await windOf(at(0))).toBe(100);
  });

  test('a request for more memory than there is names the limit', async () => {
    const error = await open(madeSource(), 1000)
      .openWeather(request)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'too-large' });
  });
});

describe('faults', () => {
  test('a failed read is not kept', async () => {
    const source = madeSource();
    const met = open(source);
    source.beforeRead = () => Promise.reject(new MetError('unavailable', 'the bucket does not answer'));
    await expect(met.openWeather(request)).rejects.toThrow('the bucket does not answer');
    source.beforeRead = async () => {};
    (await met.openWeather(request)).release();
    expect(met.statistics().leasedBytes).toBe(0);
  });

  test('weather is read in the state that was described, and described again where that is gone', async () => {
    const source = madeSource();
    const met = open(source);
    const choice = await met.catalogue.choose(request);
    const [before, after] = [source.description, { ...source.description, generation: 'two' }];
    const read = source.read;
    const states = new Set<unknown>();
    source.read = async (window, options) => {
      states.add(options?.description);
      if (options?.description === before) throw new MetError('changed', 'the files were replaced');
      return read(window, options);
    };
    source.description = after;
    // A result is named after the state, so no other state may be read for it.
    await expect(met.openWeather(request, { choice })).rejects.toMatchObject({ kind: 'changed' });
    const { origin, release } = await met.openWeather(request);
    release();
    expect([origin.generation, ...states]).toEqual(['two', before, after]);
  });

  test('weather that was replaced since it was looked at is chosen again', async () => {
    const source = madeSource();
    const met = open(source);
    await met.catalogue.list();
    source.beforeRead = async () => {
      source.beforeRead = async () => {};
      source.description = { ...source.description, generation: 'two' };
      throw new MetError('changed', 'the files were replaced');
    };
    const { origin, release } = await met.openWeather(request);
    release();
    expect(origin.generation).toBe('two');
  });

  test('a request that is given up ends the read', async () => {
    const source = madeSource();
    const met = open(source);
    const controller = new AbortController();
    const stopped = new Promise<void>((resolve) => {
      source.beforeRead = (_, signal) =>
        new Promise((__, reject) => {
          signal?.addEventListener('abort', () => {
            resolve();
            reject(signal.reason);
          });
        });
    });
    const opening = met.openWeather(request, { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(opening).rejects.toThrow('enough');
    await stopped;
    await until('its memory is free', () => met.statistics().usedBytes === 0);
    expect(met.statistics().leasedBytes).toBe(0);
  });

  test('requests are read while reads of jobs take all their turns', async () => {
    const source = madeSource();
    const jobsEnd = Promise.withResolvers<void>();
    source.beforeRead = ({ time }) => (time[0] >= at(10) ? jobsEnd.promise : Promise.resolve());
    const met = open(source);
    const jobs = [10, 14, 18].map((hour) =>
      met.openWeather({ ...request, time: [at(hour), at(hour + 1)] }).then(({ release }) => release()),
    );
    await until('jobs read', () => source.windows.length >= 2);
    (await met.openWeather(request, { waitLimit: new WaitLimit(1000) })).release();
    expect(met.statistics().leasedBytes).toBeGreaterThan(0);
    jobsEnd.resolve();
    await Promise.all(jobs);
  });

  test('a source that returns other times than it described is caught', async () => {
    const source = madeSource();
    const read = source.read;
    source.read = (window, options) => read({ ...window, time: [at(2), at(2)] }, options);
    await expect(open(source).openWeather(request)).rejects.toMatchObject({ kind: 'changed' });
  });
});
