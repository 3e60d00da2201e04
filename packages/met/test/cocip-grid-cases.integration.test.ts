import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type CocipGridCase, gridCases, gridFolder, openGridCase } from './support/grid-case.ts';
import { readDatasets } from './support/hdf5.ts';

const folder = gridFolder();
const cases: readonly CocipGridCase[] = folder === undefined ? [] : gridCases(folder);
/** One case of each kind of segment, and one with a first step of its own length. */
const SPLIT_CASES = ['cocip-quarter', 'cocip-segment', 'cocip-offset-time'];
const report: string[] = [];
afterAll(() => console.log(`energy forcing per metre, deviation from the reference\n${report.join('\n')}`));

describe.skipIf(folder === undefined)(
  folder === undefined ? 'skipped: ../shared/reference is missing' : 'contrails of grid cells',
  () => {
    test.each(cases)('$name', async (file) => {
      const opened = await openGridCase(folder as URL, file);
      const { levels } = opened;
      const { contrails } = opened.run();
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

    test.each(cases.filter(({ name }) => SPLIT_CASES.includes(name)))(
      '$name: a cell is the same to the last bit however the cells are divided',
      async (file) => {
        const opened = await openGridCase(folder as URL, file);
        const cells = everyNth(opened.count, 7);
        const together = opened.run(cells).contrails;
        expect(together.efPerM.filter((ef) => ef !== 0).length).toBeGreaterThan(20);
        const energyOf = new Map(cells.map((cell, row) => [cell, together.efPerM[row]]));
        const ageOf = new Map(cells.map((cell, row) => [cell, together.ageS[row]]));
        fc.assert(
          fc.property(
            fc.shuffledSubarray(cells, { minLength: 1, maxLength: cells.length }),
            fc.integer({ min: 1, max: 40 }),
            (chosen, size) => {
              for (let from = 0; from < chosen.length; from += size) {
                const part = chosen.slice(from, from + size);
                const { contrails } = opened.run(part);
                expect([...contrails.efPerM]).toEqual(part.map((cell) => energyOf.get(cell)));
                expect([...contrails.ageS]).toEqual(part.map((cell) => ageOf.get(cell)));
              }
            },
          ),
          { numRuns: 5 },
        );
      },
    );
  },
);

function everyNth(count: number, n: number): number[] {
  return Array.from({ length: Math.ceil(count / n) }, (_, i) => n * i);
}
