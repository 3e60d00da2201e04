import { type Compute, kernelAt } from '@contrails/engine/compute';
import {
  type BoundingBox,
  columnCount,
  type GridCells,
  gridCells,
  rowCount,
} from '@contrails/engine/grid/layout';
import type { LevelEncoding } from '@contrails/engine/grid/level';
import type { RegionStatement } from '@contrails/engine/grid/regions';
import { type GridTreatment, isTreated, type PlaneAxes } from '@contrails/engine/grid/treatment';
import type { RegionFeature } from '@contrails/formats';
import { sharedUint8 } from '@contrails/runtime';
import type { FoundLevel } from '../../../forecast-products/find-levels.ts';

const cutKernel = kernelAt<typeof import('./cut.kernel.ts').default>(
  new URL('./cut.kernel.ts', import.meta.url),
);

export interface CutServices {
  readonly compute: Pick<Compute, 'parallel'>;
}

/** Levels in the store, and where in them the cells of a response are. */
export interface StoredCells {
  readonly levels: readonly FoundLevel[];
  /** Columns and rows count from the first of a stored plane. */
  readonly cells: GridCells;
  readonly storedRows: number;
  /** Of the stored planes. */
  readonly axes: PlaneAxes;
  /** Whether the cells are all of the stored planes. */
  readonly isWhole: boolean;
}

export interface CutOptions {
  readonly signal: AbortSignal;
  readonly onComputeMs?: (ms: number) => void;
}

/** What is made of the cells of a response. */
export interface Cutting {
  readonly encoding: LevelEncoding;
  readonly properties?: (flightLevel: number) => RegionFeature['properties'];
  readonly treatment?: GridTreatment | undefined;
  readonly regions?: RegionStatement;
}

/** Stored levels, or parts of them, encoded again by the compute threads. */
export function cut(
  { compute }: CutServices,
  { cells, levels, storedRows, axes }: StoredCells,
  chunks: readonly Uint8Array[],
  { encoding, properties = () => ({}), treatment, regions }: Cutting,
  options: CutOptions,
): Promise<Uint8Array[][]> {
  const planes = levels.map(({ flightLevel }, k) => ({
    packed: shared(chunks[k] as Uint8Array),
    flightLevel,
    properties: properties(flightLevel),
  }));
  const input = {
    ...{ planes, storedRows, cells, encoding },
    ...(treatment && isTreated(treatment) && { treatment: { of: treatment, axes } }),
    ...(regions && { regions }),
  };
  const { signal, onComputeMs } = options;
  return compute.parallel(cutKernel, input, planes.length, { signal, ...(onComputeMs && { onComputeMs }) });
}

/** The cells of a box, or all, of levels that hold the whole globe. */
export function wholeGrid(levels: readonly FoundLevel[], bbox: BoundingBox | undefined): StoredCells {
  const perDegree = cellsPerDegree(levels);
  const cells = gridCells(
    bbox,
    levels.map(({ flightLevel }) => flightLevel),
    perDegree,
  );
  const { longitude, latitude } = cells;
  const isWhole = longitude.length === columnCount(perDegree) && latitude.length === rowCount(perDegree);
  const { longitude: columns, latitude: rows } = gridCells(undefined, [], perDegree);
  return {
    levels,
    cells,
    storedRows: rowCount(perDegree),
    axes: { longitude: columns, latitude: rows },
    isWhole,
  };
}

export function cellsPerDegree(levels: readonly FoundLevel[]): number {
  return levels[0]?.product.manifest.cells_per_degree ?? Number.NaN;
}

function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = sharedUint8(bytes.length);
  copy.set(bytes);
  return copy;
}
