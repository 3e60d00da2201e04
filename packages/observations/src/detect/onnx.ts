/** A learned detector: a model that ONNX Runtime evaluates on overlapping tiles. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SECOND_MS, UsageError } from '@contrails/runtime';
import { type BandRole, DEFAULT_MAX_VIEW_ZENITH_DEG, type Frame } from '../frame/index.ts';
import { viewMask } from '../navigation/index.ts';
import type { Detection, DetectOptions, Detector } from './detector.ts';

/** `manifest.json` beside `model.onnx`. */
export interface ModelManifest {
  readonly input: string;
  readonly output: string;
  readonly layout: 'NCHW';
  /** `sigmoid`: the output is a logit, to be calibrated; `none`: it is a probability. */
  readonly activation: 'sigmoid' | 'none';
  /** Side of tiles and what neighbours share [pixels]. */
  readonly tile: number;
  readonly overlap: number;
  /** Frames that the model sees, oldest first, and which of them it describes. */
  readonly frames: number;
  readonly frame_step_s: number;
  readonly target_frame: number;
  readonly channels: readonly Channel[];
  readonly calibration: { readonly a: number; readonly b: number };
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** A temperature or a difference of two, mapped from `min` … `max` to 0 … 1. */
export interface Channel {
  readonly expr: string;
  readonly min: number;
  readonly max: number;
}

/** The part of ONNX Runtime that is used; `onnxruntime-node` and `onnxruntime-web` both have it. */
interface OnnxRuntime {
  readonly InferenceSession: { create(model: Uint8Array): Promise<Session> };
  readonly Tensor: new (type: 'float32', data: Float32Array, dimensions: readonly number[]) => Tensor;
}

interface Tensor {
  readonly data: ArrayLike<number>;
  readonly dims: readonly number[];
}

interface Session {
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
}

const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const;
const EXPRESSION = /^(T8|T11|T12)(?:-(T8|T11|T12))?$/;

/**
 * Opens the model of a directory. ONNX Runtime is not part of the installation: it is looked for in the directory of the
 * model, then where the program is installed.
 */
export async function onnxDetector(
  directory: string,
  maxViewZenithDeg = DEFAULT_MAX_VIEW_ZENITH_DEG,
): Promise<Detector> {
  const manifestPath = join(directory, 'manifest.json');
  const manifest = parseManifest(await readFile(manifestPath, 'utf8'), manifestPath);
  const model = await readFile(join(directory, 'model.onnx'));
  const runtime = await loadRuntime(directory);
  const session = await runtime.InferenceSession.create(model);
  return {
    name: manifest.name,
    version: manifest.version,
    bands: bandsOf(manifest),
    weightsHash: createHash('sha256').update(model).digest('hex').slice(0, 16),
    earlierMs: stepsOf(manifest).filter((step) => step > 0),
    detect: async (frame, earlier = [], options = {}) =>
      detectTiles(framesOf(manifest, frame, earlier), manifest, session, runtime, maxViewZenithDeg, options),
  };
}

async function loadRuntime(directory: string): Promise<OnnxRuntime> {
  const require = createRequire(import.meta.url);
  for (const name of RUNTIMES) {
    let path: string;
    try {
      path = require.resolve(name, { paths: [directory, import.meta.dirname] });
    } catch {
      continue;
    }
    const loaded = (await import(pathToFileURL(path).href)) as OnnxRuntime & { default?: OnnxRuntime };
    return loaded.default ?? loaded;
  }
  throw new UsageError(
    `the model in ${directory} needs ONNX Runtime, which is not installed; run npm install --prefix ${directory} ${RUNTIMES[0]}`,
    { facts: { directory } },
  );
}

export function parseManifest(text: string, path: string): ModelManifest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON`, { cause: error });
  }
  const manifest = (parsed ?? {}) as Partial<ModelManifest>;
  const refuse = (field: keyof ModelManifest, allowed: string): never => {
    throw new UsageError(`${field} of ${path} is ${JSON.stringify(manifest[field])}; give ${allowed}`, {
      facts: { path, field },
    });
  };
  for (const field of ['input', 'output', 'name', 'version', 'licence'] as const) {
    if (typeof manifest[field] !== 'string' || manifest[field] === '') refuse(field, 'a text');
  }
  if (manifest.layout !== 'NCHW') refuse('layout', '"NCHW"');
  if (manifest.activation !== 'sigmoid' && manifest.activation !== 'none') {
    refuse('activation', '"sigmoid" or "none"');
  }
  const isWhole = (value: unknown, least: number): value is number =>
    Number.isInteger(value) && (value as number) >= least;
  if (!isWhole(manifest.tile, 8)) refuse('tile', 'an integer of at least 8');
  const { tile = 0, frames = 0 } = manifest;
  if (!isWhole(manifest.overlap, 0) || 2 * manifest.overlap > tile)
    refuse('overlap', 'an integer up to half of tile');
  if (!isWhole(manifest.frames, 1)) refuse('frames', 'an integer of at least 1');
  if (!isWhole(manifest.frame_step_s, 1)) refuse('frame_step_s', 'seconds between frames');
  if (manifest.target_frame !== frames - 1) {
    refuse('target_frame', `${frames - 1}: the newest frame, because later ones do not exist yet`);
  }
  const { channels, calibration } = manifest;
  const isChannel = ({ expr, min, max }: Channel) => EXPRESSION.test(expr) && max > min;
  if (!Array.isArray(channels) || channels.length === 0 || !channels.every(isChannel)) {
    refuse('channels', 'a list such as [{"expr": "T12-T11", "min": -4, "max": 2}]');
  }
  if (!Number.isFinite(calibration?.a) || !Number.isFinite(calibration?.b))
    refuse('calibration', '{"a": 1, "b": 0}');
  return manifest as ModelManifest;
}

function bandsOf({ channels }: ModelManifest): BandRole[] {
  const text = channels.map(({ expr }) => expr).join(' ');
  return (['T8', 'T11', 'T12'] as const).filter((band) => new RegExp(`\\b${band}\\b`).test(text));
}

/** The frames that the model sees, oldest first. */
function framesOf(manifest: ModelManifest, frame: Frame, earlier: readonly Frame[]): Frame[] {
  return stepsOf(manifest).map((before) => {
    const time = frame.time - before;
    const found = before === 0 ? frame : earlier.find((other) => other.time === time);
    if (found !== undefined && found.rows === frame.rows && found.columns === frame.columns) return found;
    const wanted = new Date(time).toISOString();
    const reason = found === undefined ? 'which was not given' : 'but that has another number of pixels';
    throw new UsageError(`${manifest.name} needs the frame of ${wanted}, ${reason}`, {
      facts: { time: wanted },
    });
  });
}

/** How long before the frame each of those is that the model sees [ms], oldest first. */
function stepsOf({ frames, frame_step_s: step, target_frame: target }: ModelManifest): number[] {
  return Array.from({ length: frames }, (_, k) => (target - k) * step * SECOND_MS);
}

async function detectTiles(
  frames: readonly Frame[],
  manifest: ModelManifest,
  session: Session,
  runtime: OnnxRuntime,
  maxViewZenithDeg: number,
  { signal }: DetectOptions,
): Promise<Detection> {
  const target = frames.at(-1) as Frame;
  const { rows, columns } = target;
  const { tile, overlap, channels, input, output } = manifest;
  const channelImages = frames.flatMap((frame) => channels.map(({ expr }) => imageOf(frame, expr)));
  const valid = validPixels(channelImages, viewMask(target.grid, maxViewZenithDeg));
  const sums = new Float32Array(rows * columns);
  const weights = new Float32Array(rows * columns);
  const window = raisedCosine(tile, overlap);
  const dimensions = [1, ...(frames.length > 1 ? [frames.length] : []), channels.length, tile, tile];
  for (const row of tileStarts(rows, tile, overlap)) {
    for (const column of tileStarts(columns, tile, overlap)) {
      signal?.throwIfAborted();
      const data = cutTile(channelImages, channels, valid, { row, column, tile, rows, columns });
      if (data === undefined) continue;
      const results = await session.run({ [input]: new runtime.Tensor('float32', data, dimensions) });
      const result = results[output];
      if (result === undefined || result.data.length !== tile * tile) {
        throw new UsageError(
          `the output ${output} of ${manifest.name} has the shape [${result?.dims ?? ''}], not one value for each of ${tile} × ${tile} pixels`,
        );
      }
      for (let r = 0; r < Math.min(tile, rows - row); r++) {
        for (let c = 0; c < Math.min(tile, columns - column); c++) {
          const at = (row + r) * columns + column + c;
          const weight = (window[r] as number) * (window[c] as number);
          sums[at] =
            (sums[at] as number) + weight * confidenceOf(result.data[r * tile + c] as number, manifest);
          weights[at] = (weights[at] as number) + weight;
        }
      }
    }
  }
  for (let i = 0; i < sums.length; i++) {
    const weight = weights[i] as number;
    sums[i] = valid[i] === 0 || weight === 0 ? 0 : Math.min(1, Math.max(0, (sums[i] as number) / weight));
  }
  return { confidence: sums, valid };
}

function confidenceOf(value: number, { activation, calibration: { a, b } }: ModelManifest): number {
  return activation === 'none' ? value : 1 / (1 + Math.exp(-(a * value + b)));
}

/** A temperature of a frame, or the difference of two. */
function imageOf(frame: Frame, expression: string): (pixel: number) => number {
  const [, first, second] = EXPRESSION.exec(expression) ?? [];
  const band = (role: string | undefined): Float32Array => {
    const image = role === 'T8' ? frame.t8 : role === 'T11' ? frame.t11 : frame.t12;
    if (image === undefined) throw new UsageError(`the frame has no band ${role}, which the model needs`);
    return image;
  };
  const minuend = band(first);
  if (second === undefined) return (pixel) => minuend[pixel] as number;
  const subtrahend = band(second);
  return (pixel) => (minuend[pixel] as number) - (subtrahend[pixel] as number);
}

function validPixels(images: readonly ((pixel: number) => number)[], mask: Uint8Array): Uint8Array {
  return mask.map((masked, i) =>
    masked === 0 && images.every((image) => Number.isFinite(image(i))) ? 1 : 0,
  );
}

/** Tiles cover the image; the last one ends with it, unless the image is smaller than a tile. */
export function tileStarts(length: number, tile: number, overlap: number): number[] {
  const starts: number[] = [];
  for (let start = 0; start + tile < length; start += tile - overlap) starts.push(start);
  starts.push(Math.max(0, length - tile));
  return [...new Set(starts)];
}

/** Rises over the overlap and falls over it again; nowhere 0, so every pixel has a weight. */
export function raisedCosine(tile: number, overlap: number): Float32Array {
  return Float32Array.from({ length: tile }, (_, i) => {
    const edge = Math.min(i, tile - 1 - i);
    return edge >= overlap ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * (edge + 0.5)) / overlap);
  });
}

interface TilePosition {
  readonly row: number;
  readonly column: number;
  readonly tile: number;
  readonly rows: number;
  readonly columns: number;
}

/** The input of the model for a tile, 0 on invalid pixels; nothing where no pixel is valid. */
function cutTile(
  images: readonly ((pixel: number) => number)[],
  channels: readonly Channel[],
  valid: Uint8Array,
  { row, column, tile, rows, columns }: TilePosition,
): Float32Array | undefined {
  const data = new Float32Array(images.length * tile * tile);
  let found = 0;
  for (let r = 0; r < Math.min(tile, rows - row); r++) {
    for (let c = 0; c < Math.min(tile, columns - column); c++) {
      const pixel = (row + r) * columns + column + c;
      if (valid[pixel] === 0) continue;
      found++;
      for (let k = 0; k < images.length; k++) {
        const { min, max } = channels[k % channels.length] as Channel;
        const value = ((images[k] as (pixel: number) => number)(pixel) - min) / (max - min);
        data[(k * tile + r) * tile + c] = Math.min(1, Math.max(0, value));
      }
    }
  }
  return found === 0 ? undefined : data;
}
