import { matchKnots } from '../../assemble.ts';
import { MetError } from '../../errors.ts';
import { fieldPart, type MetField } from '../../field.ts';
import type { FileStamp } from '../file-stamp.ts';
import { type Holdings, requireParts } from '../netcdf/holdings.ts';
import type { LatLonGrid } from './grid-definition.ts';
import type { GribField } from './index-file.ts';
import type { FieldSections } from './sections.ts';

/** One field to decode, and where its values belong; plain data for a thread. */
export interface FieldRead {
  readonly file: FileStamp;
  readonly sections: FieldSections;
  /** Index among the variables of the field that is filled. */
  readonly variable: number;
  readonly level: number;
  readonly grid: GridPositions;
}

/** For each meridian and parallel that is filled its position in the grid of a file, −1 where it has none. */
export interface GridPositions {
  readonly points: number;
  readonly longitude: { readonly stride: number; readonly positions: Int32Array };
  readonly latitude: { readonly stride: number; readonly positions: Int32Array };
}

/** All variables of one time on one level: few enough for memory, together because they lie together. */
export interface FillJob {
  /** Shares its memory with the field. */
  readonly part: MetField;
  readonly reads: readonly FieldRead[];
}

/** The pieces in which a window is read; every field of a file is decoded once, and only if it is needed. */
export function fillJobs(field: MetField, holdings: Holdings<GribField>): FillJob[] {
  const byPlace = field.variables.map((variable) => fieldsByPlace(requireParts(holdings, variable)));
  const positions = new Map<LatLonGrid, GridPositions>();
  const gridOf = ({ grid }: GribField): GridPositions => {
    const known = positions.get(grid) ?? positionsIn(grid, field);
    positions.set(grid, known);
    return known;
  };
  const rows = field.latitude.knots.length;
  return Array.from(field.time.knots).flatMap((time, l) =>
    Array.from(field.level.knots).map((hpa, level) => ({
      part: fieldPart(field, [l], [0, rows]),
      reads: field.variables.map((name, variable) => {
        const found = byPlace[variable]?.get(placeOf(time, hpa)) ?? missing(name, time, hpa);
        return { file: found.file, sections: found.sections, variable, level, grid: gridOf(found) };
      }),
    })),
  );
}

function fieldsByPlace(fields: readonly GribField[]): Map<string, GribField> {
  const byPlace = new Map<string, GribField>();
  for (const field of fields) {
    const { timeMs, level } = field.product;
    const place = placeOf(timeMs, level);
    if (!byPlace.has(place)) byPlace.set(place, field);
  }
  return byPlace;
}

/** Levels that differ by less than a hundredth of a pascal are one. */
function placeOf(timeMs: number, hpa: number): string {
  return hpa > 0 ? `${timeMs} ${Math.round(hpa * 1e4)}` : String(timeMs);
}

function positionsIn(grid: LatLonGrid, field: MetField): GridPositions {
  return {
    points: grid.longitudes.length * grid.latitudes.length,
    longitude: {
      stride: grid.longitudeStride,
      positions: matchKnots('longitude', field.longitude.knots, grid.longitudes),
    },
    latitude: {
      stride: grid.latitudeStride,
      positions: matchKnots('latitude', field.latitude.knots, grid.latitudes),
    },
  };
}

function missing(variable: string, timeMs: number, level: number): never {
  const time = new Date(timeMs).toISOString();
  const where = level > 0 ? `${time} at ${level} hPa` : time;
  throw new MetError('missing-time', `no file holds ${variable} of ${where}`, { variable, time, level });
}
