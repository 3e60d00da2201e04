import { greatCirclePoint } from '@contrails/physics/geodesy';
/** Stored contrail grids along the levels of a flight. */

import type { Compute } from '@contrails/engine/compute';
import { type GridAircraft, plannedAircraft } from '@contrails/engine/grid/aircraft';
import { columnCount, FLIGHT_LEVELS, rowCount } from '@contrails/engine/grid/layout';
import type { LevelRow, StoredForcing } from '@contrails/engine/planning/evaluate-flight';
import type { StoredGrids } from '@contrails/engine/planning/prepare';
import type { ProductStore } from '@contrails/platform/products/publish';
import { HOUR_MS } from '@contrails/runtime';
import { CancelledError, type FieldError, ValidationError } from '@contrails/runtime/errors';
import { findLevels } from '../../forecast-products/find-levels.ts';
import { type LostServices, retryLost } from '../../forecast-products/lost.ts';
import { productNotFound } from '../../forecast-products/not-found.ts';
import { cocipKind } from '../../forecast-products/task.ts';
import type { PlanningConfig } from './config.ts';
import { type GridPlane, type GridPlanes, openGridPlanes } from './grid-planes.ts';

const MIB = 2 ** 20;

export interface StoredGridServices extends LostServices, Pick<ProductStore, 'store'> {
  readonly compute: Pick<Compute, 'parallel'>;
}

/** Of the types that the service computes, with their most common engines where both they and a class have a type. */
export function storedGrids(
  services: StoredGridServices,
  { forecast, planning }: PlanningConfig,
): StoredGrids {
  const planned = plannedAircraft(forecast.aircraft_classes, forecast.aircraft_types);
  const usual = planned.filter(({ engineUid }) => engineUid === undefined);
  return openStoredGrids(services, [...usual, ...planned], planning.grids_mib * MIB);
}

export function openStoredGrids(
  services: StoredGridServices,
  aircraft: readonly GridAircraft[],
  memoryBytes: number,
): StoredGrids {
  const planes = openGridPlanes(services, memoryBytes);
  const stored = (aircraftType: string | undefined) => aircraft.find(({ type }) => type === aircraftType);
  return {
    requireType(aircraftType, otherwise) {
      if (stored(aircraftType) !== undefined) return;
      const types = [...new Set(aircraft.map(({ type }) => type))].sort();
      throw refused(
        ['body', 'aircraft_type'],
        `no contrail grids are stored for aircraft_type ${aircraftType}; contrails=grid has ${types.join(', ')}: ${otherwise}, or send one of these types`,
      );
    },
    requireLevels(flightLevels) {
      const other = flightLevels.find((level) => !FLIGHT_LEVELS.includes(level));
      if (other === undefined) return;
      throw refused(
        ['query', 'flight_levels'],
        `flight_levels ${other} has no stored contrail grid; with contrails=grid choose from ${FLIGHT_LEVELS[0]}, ${FLIGHT_LEVELS[1]}, … ${FLIGHT_LEVELS.at(-1)}`,
      );
    },
    async forcing(aircraftType, track, rows, signal) {
      const known = stored(aircraftType);
      if (known === undefined) throw new RangeError(`no grids of ${aircraftType}`);
      const middles = rows.map((row) => middlesOf(track, row));
      const result = rows.map(({ timeMs }) => new Float64Array(timeMs.length));
      const flightLevels = rows.map(({ flightLevel }) => flightLevel);
      // One hour at a time: only its grids are in memory besides the cached ones.
      for (const hour of hoursOf(middles)) {
        if (signal?.aborted) throw new CancelledError('the work was cancelled', { cause: signal.reason });
        const points = middles.map((ofRow) => ofRow.filter(({ timeMs }) => shareOf(timeMs, hour) > 0));
        const perMetre = await efPerMetre(services, planes, known, hour, flightLevels, points);
        points.forEach((ofRow, r) => {
          const into = result[r] as Float64Array;
          ofRow.forEach(({ segment, timeMs, lengthM }, k) => {
            const joules = lengthM * (perMetre[r]?.[k] ?? Number.NaN);
            into[segment] = (into[segment] as number) + shareOf(timeMs, hour) * joules;
          });
        });
      }
      return result;
    },
    planes(aircraftType, hour, flightLevels) {
      const known = stored(aircraftType);
      if (known === undefined) throw new RangeError(`no grids of ${aircraftType}`);
      return planesOf(services, planes, known, hour, flightLevels);
    },
  };
}

interface Middle {
  readonly segment: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly timeMs: number;
  readonly lengthM: number;
}

/** Half of the distance between levels: a segment that climbs to its level or descends from it is not on it. */
const LEVEL_REACH_FT = 500;

/** The middles of the segments that a row flies at its level. */
function middlesOf(
  { longitude, latitude, lengthM }: Parameters<StoredForcing>[1],
  { flightLevel, altitudeFt, timeMs }: LevelRow,
): Middle[] {
  const at = (column: Float64Array, i: number) => ((column[i] as number) + (column[i + 1] as number)) / 2;
  return Array.from({ length: timeMs.length - 1 }, (_, i) => i).flatMap((i) => {
    if (Math.abs(at(altitudeFt, i) - 100 * flightLevel) > LEVEL_REACH_FT) return [];
    return [
      { segment: i, ...middle(longitude, latitude, i), timeMs: at(timeMs, i), lengthM: lengthM[i] as number },
    ];
  });
}

/** Half way along the great circle. */
function middle(
  longitude: Float64Array,
  latitude: Float64Array,
  i: number,
): Pick<Middle, 'longitude' | 'latitude'> {
  const [lon0, lat0, lon1, lat1] = [longitude[i], latitude[i], longitude[i + 1], latitude[i + 1]] as number[];
  const point = greatCirclePoint(lon0 as number, lat0 as number, lon1 as number, lat1 as number, 0.5);
  return { longitude: point[0], latitude: point[1] };
}

/** How much of a value between two hours is that of this one. */
const shareOf = (timeMs: number, hour: number): number => 1 - Math.abs(timeMs / HOUR_MS - hour);

/** Hours since 1970 around the points. */
function hoursOf(middles: readonly (readonly Middle[])[]): number[] {
  const hours = new Set(
    middles.flat().flatMap(({ timeMs }) => [Math.floor(timeMs / HOUR_MS), Math.ceil(timeMs / HOUR_MS)]),
  );
  return [...hours].sort((one, other) => one - other);
}

/** [J m⁻¹] of each row at its points. */
async function efPerMetre(
  services: StoredGridServices,
  planes: GridPlanes,
  aircraft: GridAircraft,
  hour: number,
  flightLevels: readonly number[],
  points: readonly (readonly Middle[])[],
): Promise<number[][]> {
  const found = await planesOf(services, planes, aircraft, hour, flightLevels);
  return found.map((plane, r) =>
    (points[r] ?? []).map(({ longitude, latitude }) => valueAt(plane, longitude, latitude)),
  );
}

/** The levels of an hour, or an error that gives when they will exist. */
function planesOf(
  services: StoredGridServices,
  planes: GridPlanes,
  aircraft: GridAircraft,
  hour: number,
  flightLevels: readonly number[],
): Promise<GridPlane[]> {
  const kind = cocipKind(aircraft);
  const validTimeMs = hour * HOUR_MS;
  return retryLost(services, async () => {
    const levels = await findLevels(services.database, { kind, validTimeMs, flightLevels });
    if (levels !== undefined) return planes.of(levels);
    const what = `cocip grid of ${aircraft.type} on flight levels ${flightLevels.join(', ')}`;
    throw await productNotFound(services, { what, kind, validTimeMs, flightLevels });
  });
}

/** Bilinear between cell centres; unknown where a cell that counts is. */
function valueAt({ values, cellsPerDegree }: GridPlane, longitude: number, latitude: number): number {
  const [columns, rows] = [columnCount(cellsPerDegree), rowCount(cellsPerDegree)];
  const x = (longitude + 180) * cellsPerDegree;
  const y = (latitude + 90) * cellsPerDegree;
  const west = Math.floor(x);
  const south = Math.min(Math.floor(y), rows - 2);
  let value = 0;
  for (let column = west; column <= west + 1; column++) {
    for (let row = south; row <= south + 1; row++) {
      const weight = (1 - Math.abs(x - column)) * (1 - Math.abs(y - row));
      // A cell that does not count may be unknown.
      if (weight > 0) value += weight * (values[(column % columns) * rows + row] as number);
    }
  }
  return value;
}

function refused(loc: FieldError['loc'], msg: string): ValidationError {
  return new ValidationError([{ loc, msg, type: 'value_error' }]);
}
