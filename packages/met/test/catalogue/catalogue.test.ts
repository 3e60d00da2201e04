import { HOUR_MS } from '@contrails/runtime';
import { describe, expect, test } from 'vitest';
import { type Choice, createCatalogue } from '../../src/catalogue/catalogue.ts';
import { MetError } from '../../src/errors.ts';
import type { WeatherRequest } from '../../src/request.ts';
import { DAY, hours, madeSource } from '../support/made-source.ts';

const request: WeatherRequest = {
  for: 'contrails',
  time: [DAY + 2 * HOUR_MS, DAY + 3.5 * HOUR_MS],
  level: [200, 350],
  latitude: [30, 60],
  longitude: [-60, 10],
};

const at = (hour: number) => DAY + hour * HOUR_MS;
const forecast = (start: number, end: number) => ({ referenceTime: at(start), times: hours(start, end) });
const short = ({ source, run }: Choice) => [source.name, run.referenceTime];

async function failure(work: Promise<unknown>): Promise<MetError> {
  const error = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MetError)) throw error;
  return error;
}

describe('the first source that covers a request', () => {
  test('is found in the order of the configuration', async () => {
    const catalogue = createCatalogue([madeSource({ name: 'a' }), madeSource({ name: 'b' })]);
    expect(short(await catalogue.choose(request))).toEqual(['a', undefined]);
  });

  test('is passed over where the request names one', async () => {
    const catalogue = createCatalogue([madeSource({ name: 'a' }), madeSource({ name: 'b' })]);
    expect(short(await catalogue.choose({ ...request, source: 'b' }))).toEqual(['b', undefined]);
  });

  test('is reanalysis before forecasts, wherever it stands', async () => {
    const catalogue = createCatalogue([
      madeSource({ name: 'a', type: 'forecast', runs: [forecast(0, 24)] }),
      madeSource({ name: 'b' }),
    ]);
    expect(short(await catalogue.choose(request))).toEqual(['b', undefined]);
  });

  test('is the newest forecast run that covers the time', async () => {
    const runs = [forecast(-12, 24), forecast(0, 24), forecast(6, 30)];
    const catalogue = createCatalogue([madeSource({ type: 'forecast', runs })]);
    expect(short(await catalogue.choose(request))).toEqual(['made', at(0)]);
  });

  test('is the run that the request names', async () => {
    const runs = [forecast(-12, 24), forecast(0, 24)];
    const catalogue = createCatalogue([madeSource({ type: 'forecast', runs })]);
    const choice = await catalogue.choose({ ...request, referenceTime: at(-12) });
    expect(short(choice)).toEqual(['made', at(-12)]);
  });

  test('one that also has the time contrails live on goes before one that ends earlier', async () => {
    const runs = [{ times: hours(0, 6) }, forecast(0, 24)];
    const catalogue = createCatalogue([madeSource({ runs })]);
    const living = { ...request, margin: { afterMs: 12 * HOUR_MS } };
    expect(short(await catalogue.choose(request))).toEqual(['made', undefined]);
    expect(short(await catalogue.choose(living))).toEqual(['made', at(0)]);
    const late = { ...living, time: [at(4), at(5)] as const, margin: { afterMs: 90 * HOUR_MS } };
    expect(short(await catalogue.choose(late))).toEqual(['made', undefined]);
  });

  test('a source that cannot be read is passed over', async () => {
    const broken = madeSource({ name: 'broken' });
    broken.describe = () => Promise.reject(new MetError('unreadable', 'no such file'));
    const catalogue = createCatalogue([broken, madeSource({ name: 'whole' })]);
    expect(short(await catalogue.choose(request))).toEqual(['whole', undefined]);
  });
});

describe('what does not cover a request', () => {
  const region = { latitude: [20, 40, 60, 80], longitude: [-60, -40, -20, 0, 20] };
  test.each([
    [
      'time before the first',
      {},
      { time: [at(-1), at(2)] },
      'outside',
      /has 2024-01-15T00:00Z to 2024-01-16T00:00Z/,
    ],
    ['time after the last', {}, { time: [at(23), at(25)] }, 'outside', /to 2024-01-16T00:00Z/],
    ['time in a gap', { runs: [{ times: [...hours(0, 2), ...hours(4, 9)] }] }, {}, 'outside', /with gaps/],
    ['levels above the top', {}, { level: [30, 300] }, 'outside', /has 50 to 850 hPa/],
    ['levels below the lowest', {}, { level: [300, 900] }, 'outside', /has 50 to 850 hPa/],
    ['an area beside a region', region, { longitude: [10, 40] }, 'outside', /longitudes -60 to 20/],
    ['an area larger than a region', region, { latitude: [10, 60] }, 'outside', /latitudes 20 to 80/],
    ['an area across the antimeridian', region, { longitude: [10, -50] }, 'outside', /longitudes -60 to 20/],
    [
      'a variable',
      { variables: ['air_temperature', 'specific_humidity'] },
      {},
      'missing-variable',
      /has no eastward_wind.*radiation at the top of the atmosphere/,
    ],
    [
      'a variable at a time',
      { incomplete: [{ variable: 'eastward_wind', missing: [at(3)] }] },
      {},
      'outside',
      /no weather covers 2024-01-15T02:00Z to 2024-01-15T03:30Z, 200 to 350 hPa, latitudes 30 to 60, longitudes -60 to 10/,
    ],
    ['a run', {}, { referenceTime: at(0) }, 'outside', /has no forecasts/],
    ['a source', {}, { source: 'era6' }, 'unknown-source', /no weather source era6; choose from made/],
  ] as const)('%s is refused with what there is', async (_, contents, asked, kind, message) => {
    const error = await failure(createCatalogue([madeSource(contents)]).choose({ ...request, ...asked }));
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(message);
  });

  test('temperature and humidity are enough for criteria of formation', async () => {
    const source = madeSource({ variables: ['air_temperature', 'specific_humidity'] });
    const choice = await createCatalogue([source]).choose({ ...request, for: 'air' });
    expect(choice.source.name).toBe('made');
  });

  test('is nothing when nothing is configured', async () => {
    const error = await failure(createCatalogue([]).choose(request));
    expect(error.message).toMatch(/no weather source is configured; .*met\.sources.*--demo/);
  });

  test('is listed for every source', async () => {
    const broken = madeSource({ name: 'broken' });
    broken.describe = () => Promise.reject(new MetError('unavailable', 'the bucket does not answer'));
    const catalogue = createCatalogue([madeSource({ name: 'a', runs: [{ times: hours(30, 40) }] }), broken]);
    const error = await failure(catalogue.choose(request));
    expect(error.message).toMatch(/: a has 2024.*; broken cannot be read \(the bucket does not answer\)$/);
  });

  test('when none can be read, the error is theirs', async () => {
    const broken = madeSource({ name: 'broken' });
    broken.describe = () => Promise.reject(new MetError('unavailable', 'the bucket does not answer'));
    expect((await failure(createCatalogue([broken]).choose(request))).kind).toBe('unavailable');
    expect((await failure(createCatalogue([broken, broken]).choose(request))).kind).toBe('unavailable');
  });
});

describe('where a part will do', () => {
  const partial = { ...request, partial: true };
  const flight = { ...partial, level: [200, 1013] as const };
  const region = { latitude: [20, 40, 60, 80], longitude: [-80, -60, -40, -20] };
  const covered = async (contents: Parameters<typeof madeSource>[0], asked: WeatherRequest) =>
    (await createCatalogue([madeSource(contents)]).choose(asked)).coverage.covered;

  test('a flight that begins on the ground has weather from the lowest level up', async () => {
    expect((await covered({}, flight)).level).toEqual([200, 850]);
  });

  test('a flight that begins before the data has weather from their start on', async () => {
    const early = { ...partial, time: [at(-5), at(2)] as const };
    expect((await covered({}, early)).time).toEqual([at(0), at(2)]);
  });

  test('of pieces between holes the longest counts', async () => {
    const long = { ...partial, time: [at(0), at(20)] as const };
    const runs = [{ times: [...hours(0, 3), ...hours(5, 14), ...hours(16, 24)] }];
    expect((await covered({ runs }, long)).time).toEqual([at(5), at(14)]);
  });

  test('the whole time goes before the order of sources', async () => {
    const catalogue = createCatalogue([
      madeSource({ name: 'short', runs: [{ times: hours(0, 2) }] }),
      madeSource({ name: 'long', type: 'forecast', runs: [forecast(0, 24)] }),
    ]);
    expect(short(await catalogue.choose(flight))).toEqual(['long', at(0)]);
  });

  test('the whole area goes before the order of sources', async () => {
    const catalogue = createCatalogue([
      madeSource({ name: 'region', ...region }),
      madeSource({ name: 'globe' }),
    ]);
    expect(short(await catalogue.choose(flight))).toEqual(['globe', undefined]);
  });

  test.each([
    ['beside the area', region, { longitude: [30, 60] as const }],
    ['before the time', {}, { time: [at(-5), at(-2)] as const }],
    ['below the levels', {}, { level: [900, 1000] as const }],
  ])('nothing is still refused: %s', async (_, contents, asked) => {
    const error = await failure(createCatalogue([madeSource(contents)]).choose({ ...partial, ...asked }));
    expect(error.kind).toBe('outside');
  });
});

describe('areas that are covered', () => {
  test.each([
    ['the pole beyond the last parallel', { latitude: [-89.5, -60, 0, 60, 89.5] }, { latitude: [-90, 90] }],
    ['the whole circle', {}, { longitude: [-180, 180] }],
    ['across the antimeridian of a globe', {}, { longitude: [170, -170] }],
    [
      'a globe from 0 to 360',
      { longitude: [0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330] },
      { longitude: [-90, 90] },
    ],
    [
      'a region across the antimeridian',
      { longitude: [150, 165, 180, 195, 210] },
      { longitude: [160, -155] },
    ],
    ['a region up to its ends', { longitude: [-60, -30, 0, 30] }, { longitude: [-60, 30] }],
  ] as const)('%s is covered', async (_, contents, asked) => {
    const choice = await createCatalogue([madeSource(contents)]).choose({ ...request, ...asked });
    expect(choice.source.name).toBe('made');
  });
});

describe('descriptions', () => {
  test('are used for a while, then read again', async () => {
    let timeMs = 0;
    let looks = 0;
    const source = madeSource();
    source.describe = async () => {
      looks++;
      return source.description;
    };
    const catalogue = createCatalogue([source], 1000, () => timeMs);
    await Promise.all([catalogue.list(), catalogue.choose(request)]);
    expect(looks).toBe(1);
    timeMs = 999;
    await catalogue.list();
    expect(looks).toBe(1);
    timeMs = 1000;
    await catalogue.list();
    expect(looks).toBe(2);
  });
});
