import { MetError, type MetSource } from '@contrails/met';
import type { MetWindow } from '@contrails/met/own-source';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { openSynthetic } from '../../src/weather/source.ts';
import { valueAt } from './support.ts';

const now = () => Date.parse('2026-05-04T13:37:11Z');
const noon = Date.parse('2026-05-04T12:00Z');

const window: MetWindow = {
  variables: ['air_temperature', 'specific_humidity'],
  time: [noon - 3 * HOUR_MS, noon - 3 * HOUR_MS],
  level: [200, 300],
  latitude: [40, 60],
  longitude: [-30, 12],
};

const opened = new Map<number, MetSource>();
/** One source of a resolution for all tests, because a thread takes a while to start. */
function sourceOf(resolutionDeg: number): MetSource {
  const source = opened.get(resolutionDeg) ?? openSynthetic({ name: 'demo', now, resolutionDeg, threads: 1 });
  opened.set(resolutionDeg, source);
  return source;
}
afterAll(() => Promise.all([...opened.values()].map((source) => source.close())));

test('describes itself as synthetic', async () => {
  const description = await sourceOf(5).describe();
  expect(description).toMatchObject({
    kind: 'synthetic',
    provider: 'Contrails',
    dataset: 'synthetic',
    product: 'demonstration',
    radiation: { kind: 'instantaneous', unit: 'W m-2' },
  });
});

test('a point has the same weather on every grid', async () => {
  const at = async (resolutionDeg: number) => {
    const field = await sourceOf(resolutionDeg).read({
      ...window,
      latitude: [50, 50],
      longitude: [-20, -20],
    });
    return field.slabs[0];
  };
  expect(await at(0.5)).toEqual(await at(1));
  expect(await at(5)).toEqual(await at(1));
});

test('a window holds the numbers of the whole', async () => {
  const source = sourceOf(1);
  const whole = await source.read({ ...window, latitude: [-90, 90], longitude: [-180, 180] });
  const part = await source.read(window);
  part.latitude.knots.forEach((parallel, j) => {
    part.longitude.knots.forEach((meridian, i) => {
      const [wi, wj] = [whole.longitude.knots.indexOf(meridian), whole.latitude.knots.indexOf(parallel)];
      for (const name of window.variables) {
        expect(valueAt(part, name, i, j)).toBe(valueAt(whole, name, wi, wj));
      }
    });
  });
});

test('the two names of the antimeridian have one weather', async () => {
  const source = sourceOf(5);
  const field = await source.read({ ...window, longitude: [-180, 180] });
  const last = field.longitude.knots.length - 1;
  expect([field.longitude.knots[0], field.longitude.knots[last]]).toEqual([-180, 180]);
  expect(valueAt(field, 'air_temperature', last, 2)).toBe(valueAt(field, 'air_temperature', 0, 2));
});

test('a window across the antimeridian leaves the other side empty', async () => {
  const source = sourceOf(5);
  const field = await source.read({ ...window, longitude: [160, -160] });
  const values = Array.from(field.longitude.knots, (longitude, i) => ({
    longitude,
    empty: Number.isNaN(valueAt(field, 'air_temperature', i, 0)),
  }));
  expect(values.filter(({ empty }) => empty)).toHaveLength(1);
  expect(values.some(({ longitude, empty }) => empty && Math.abs(longitude) >= 160)).toBe(false);
});

describe('runs', () => {
  test('are a reanalysis up to the newest forecast, and forecasts every 6 h to +72 h', async () => {
    const { runs } = await sourceOf(5).describe();
    const [analysis, ...forecasts] = runs;
    expect(analysis?.referenceTime).toBeUndefined();
    expect([analysis?.times[0], analysis?.times.at(-1)]).toEqual([0, noon]);
    expect(forecasts.at(-1)?.referenceTime).toBe(noon);
    expect(forecasts.at(-2)?.referenceTime).toBe(noon - 6 * HOUR_MS);
    expect(forecasts.at(-1)?.times).toHaveLength(73);
    expect(forecasts.at(-1)?.times.at(-1)).toBe(noon + 72 * HOUR_MS);
  });

  test('follow the clock, an hour late, so the newest has the hour under way', async () => {
    let time = noon + HOUR_MS;
    const source = openSynthetic({ name: 'demo', now: () => time });
    const newest = async () => (await source.describe()).runs.at(-1)?.referenceTime;
    expect(await newest()).toBe(noon);
    time += 6 * HOUR_MS - 1;
    expect(await newest()).toBe(noon);
    time += 1;
    expect(await newest()).toBe(noon + 6 * HOUR_MS);
  });

  test('the newest began an hour or more before the hour under way, at every minute of a day', async () => {
    let time = noon;
    const source = openSynthetic({ name: 'demo', now: () => time });
    for (const end = noon + 24 * HOUR_MS; time < end; time += 60_000) {
      const newest = (await source.describe()).runs.at(-1)?.referenceTime ?? Number.NaN;
      const hourUnderWay = Math.floor(time / HOUR_MS) * HOUR_MS;
      expect(hourUnderWay - newest).toBeGreaterThanOrEqual(HOUR_MS);
    }
  });

  test('agree on the hours that they share', async () => {
    const source = sourceOf(5);
    const forecast = await source.read({ ...window, referenceTime: noon - 12 * HOUR_MS });
    expect((await source.read(window)).slabs).toEqual(forecast.slabs);
  });
});

describe('refuses', () => {
  const source = sourceOf(5);
  const kindOf = (read: Promise<unknown>) =>
    read.then(
      () => 'nothing',
      (error: unknown) => (error instanceof MetError ? error.kind : error),
    );

  test.each([
    ['a variable it does not have', { variables: ['ozone'] }, 'missing-variable'],
    ['the future beyond its forecasts', { time: [noon + 80 * HOUR_MS, noon + 81 * HOUR_MS] }, 'outside'],
    ['a run that is gone', { referenceTime: noon - 240 * HOUR_MS }, 'outside'],
    ['a run between synoptic hours', { referenceTime: noon - HOUR_MS }, 'outside'],
  ] as const)('%s is refused', async (_, change, kind) => {
    expect(await kindOf(source.read({ ...window, ...change }))).toBe(kind);
  });

  test.each([7, 0, -1, Number.NaN, 1.1])('a resolution of %d°', (resolutionDeg) => {
    expect(() => openSynthetic({ name: 'demo', resolutionDeg })).toThrow(RangeError);
  });
});

test('ends when its signal aborts', async () => {
  const source = sourceOf(1);
  const controller = new AbortController();
  const reading = source.read(
    { ...window, latitude: [-90, 90], longitude: [-180, 180] },
    { signal: controller.signal },
  );
  controller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('reads nothing, however little, once its signal is aborted or it is closed', async () => {
  const source = openSynthetic({ name: 'demo', now, resolutionDeg: 5 });
  await expect(source.read(window, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  );
  await source.close();
  await expect(source.read(window)).rejects.toThrow('the source was closed');
});
