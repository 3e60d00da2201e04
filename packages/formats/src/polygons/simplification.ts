import type { PolygonOptions } from './polygons.ts';

/** Tolerance of each level of simplification, in degrees. */
const TOLERANCES_DEG = [0, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5] as const;

export const DEFAULT_SIMPLIFICATION = 3;
export const HIGHEST_SIMPLIFICATION = TOLERANCES_DEG.length - 1;

/** What a level (0 to 10) leaves out. Level 10 is that of forecast regions. */
export function simplificationOf(
  level: number,
): Required<Pick<PolygonOptions, 'minAreaDeg2' | 'toleranceDeg' | 'precision'>> {
  const toleranceDeg = TOLERANCES_DEG[level];
  if (toleranceDeg === undefined)
    throw new RangeError(`there is no simplification level ${level}: give 0 to ${HIGHEST_SIMPLIFICATION}`);
  return { minAreaDeg2: level / 10, toleranceDeg, precision: level === 0 ? 3 : 2 };
}
