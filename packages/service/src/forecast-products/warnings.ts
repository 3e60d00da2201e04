/** Warnings about the numbers of stored contrail grids. */
import { type UnknownCells, unknownCells } from '@contrails/engine/grid/unknown-cells';
import { ESTIMATED_RADIATION } from '@contrails/met';
import type { FoundLevel } from './find-levels.ts';

/** Cells of stored levels that could not be computed. */
export function unknownCellsOf(levels: readonly FoundLevel[]): UnknownCells {
  return unknownCells(
    levels.map(({ product, index }) => product.manifest.cells_without_weather?.[index] ?? 0),
    levels.map(({ product, index }) => product.manifest.cells_without_forcing?.[index] ?? 0),
  );
}

/** Whether the forcing of stored levels rests on estimated radiation. */
export function radiationWarnings(levels: readonly FoundLevel[]): string[] {
  const isEstimated = levels.some(({ product }) => product.manifest.weather.radiation?.includes('estimated'));
  return isEstimated ? [ESTIMATED_RADIATION] : [];
}
