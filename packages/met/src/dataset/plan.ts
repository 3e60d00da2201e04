import { fieldSlice, type MetField } from '../field/field.ts';
import { assignEntries } from './assignment.ts';
import { type BoxRead, boxReads } from './box-read.ts';
import { type DatasetIndex, requireEntries, surfacePressureEntries } from './dataset-index.ts';
import { LOG_SURFACE_PRESSURE } from './layout.ts';
import { modelLevelsUnder } from './model-level-plan.ts';
import type { ModelLevels } from './model-levels.ts';
import { cutWork, type Work } from './work.ts';

/** A piece of a field to be filled. */
export interface FillJob {
  /** Shares its memory with the field. */
  readonly slice: MetField;
  readonly reads: readonly BoxRead[];
  /** Set when the files hold model levels. */
  readonly model?: ModelLevels<BoxRead>;
}

/** Stored values a thread holds at once [bytes]; a piece of a field is filled from all its variables together. */
const PIECE_BYTES = 32 * 1024 * 1024;

/** The pieces in which a field is read, for threads to take in turn. */
export function fillJobs(field: MetField, dataset: DatasetIndex, pieceBytes = PIECE_BYTES): FillJob[] {
  const levels = modelLevelsUnder(field, dataset);
  return levels === undefined
    ? plainJobs(field, dataset, pieceBytes)
    : modelLevelJobs(field, dataset, levels, pieceBytes);
}

function plainJobs(field: MetField, dataset: DatasetIndex, pieceBytes: number): FillJob[] {
  const axes = axesOf(field);
  const assignments = field.variables.flatMap((variable, v) =>
    assignEntries(requireEntries(dataset, variable), v, axes),
  );
  const pieces = cutWork(axes.time.length, axes.latitude.length, assignments, {
    bytes: pieceBytes,
    keepLevels: false,
  });
  return pieces.map((work) => ({ slice: fieldSlice(field, work.times, work.rows), reads: boxReads(work) }));
}

/** Model levels take the way through a separate field, of which no thread holds more than a piece. */
function modelLevelJobs(
  field: MetField,
  dataset: DatasetIndex,
  levels: Float64Array,
  pieceBytes: number,
): FillJob[] {
  const axes = { ...axesOf(field), level: levels };
  const assignments = field.variables.flatMap((variable, v) =>
    assignEntries(requireEntries(dataset, variable), v, axes),
  );
  const surfaceEntries = surfacePressureEntries(dataset);
  const surface = assignEntries(surfaceEntries, 0, { ...axes, level: Float64Array.of(-1) });
  const pieces = cutWork(axes.time.length, axes.latitude.length, assignments, {
    bytes: pieceBytes / 3,
    keepLevels: true,
  });
  return pieces.map((work) => ({
    slice: fieldSlice(field, work.times, work.rows),
    reads: boxReads(work),
    model: {
      levels,
      surface: boxReads({ ...work, assignments: surfaceDuring(surface, work) }),
      logarithmic: surfaceEntries[0]?.variable === LOG_SURFACE_PRESSURE,
    },
  }));
}

function surfaceDuring(surface: Work['assignments'], work: Work): Work['assignments'] {
  return surface.filter(({ positions }) => work.times.some((l) => (positions.time[l] as number) >= 0));
}

function axesOf(field: MetField) {
  return {
    longitude: field.longitude.knots,
    latitude: field.latitude.knots,
    level: field.level.knots,
    time: field.time.knots,
  };
}
