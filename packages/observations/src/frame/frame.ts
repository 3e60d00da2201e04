import { MINUTE_MS } from '@contrails/runtime';
import { type FixedGrid, type GridName, windowPosition } from '../navigation/index.ts';

/** One image of a satellite: brightness temperatures [K], row by row, north row first; NaN where there is no valid value. */
export interface Frame {
  /** By the place it looks from: `goes-east`, `himawari`, … */
  readonly satellite: string;
  readonly gridName: string;
  /** Nominal time [ms since 1970], a multiple of ten minutes. */
  readonly time: number;
  readonly grid: FixedGrid;
  /** Window channels near 11 and 12 µm, and the one at 8.5 µm where it was given. */
  readonly t11: Float32Array;
  readonly t12: Float32Array;
  readonly t8?: Float32Array;
  readonly rows: number;
  readonly columns: number;
  readonly instrument?: Instrument;
  /** When a row, or a pixel, was scanned, if the imagery has it [s after `time`]. */
  readonly scanOffsets?: Float32Array;
  /** Names of the files it was read from. */
  readonly inputFiles?: readonly string[];
}

/** The channels of a frame: near 8.5, 11 and 12 µm. */
export type BandRole = 'T8' | 'T11' | 'T12';
export const BAND_ROLES: readonly BandRole[] = ['T8', 'T11', 'T12'];

/** Pixels that see the Earth at a larger view zenith angle are not used unless another limit is given [deg]. */
export const DEFAULT_MAX_VIEW_ZENITH_DEG = 70;

export type Instrument = 'ABI' | 'AHI' | 'FCI' | 'SEVIRI';

/** The imager of each grid. */
export const INSTRUMENTS: Readonly<Record<GridName, Instrument>> = {
  'goes-east': 'ABI',
  'goes-west': 'ABI',
  himawari: 'AHI',
  'mtg-0': 'FCI',
  'msg-0': 'SEVIRI',
};

export const FRAME_STEP_MS = 10 * MINUTE_MS;

/** A full disk takes about nine and a half minutes. */
export const SCAN_SECONDS = 570;

/** Grids that are scanned from the south. */
const FROM_SOUTH = new Set(['mtg-0', 'msg-0']);

/** Nominal time of the frame whose scan starts at an instant [ms since 1970]. */
export function frameTimeOf(startMs: number): number {
  return Math.floor(startMs / FRAME_STEP_MS) * FRAME_STEP_MS;
}

/** When each row was scanned [s after the nominal time]: what the imagery says, otherwise linear over the full disk. */
export function scanOffsetsOf({ grid, scanOffsets }: Pick<Frame, 'grid' | 'scanOffsets'>): Float32Array {
  if (scanOffsets !== undefined) return scanOffsets;
  const { firstRow, rows } = windowPosition(grid);
  return Float32Array.from({ length: grid.rows }, (_, r) => {
    const row = firstRow + r;
    return (SCAN_SECONDS * (FROM_SOUTH.has(grid.name) ? rows - 1 - row : row)) / rows;
  });
}

/** Name of the product of a frame: `goes-east_L1_20240307T1500Z.nc` */
export function l1FileName({ satellite, time }: Pick<Frame, 'satellite' | 'time'>): string {
  const digits = new Date(time).toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  return `${satellite}_L1_${digits}Z.nc`;
}
