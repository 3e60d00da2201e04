import type { ConfidenceImage, L1Origin } from '../../src/l1/index.ts';
import { type FixedGrid, fullDisk, windowOf } from '../../src/navigation/index.ts';

export const ORIGIN: L1Origin = {
  instrument: 'ABI',
  detector: 'ridge 1.0',
  detectorWeights: 'abc',
  inputFiles: ['a.nc', 'b.nc'],
  maxViewZenithDeg: 70,
  licence: 'CC-BY-4.0',
  createdMs: Date.UTC(2024, 2, 7, 16),
  history: 'contrails observe detect',
};

/** A pattern that tells rows and columns apart, with some pixels without confidence. */
export function sampleImage(
  grid: FixedGrid = windowOf(fullDisk('goes-east'), 760, 2300, 96, 128),
): ConfidenceImage {
  const stored = Uint8Array.from({ length: grid.rows * grid.columns }, (_, i) => {
    const [row, column] = [Math.floor(i / grid.columns), i % grid.columns];
    return row === 3 ? 255 : (row * 7 + column * 3) % 251;
  });
  return { satellite: grid.name, time: Date.UTC(2024, 2, 7, 15), grid, stored };
}
