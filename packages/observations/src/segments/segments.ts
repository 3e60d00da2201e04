/** L2: line segments of a confidence image, whichever detector made it. */
import { createHash } from 'node:crypto';
import { SECOND_MS, sharedUint8, UsageError } from '@contrails/runtime';
import { type Compute, kernelAt } from '@contrails/runtime/compute';
import { scanOffsetsOf } from '../frame/index.ts';
// Not the index: it loads the library that reads files, which a worker would load at its start.
import { type ConfidenceImage, STORED_FILL, STORED_PER_UNIT } from '../l1/write.ts';
import { crsOf, type FixedGrid, toLonLat, toScanAngle, windowPosition } from '../navigation/index.ts';
import { findObjects } from '../objects/objects.ts';
import { type End, endsOf, type LineObject } from '../objects/shape.ts';
import { ORIENTATION_BLOCK, type OrientationImages, orientBlockRow } from './orientation.ts';

/** A line segment as L2 answers contain it. */
export interface Segment {
  readonly id: string;
  readonly time: string;
  readonly scan_time: string;
  readonly satellite: string;
  readonly crs: string;
  readonly wkt: string;
  readonly confidence: number;
  readonly length_m: number;
  readonly length_px: number;
  readonly width_px: number;
  readonly orientation_deg: number;
  readonly azimuth_deg: number;
  readonly pixel_count: number;
  readonly parallax_10km_m: readonly [number, number];
}

const LIMITS = { low: 0.25, high: 0.45 };
const MIN_CONFIDENCE = 0.4;
/** Heights at which lengths and azimuths are given, and parallax [m]. */
const LINE_HEIGHT = 10_500;
const PARALLAX_HEIGHT = 10_000;
const EARTH_RADIUS_M = 6_371_000;
const RAD = Math.PI / 180;
const DEG = 180 / Math.PI;

const ORIENTATION_KERNEL = kernelAt<typeof import('./orientation.kernel.ts').default>(
  new URL('./orientation.kernel.ts', import.meta.url),
);

/** Confidence as L1 files keep it. */
export function storedConfidence(confidence: Float32Array, valid: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const stored = sharedUint8(confidence.length);
  for (let i = 0; i < stored.length; i++) {
    // Truncation of a positive number and a half is its rounding, four times as fast over a full disk.
    stored[i] = valid[i] === 0 ? STORED_FILL : (STORED_PER_UNIT * (confidence[i] as number) + 0.5) | 0;
  }
  return stored;
}

/** Segments in order of falling confidence times length. */
export async function findSegments(
  image: ConfidenceImage,
  { compute, signal }: { readonly compute?: Compute; readonly signal?: AbortSignal } = {},
): Promise<Segment[]> {
  const objects = await findSegmentObjects(image, compute, signal);
  const offsets = scanOffsetsOf(image);
  return objects
    .map(({ object, confidence }) => ({
      segment: segmentOf(image, object, confidence, offsets),
      ...{ object, confidence },
    }))
    .sort((a, b) => b.confidence * b.object.length - a.confidence * a.object.length)
    .map(({ segment }) => segment);
}

interface SegmentObject {
  readonly object: LineObject;
  readonly confidence: number;
}

async function findSegmentObjects(
  { grid, stored }: ConfidenceImage,
  compute: Compute | undefined,
  signal: AbortSignal | undefined,
): Promise<SegmentObject[]> {
  const { rows, columns } = grid;
  if (stored.length !== rows * columns) {
    throw new UsageError(`the confidence image has ${stored.length} pixels, not ${rows} × ${columns}`);
  }
  const { firstRow, firstColumn } = windowPosition(grid);
  const units = Float32Array.from({ length: 256 }, (_, k) => (k === STORED_FILL ? 0 : k / STORED_PER_UNIT));
  const images: OrientationImages = {
    ...{ rows, columns, firstRow, firstColumn },
    stored: shared(stored),
    units,
    fill: STORED_FILL,
    minConfidence: LIMITS.low,
    direction: sharedUint8(stored.length),
  };
  const blockRows = Math.ceil(rows / ORIENTATION_BLOCK);
  if (compute === undefined) for (let k = 0; k < blockRows; k++) orientBlockRow(images, k);
  else await compute.parallel(ORIENTATION_KERNEL, images, blockRows, signal === undefined ? {} : { signal });
  const confidence = new Float32Array(stored.length);
  for (let i = 0; i < stored.length; i++) confidence[i] = units[stored[i] as number] as number;
  return findObjects({ rows, columns, weight: confidence, direction: images.direction }, LIMITS)
    .map((object) => ({ object, confidence: meanOver(object, confidence) }))
    .filter(({ confidence: mean }) => mean >= MIN_CONFIDENCE);
}

function shared(image: Uint8Array): Uint8Array {
  if (image.buffer instanceof SharedArrayBuffer) return image;
  const copy = sharedUint8(image.length);
  copy.set(image);
  return copy;
}

function meanOver({ pixels }: LineObject, image: Float32Array): number {
  let sum = 0;
  for (const pixel of pixels) sum += image[pixel] as number;
  return sum / pixels.length;
}

function segmentOf(
  image: ConfidenceImage,
  object: LineObject,
  confidence: number,
  offsets: Float32Array,
): Segment {
  const { grid, satellite } = image;
  const angles = endsOf(object).map((end) => scanAngleOf(grid, end));
  const [west, east] = (angles as [Angle, Angle]).sort((a, b) => a[0] - b[0]);
  const wkt = `LINESTRING (${[west, east].map((angle) => metres(grid, angle).join(' ')).join(', ')})`;
  const time = secondsTime(image.time);
  const middle = scanAngleOf(grid, { column: object.midColumn, row: object.midRow });
  const [start, end] = [toLonLat(grid, ...west, LINE_HEIGHT), toLonLat(grid, ...east, LINE_HEIGHT)];
  const atHeight = toLonLat(grid, ...middle, PARALLAX_HEIGHT);
  const onGround = toScanAngle(grid, ...atHeight);
  return {
    id: createHash('sha256').update(`${satellite}|${time}|${wkt}`).digest('hex').slice(0, 16),
    time,
    scan_time: secondsTime(image.time + scanOffsetAt(grid, offsets, object) * SECOND_MS),
    satellite,
    crs: crsOf(grid),
    wkt,
    confidence: rounded(confidence, 3),
    length_m: Math.round(distanceM(start, end)),
    length_px: rounded(object.length, 1),
    width_px: rounded(object.width, 2),
    orientation_deg: wrapped(object.angle * DEG, 1),
    azimuth_deg: wrapped(azimuthAtMiddle(start, end), 1),
    pixel_count: object.pixels.length,
    parallax_10km_m: [
      Math.round((onGround[0] - middle[0]) * grid.height),
      Math.round((onGround[1] - middle[1]) * grid.height),
    ],
  };
}

type Angle = readonly [x: number, y: number];
type LonLat = readonly [lon: number, lat: number];

function scanAngleOf({ x0, dx, y0, dy }: FixedGrid, { column, row }: End): Angle {
  return [x0 + column * dx, y0 + row * dy];
}

function metres({ height }: FixedGrid, [x, y]: Angle): [number, number] {
  return [Math.round(x * height), Math.round(y * height)];
}

/** [s after the nominal time] at which the middle of an object was scanned. */
function scanOffsetAt(
  { rows, columns }: FixedGrid,
  offsets: Float32Array,
  { midColumn, midRow }: LineObject,
): number {
  const row = Math.min(Math.max(Math.round(midRow), 0), rows - 1);
  const column = Math.min(Math.max(Math.round(midColumn), 0), columns - 1);
  return offsets[offsets.length === rows ? row : row * columns + column] as number;
}

/** Along the great circle. */
function distanceM([lon1, lat1]: LonLat, [lon2, lat2]: LonLat): number {
  const [phi1, phi2] = [lat1 * RAD, lat2 * RAD];
  const a =
    Math.sin((phi2 - phi1) / 2) ** 2 +
    Math.cos(phi1) * Math.cos(phi2) * Math.sin(((lon2 - lon1) * RAD) / 2) ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(a)));
}

/** Direction of the line at its middle from north [deg], without a sign. */
function azimuthAtMiddle([lon1, lat1]: LonLat, [lon2, lat2]: LonLat): number {
  const turn = ((lon2 - lon1 + 540) % 360) - 180;
  return Math.atan2(turn * Math.cos(((lat1 + lat2) / 2) * RAD), lat2 - lat1) * DEG;
}

/** [0, 180) */
function wrapped(degrees: number, decimals: number): number {
  const turned = ((degrees % 180) + 180) % 180;
  const value = rounded(turned, decimals);
  return value >= 180 ? 0 : value;
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

/** Whole seconds, as answers give times. */
function secondsTime(timeMs: number): string {
  return new Date(Math.floor(timeMs / SECOND_MS) * SECOND_MS).toISOString().replace('.000Z', 'Z');
}
