/**
 * Shapes of the ice particles by size, and their effective radii (Schumann et al. 2011). The eight habits, in the order
 * of every table of the forcing model: sphere, solid column, hollow column, rough aggregate, rosette, plate,
 * droxtal, and the fit to Myhre et al. (2009).
 */
import { quickExp } from '../quick-exp.ts';

export const HABIT_COUNT = 8;

/** Lower bounds of the size regimes 1 to 5 [µm]. */
const REGIME_BOUNDS_UM: readonly number[] = [5, 9.5, 23, 190, 310];

/** The habits of each size regime, one regime after the other, with their weights; habits of weight 0 are left out. */
export const REGIME_HABITS = Uint8Array.of(
  ...[6],
  ...[1, 6],
  ...[1, 4, 6],
  ...[1, 4, 5],
  ...[1, 2, 3],
  ...[3, 4],
);
export const REGIME_WEIGHTS = Float64Array.of(
  ...[1],
  ...[0.3, 0.7],
  ...[0.3, 0.3, 0.4],
  ...[0.5, 0.15, 0.35],
  ...[0.45, 0.45, 0.1],
  ...[0.03, 0.97],
);
/** Where each regime begins in the two lists, and where the last one ends. */
export const REGIME_STARTS = Uint8Array.of(0, 1, 3, 6, 9, 12, 14);

/** Size regime of a volume-mean radius [µm]: how many bounds are not above it; 0 for NaN. */
export function habitRegime(radiusUm: number): number {
  let regime = 0;
  while (radiusUm >= (REGIME_BOUNDS_UM[regime] ?? Number.POSITIVE_INFINITY)) regime++;
  return regime;
}

/** Effective radius [µm] of a habit (0 to 7) for a volume-mean radius [µm]. */
export function effectiveRadiusUm(habit: number, radiusUm: number): number {
  const R = radiusUm;
  switch (habit) {
    case 0:
      return Math.min(R, 25);
    case 1:
      return Math.min(
        R <= 42.2 ? 0.824 * R : R * (0.2588 * quickExp(-6.912e-3 * R) + 0.6372 * quickExp(-3.142e-4 * R)),
        45,
      );
    case 2:
      return Math.min(
        R <= 39.7 ? 0.729 * R : R * (0.2281 * quickExp(-7.359e-3 * R) + 0.5651 * quickExp(-3.35e-4 * R)),
        45,
      );
    case 3:
      return Math.min(0.574 * R, 45);
    case 4:
      return Math.min(R * (0.177 * quickExp(-2.144e-2 * R) + 0.4267 * quickExp(-3.562e-4 * R)), 45);
    case 5:
      return Math.min(R * (0.1663 + 0.3713 * quickExp(-0.0336 * R) + 0.3309 * quickExp(-0.0035 * R)), 45);
    case 6:
      return Math.min(0.94 * R, 45);
    default:
      return Math.min(R, 45);
  }
}
