/** Stored contrail grids of an aircraft class as a forecast of regions, to be scored. */
import { type AircraftClass, aircraftOfClass } from '@contrails/engine/grid/aircraft';
import { EF_PER_M } from '@contrails/engine/grid/cocip-attributes';
import { columnCount, rowCount } from '@contrails/engine/grid/layout';
import type { ShardName } from '@contrails/engine/skill/observations';
import { MISSING, SCORED_GRID, type Shard } from '@contrails/engine/skill/score';
import { unpackChunk } from '@contrails/formats';
import type { Queryable } from '@contrails/platform/database/database';
import { readParts } from '@contrails/platform/products/read';
import type { Store } from '@contrails/platform/store';
import { UsageError } from '@contrails/runtime/errors';
import { findLevels } from '../../forecast-products/find-levels.ts';
import { chunkOf } from '../../forecast-products/lost.ts';
import { cocipKind } from '../../forecast-products/task.ts';

export interface StoredRegionServices {
  readonly database: Queryable;
  readonly store: Pick<Store, 'read'>;
}

const CELLS_PER_DEGREE = 1 / SCORED_GRID.step;

/** The region of a time and level, wherever contrails warm or cool; undefined where it is not stored. */
export async function readStoredRegion(
  { database, store }: StoredRegionServices,
  aircraftClass: AircraftClass,
  { timeMs, flightLevel }: ShardName,
  { source, referenceTimeMs }: { readonly source: string; readonly referenceTimeMs: number | undefined },
): Promise<Omit<Shard, 'observed'> | undefined> {
  const levels = await findLevels(database, {
    kind: cocipKind(aircraftOfClass(aircraftClass)),
    validTimeMs: timeMs,
    flightLevels: [flightLevel],
    referenceTimeMs,
  });
  const [level] = levels ?? [];
  if (levels === undefined || level === undefined || level.product.manifest.weather.source !== source)
    return undefined;
  const { cells_per_degree: cells } = level.product.manifest;
  if (cells !== CELLS_PER_DEGREE)
    throw new UsageError(
      `contrail grids are stored with ${cells} cells per degree, and observations are on ${CELLS_PER_DEGREE}; set forecast.cells_per_degree to ${CELLS_PER_DEGREE}, or score the weather with --rhi`,
    );
  const [[packed] = []] = await readParts(store, levels, (one) => [chunkOf(one, EF_PER_M.name)]);
  const plane = unpackChunk({ packed: packed as Uint8Array });
  const { columns, rows, south } = SCORED_GRID;
  const first = (south + 90) * CELLS_PER_DEGREE;
  const [storedRows, storedColumns] = [rowCount(cells), columnCount(cells)];
  if (storedColumns !== columns) throw new RangeError(`${storedColumns} columns are not ${columns}`);
  return {
    timeMs,
    regionAbove() {
      const region = new Uint8Array(columns * rows);
      for (let i = 0; i < columns; i++) {
        for (let j = 0; j < rows; j++) {
          const value = plane[i * storedRows + first + j] as number;
          // Cooling contrails persist too.
          region[i * rows + j] = Number.isNaN(value) ? MISSING : value !== 0 ? 1 : 0;
        }
      }
      return region;
    },
  };
}
