/** The thread that opens files: it reads headers, and fills pieces of fields in memory shared with the others. */
import { placeBoxes } from '../../assemble.ts';
import { allocateField, type FieldValues, type MetField, SINGLE_LEVEL } from '../../field.ts';
import { answerRequests } from '../../thread.ts';
import { type FileStamp, isSameFile, requireUnchanged } from '../file-stamp.ts';
import { type BoxRead, boxOf } from './box-read.ts';
import { type FileHeader, formatOf, type Loan, type NetcdfFile } from './file.ts';
import type { FillJob, ReaderRequest } from './reader-messages.ts';

/** Files kept open between pieces of work. */
const OPEN_FILES = 16;
const open = new Map<string, { readonly stamp: FileStamp; readonly file: NetcdfFile }>();

answerRequests(perform);

async function perform(request: ReaderRequest): Promise<FileHeader | undefined> {
  if (request.kind === 'inspect') return (await openFile(request.file)).header;
  await fill(request.job);
  return undefined;
}

async function fill({ part, reads, model }: FillJob): Promise<void> {
  if (model === undefined) return fillBoxes(part, reads);
  const axes = { longitude: part.longitude.knots, latitude: part.latitude.knots, time: part.time.knots };
  const onModelLevels = allocateField(part.variables, { ...axes, level: model.levels });
  const surface = allocateField(['surface_pressure'], { ...axes, level: [SINGLE_LEVEL] }, 'float64');
  await fillBoxes(onModelLevels, reads);
  await fillBoxes(surface, model.surface);
  if (model.logarithmic) {
    for (const slab of surface.slabs) exponentiate(slab);
  }
  // What few files need is loaded when one does: threads start often.
  const { fillFromModelLevels } = await import('../../model-level-field.ts');
  fillFromModelLevels(part, onModelLevels, surface);
}

async function fillBoxes(part: MetField, reads: readonly BoxRead[]): Promise<void> {
  const loans: Loan[] = [];
  try {
    try {
      for (const read of reads) {
        const file = await openFile(read.file);
        loans.push(file.read(read.stored, read.first, read.count));
      }
    } finally {
      // A file overwritten in place may have given a mixture, or look damaged.
      for (const file of new Set(reads.map((read) => read.file))) requireUnchanged(file);
    }
    placeBoxes(
      part,
      loans.map((loan, i) => boxOf(reads[i] as BoxRead, loan.values())),
    );
  } finally {
    for (const loan of loans) loan.release();
  }
}

function exponentiate(values: FieldValues): void {
  for (let i = 0; i < values.length; i++) values[i] = Math.exp(values[i] as number);
}

async function openFile(stamp: FileStamp): Promise<NetcdfFile> {
  const known = open.get(stamp.path);
  if (known !== undefined && isSameFile(known.stamp, stamp)) return known.file;
  known?.file.close();
  open.delete(stamp.path);
  requireUnchanged(stamp);
  const file = await openEither(stamp.path);
  open.set(stamp.path, { stamp, file });
  const [oldest] = open;
  if (open.size > OPEN_FILES && oldest !== undefined) {
    oldest[1].file.close();
    open.delete(oldest[0]);
  }
  return file;
}

async function openEither(path: string): Promise<NetcdfFile> {
  if (formatOf(path) === 'hdf5') return (await import('./hdf5.ts')).openHdf5(path);
  return (await import('./classic.ts')).openClassic(path);
}
