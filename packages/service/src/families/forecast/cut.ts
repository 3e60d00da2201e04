import type { RegionFeature } from '@contrails/formats';
import { type Compute, kernelAt } from '../../compute/index.ts';
import type { GridCells } from '../../grids/layout.ts';
import type { LevelEncoding } from '../../grids/level.ts';
import type { FoundLevel } from '../../products/find.ts';

const cutKernel = kernelAt<typeof import('./cut.kernel.ts').default>(
  new URL('./cut.kernel.ts', import.meta.url),
);

export interface CutParts {
  readonly compute: Pick<Compute, 'parallel'>;
}

export interface CutOptions {
  readonly signal: AbortSignal;
  readonly onComputeMs?: (ms: number) => void;
}

/** Stored levels, or parts of them, encoded anew by the compute threads. */
export function cut(
  { compute }: CutParts,
  cells: GridCells,
  levels: readonly FoundLevel[],
  chunks: readonly Uint8Array[],
  encoding: LevelEncoding,
  properties: (flightLevel: number) => RegionFeature['properties'],
  options: CutOptions,
): Promise<Uint8Array[][]> {
  const planes = levels.map(({ flightLevel }, k) => ({
    packed: shared(chunks[k] as Uint8Array),
    flightLevel,
    properties: properties(flightLevel),
  }));
  const input = { planes, cellsPerDegree: cellsPerDegree(levels), cells, encoding };
  return compute.parallel(cutKernel, input, planes.length, options);
}

export function cellsPerDegree(levels: readonly FoundLevel[]): number {
  return levels[0]?.product.manifest.cells_per_degree ?? Number.NaN;
}

function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
