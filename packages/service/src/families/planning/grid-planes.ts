/** Unpacked levels of stored contrail grids: kept up to a size, and unpacked once for all flights that read them. */

import { type Compute, kernelAt } from '@contrails/engine/compute';
import { EF_PER_M } from '@contrails/engine/grid/cocip-attributes';
import { columnCount, rowCount } from '@contrails/engine/grid/layout';
import { readParts } from '@contrails/platform/products/read';
import type { Store } from '@contrails/platform/store';
import { LruMap, sharedUint8 } from '@contrails/runtime';
import type { FoundLevel } from '../../forecast-products/find-levels.ts';
import { chunkOf } from '../../forecast-products/lost.ts';
import type { PackedPlane } from './grid-planes.kernel.ts';

/** A level of the globe. */
export interface GridPlane {
  readonly values: Float32Array;
  readonly cellsPerDegree: number;
}

export interface GridPlanes {
  /** The planes of these levels, in their order. */
  of(levels: readonly FoundLevel[]): Promise<GridPlane[]>;
}

interface KeptPlane {
  readonly plane: Promise<GridPlane>;
  readonly bytes: number;
}

export interface GridPlaneServices {
  readonly store: Pick<Store, 'read'>;
  readonly compute: Pick<Compute, 'parallel'>;
}

const kernel = kernelAt<typeof import('./grid-planes.kernel.ts').default>(
  new URL('./grid-planes.kernel.ts', import.meta.url),
);

export function openGridPlanes(services: GridPlaneServices, limitBytes: number): GridPlanes {
  const kept = new LruMap<string, KeptPlane>({ capacity: limitBytes, weigh: ({ bytes }) => bytes });
  return {
    of(levels) {
      const found = levels.map((level) => kept.get(keyOf(level))?.plane);
      const missing = levels.filter((_, k) => found[k] === undefined);
      // Not cancelled with the request that comes first: others may wait for the same planes.
      const unpacked = missing.length === 0 ? Promise.resolve([]) : unpack(services, missing);
      return Promise.all(
        levels.map((level, k) => {
          const key = keyOf(level);
          const at = missing.indexOf(level);
          const plane = found[k] ?? unpacked.then((planes) => planes[at] as GridPlane);
          kept.set(key, { plane, bytes: sizeOf(level) });
          return plane.catch((error: unknown) => {
            if (kept.get(key)?.plane === plane) kept.delete(key);
            throw error;
          });
        }),
      );
    },
  };
}

const keyOf = ({ product, index }: FoundLevel): string => `${product.key}/${product.sha256}/${index}`;

function sizeOf({ product }: FoundLevel): number {
  const { cells_per_degree: cells } = product.manifest;
  return Float32Array.BYTES_PER_ELEMENT * columnCount(cells) * rowCount(cells);
}

async function unpack(
  { store, compute }: GridPlaneServices,
  levels: readonly FoundLevel[],
): Promise<GridPlane[]> {
  const chunks = await readParts(store, levels, (level) => [chunkOf(level, EF_PER_M.name)]);
  const planes = chunks.map(([bytes = new Uint8Array()]): PackedPlane => {
    const packed = sharedUint8(bytes.length);
    packed.set(bytes);
    return { packed };
  });
  const values = await compute.parallel(kernel, planes, planes.length);
  return values.map((ofLevel, k) => ({
    values: ofLevel,
    cellsPerDegree: levels[k]?.product.manifest.cells_per_degree ?? Number.NaN,
  }));
}
