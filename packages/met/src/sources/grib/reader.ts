/** The thread that decodes fields into memory shared with the others. */
import { type FileHandle, open } from 'node:fs/promises';
import { requireUnchanged } from '../../dataset/file-stamp.ts';
import { inFile } from '../../dataset/in-file.ts';
import { fillOnModelLevels } from '../../dataset/model-levels.ts';
import { readAt } from '../../dataset/read-at.ts';
import { MetError } from '../../errors.ts';
import { type Box, UNPACKED } from '../../field/assemble.ts';
import type { MetField } from '../../field/field.ts';
import { placeBoxes } from '../../field/place-boxes.ts';
import { reportReading, serveRequests } from '../../threads/thread.ts';
import type { FieldRead, FillJob } from './plan.ts';
import type { Section } from './sections.ts';
import { decodeValues } from './values.ts';

serveRequests(
  ({ slice, reads, model }: FillJob) =>
    model === undefined ? fill(slice, reads) : fillOnModelLevels(slice, reads, model, fill),
  // The codec of JPEG 2000 may be left as it was when it failed.
  (error) => error instanceof MetError && error.kind === 'unreadable',
);

/** Decoded fields that are held at once; all variables of a level are fewer. */
const FIELDS_AT_ONCE = 16;

async function fill(slice: MetField, reads: readonly FieldRead[]): Promise<void> {
  for (let first = 0; first < reads.length; first += FIELDS_AT_ONCE) {
    placeBoxes(slice, await decodeAll(slice, reads.slice(first, first + FIELDS_AT_ONCE)));
  }
}

async function decodeAll(slice: MetField, reads: readonly FieldRead[]): Promise<Box[]> {
  const boxes: Box[] = [];
  for (const [file, ofFile] of Map.groupBy(reads, (read) => read.file)) {
    requireUnchanged(file);
    const handle = await open(file.path, 'r');
    try {
      for (const read of ofFile) {
        reportReading(file.path);
        const values = await inFile(file.path, () => decode(handle, read));
        boxes.push(boxOf(slice, read, values));
      }
    } finally {
      await handle.close();
      // A file that was overwritten in place may have given a mixture, or look damaged.
      requireUnchanged(file);
    }
  }
  return boxes;
}

async function decode(handle: FileHandle, { sections, grid }: FieldRead): Promise<Float32Array> {
  const bytesOf = async ({ offset, length }: Section) => {
    const bytes = await readAt(handle, offset, length);
    if (bytes.length < length) throw new RangeError(`the section at byte ${offset} is cut off`);
    return bytes;
  };
  return decodeValues(
    await bytesOf(sections.representation),
    await bytesOf(sections.bitmap),
    await bytesOf(sections.data),
    grid.points,
  );
}

function boxOf(slice: MetField, { variable, level, grid }: FieldRead, values: Float32Array): Box {
  return {
    values,
    start: 0,
    variable,
    packing: UNPACKED,
    longitude: grid.longitude,
    latitude: grid.latitude,
    level: { stride: 0, positions: Int32Array.from(slice.level.knots, (_, k) => (k === level ? 0 : -1)) },
    time: { stride: 0, positions: Int32Array.of(0) },
  };
}
