import { modelLevelHpa, modelLevelHpaInto } from '@contrails/physics/atmosphere';
import type { FieldValues, MetField } from './field.ts';

/** Surface pressures between which every point on earth lies, with a margin [Pa]. */
const SURFACE_PRESSURE_RANGE_PA = [40_000, 112_000] as const;

/**
 * Of the model levels a source holds (numbers, increasing), those that can enclose the pressures [hPa] of a window
 * above any surface.
 */
export function neededModelLevels(
  held: ArrayLike<number>,
  [topHpa, bottomHpa]: readonly [number, number],
): Float64Array {
  const levels = Float64Array.from(held);
  const [lowest, highest] = SURFACE_PRESSURE_RANGE_PA;
  const first = levels.findLastIndex((level) => modelLevelHpa(level, highest) < topHpa);
  const last = levels.findIndex((level) => modelLevelHpa(level, lowest) >= bottomHpa);
  return levels.slice(Math.max(first, 0), last < 0 ? levels.length : last + 1);
}

/**
 * Interpolates a field on model levels (its level axis counts them) to the pressure levels of another with the same times,
 * parallels and meridians: linear in ln p between neighbouring model levels, nothing outside the column. What is
 * unknown is not written. `targets` holds for each variable of `model` its index in the target; `surface` has one
 * variable, the surface pressure [Pa].
 */
export function fillFromModelLevels(
  target: MetField,
  targets: readonly number[],
  model: MetField,
  surface: MetField,
): void {
  const modelLevels = model.level.knots;
  const targetHpa = target.level.knots;
  const lnTarget = targetHpa.map(Math.log);
  const targetVariables = target.variables.length;
  const variables = targets.length;
  const columns = target.latitude.knots.length * target.longitude.knots.length;
  const columnHpa = new Float64Array(modelLevels.length);
  const last = modelLevels.length - 1;
  target.slabs.forEach((slab, l) => {
    const source = model.slabs[l] as FieldValues;
    const pressures = surface.slabs[l] as FieldValues;
    for (let c = 0; c < columns; c++) {
      const surfacePressurePa = pressures[c] as number;
      if (!(surfacePressurePa > 0)) continue;
      modelLevelHpaInto(columnHpa, modelLevels, surfacePressurePa);
      let above = 0;
      for (let k = 0; k < targetHpa.length; k++) {
        const hpa = targetHpa[k] as number;
        if (!(hpa > (columnHpa[0] as number) && hpa <= (columnHpa[last] as number))) continue;
        // Target levels increase, so the search goes on where it stopped; a level that is itself a model level
        // belongs to the pair above it.
        while ((columnHpa[above + 1] as number) < hpa) above++;
        const lnAbove = Math.log(columnHpa[above] as number);
        const weight =
          ((lnTarget[k] as number) - lnAbove) / (Math.log(columnHpa[above + 1] as number) - lnAbove);
        const from = (c * modelLevels.length + above) * variables;
        const to = (c * targetHpa.length + k) * targetVariables;
        for (let v = 0; v < variables; v++) {
          const upper = source[from + v] as number;
          const value = upper + weight * ((source[from + variables + v] as number) - upper);
          if (!Number.isNaN(value)) slab[to + (targets[v] as number)] = value;
        }
      }
    }
  });
}
