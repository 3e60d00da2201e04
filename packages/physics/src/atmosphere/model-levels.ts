/**
 * The 137 hybrid levels of the ECMWF model: pressure at a level depends on the surface pressure of its column
 * (Simmons and Burridge 1981). Level 1 is the top, level 137 the lowest.
 */

import { modelLevelsL137 } from '../data/model-levels-l137.ts';
import { InputError } from '../errors.ts';
import type { Column } from '../numerics/columns.ts';
import { lastKnotNotAbove } from '../numerics/lerp.ts';
import { feetToMetres } from '../units.ts';

const A = modelLevelsL137.halfLevelAPa;
const B = modelLevelsL137.halfLevelB;
const LEVEL_COUNT = modelLevelsL137.rowCount - 1;

/** Pressure [hPa] of a full model level (1–137) above a surface pressure [Pa]: the mean of its half levels. */
export function modelLevelHpa(modelLevel: number, surfacePressurePa: number): number {
  if (!(Number.isInteger(modelLevel) && modelLevel >= 1 && modelLevel <= LEVEL_COUNT)) {
    throw new InputError(
      `model level ${modelLevel} does not exist; give a whole number from 1 to ${LEVEL_COUNT}`,
      {
        modelLevel,
      },
    );
  }
  const above = (A[modelLevel - 1] as number) + (B[modelLevel - 1] as number) * surfacePressurePa;
  const below = (A[modelLevel] as number) + (B[modelLevel] as number) * surfacePressurePa;
  return (above + below) / 2 / 100;
}

/** Pressures [hPa] of the listed model levels above one surface pressure [Pa]. */
export function modelLevelHpaInto(
  out: Column,
  modelLevels: ArrayLike<number>,
  surfacePressurePa: number,
): Column {
  for (let k = 0; k < out.length; k++) out[k] = modelLevelHpa(modelLevels[k] as number, surfacePressurePa);
  return out;
}

/**
 * Value of a column at a level [hPa], linear in ln p between the two neighbouring model levels. A level must be below
 * the top of the column, at or above its bottom; elsewhere the result is NaN.
 */
export function columnAtLevel(
  levelHpa: number,
  columnHpa: ArrayLike<number>,
  values: ArrayLike<number>,
): number {
  const last = columnHpa.length - 1;
  if (!(levelHpa > (columnHpa[0] as number) && levelHpa <= (columnHpa[last] as number))) return Number.NaN;
  let k = lastKnotNotAbove(levelHpa, columnHpa);
  // A level that is itself a model level takes the pair above it, so an unknown value below does not spoil it.
  if ((columnHpa[k] as number) === levelHpa) k--;
  const lnTop = Math.log(columnHpa[k] as number);
  const weight = (Math.log(levelHpa) - lnTop) / (Math.log(columnHpa[k + 1] as number) - lnTop);
  const top = values[k] as number;
  return top + weight * ((values[k + 1] as number) - top);
}

/** Loop over {@link columnAtLevel}: one column onto many levels. */
export function columnAtLevelInto(
  out: Column,
  levelsHpa: ArrayLike<number>,
  columnHpa: ArrayLike<number>,
  values: ArrayLike<number>,
): Column {
  for (let i = 0; i < out.length; i++) out[i] = columnAtLevel(levelsHpa[i] as number, columnHpa, values);
  return out;
}

/** Levels [hPa, whole numbers] that model levels are brought to by default: those between 20 000 and 50 000 ft. */
export function defaultTargetLevelsHpa(): number[] {
  const levels: number[] = [];
  for (let k = 1; k <= LEVEL_COUNT; k++) {
    const altitudeM = modelLevelsL137.referenceGeometricAltitudeM[k] as number;
    if (altitudeM >= feetToMetres(20_000) && altitudeM <= feetToMetres(50_000)) {
      levels.push(Math.round(modelLevelsL137.referenceFullLevelPressureHpa[k] as number));
    }
  }
  return levels;
}
