/** Corrections of humidity on a GPU, in single precision, against those of the CPU. */
import { describe, expect, test } from 'vitest';
import { openDevice } from '../../../../test/support/gpu.ts';
import { saturationHumidityIce } from '../../src/atmosphere/humidity.ts';
import { StageWriter } from '../../src/cocip/gpu/stages.ts';
import { type HumidityScalingOptions, humidityScalingByName } from '../../src/humidity-scaling/by-name.ts';
import { histogramFormula } from '../../src/humidity-scaling/histogram-vector.ts';
import { humidityFormula } from '../../src/humidity-scaling/vector.ts';
import { spread } from '../support/plume-rows.ts';
import { runRows } from './support.ts';

const device = await openDevice();
const ROWS = 4000;

const SCALINGS: readonly (readonly [string, HumidityScalingOptions])[] = [
  ['constant_scale', { rhiAdj: 0.9 }],
  ['constant_scale_by_level', {}],
  ['exponential_boost', {}],
  ['exponential_boost_latitude_customization', {}],
  ['exponential_boost_latitude_customization', { levelType: 'model' }],
  ['histogram_matching', {}],
  ['histogram_matching', { levelType: 'model', qMethod: 'cubic-spline' }],
  ['histogram_matching', { qMethod: 'log-q-log-p' }],
  ['histogram_matching', { member: 7 }],
];

describe.skipIf(typeof device === 'string')(
  typeof device === 'string' ? `skipped: ${device}` : 'a correction of humidity in single precision',
  () => {
    test.each(SCALINGS)('%s %j', async (name, options) => {
      const isHistogram = name === 'histogram_matching';
      const formula = isHistogram ? histogramFormula(options) : humidityFormula(name, options);
      if (typeof device === 'string' || formula === undefined) throw new Error(`${device}, ${name}`);
      const column = (of: (i: number) => number) =>
        Float64Array.from({ length: ROWS }, (_, i) => Math.fround(of(i)));
      const temperature = column((i) => spread('temperature', i, 190, 290));
      const pressure = column((i) => spread('pressure', i, 10_000, 60_000));
      const latitude = column((i) => spread('latitude', i, -90, 90));
      const humidity = column(
        (i) =>
          spread('share', i, 0, 2.2) * saturationHumidityIce(temperature[i] as number, pressure[i] as number),
      );
      humidity[0] = 0;
      const [wanted, wantedRhi] = [new Float64Array(ROWS), new Float64Array(ROWS)];
      humidityScalingByName(name, options).scaleInto(
        wanted,
        wantedRhi,
        humidity,
        temperature,
        pressure,
        latitude,
      );
      const writer = new StageWriter();
      const statements = writer.write('scale', formula);
      const found = await runRows(
        device,
        {
          statements,
          columns: ['rhi', 'humidity', 'temperature', 'pressure', 'latitude'],
          records: writer.recordNumbers(),
        },
        { humidity, temperature, pressure, latitude },
        ROWS,
      );
      const worst = (values: Float64Array, others: ArrayLike<number> | undefined) =>
        Math.max(
          ...Array.from(values, (value, i) =>
            value === 0 ? Math.abs(others?.[i] as number) : Math.abs((others?.[i] as number) / value - 1),
          ),
        );
      // Quantiles of dry air are so steep that the digits of their argument show.
      const limit = isHistogram ? 3e-5 : 3e-6;
      expect(worst(wanted, found.humidity)).toBeLessThan(limit);
      expect(worst(wantedRhi, found.rhi)).toBeLessThan(limit);
    });
  },
);
