import { basename } from 'node:path';
import { isoTime, sharedFloat32 } from '@contrails/runtime';
import {
  type BandRole,
  DEFAULT_MAX_VIEW_ZENITH_DEG,
  type Frame,
  FrameError,
  frameTimeOf,
} from '../frame/index.ts';
import { viewMask } from '../navigation/index.ts';
import type { Strip } from './hdf5.ts';
import type { TemperatureTable } from './packing.ts';
import type { Identity } from './satellites.ts';

export interface ReadSettings {
  /** Pixels that see the Earth at a larger view zenith angle have no value [deg]; 70 if not given. */
  readonly maxViewZenithDeg?: number;
  /** Imagery that was scanned after this instant is refused [ms since 1970]; the current time if not given. */
  readonly now?: number;
  /** Rows of files that are missing have no values; a frame that lacks files is refused otherwise. */
  readonly isPartial?: boolean;
}

/** Clocks of receivers and of this machine may differ by this. */
const MAX_CLOCK_SKEW_MS = 120_000;

export type Bands = Partial<Record<BandRole, Float32Array>>;

/** Refuses times that no imagery can have yet; returns the nominal time. */
export function nominalTimeOf(startMs: number, path: string, { now = Date.now() }: ReadSettings): number {
  if (!Number.isFinite(startMs)) {
    throw new FrameError('missing-variable', `${path} does not state when it was scanned; fetch it again`, {
      path,
    });
  }
  if (startMs > now + MAX_CLOCK_SKEW_MS) {
    throw new FrameError(
      'from-the-future',
      `${path} was scanned at ${isoTime(startMs)}, which is after now (${isoTime(now)}); check the clock of this machine and the file`,
      { path, startMs, now },
    );
  }
  return frameTimeOf(startMs);
}

/** Refuses a sector, whose rows are scanned at other times than those of a full disk. */
export function refuseSector(path: string, sector: string): never {
  throw new FrameError(
    'wrong-sector',
    `${path} shows the sector ${sector}, whose scan times are not those of a full disk; use full-disk imagery`,
    { path, sector },
  );
}

/** What all files of a frame have in common. */
export interface FileHeader {
  readonly path: string;
  readonly time: number;
  readonly platform: string;
  readonly grid: object;
}

/** Refuses files of different frames. */
export function requireOneFrame(headers: readonly FileHeader[]): void {
  requireSame('mixed-times', headers, 'time', ({ time }) => isoTime(time));
  requireSame('mixed-satellites', headers, 'satellite', ({ platform }) => platform);
  requireSame('mixed-grids', headers, 'grid', ({ grid }) => JSON.stringify(grid, toNanoradians));
}

/** Angles of one grid may differ by their rounding. */
function toNanoradians(_: string, value: unknown): unknown {
  return typeof value === 'number' && Math.abs(value) < 1 ? Number(value.toFixed(9)) : value;
}

function requireSame(
  reason: 'mixed-times' | 'mixed-grids' | 'mixed-satellites',
  headers: readonly FileHeader[],
  what: string,
  shown: (header: FileHeader) => string,
): void {
  const [first] = headers;
  const other = headers.find((header) => first !== undefined && shown(header) !== shown(first));
  if (first === undefined || other === undefined) return;
  throw new FrameError(
    reason,
    `${first.path} and ${other.path} differ in ${what}: ${shown(first)} and ${shown(other)}; give the files of one frame`,
    { files: [first.path, other.path] },
  );
}

/** Where the rows and columns of stored pixels go, and which of them count. */
export interface Placement {
  readonly into: Float32Array;
  readonly columns: number;
  /** Row of the frame for a stored row. */
  readonly rowOf: (storedRow: number) => number;
  readonly reversesColumns?: boolean;
}

/** Puts the temperatures of a strip into a band, except where the quality in its companion is not usable. */
export function placeStrip(
  { values, companion, firstRow, rows }: Strip,
  table: TemperatureTable,
  { into, columns, rowOf, reversesColumns = false }: Placement,
  isUsable?: Uint8Array,
): void {
  for (let r = 0; r < rows; r++) {
    const from = r * columns;
    const to = rowOf(firstRow + r) * columns;
    for (let c = 0; c < columns; c++) {
      into[to + c] = table[(values[from + c] as number) & 0xffff] as number;
    }
    if (companion !== undefined && isUsable !== undefined) {
      for (let c = 0; c < columns; c++) {
        if (isUsable[(companion[from + c] as number) & 0xff] === 0) into[to + c] = Number.NaN;
      }
    }
    if (reversesColumns) into.subarray(to, to + columns).reverse();
  }
}

/** A band without values, in memory that threads can share. */
export function emptyBand(pixels: number): Float32Array {
  return sharedFloat32(pixels).fill(Number.NaN);
}

/** The frame of bands that were read: pixels lose their values where a used band has none, or beyond the limit of the view. */
export function finishFrame(
  { satellite, instrument, grid }: Identity,
  time: number,
  bands: Bands,
  paths: readonly string[],
  { maxViewZenithDeg = DEFAULT_MAX_VIEW_ZENITH_DEG }: ReadSettings,
  scanOffsets?: Float32Array,
): Frame {
  const { T11: t11, T12: t12, T8: t8 } = bands;
  if (t11 === undefined || t12 === undefined) {
    const missing = (['T11', 'T12'] as const).filter((role) => bands[role] === undefined);
    throw new FrameError(
      'missing-band',
      `${paths.join(', ')}: band ${missing.join(' and ')} is missing; give the files of both window channels of one frame`,
      { paths, missing },
    );
  }
  const view = viewMask(grid, maxViewZenithDeg);
  let valid = 0;
  for (let i = 0; i < view.length; i++) {
    const isValid = view[i] === 0 && !Number.isNaN((t11[i] as number) + (t12[i] as number));
    if (isValid) valid++;
    else {
      t11[i] = Number.NaN;
      t12[i] = Number.NaN;
    }
    if (t8 !== undefined && view[i] !== 0) t8[i] = Number.NaN;
  }
  if (valid === 0) {
    throw new FrameError(
      'no-valid-pixels',
      `${paths.join(', ')}: no pixel has a usable value in both window channels; fetch the frame again or skip it`,
      { paths },
    );
  }
  return {
    satellite,
    gridName: grid.name,
    time,
    grid,
    t11,
    t12,
    ...(t8 === undefined ? {} : { t8 }),
    rows: grid.rows,
    columns: grid.columns,
    instrument,
    ...(scanOffsets === undefined ? {} : { scanOffsets }),
    inputFiles: paths.map((path) => basename(path)).sort(),
  };
}
