import { columnAtLevel, modelLevelHpa } from '@contrails/physics/atmosphere';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allocateField, type FieldValues } from '../../src/field/field.ts';
import { fillFromModelLevels, neededModelLevels } from '../../src/field/model-level-field.ts';

const point = { longitude: [0], latitude: [0], time: [0] };
const all = Array.from({ length: 137 }, (_, i) => i + 1);

function bring(
  modelLevels: readonly number[],
  values: readonly (readonly number[])[],
  surfacePressurePa: number,
  targets: readonly number[],
): number[][] {
  const names = values.map((_, v) => `v${v}`);
  const model = allocateField(names, { ...point, level: modelLevels }, 'float64');
  values.forEach((column, v) => {
    column.forEach((value, k) => {
      (model.slabs[0] as FieldValues)[k * names.length + v] = value;
    });
  });
  const surface = allocateField(['surface_pressure'], { ...point, level: [-1] }, 'float64');
  surface.slabs[0]?.fill(surfacePressurePa);
  // The target holds one variable more, and the others in another order.
  const variables = [...names.toReversed(), 'other'];
  const positions = names.map((name) => variables.indexOf(name));
  const target = allocateField(variables, { ...point, level: targets }, 'float64');
  fillFromModelLevels(target, positions, model, surface);
  return positions.map((v) => targets.map((_, k) => target.slabs[0]?.[k * variables.length + v] as number));
}

const surfacePressures = fc.double({ min: 48_000, max: 108_000, noNaN: true });
const levels = fc.uniqueArray(fc.double({ min: 1, max: 1100, noNaN: true }), { minLength: 1, maxLength: 12 });

test('every level of a column is where the plain formula puts it', () => {
  const values = fc.array(fc.double({ min: -300, max: 300, noNaN: true }), {
    minLength: 137,
    maxLength: 137,
  });
  fc.assert(
    fc.property(surfacePressures, levels, values, values, (surfacePressurePa, unsorted, one, other) => {
      const targets = unsorted.toSorted((a, b) => a - b);
      const columnHpa = all.map((level) => modelLevelHpa(level, surfacePressurePa));
      const expected = [one, other].map((column) =>
        targets.map((hpa) => columnAtLevel(hpa, columnHpa, column)),
      );
      expect(bring(all, [one, other], surfacePressurePa, targets)).toEqual(expected);
    }),
  );
});

test('the levels that are said to be needed give the same as all of them', () => {
  const column = all.map((level) => level ** 2);
  fc.assert(
    fc.property(surfacePressures, levels, (surfacePressurePa, unsorted) => {
      const targets = unsorted.toSorted((a, b) => a - b);
      const needed = [...neededModelLevels(all, [targets[0] as number, targets.at(-1) as number])];
      const part = needed.map((level) => column[level - 1] as number);
      expect(bring(needed, [part], surfacePressurePa, targets)).toEqual(
        bring(all, [column], surfacePressurePa, targets),
      );
    }),
  );
});

test('cruise levels need about half of the model levels', () => {
  expect(neededModelLevels(all, [150, 400]).length).toBeLessThan(75);
});

test('a column without surface pressure stays empty', () => {
  expect(bring(all, [all], Number.NaN, [250])).toEqual([[Number.NaN]]);
});

test('an unknown value spoils the levels beside it and no others', () => {
  const columnHpa = all.map((level) => modelLevelHpa(level, 100_000));
  const holed = all.map((level) => (level === 80 ? Number.NaN : 1));
  const around = (level: number) => ((columnHpa[level - 1] as number) + (columnHpa[level] as number)) / 2;
  expect(bring(all, [holed], 100_000, [around(78), around(79), around(80), around(81)])).toEqual([
    [1, Number.NaN, Number.NaN, 1],
  ]);
});
