/** From the files of a frame to its products. */

import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { kernelAt } from '@contrails/engine/compute';
import { MODELING_VERSION } from '@contrails/engine/modeling-version';
import { type Frame, FrameError, l1FileName } from '@contrails/observations/frame';
import { crsOf } from '@contrails/observations/navigation';
import { findSegments, storedConfidence } from '@contrails/observations/segments';
import type { JobContext } from '@contrails/platform/jobs/jobs';
import { withFolder } from '@contrails/platform/workspace';
import { isoSecond } from '@contrails/runtime';
import { ContrailsError } from '@contrails/runtime/errors';
import type { Services } from '../../../services.ts';
import type { FrameSource, ObservationRules, ObservationsConfig } from '../config.ts';
import { downloadInputs } from '../sources/bucket.ts';
import { renderFrame } from '../sources/synthetic.ts';
import { downloadEntries } from '../sources/watched-data-store.ts';
import { canDoWithout, detectContrails, earlierFramesMs } from './detector.ts';
import { type FrameProduct, publishFrame } from './publish.ts';
import {
  asEarlier,
  type EarlierInput,
  earlierOf,
  type FrameRecord,
  forgetInputs,
  framesAt,
  nameOf,
  productEdition,
  quarantineFrame,
} from './table.ts';

export type FrameServices = Pick<Services, 'database' | 'store' | 'compute' | 'met'>;

const readKernel = kernelAt<typeof import('./read-frame.kernel.ts').default>(
  new URL('./read-frame.kernel.ts', import.meta.url),
);

const encodeKernel = kernelAt<typeof import('./encode-l1.kernel.ts').default>(
  new URL('./encode-l1.kernel.ts', import.meta.url),
);

const pictureKernel = kernelAt<typeof import('./picture.kernel.ts').default>(
  new URL('./picture.kernel.ts', import.meta.url),
);

/** Bytes of memory for each pixel of a frame: the bands, what the detector makes of them, and the products. */
const BYTES_PER_PIXEL = 48;
/** … of an earlier frame at most. */
const EARLIER_BYTES_PER_PIXEL = 12;
/** A file of imagery unpacks to so many times its size in the memory of a frame. */
const BYTES_PER_FILE_BYTE = 25;
const MIN_BYTES = 64 * 2 ** 20;

/** What a frame will need [bytes] with those before it that the detector reads, as far as its files show. */
export async function memoryOf(
  { inputs }: Pick<FrameRecord, 'inputs'>,
  rules: ObservationRules,
): Promise<number> {
  const ofFrame = BYTES_PER_FILE_BYTE * inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  const earlier = (await earlierFramesMs(rules)).length;
  return Math.max(MIN_BYTES, ofFrame * (1 + (earlier * EARLIER_BYTES_PER_PIXEL) / BYTES_PER_PIXEL));
}

export type ProcessContext = Pick<JobContext, 'signal' | 'progress'>;

/** Publishes the frame; imagery that cannot be used is a `FrameError`. */
export async function processFrame(
  services: FrameServices,
  config: ObservationsConfig,
  rules: ObservationRules,
  record: FrameRecord,
  { signal, progress }: ProcessContext,
): Promise<Record<string, unknown>> {
  const source = rules.sources.find(({ name }) => name === record.source);
  if (source === undefined)
    return abandon(services, record, `the source ${record.source} is not configured any more`);
  const made = await withFolder('frame', async (directory) => {
    const frame = await openFrame(services, config, rules, source, record, directory, signal);
    if (frame === undefined) return undefined;
    progress(0.3, 'read');
    checkFrame(frame, record, rules);
    const earlier = await openEarlierFrames(
      services,
      config,
      rules,
      source,
      record,
      frame,
      directory,
      signal,
    );
    return detectIn(services, rules, { frame, ...earlier }, record, source, signal);
  });
  if (made === undefined) return abandon(services, record, 'its files are gone or were replaced');
  progress(0.9, 'detected');
  const manifest = await publishFrame(services, record, made, signal);
  if (manifest === undefined) return { superseded: record.edition };
  if (source.kind === 'folder' && source.removesFiles) {
    for (const { path } of record.inputs) await rm(path, { force: true });
  }
  return { frame: isoSecond(record.timeMs), segments: manifest.l2?.segments, edition: manifest.edition };
}

/** What is published stays; a frame that never was cannot be made without its files. */
async function abandon(
  { database }: FrameServices,
  record: FrameRecord,
  message: string,
): Promise<Record<string, unknown>> {
  if (record.manifest === undefined) {
    await quarantineFrame(database, record, 'files-gone', message, Date.now());
    return { quarantined: 'files-gone' };
  }
  await forgetInputs(database, record, Date.now());
  return { skipped: message };
}

/** The image; undefined when its files are not there as they were seen. */
async function openFrame(
  services: FrameServices,
  config: ObservationsConfig,
  rules: ObservationRules,
  source: FrameSource,
  record: FrameRecord,
  directory: string,
  signal: AbortSignal,
): Promise<Frame | undefined> {
  if (source.kind === 'synthetic') return renderFrame(services, config, record, signal);
  const bytes = record.inputs.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes > rules.memoryBytes) throw tooLarge(record, bytes, rules);
  const paths = await inputFiles(config, source, record, directory, signal);
  if (paths === undefined) return undefined;
  const settings = {
    maxViewZenithDeg: rules.maxViewZenithDeg,
    now: Date.now(),
    isPartial: source.bbox !== undefined,
  };
  return services.compute.run(readKernel, { paths, settings }, { signal });
}

/** The files of a frame on this machine; undefined when one of them is gone. */
function inputFiles(
  { s3, observations }: ObservationsConfig,
  source: FrameSource,
  record: FrameRecord,
  directory: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  switch (source.kind) {
    case 'bucket':
      return downloadInputs(source, s3, record.inputs, directory, signal);
    case 'data_store':
      return downloadEntries(source, observations.eumetsat ?? {}, record.inputs, directory, signal);
    default:
      return presentFiles(record);
  }
}

interface EarlierFrames {
  readonly earlier: readonly Frame[];
  /** All that have come, also those that cannot be read. */
  readonly known: readonly EarlierInput[];
}

/** Earlier frames that the detector reads; it reports which of them are missing. */
async function openEarlierFrames(
  services: FrameServices,
  config: ObservationsConfig,
  rules: ObservationRules,
  source: FrameSource,
  record: FrameRecord,
  frame: Frame,
  directory: string,
  signal: AbortSignal,
): Promise<EarlierFrames> {
  const earlierMs = await earlierFramesMs(rules);
  const times = earlierMs.map((ms) => record.timeMs - ms);
  const records = earlierOf(record, earlierMs, await framesAt(services.database, record.satellite, times));
  const bytes = bytesOf(frame) + records.length * earlierBytesOf(frame);
  const isTooLarge = bytes > rules.memoryBytes;
  if (isTooLarge && !canDoWithout(rules)) throw tooLarge(record, bytes, rules);
  // One alone shows nothing to a detector that can do without.
  const isEnough = records.length === earlierMs.length || !canDoWithout(rules);
  const frames: (Frame | undefined)[] = [];
  for (const before of isTooLarge || !isEnough ? [] : records) {
    const folder = join(directory, String(before.timeMs));
    await mkdir(folder);
    frames.push(await openIfReadable(services, config, rules, source, before, folder, signal));
  }
  const isUsed = frames.every((one) => one !== undefined) || !canDoWithout(rules);
  return {
    earlier: isUsed ? frames.flatMap((one) => one ?? []) : [],
    known: records.map((before, k) => asEarlier(before, isUsed && frames[k] !== undefined)),
  };
}

async function openIfReadable(...of: Parameters<typeof openFrame>): Promise<Frame | undefined> {
  try {
    return await openFrame(...of);
  } catch (error) {
    if (!(error instanceof FrameError || error instanceof UnusableFrameError)) throw error;
    return undefined;
  }
}

function bytesOf({ rows, columns }: Frame): number {
  return rows * columns * BYTES_PER_PIXEL;
}

/** Of an earlier frame only the bands are needed. */
function earlierBytesOf({ rows, columns, t8 }: Frame): number {
  return rows * columns * Float32Array.BYTES_PER_ELEMENT * (t8 === undefined ? 2 : 3);
}

async function presentFiles({ inputs }: FrameRecord): Promise<string[] | undefined> {
  for (const { path, bytes } of inputs) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || found.size !== bytes) return undefined;
  }
  return inputs.map(({ path }) => path);
}

/** Files must match their names and fit into memory. */
function checkFrame(frame: Frame, record: FrameRecord, rules: ObservationRules): void {
  if (frame.satellite !== record.satellite) {
    throw new FrameError(
      'mixed-satellites',
      `the files hold an image of ${frame.satellite}, but are named as of ${record.satellite}; fetch them again`,
    );
  }
  if (frame.time !== record.timeMs) {
    throw new FrameError(
      'mixed-times',
      `the files hold the frame of ${isoSecond(frame.time)}, but are named as of ${isoSecond(record.timeMs)}; fetch them again`,
    );
  }
  const bytes = bytesOf(frame);
  if (bytes > rules.memoryBytes) throw tooLarge(record, bytes, rules);
}

/** Imagery that is as it should be, but cannot be processed here. */
export class UnusableFrameError extends ContrailsError {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message, { facts: { reason } });
    this.reason = reason;
  }
}

function tooLarge(record: FrameRecord, bytes: number, { memoryBytes }: ObservationRules): UnusableFrameError {
  const mib = (amount: number) => Math.ceil(amount / 2 ** 20);
  return new UnusableFrameError(
    'too-large',
    `the frame of ${isoSecond(record.timeMs)} needs about ${mib(bytes)} MiB, more than observations.memory_mib (${mib(memoryBytes)}); raise it`,
  );
}

async function detectIn(
  { compute }: FrameServices,
  rules: ObservationRules,
  { frame, earlier, known }: EarlierFrames & { readonly frame: Frame },
  record: FrameRecord,
  source: FrameSource,
  signal: AbortSignal,
): Promise<FrameProduct> {
  const detected = await detectContrails(rules, frame, earlier, { compute, signal });
  const { confidence, valid, used, fallback } = detected;
  const edition = productEdition(record.edition, known);
  const stored = storedConfidence(confidence, valid);
  const isSynthetic = source.kind === 'synthetic';
  // In parallel: packing a full disk takes one thread as long as finding its segments.
  const packing = compute.run(
    encodeKernel,
    {
      image: {
        satellite: frame.satellite,
        time: frame.time,
        grid: frame.grid,
        stored,
        ...(frame.scanOffsets === undefined ? {} : { scanOffsets: frame.scanOffsets }),
      },
      origin: {
        instrument: isSynthetic ? 'synthetic' : (frame.instrument ?? 'unknown'),
        detector: detected.detector,
        detectorWeights: detected.weightsHash,
        inputFiles: record.inputs.map(({ path }) => nameOf(path)),
        earlierFiles: known.flatMap((one) => (one.used ? one.inputs.map(({ name }) => name) : [])),
        maxViewZenithDeg: rules.maxViewZenithDeg,
        licence: rules.licence,
        createdMs: Date.now(),
        history: `contrails ${MODELING_VERSION}, edition ${edition}`,
      },
    },
    { signal },
  );
  const [l1, picture, segments] = await Promise.all([
    packing,
    compute.run(pictureKernel, frame, { signal }),
    findSegments({ ...frame, stored }, { compute, signal }),
  ]);
  return {
    l1,
    l1Name: l1FileName(frame),
    picture,
    segments,
    edition,
    facts: {
      instrument: isSynthetic ? 'synthetic' : (frame.instrument ?? null),
      detector: { name: used.name, version: used.version, weights: used.weightsHash },
      fallback,
      max_vza: rules.maxViewZenithDeg,
      grid: frame.grid,
      crs: crsOf(frame.grid),
      valid_pixels: valid.reduce((sum, one) => sum + one, 0),
      inputs: record.inputs.map(({ path, bytes, checksum }) => ({ name: nameOf(path), bytes, checksum })),
      earlier: known,
      stationary: detected.stationary ?? null,
      is_synthetic: isSynthetic,
    },
  };
}
