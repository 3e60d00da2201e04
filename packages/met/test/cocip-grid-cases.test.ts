import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type CocipGridCase, gridCases, gridFolder, runGridCase } from './support/grid-case.ts';
import { readDatasets } from './support/hdf5.ts';

const folder = gridFolder();
const cases: readonly CocipGridCase[] = folder === undefined ? [] : gridCases(folder);
const report: string[] = [];
afterAll(() => console.log(`energy forcing per metre, deviation from the reference\n${report.join('\n')}`));

describe.skipIf(folder === undefined)(
  folder === undefined ? 'skipped: ../shared/reference is absent' : 'contrails of grid cells',
  () => {
    test.each(cases)('$name', async (file) => {
      const { levels, contrails } = await runGridCase(folder as URL, file);
      const expected = await readDatasets(fileURLToPath(new URL(`${file.name}.out.nc`, folder)), [
        'ef_per_m',
        'contrail_age',
        'flight_level',
      ]);
      const ef = expected.ef_per_m as Float64Array;
      const ages = expected.contrail_age as Float64Array;
      const columns = Array.from(expected.flight_level as Float64Array, (level) => levels.indexOf(level));
      const deviations: number[] = [];
      const faults: string[] = [];
      for (let i = 0; i < ef.length; i++) {
        const column = Math.floor(i / levels.length);
        const row = column * levels.length + (columns[i % levels.length] as number);
        const wanted = ef[i] as number;
        const actual = contrails.efPerM[row] as number;
        if ((actual === 0) !== (wanted === 0)) faults.push(`cell ${i}: ${actual} instead of ${wanted}`);
        else if (wanted !== 0) deviations.push(Math.abs(actual - wanted) / Math.abs(wanted));
        if (Math.fround((contrails.ageS[row] as number) / 3600) !== ages[i])
          faults.push(`cell ${i}: another age`);
      }
      deviations.sort((a, b) => a - b);
      const median = deviations[deviations.length >> 1] as number;
      const worst = deviations.at(-1) as number;
      report.push(
        `  ${file.name.padEnd(26)} median ${median.toExponential(1)}  worst ${worst.toExponential(1)}`,
      );
      expect(faults).toEqual([]);
      expect(median).toBeLessThan(1e-9);
      expect(worst).toBeLessThan(1e-6);
    });
  },
);
