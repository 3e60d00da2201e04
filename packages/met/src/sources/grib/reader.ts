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
import { decodeValues, FIELDS_AT_ONCE } from './values.ts';

serveRequests(
  ({ slice, reads, model }: FillJob) =>
    model === undefined ? fill(slice, reads) : fillOnModelLevels(slice, reads, model, fill),
  // The codec of JPEG 2000 may be left as it was when it failed.
  (error) => error instanceof MetError && error.kind === 'unreadable',
);

/** Memory for decoded fields that is not in use: to take it from the system for each field costs as much as to fill it. */
const spare: Float32Array[] = [];

async function fill(slice: MetField, reads: readonly FieldRead[]): Promise<void> {
  for (let first = 0; first < reads.length; first += FIELDS_AT_ONCE) {
    const boxes = await decodeAll(slice, reads.slice(first, first + FIELDS_AT_ONCE));
    placeBoxes(slice, boxes);
    spare.length = 0;
    spare.push(...boxes.map(({ values }) => values as Float32Array));
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
  // Taken before the first wait, so no other field gets it.
  const room = spare.pop();
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
    room,
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
