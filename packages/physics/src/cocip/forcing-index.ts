/** The contrail forcing index of forecasts: energy forcing per metre of flight on a linear ramp from 0 to 4. */
import { clip } from '../numerics/lerp.ts';

const MIN_J_M = 1e7;
const MAX_J_M = 2e9;
const HIGHEST = 4;

/** Thresholds for which regions are served. */
export const FORECAST_THRESHOLDS = [1, 2, 3, 4] as const;

/** Index, 0 (none) to 4 (extreme), of an energy forcing per metre [J m⁻¹]; cooling and weak contrails are 0. */
export function forcingIndex(efPerM: number): number {
  return (HIGHEST * (clip(efPerM, MIN_J_M, MAX_J_M) - MIN_J_M)) / (MAX_J_M - MIN_J_M);
}

/** Energy forcing per metre [J m⁻¹] at which an index is reached. */
export function thresholdEfPerM(index: number): number {
  return MIN_J_M + (index / HIGHEST) * (MAX_J_M - MIN_J_M);
}
