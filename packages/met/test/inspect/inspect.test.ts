import { HOUR_MS } from '@contrails/runtime';
import { describe, expect, test } from 'vitest';
import { MetError } from '../../src/errors.ts';
import { datasetFindings } from '../../src/inspect/dataset-findings.ts';
import { summarise } from '../../src/inspect/summary.ts';
import { checkValues } from '../../src/inspect/value-check.ts';
import type { SourceDescription } from '../../src/source.ts';
import { DAY, hours, madeSource } from '../support/made-source.ts';

const at = (hour: number) => DAY + hour * HOUR_MS;
const without = (...names: string[]) =>
  madeSource().description.variables.filter((variable) => !names.includes(variable));

describe('summary', () => {
  test.each([
    ['a region', [-60, -50, -40], [-60, -40]],
    ['a region that is stored from 0 to 360', [300, 310, 320], [-60, -40]],
    ['a region across the antimeridian', [-175, -165, 165, 175], [165, -165]],
    ['a region that ends at the antimeridian', [160, 170, 180], [160, 180]],
    ['a globe of four meridians', [-180, -90, 0, 90], [-180, 180]],
    ['a globe of four meridians from 0 to 360', [0, 90, 180, 270], [-180, 180]],
  ])('spans %s', (_, longitude, span) => {
    expect(summarise(madeSource({ longitude }).description).longitude).toEqual(span);
  });

  test('lists what a source holds', () => {
    const runs = [
      { times: hours(0, 12) },
      { referenceTime: at(0), times: hours(0, 24) },
      { referenceTime: at(6), times: hours(6, 30) },
    ];
    expect(summarise(madeSource({ runs }).description)).toMatchObject({
      name: 'made',
      resolutionDeg: [15, 15],
      latitude: [-90, 90],
      longitude: [-180, 180],
      missing: [],
      runs: [
        { type: 'reanalysis', runs: 1, first: at(0), last: at(12), stepMs: HOUR_MS, gaps: [] },
        { type: 'forecast', runs: 2, referenceTime: at(6), first: at(6), last: at(30) },
      ],
    });
  });

  test.each([
    ['cloud ice', without('specific_cloud_ice_water_content'), ['specific_cloud_ice_water_content']],
    ['heights', without('geopotential'), ['geopotential']],
    ['radiation', without('top_net_solar_radiation'), ['top_net_solar_radiation']],
    [
      'radiation, of which another pair is enough',
      [
        ...without('top_net_solar_radiation', 'top_net_thermal_radiation'),
        'toa_upward_shortwave_flux',
        'toa_upward_longwave_flux',
      ],
      [],
    ],
    ['geopotential, where heights are', [...without('geopotential'), 'geopotential_height'], []],
  ])('names missing %s and what follows', (_, variables, missing) => {
    const found = summarise(madeSource({ variables }).description).missing;
    expect(found.map(({ variable }) => variable)).toEqual(missing);
    for (const { consequence } of found) expect(consequence.length).toBeGreaterThan(10);
  });
});

describe('findings about the contents', () => {
  const findings = (changes: Partial<SourceDescription>) => datasetFindings(madeSource(changes).description);
  const cruise = [100, 150, 175, 200, 225, 250, 300, 350, 400, 500];

  test('a complete source has none', () => {
    expect(findings({ levels: cruise })).toEqual([]);
  });

  test.each([
    [
      'a missing hour',
      { runs: [{ times: [...hours(0, 3), ...hours(5, 9)] }] },
      'warn',
      /missing between 2024-01-15T03:00Z and 2024-01-15T05:00Z$/,
    ],
    [
      'many gaps',
      { runs: [{ times: [...hours(0, 3), ...hours(5, 9), ...hours(12, 13)] }] },
      'warn',
      /and in 1 more gaps/,
    ],
    ['no wind', { variables: without('eastward_wind') }, 'fail', /no eastward_wind: .*cocip does not run/],
    [
      'no cloud ice',
      { variables: without('specific_cloud_ice_water_content') },
      'warn',
      /cirrus is taken as absent/,
    ],
    [
      'a variable that ends early',
      { incomplete: [{ variable: 'eastward_wind', missing: hours(5, 24) }] },
      'warn',
      /eastward_wind is missing at 20 times, first at 2024-01-15T05:00Z/,
    ],
    ['too few levels', { levels: [200, 250, 300] }, 'warn', /reach from 200 to 300 hPa/],
    ['coarse levels', { levels: [100, 150, 200, 300, 400, 500] }, 'warn', /up to 100 hPa apart/],
    [
      'a hole in the latitudes',
      { latitude: [-20, -10, 0, 10, 40, 50] },
      'warn',
      /latitudes are missing between 10 and 40°/,
    ],
    [
      'a hole in the longitudes',
      { longitude: [-60, -50, -40, 0, 10, 20] },
      'warn',
      /longitudes are missing between -40 and 0°/,
    ],
    [
      'an axis without order',
      { unordered: [{ axis: 'time', path: 'met/a.nc' }] },
      'warn',
      /time axis of met\/a\.nc neither increases nor decreases/,
    ],
  ] as const)('%s is found', (_, changes, state, message) => {
    const [found, ...others] = findings({ levels: cruise, ...changes });
    expect(found).toMatchObject({ state, message: expect.stringMatching(message) });
    expect(found?.remedy.length).toBeGreaterThan(10);
    expect(others).toEqual([]);
  });

  test.each([
    ['a region', [-60, -50, -40, -30]],
    ['a region across the antimeridian', [160, 170, 180, -170]],
    ['a globe', Array.from({ length: 36 }, (_, i) => 10 * i)],
  ])('the rest of the circle is not a hole of %s', (_, longitude) => {
    expect(findings({ levels: cruise, longitude })).toEqual([]);
  });
});

describe('values', () => {
  test('of the newest time are all plausible', async () => {
    const { ranges, findings, timeMs } = await checkValues(madeSource());
    expect(timeMs).toBe(at(24));
    expect(ranges.map(({ variable }) => variable)).toEqual(madeSource().description.variables);
    expect(ranges.every(({ isPlausible, missingShare }) => isPlausible && missingShare === 0)).toBe(true);
    expect(findings).toEqual([]);
  });

  test('of radiation are compared in watts', async () => {
    const { ranges } = await checkValues(madeSource(), { timeMs: at(12) });
    const solar = ranges.find(({ variable }) => variable === 'top_net_solar_radiation');
    // Hours 12 and 13, whose middles lie around 12:00.
    expect([solar?.lowest, solar?.highest, solar?.unit]).toEqual([112, 113, 'W/m2']);
  });

  test('of one level are enough for a quick look', async () => {
    const source = madeSource();
    await checkValues(source, { levelHpa: 240 });
    const onLevels = source.windows.filter(({ variables }) => variables[0] === 'air_temperature');
    expect(onLevels.map(({ level }) => level)).toEqual([[250, 250]]);
  });

  const spoilt = (name: string, spoil: (values: Float32Array | Float64Array) => void) => {
    const source = madeSource();
    const { read } = source;
    source.read = async (window, options) => {
      const field = await read(window, options);
      if (window.variables.includes(name)) for (const slab of field.slabs) spoil(slab);
      return field;
    };
    return source;
  };

  test('in a wrong unit are found', async () => {
    const celsius = spoilt('air_temperature', (values) => {
      for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) - 273.15;
    });
    const { findings } = await checkValues(celsius);
    expect(findings).toEqual([
      {
        variable: 'air_temperature',
        state: 'fail',
        message: expect.stringMatching(/air_temperature ranges from -7.*K, plausible are 150 to 340/),
        remedy: expect.stringMatching(/unit of air_temperature/),
      },
    ]);
  });

  test.each([at(3), at(9)])(
    'of thermal radiation alone, summed since the start of a forecast, are differences',
    async (timeMs) => {
      const source = madeSource({
        type: 'forecast',
        variables: without('top_net_solar_radiation'),
        radiation: { kind: 'since-run-start', unit: 'J m-2' },
        runs: [{ referenceTime: at(0), times: [at(0), at(3), at(6), at(9)], radiationTimes: [] }],
      });
      const { read } = source;
      source.read = async (window, options) => {
        if (!window.variables.includes('top_net_thermal_radiation')) return read(window, options);
        // The sum at the start is not stored.
        const stored = { ...window, time: [Math.max(window.time[0], at(3)), window.time[1]] as const };
        const field = await read(stored, options);
        field.slabs.forEach((slab, l) => {
          slab.fill((-220 * ((field.time.knots[l] as number) - at(0))) / 1000);
        });
        return field;
      };
      const { findings, ranges } = await checkValues(source, { timeMs });
      const thermal = ranges.find(({ variable }) => variable === 'top_net_thermal_radiation');
      expect(thermal?.lowest).toBeCloseTo(-220, 3);
      expect(thermal?.isPlausible).toBe(true);
      expect(findings).toEqual([]);
    },
  );

  test('with holes are found', async () => {
    const holed = spoilt('eastward_wind', (values) => {
      for (let i = 0; i < values.length; i += 4) values[i] = Number.NaN;
    });
    const [found] = (await checkValues(holed)).findings;
    expect(found).toMatchObject({
      state: 'warn',
      message: expect.stringMatching(/no value at 25\.\d+ % of the grid/),
    });
  });

  test('that are not there at all are found', async () => {
    const empty = spoilt('specific_humidity', (values) => void values.fill(Number.NaN));
    const { findings, ranges } = await checkValues(empty);
    expect(ranges.find(({ variable }) => variable === 'specific_humidity')?.isPlausible).toBe(false);
    expect(findings).toMatchObject([{ state: 'fail', message: 'specific_humidity has no values at all' }]);
  });

  test('beside a region across the antimeridian are not missed', async () => {
    const { findings } = await checkValues(madeSource({ longitude: [150, 165, 180, -165, -150] }));
    expect(findings).toEqual([]);
  });

  test('that cannot be read are reported with the reason, also for variables that a source does not list', async () => {
    const source = madeSource({ variables: without('eastward_wind') });
    source.beforeRead = async ({ variables }) => {
      if (variables.includes('eastward_wind')) {
        throw new MetError('unreadable', 'variable u has the unit "knots"; understood are m s-1');
      }
    };
    expect((await checkValues(source)).findings).toMatchObject([
      {
        state: 'fail',
        message: 'eastward_wind cannot be read: variable u has the unit "knots"; understood are m s-1',
      },
    ]);
  });

  test('are reported as they come', async () => {
    const told: number[] = [];
    await checkValues(madeSource(), { onProgress: (done) => told.push(done) });
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('of a time that is not there are refused', async () => {
    await expect(checkValues(madeSource(), { timeMs: at(99) })).rejects.toMatchObject({ kind: 'outside' });
  });
});
