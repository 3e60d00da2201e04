import { type DatasetIndex, requireEntries, surfacePressureEntries } from '../../dataset/dataset-index.ts';
import type { FileStamp } from '../../dataset/file-stamp.ts';
import { LOG_SURFACE_PRESSURE } from '../../dataset/layout.ts';
import { modelLevelsUnder } from '../../dataset/model-level-plan.ts';
import type { ModelLevels } from '../../dataset/model-levels.ts';
import { MetError } from '../../errors.ts';
import { matchKnots } from '../../field/assemble.ts';
import { fieldSlice, type MetField } from '../../field/field.ts';
import type { LatLonGrid } from './grid-definition.ts';
import type { GribField } from './index-file.ts';
import type { FieldSections } from './sections.ts';
import { FIELDS_AT_ONCE } from './values.ts';

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

/** Some fields of one time: on neighbouring levels, grouped because they are adjacent, or on all model levels. */
export interface FillJob {
  /** Shares its memory with the field. */
  readonly slice: MetField;
  readonly reads: readonly FieldRead[];
  /** Set when the files hold model levels. */
  readonly model?: ModelLevels<FieldRead>;
}

/** What one thread may hold on model levels [bytes], unless a single variable takes more. */
const MODEL_BYTES = 128 * 2 ** 20;

/** The pieces in which a window is read by some threads; every field of a file is decoded once, and only if it is needed. */
export function fillJobs(field: MetField, dataset: DatasetIndex<GribField>, threads: number): FillJob[] {
  const find = finder(field);
  const finders = field.variables.map((variable) => find(requireEntries(dataset, variable)));
  const rows = field.latitude.knots.length;
  const levels = modelLevelsUnder(field, dataset);
  return Array.from(field.time.knots).flatMap((time, l) => {
    const slice = fieldSlice(field, [l], [0, rows]);
    if (levels !== undefined) return modelLevelJobs(slice, time, levels, dataset, finders, find);
    const reads = Array.from(field.level.knots).flatMap((hpa, level) =>
      finders.map((at, variable) => at(time, hpa, { variable, level })),
    );
    // Few jobs: each of them passes over all the memory of its time.
    const count = Math.max(Math.min(threads, field.level.knots.length), reads.length / FIELDS_AT_ONCE);
    return split(reads, Math.ceil(count)).map((some) => ({ slice, reads: some }));
  });
}

/** Into parts of almost the same length. */
function split<T>(items: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, k) =>
    items.slice(Math.round((k * items.length) / parts), Math.round(((k + 1) * items.length) / parts)),
  );
}

type Find = (timeMs: number, level: number, place: Pick<FieldRead, 'variable' | 'level'>) => FieldRead;

/** Finds the field of a time and level among those of a variable. */
function finder(field: MetField): (fields: readonly GribField[]) => Find {
  const positions = new Map<LatLonGrid, GridPositions>();
  const gridOf = ({ grid }: GribField): GridPositions => {
    const known = positions.get(grid) ?? positionsIn(grid, field);
    positions.set(grid, known);
    return known;
  };
  return (fields) => {
    const byPlace = fieldsByPlace(fields);
    return (timeMs, level, place) => {
      const found = byPlace.get(placeOf(timeMs, level)) ?? missing(fields[0]?.variable ?? '', timeMs, level);
      return { file: found.file, sections: found.sections, grid: gridOf(found), ...place };
    };
  };
}

function modelLevelJobs(
  slice: MetField,
  time: number,
  levels: Float64Array,
  dataset: DatasetIndex<GribField>,
  finders: readonly Find[],
  find: (fields: readonly GribField[]) => Find,
): FillJob[] {
  const surfaceEntries = surfacePressureEntries(dataset);
  const model = {
    levels,
    surface: [find(surfaceEntries)(time, Number.NaN, { variable: 0, level: 0 })],
    logarithmic: surfaceEntries[0]?.variable === LOG_SURFACE_PRESSURE,
  };
  const bytesEach = 4 * levels.length * slice.latitude.knots.length * slice.longitude.knots.length;
  const together = Math.max(1, Math.floor(MODEL_BYTES / bytesEach));
  const jobs: FillJob[] = [];
  for (let first = 0; first < finders.length; first += together) {
    const variables = finders.slice(first, first + together);
    const reads = variables.flatMap((at, v) =>
      Array.from(levels, (number, level) => at(time, number, { variable: first + v, level })),
    );
    jobs.push({ slice, reads, model });
  }
  return jobs;
}

function fieldsByPlace(fields: readonly GribField[]): Map<string, GribField> {
  const byPlace = new Map<string, GribField>();
  for (const field of fields) {
    const level = field.levelType === 'none' ? Number.NaN : field.product.level;
    const place = placeOf(field.product.timeMs, level);
    if (!byPlace.has(place)) byPlace.set(place, field);
  }
  return byPlace;
}

/** Levels [hPa, or numbers of model levels] that differ by less than a hundredth of a pascal are one. */
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
  const where = level > 0 ? `${time} on level ${level}` : time;
  throw new MetError('missing-time', `no file holds ${variable} of ${where}`, { variable, time, level });
}
