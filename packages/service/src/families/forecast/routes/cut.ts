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
import type { Queryable } from '@contrails/platform/database/database';
import { readParts } from '@contrails/platform/products/read';
import type { Store } from '@contrails/platform/store';
import { HOUR_MS, sharedUint8 } from '@contrails/runtime';
import { type FoundLevel, findLevels, type LevelQuery } from '../../../forecast-products/find-levels.ts';
import { chunkOf } from '../../../forecast-products/lost.ts';

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

/** The same levels in the stored hours of the same run and edition that are so near, without the hour itself. */
export async function hoursAround(
  database: Queryable,
  levels: readonly FoundLevel[],
  hours: number,
  query: Pick<LevelQuery, 'family' | 'kind'>,
): Promise<FoundLevel[][]> {
  const [level] = levels;
  const validTimeMs = level?.product.validTimeMs ?? null;
  if (level === undefined || validTimeMs === null || hours === 0) return [];
  const { referenceTimeMs, manifest } = level.product;
  const found: FoundLevel[][] = [];
  for (let offset = -hours; offset <= hours; offset++) {
    if (offset === 0) continue;
    const there = await findLevels(database, {
      ...query,
      validTimeMs: validTimeMs + offset * HOUR_MS,
      flightLevels: levels.map(({ flightLevel }) => flightLevel),
      edition: manifest.model.settings,
      ...(referenceTimeMs === null ? {} : { referenceTimeMs }),
    });
    if (there?.[0]?.product.referenceTimeMs === referenceTimeMs) found.push(there);
  }
  return found;
}

/** The packed planes of the hours around, for each level. */
export async function readAround(
  store: Pick<Store, 'read'>,
  around: readonly (readonly FoundLevel[])[],
  variable: string,
): Promise<Uint8Array[][]> {
  const hours = await Promise.all(
    around.map((levels) => readParts(store, levels, (level) => [chunkOf(level, variable)])),
  );
  return (around[0] ?? []).map((_, k) => hours.map((levels) => levels[k]?.[0] as Uint8Array));
}

export interface CutOptions {
  readonly signal: AbortSignal;
  readonly onComputeMs?: (ms: number) => void;
}

/** How the cells of a response are made. */
export interface Cutting {
  readonly encoding: LevelEncoding;
  readonly properties?: (flightLevel: number) => RegionFeature['properties'];
  readonly treatment?: GridTreatment | undefined;
  readonly regions?: RegionStatement;
  /** Packed planes of the hours around, for each level. */
  readonly around?: readonly (readonly Uint8Array[])[];
}

/** Stored levels, or parts of them, encoded again by the compute threads. */
export function cut(
  { compute }: CutServices,
  { cells, levels, storedRows, axes }: StoredCells,
  chunks: readonly Uint8Array[],
  { encoding, properties = () => ({}), treatment, regions, around = [] }: Cutting,
  options: CutOptions,
): Promise<Uint8Array[][]> {
  const planes = levels.map(({ flightLevel }, k) => ({
    packed: shared(chunks[k] as Uint8Array),
    others: (around[k] ?? []).map(shared),
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

export function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = sharedUint8(bytes.length);
  copy.set(bytes);
  return copy;
}
