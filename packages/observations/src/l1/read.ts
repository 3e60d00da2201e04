import { sharedUint8 } from '@contrails/runtime';
import { FRAME_STEP_MS, FrameError } from '../frame/index.ts';
import type { FixedGrid } from '../navigation/index.ts';
import { readFixedGrid } from '../readers/axis.ts';
import { type ImageFile, openImageFile } from '../readers/hdf5.ts';
import type { ConfidenceImage, L1Origin } from './write.ts';

/** An L1 file: what segments are found in, and where it comes from. */
export interface L1Product
  extends ConfidenceImage,
    Pick<L1Origin, 'instrument' | 'detector' | 'detectorWeights' | 'inputFiles'> {
  readonly quality: Uint8Array;
  readonly scanOffsets: Float32Array;
}

/** Whether a file is an L1 product; imagery, files of other kinds and unreadable ones are not. */
export function isL1(path: string): boolean {
  try {
    const file = openImageFile(path);
    try {
      return file.has('contrail_confidence');
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof FrameError) return false;
    throw error;
  }
}

export function readL1(path: string): L1Product {
  const file = openImageFile(path);
  try {
    const grid = { ...readFixedGrid(file, 'geostationary'), name: text(file, 'satellite') };
    const pixels = grid.rows * grid.columns;
    const time = (file.numbers('time')[0] ?? Number.NaN) * 1000;
    const scanOffsets = Float32Array.from(file.numbers('scan_time_offset'));
    const isWhole = scanOffsets.length === grid.rows || scanOffsets.length === pixels;
    if (!(Number.isFinite(time) && time % FRAME_STEP_MS === 0 && isWhole)) {
      throw new FrameError(
        'unreadable',
        `${path} has no nominal time at a multiple of ten minutes, or no scan time for every row; make it again`,
        { path, time },
      );
    }
    return {
      satellite: text(file, 'satellite'),
      instrument: text(file, 'instrument'),
      detector: text(file, 'detector'),
      detectorWeights: text(file, 'detector_weights'),
      inputFiles: text(file, 'input_files').split(',').filter(Boolean),
      time,
      grid,
      stored: bytesOf(file, 'contrail_confidence', grid),
      quality: bytesOf(file, 'quality_flag', grid),
      scanOffsets,
    };
  } finally {
    file.close();
  }
}

/** The images of `contrail_truth` (frame, y, x): 1 where a frame of a scene shows a contrail. */
export function readTruthMask(path: string): Uint8Array[] {
  const file = openImageFile(path);
  try {
    const [frames = 0, rows = 0, columns = 0] = file.shapeOf('contrail_truth');
    const values = Uint8Array.from(file.numbers('contrail_truth'));
    const pixels = rows * columns;
    return Array.from({ length: frames }, (_, k) => values.subarray(k * pixels, (k + 1) * pixels));
  } finally {
    file.close();
  }
}

function text(file: ImageFile, name: string): string {
  const value = file.attribute('', name);
  if (typeof value === 'string') return value;
  throw new FrameError('missing-variable', `${file.path} has no attribute ${name}; make it again`, {
    path: file.path,
    attribute: name,
  });
}

function bytesOf(file: ImageFile, variable: string, { rows, columns }: FixedGrid): Uint8Array {
  const [height, width] = file.shapeOf(variable);
  if (height !== rows || width !== columns) {
    throw new FrameError(
      'mixed-grids',
      `${variable} of ${file.path} has ${height} × ${width} values instead of ${rows} × ${columns}; make it again`,
      { path: file.path, variable },
    );
  }
  const bytes = sharedUint8(rows * columns);
  for (const { values, firstRow } of file.strips(variable)) bytes.set(values, firstRow * columns);
  return bytes;
}
