/** FCI level 1c: one repeat cycle as 40 netCDF-4 chunks, rows from south to north, x positive to the west. */
import { basename } from 'node:path';
import { BAND_ROLES, type BandRole, type Frame, FrameError } from '../frame/index.ts';
import type { FixedGrid } from '../navigation/index.ts';
import {
  type Bands,
  emptyBand,
  finishFrame,
  nominalTimeOf,
  type Placement,
  placeStrip,
  type ReadSettings,
  refuseSector,
  requireOneFrame,
} from './assemble.ts';
import { readAxis } from './axis.ts';
import { parseFileName } from './file-names.ts';
import { type ImageFile, openImageFile } from './hdf5.ts';
import { temperatureTable } from './packing.ts';
import { identify } from './satellites.ts';
import {
  placeScanTimes,
  readIndexedTimes,
  type ScanTimes,
  secondsSince,
  settleScanTimes,
} from './scan-times.ts';
import { fciTemperature } from './temperature.ts';

const CHANNELS: Record<BandRole, string> = { T8: 'ir_87', T11: 'ir_105', T12: 'ir_123' };
const PROJECTION = 'data/mtg_geos_projection';

/** Whether a netCDF-4 file has the layout of FCI. */
export function isFci(file: ImageFile): boolean {
  return file.has(PROJECTION);
}

interface Chunk {
  readonly path: string;
  readonly platform: string;
  readonly startMs: number;
  readonly time: number;
  /** Of the whole disk. */
  readonly grid: Omit<FixedGrid, 'name'>;
  /** Rows of the whole disk, from the south and from 0. */
  readonly firstRow: number;
  readonly rows: number;
  readonly isFromSouth: boolean;
  readonly reversesColumns: boolean;
}

export function readFci(paths: readonly string[], settings: ReadSettings): Frame {
  const bands: Bands = {};
  const chunks: Chunk[] = [];
  const times: ScanTimes = {};
  for (const path of paths) {
    const file = openImageFile(path);
    try {
      const chunk = readHeader(file, settings);
      chunks.push(chunk);
      requireOneFrame(chunks);
      const pixels = chunk.grid.rows * chunk.grid.columns;
      for (const role of BAND_ROLES) {
        if (!file.has(measured(role, 'effective_radiance'))) continue;
        bands[role] ??= emptyBand(pixels);
        readChannel(file, role, placementOf(chunk, bands[role]));
      }
      placeScanTimes(times, readIndexedTimes(file, measured('T11', 'index_map'), chunk.time), {
        ...placementOf(chunk, new Float32Array()),
        rows: chunk.grid.rows,
      });
    } finally {
      file.close();
    }
  }
  const [first] = chunks;
  if (first === undefined) throw new FrameError('missing-band', 'there is no file of the frame; give some');
  checkComplete(chunks, settings);
  const identity = identify(first.grid, {
    path: first.path,
    platform: first.platform,
    timeMs: first.startMs,
  });
  return finishFrame(identity, first.time, bands, paths, settings, settleScanTimes(times));
}

function measured(role: BandRole, variable: string): string {
  return `data/${CHANNELS[role]}/measured/${variable}`;
}

function placementOf(chunk: Chunk, into: Float32Array): Placement {
  const { firstRow, rows, isFromSouth, reversesColumns } = chunk;
  const last = chunk.grid.rows - 1;
  return {
    into,
    columns: chunk.grid.columns,
    rowOf: (row) => last - firstRow - (isFromSouth ? row : rows - 1 - row),
    reversesColumns,
  };
}

/** `…FCI-1C-RRAD-FDHSI-FD--CHK-…`: a full disk; `Q1` to `Q4` are quarters of it that are scanned more often. */
const COVERAGE_NAME = /\+FCI-1C-RRAD-\w+-(\w\w)--/;

function readHeader(file: ImageFile, settings: ReadSettings): Chunk {
  const { path } = file;
  const [, coverage = 'FD'] = COVERAGE_NAME.exec(basename(path)) ?? [];
  if (coverage !== 'FD') refuseSector(path, coverage);
  const x = readAxis(file, measured('T11', 'x'));
  const y = readAxis(file, measured('T11', 'y'));
  const position = (name: string) => file.numbers(measured('T11', `${name}_position_row`))[0] ?? Number.NaN;
  const firstRow = position('start') - 1;
  const rows = position('end') - firstRow;
  const total = x.length;
  if (!(firstRow >= 0 && rows === y.length && firstRow + rows <= total)) {
    throw new FrameError(
      'unreadable',
      `${path} has ${y.length} rows but states rows ${firstRow + 1} to ${firstRow + rows} of ${total}; fetch it again`,
      { path, firstRow, rows },
    );
  }
  const startMs = startOf(file);
  const isFromSouth = y.step > 0;
  const step = Math.abs(y.step);
  const southOfChunk = isFromSouth ? y.first : y.first + y.step * (y.length - 1);
  // Stored angles are positive to the west; the frame's columns run from west to east.
  const west = -Math.max(x.first, x.first + x.step * (x.length - 1));
  return {
    path,
    platform: platformOf(file),
    startMs,
    time: nominalTimeOf(startMs, path, settings),
    grid: {
      ...perspectiveOf(file),
      x0: west,
      dx: Math.abs(x.step),
      y0: southOfChunk + (total - 1 - firstRow) * step,
      dy: -step,
      columns: total,
      rows: total,
    },
    firstRow,
    rows,
    isFromSouth,
    reversesColumns: x.step > 0,
  };
}

function perspectiveOf(
  file: ImageFile,
): Pick<FixedGrid, 'longitudeOfOrigin' | 'height' | 'semiMajor' | 'semiMinor' | 'sweep'> {
  const attribute = (name: string) => {
    const value = file.attribute(PROJECTION, name);
    return typeof value === 'object' ? (value[0] ?? Number.NaN) : Number.NaN;
  };
  const sweep = file.attribute(PROJECTION, 'sweep_angle_axis');
  const mapping = file.attribute(PROJECTION, 'grid_mapping_name');
  if (mapping !== 'geostationary' || (sweep !== 'x' && sweep !== 'y')) {
    throw new FrameError(
      'wrong-projection',
      `${file.path} is projected as ${String(mapping)} with sweep axis ${String(sweep)}; use imagery on the fixed grid of a geostationary satellite`,
      { path: file.path, mapping, sweep },
    );
  }
  const semiMajor = attribute('semi_major_axis');
  const stated = attribute('semi_minor_axis');
  return {
    longitudeOfOrigin: attribute('longitude_of_projection_origin'),
    height: attribute('perspective_point_height'),
    semiMajor,
    semiMinor: Number.isNaN(stated) ? semiMajor * (1 - 1 / attribute('inverse_flattening')) : stated,
    sweep,
  };
}

function platformOf(file: ImageFile): string {
  const stated = file.attribute('', 'platform');
  return parseFileName(file.path)?.platform ?? (typeof stated === 'string' ? stated : 'MTI1');
}

/** When the chunk was begun [ms since 1970]: stated as `20240307150007` or in ISO 8601; otherwise the first time in it. */
function startOf(file: ImageFile): number {
  const named = parseFileName(file.path);
  const stated = file.attribute('', 'time_coverage_start');
  const compact = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(typeof stated === 'string' ? stated : '');
  if (compact !== null) {
    const [year = 0, month = 1, ...rest] = compact.slice(1).map(Number);
    return Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
  }
  if (typeof stated === 'string') return Date.parse(stated);
  if (named !== undefined) return named.time;
  return file.has('time') ? secondsSince(file, 'time', file.numbers('time')[0] ?? Number.NaN) : Number.NaN;
}

function readChannel(file: ImageFile, role: BandRole, placement: Placement): void {
  const radiance = measured(role, 'effective_radiance');
  const quality = measured(role, 'pixel_quality');
  const constant = (name: string) => file.numbers(measured(role, name))[0] ?? Number.NaN;
  const planck = {
    wavenumber: constant('radiance_to_bt_conversion_coefficient_wavenumber'),
    a: constant('radiance_to_bt_conversion_coefficient_a'),
    b: constant('radiance_to_bt_conversion_coefficient_b'),
    c1: constant('radiance_to_bt_conversion_constant_c1'),
    c2: constant('radiance_to_bt_conversion_constant_c2'),
  };
  const shape = file.shapeOf(radiance);
  if (shape[1] !== placement.columns) {
    throw new FrameError(
      'mixed-grids',
      `${radiance} of ${file.path} has ${shape.join(' × ')} values instead of ${placement.columns} columns; use the normal-resolution product (FDHSI)`,
      { path: file.path, shape },
    );
  }
  const table = temperatureTable(file, radiance, (value) => fciTemperature(value, planck));
  const hasQuality = file.has(quality);
  const isUsable = hasQuality ? usableQuality(file, quality) : undefined;
  for (const strip of file.strips(radiance, hasQuality ? quality : undefined)) {
    placeStrip(strip, table, placement, isUsable);
  }
}

/** Which quality flags leave a pixel usable: those without a bit that is named after missing or invalid values. */
function usableQuality(file: ImageFile, quality: string): Uint8Array {
  const masks = file.attribute(quality, 'flag_masks');
  const meanings = file.attribute(quality, 'flag_meanings');
  const words = typeof meanings === 'string' ? meanings.split(/[\s,]+/) : [];
  const bad = (typeof masks === 'object' ? masks : []).reduce((bits, mask, i) => {
    const isBad = /missing|invalid|saturat|no_data/i.test(words[i] ?? '') && !/warning/i.test(words[i] ?? '');
    return isBad ? bits | mask : bits;
  }, 0);
  return Uint8Array.from({ length: 256 }, (_, flags) => ((flags & bad) === 0 ? 1 : 0));
}

function checkComplete(chunks: readonly Chunk[], { isPartial = false }: ReadSettings): void {
  const ordered = chunks.toSorted((a, b) => a.firstRow - b.firstRow);
  const total = ordered[0]?.grid.rows ?? 0;
  let next = 0;
  for (const { path, firstRow, rows } of [...ordered, { path: '', firstRow: total, rows: 0 }]) {
    if (firstRow > next && !isPartial) {
      throw new FrameError(
        'missing-segment',
        `${ordered[0]?.path}: rows ${next + 1} to ${firstRow} of ${total} (from the south) are in none of ${chunks.length} files; wait for the rest or fetch it`,
        { first: next + 1, last: firstRow },
      );
    }
    if (firstRow < next) {
      throw new FrameError(
        'duplicate-band',
        `${path} holds row ${firstRow + 1}, which another file holds too; give one of them`,
        {
          path,
        },
      );
    }
    next = firstRow + rows;
  }
}
