import { fieldPart, type MetField } from '../../field.ts';
import { neededModelLevels } from '../../model-level-field.ts';
import { assignParts } from './assignment.ts';
import { boxReads } from './box-read.ts';
import { type Holdings, heldAxes, requireParts, surfacePressureParts } from './holdings.ts';
import { LOG_SURFACE_PRESSURE } from './layout.ts';
import type { FillJob } from './reader-messages.ts';
import { cutWork, type Work } from './work.ts';

/** Stored values a thread holds at once [bytes]; a piece of a field is filled from all its variables together. */
const PIECE_BYTES = 64 * 1024 * 1024;

/** The pieces in which a field is read, for threads to take one after the other. */
export function fillJobs(field: MetField, holdings: Holdings, pieceBytes = PIECE_BYTES): FillJob[] {
  const onModelLevels =
    holdings.levelType === 'model' &&
    field.variables.some((variable) => requireParts(holdings, variable)[0]?.levelType === 'model');
  return onModelLevels ? modelLevelJobs(field, holdings, pieceBytes) : plainJobs(field, holdings, pieceBytes);
}

function plainJobs(field: MetField, holdings: Holdings, pieceBytes: number): FillJob[] {
  const axes = axesOf(field);
  const assignments = field.variables.flatMap((variable, v) =>
    assignParts(requireParts(holdings, variable), v, axes),
  );
  const pieces = cutWork(axes.time.length, axes.latitude.length, assignments, {
    bytes: pieceBytes,
    keepLevels: false,
  });
  return pieces.map((work) => ({ part: fieldPart(field, work.times, work.rows), reads: boxReads(work) }));
}

/** Model levels take the way through a field of their own, of which no thread holds more than a piece. */
function modelLevelJobs(field: MetField, holdings: Holdings, pieceBytes: number): FillJob[] {
  const held = field.variables.map((variable) => heldAxes(requireParts(holdings, variable)).level);
  const common = (held[0] as Float64Array)
    .filter((level) => held.every((levels) => levels.includes(level)))
    .sort();
  const hpa = field.level.knots;
  const levels = neededModelLevels(common, [hpa[0] as number, hpa[hpa.length - 1] as number]);
  const axes = { ...axesOf(field), level: levels };
  const assignments = field.variables.flatMap((variable, v) =>
    assignParts(requireParts(holdings, variable), v, axes),
  );
  const surfaceParts = surfacePressureParts(holdings);
  const surface = assignParts(surfaceParts, 0, { ...axes, level: Float64Array.of(-1) });
  const pieces = cutWork(axes.time.length, axes.latitude.length, assignments, {
    bytes: pieceBytes / 3,
    keepLevels: true,
  });
  return pieces.map((work) => ({
    part: fieldPart(field, work.times, work.rows),
    reads: boxReads(work),
    model: {
      levels,
      surface: boxReads({ ...work, assignments: surfaceDuring(surface, work) }),
      logarithmic: surfaceParts[0]?.variable === LOG_SURFACE_PRESSURE,
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
