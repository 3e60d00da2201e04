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
import { findLevels } from '../../../forecast-products/find-levels.ts';
import { chunkOf } from '../../../forecast-products/lost.ts';
import { cocipKind } from '../../../forecast-products/task.ts';

export interface StoredRegionServices {
  readonly database: Queryable;
  readonly store: Pick<Store, 'read'>;
}

/**
 * The region of a time and level, wherever contrails warm or cool; undefined where it is not stored. Cells of a coarser grid
 * stand for all scored cells that are nearest to them.
 */
export async function readStoredRegion(
  { database, store }: StoredRegionServices,
  aircraftClass: AircraftClass,
  { timeMs, flightLevel }: ShardName,
  { source, referenceTimeMs }: { source: string | undefined; referenceTimeMs: number | undefined },
): Promise<Omit<Shard, 'observed'> | undefined> {
  const levels = await findLevels(database, {
    kind: cocipKind(aircraftOfClass(aircraftClass)),
    validTimeMs: timeMs,
    flightLevels: [flightLevel],
    referenceTimeMs,
    forecastsOnly: source === undefined,
  });
  const [level] = levels ?? [];
  if (levels === undefined || level === undefined) return undefined;
  const { weather, cells_per_degree: cells } = level.product.manifest;
  if (source !== undefined && weather.source !== source) return undefined;
  const [[packed] = []] = await readParts(store, levels, (one) => [chunkOf(one, EF_PER_M.name)]);
  const plane = unpackChunk({ packed: packed as Uint8Array });
  const { columns, rows, step, south } = SCORED_GRID;
  const [storedRows, storedColumns] = [rowCount(cells), columnCount(cells)];
  const columnOf = Int32Array.from(
    { length: columns },
    (_, i) => Math.round(i * step * cells) % storedColumns,
  );
  const rowOf = Int32Array.from({ length: rows }, (_, j) => Math.round((south + 90 + j * step) * cells));
  return {
    timeMs,
    regionAbove() {
      const region = new Uint8Array(columns * rows);
      for (let i = 0; i < columns; i++) {
        const stored = (columnOf[i] as number) * storedRows;
        for (let j = 0; j < rows; j++) {
          const value = plane[stored + (rowOf[j] as number)] as number;
          // Cooling contrails persist too.
          region[i * rows + j] = Number.isNaN(value) ? MISSING : value !== 0 ? 1 : 0;
        }
      }
      return region;
    },
  };
}
