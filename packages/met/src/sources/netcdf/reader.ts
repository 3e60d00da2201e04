/** The thread that opens files: it reads headers, and fills pieces of fields in memory shared with the others. */

import { type BoxRead, boxOf } from '../../dataset/box-read.ts';
import { contentIdentity, type FileStamp, isSameFile, requireUnchanged } from '../../dataset/file-stamp.ts';
import type { FileHeader } from '../../dataset/header.ts';
import { fillOnModelLevels } from '../../dataset/model-levels.ts';
import type { FillJob } from '../../dataset/plan.ts';
import { MetError } from '../../errors.ts';
import type { MetField } from '../../field/field.ts';
import { placeBoxes } from '../../field/place-boxes.ts';
import { reportReading, serveRequests } from '../../threads/thread.ts';
import { formatOf, type Loan, type NetcdfFile } from './file.ts';

export type ReaderRequest =
  | { readonly kind: 'inspect'; readonly file: FileStamp }
  | { readonly kind: 'fill'; readonly job: FillJob };

/** What `inspect` returns. */
export interface InspectedHeader {
  readonly header: FileHeader;
  readonly identity: string;
}

/** Files kept open between pieces of work. */
const OPEN_FILES = 16;
const open = new Map<string, OpenFile>();

interface OpenFile {
  readonly stamp: FileStamp;
  readonly file: NetcdfFile;
  readonly isHdf5: boolean;
}

/** The request that is served is about a file of the HDF5 library. */
let usesHdf5 = false;
// It may still have a damaged file open, and would take its replacement for the same.
serveRequests(perform, (error) => usesHdf5 && error instanceof MetError && error.kind === 'unreadable');

async function perform(request: ReaderRequest): Promise<InspectedHeader | undefined> {
  usesHdf5 = false;
  if (request.kind === 'inspect') return inspect(request.file);
  await fill(request.job);
  return undefined;
}

async function inspect(file: FileStamp): Promise<InspectedHeader> {
  const { header } = await openFile(file);
  reportReading(file.path);
  return { header, identity: await contentIdentity(file) };
}

function fill({ slice, reads, model }: FillJob): Promise<void> {
  return model === undefined ? fillBoxes(slice, reads) : fillOnModelLevels(slice, reads, model, fillBoxes);
}

async function fillBoxes(slice: MetField, reads: readonly BoxRead[]): Promise<void> {
  const loans: Loan[] = [];
  try {
    try {
      for (const read of reads) {
        const file = await openFile(read.file);
        reportReading(read.file.path);
        loans.push(file.read(read.stored, read.first, read.count));
      }
    } finally {
      // A file overwritten in place may have given a mixture, or look damaged.
      for (const file of new Set(reads.map((read) => read.file))) requireUnchanged(file);
    }
    placeBoxes(
      slice,
      loans.map((loan, i) => boxOf(reads[i] as BoxRead, loan.values())),
    );
  } finally {
    for (const loan of loans) loan.release();
  }
}

async function openFile(stamp: FileStamp): Promise<NetcdfFile> {
  reportReading(stamp.path);
  const known = open.get(stamp.path);
  if (known !== undefined && isSameFile(known.stamp, stamp)) {
    usesHdf5 ||= known.isHdf5;
    return known.file;
  }
  known?.file.close();
  open.delete(stamp.path);
  requireUnchanged(stamp);
  const isHdf5 = formatOf(stamp.path) === 'hdf5';
  usesHdf5 ||= isHdf5;
  const file = await openEither(stamp.path, isHdf5);
  open.set(stamp.path, { stamp, file, isHdf5 });
  const [oldest] = open;
  if (open.size > OPEN_FILES && oldest !== undefined) {
    oldest[1].file.close();
    open.delete(oldest[0]);
  }
  return file;
}

async function openEither(path: string, isHdf5: boolean): Promise<NetcdfFile> {
  reportReading(undefined);
  const open = isHdf5 ? (await import('./hdf5.ts')).openHdf5 : (await import('./classic.ts')).openClassic;
  reportReading(path);
  return open(path);
}
