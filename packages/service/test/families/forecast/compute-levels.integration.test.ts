import { openCompute } from '@contrails/engine/compute';
import { type ComputedLevels, computeLevels } from '@contrails/engine/grid/compute-levels';
import { gridCells } from '@contrails/engine/grid/layout';
import { openMet } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warmCompute } from '../../support/warm-services.ts';

const TIME = Date.UTC(2024, 0, 15, 12);
const LEVELS = [270, 290, 320, 350, 390, 440];
const WHOLE = gridCells(undefined, LEVELS, 0.25);
const source = openSynthetic({ name: 'trial', resolutionDeg: 10 });
const met = openMet({ sources: [source], memoryBytes: 2 ** 28 });
/** One thread, and several. */
const pools = { 1: warmCompute, 3: openCompute({ threads: 3, maxQueue: 10 }) };
afterAll(() => Promise.all([met.close(), pools[3].close()]));

describe('contrails of a grid', () => {
  let reference: ComputedLevels;
  beforeAll(async () => {
    reference = await compute(1, WHOLE);
  });

  test('are there, live for up to twelve hours and are nowhere unknown', () => {
    const ages = reference.ageHours.flatMap((plane) => [...plane]);
    const efPerM = reference.efPerM.flatMap((plane) => [...plane]);
    expect(reference.report.contrails).toBeGreaterThan(100);
    expect(Math.max(...ages)).toBeLessThanOrEqual(12);
    expect([...ages, ...efPerM].every(Number.isFinite)).toBe(true);
    expect(ages.filter((age) => age > 0).length).toBe(reference.report.contrails);
  });

  test('are the same to the last bit on any number of threads', async () => {
    const other = await compute(3, WHOLE);
    expect(differences(reference, other, LEVELS)).toBe(0);
  });

  test('of a level are the same to the last bit whichever levels are computed with it', async () => {
    const levels = [290, 350, 440];
    const other = await compute(3, gridCells(undefined, levels, 0.25));
    expect(differences(reference, other, levels)).toBe(0);
  });

  test('of an area are the same to the last bit as those of the globe', async () => {
    const box = { minLon: 100, maxLon: -100, minLat: 20, maxLat: 80, crossesAntimeridian: true };
    const cells = gridCells(box, [350], 0.25);
    const task = await compute(3, cells);
    const rows = WHOLE.latitude.length;
    const columns = cells.columns.flatMap(({ first, count }) =>
      Array.from({ length: count }, (_, k) => first + k),
    );
    const whole = reference.efPerM[LEVELS.indexOf(350)] as Float32Array;
    const wanted = columns.flatMap((column) => [
      ...whole.subarray(
        column * rows + cells.rows.first,
        column * rows + cells.rows.first + cells.rows.count,
      ),
    ]);
    expect([...(task.efPerM[0] as Float32Array)]).toEqual(wanted);
    expect(wanted.some((ef) => ef !== 0)).toBe(true);
  });
});

test('a computation ends with its signal', async () => {
  const controller = new AbortController();
  const work = compute(1, WHOLE, controller.signal);
  controller.abort();
  await expect(work).rejects.toThrow();
});

function compute(
  threads: keyof typeof pools,
  cells: typeof WHOLE,
  signal?: AbortSignal,
): Promise<ComputedLevels> {
  return computeLevels(
    { compute: pools[threads], met },
    {
      timeMs: TIME,
      aircraft: { type: 'B738' },
      cells,
      humidityScaling: 'exponential_boost_latitude_customization',
    },
    signal && { signal },
  );
}

/** Cells whose values differ in any bit, on some levels. */
function differences(whole: ComputedLevels, task: ComputedLevels, levels: readonly number[]): number {
  let count = 0;
  for (const [k, level] of levels.entries()) {
    for (const name of ['efPerM', 'ageHours', 'index'] as const) {
      const a = new Uint32Array((whole[name][LEVELS.indexOf(level)] as Float32Array).slice().buffer);
      const b = new Uint32Array((task[name][k] as Float32Array).slice().buffer);
      for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count++;
    }
  }
  return count;
}
