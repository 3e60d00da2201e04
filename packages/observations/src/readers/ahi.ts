/** Himawari standard data: binary, ten segments per band from north to south, each compressed with bzip2 or not. */
import { readFileSync } from 'node:fs';
import { DAY_MS, MINUTE_MS } from '@contrails/runtime';
import { bunzip2 } from '@contrails/runtime/bunzip2';
import { type BandRole, type Frame, FrameError } from '../frame/index.ts';
import type { FixedGrid } from '../navigation/index.ts';
import {
  type Bands,
  emptyBand,
  finishFrame,
  nominalTimeOf,
  placeStrip,
  type ReadSettings,
  refuseSector,
  requireOneFrame,
} from './assemble.ts';
import { type TemperatureTable, tableOf } from './packing.ts';
import { identify } from './satellites.ts';
import { ahiTemperature } from './temperature.ts';

const ROLES: Readonly<Record<number, BandRole>> = { 11: 'T8', 14: 'T11', 15: 'T12' };
const RAD = Math.PI / 180;
/** Days from 1858-11-17, where modified Julian dates begin, to 1970. */
const MJD_OF_1970 = 40_587;
/** The observation area in the header; others are parts of Japan, target and landmark areas. */
const FULL_DISK = 'FLDK';
/** Segments of the infrared bands have 6 MB; more than this is not one. */
const MAX_SEGMENT_BYTES = 64 << 20;

/** What the header of a segment says, and its counts. */
interface Segment {
  readonly path: string;
  readonly platform: string;
  readonly startMs: number;
  readonly time: number;
  readonly role: BandRole;
  readonly grid: Omit<FixedGrid, 'name' | 'rows'>;
  /** Row of the full disk, from 0. */
  readonly firstRow: number;
  readonly rows: number;
  readonly number: number;
  readonly count: number;
  readonly table: TemperatureTable;
  readonly counts: Uint16Array;
}

export function readAhi(paths: readonly string[], settings: ReadSettings): Frame {
  // One segment after the other: only the temperatures of the whole disk are in memory.
  const seen: Omit<Segment, 'table' | 'counts'>[] = [];
  const bands: Bands = {};
  for (const path of paths) {
    const { table, counts, ...segment } = readSegment(path, settings);
    seen.push(segment);
    requireOneFrame(seen);
    requireNoTwin(seen);
    const { role, firstRow, rows, grid } = segment;
    const { columns } = grid;
    const into = bands[role] ?? emptyBand(columns * columns);
    bands[role] = into;
    placeStrip({ firstRow, rows, values: counts }, table, { into, columns, rowOf: (row) => row });
  }
  const [first] = seen;
  if (first === undefined) throw new FrameError('missing-band', 'there is no file of the frame; give some');
  for (const role of Object.keys(bands) as BandRole[]) {
    checkComplete(
      role,
      seen.filter((segment) => segment.role === role),
    );
  }
  const identity = identify(
    { ...first.grid, rows: first.grid.columns },
    { path: first.path, platform: first.platform, timeMs: first.startMs },
  );
  return finishFrame(identity, first.time, bands, paths, settings);
}

function requireNoTwin(segments: readonly Omit<Segment, 'table' | 'counts'>[]): void {
  const last = segments.at(-1);
  const twin = segments.find(
    (segment) => segment !== last && segment.role === last?.role && segment.number === last.number,
  );
  if (twin === undefined || last === undefined) return;
  throw new FrameError(
    'duplicate-band',
    `${twin.path} and ${last.path} both are segment ${last.number} of a band; give one of them`,
    { paths: [twin.path, last.path] },
  );
}

function checkComplete(role: BandRole, segments: readonly Omit<Segment, 'table' | 'counts'>[]): void {
  const [first] = segments;
  if (first === undefined) return;
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  if (segments.length === first.count && rows === first.grid.columns) return;
  const numbers = new Set(segments.map(({ number }) => number));
  const missing = Array.from({ length: first.count }, (_, i) => i + 1).filter(
    (number) => !numbers.has(number),
  );
  throw new FrameError(
    'missing-segment',
    `${first.path}: ${role} has ${segments.length} of ${first.count} segments and ${rows} of ${first.grid.columns} rows (missing: ${missing.join(', ')}); wait for the rest or fetch it`,
    { path: first.path, role, missing },
  );
}

function readSegment(path: string, settings: ReadSettings): Segment {
  const bytes = unpack(path);
  const header = new HeaderReader(path, bytes);
  const basic = header.block(1);
  const isLittleEndian = basic.u8(5) === 0;
  if (!isLittleEndian) {
    throw new FrameError('unreadable', `${path} is big-endian, which no known archive has; fetch it again`, {
      path,
    });
  }
  const platform = platformOf(basic.text(6, 16));
  const area = basic.text(38, 4);
  if (area !== FULL_DISK) refuseSector(path, area);
  const startMs = Math.round((basic.f64(46) - MJD_OF_1970) * DAY_MS);
  const headerLength = basic.u32(70);
  const data = header.block(2);
  const [bits, columns, rows, compression] = [data.u16(3), data.u16(5), data.u16(7), data.u8(9)];
  const projection = header.block(3);
  const calibration = header.block(5);
  const band = calibration.u16(3);
  const segment = header.block(7);
  const [count, number, firstLine] = [segment.u8(3), segment.u8(4), segment.u16(5)];
  const role = ROLES[band];
  if (role === undefined) {
    throw new FrameError('missing-band', `${path} holds band ${band}; give bands 14, 15 and, if wanted, 11`, {
      path,
      band,
    });
  }
  const size = columns * rows * 2;
  if (bits !== 16 || compression !== 0 || size === 0 || bytes.length !== headerLength + size) {
    throw new FrameError(
      'unreadable',
      `${path} has ${bytes.length} bytes instead of ${headerLength + size} (${rows} rows of ${columns} counts of ${bits} bits); fetch it again`,
      { path },
    );
  }
  if (firstLine < 1 || firstLine - 1 + rows > columns || count < 1 || number < 1 || number > count) {
    throw new FrameError(
      'unreadable',
      `${path} is segment ${number} of ${count} with rows from ${firstLine}, which is not within ${columns} rows; fetch it again`,
      { path },
    );
  }
  // A copy, because counts may begin at an odd address.
  const counts = new Uint16Array(new Uint8Array(bytes.subarray(headerLength)).buffer);
  nominalTimeOf(startMs, path, settings);
  return {
    path,
    platform,
    startMs,
    time: timelineOf(startMs, basic.u16(44)),
    role,
    grid: gridOf(projection, columns),
    firstRow: firstLine - 1,
    rows,
    number,
    count,
    table: tableOfCalibration(calibration),
    counts,
  };
}

/** Nominal time of the frame: the timeline (hours and minutes) nearest to the start of the segment. */
function timelineOf(startMs: number, timeline: number): number {
  const ofDay = (Math.floor(timeline / 100) * 60 + (timeline % 100)) * MINUTE_MS;
  return Math.round((startMs - ofDay) / DAY_MS) * DAY_MS + ofDay;
}

function platformOf(name: string): string {
  const number = /^Himawari-(\d+)/.exec(name)?.[1];
  return number === undefined ? name : `H${number.padStart(2, '0')}`;
}

function gridOf(projection: Block, columns: number): Segment['grid'] {
  const step = (factor: number) => (2 ** 16 / factor) * RAD;
  const [dx, dy] = [step(projection.u32(11)), step(projection.u32(15))];
  const semiMajor = metres(projection.f64(35));
  return {
    longitudeOfOrigin: projection.f64(3),
    height: metres(projection.f64(27)) - semiMajor,
    semiMajor,
    semiMinor: metres(projection.f64(43)),
    sweep: 'y',
    // Columns and lines count from 1, and lines to the south.
    x0: (1 - projection.f32(19)) * dx,
    dx,
    y0: (projection.f32(23) - 1) * dy,
    dy: -dy,
    columns,
  };
}

/** Whole tenths of metres: kilometres as doubles would carry their rounding into metres. */
function metres(km: number): number {
  return Math.round(km * 1e4) / 10;
}

function tableOfCalibration(calibration: Block): TemperatureTable {
  const [errorCount, outsideCount] = [calibration.u16(15), calibration.u16(17)];
  const [gain, constant] = [calibration.f64(19), calibration.f64(27)];
  const planck = {
    wavelength: calibration.f64(5),
    c0: calibration.f64(35),
    c1: calibration.f64(43),
    c2: calibration.f64(51),
    c: calibration.f64(83),
    h: calibration.f64(91),
    k: calibration.f64(99),
  };
  return tableOf((count) =>
    count === errorCount || count === outsideCount
      ? Number.NaN
      : ahiTemperature(count * gain + constant, planck),
  );
}

/** Finds header blocks by walking over their lengths. */
class HeaderReader {
  private readonly path: string;
  private readonly view: DataView;
  private position = 0;

  constructor(path: string, bytes: Uint8Array) {
    this.path = path;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The block of a number, which is at or after the current position. */
  block(number: number): Block {
    while (this.position + 3 <= this.view.byteLength) {
      const found = this.view.getUint8(this.position);
      const length = this.view.getUint16(this.position + 1, true);
      const start = this.position;
      if (length < 3 || found > number || start + length > this.view.byteLength) break;
      this.position += length;
      if (found === number) {
        return new Block(this.path, new DataView(this.view.buffer, this.view.byteOffset + start, length));
      }
    }
    throw new FrameError(
      'unreadable',
      `${this.path} has no header block ${number} of Himawari standard data; fetch it again`,
      { path: this.path },
    );
  }
}

/** A header block; offsets count from its first byte. */
class Block {
  private readonly path: string;
  private readonly view: DataView;

  constructor(path: string, view: DataView) {
    this.path = path;
    this.view = view;
  }

  u8(offset: number): number {
    return this.at(offset, 1).getUint8(offset);
  }

  u16(offset: number): number {
    return this.at(offset, 2).getUint16(offset, true);
  }

  u32(offset: number): number {
    return this.at(offset, 4).getUint32(offset, true);
  }

  f32(offset: number): number {
    return this.at(offset, 4).getFloat32(offset, true);
  }

  f64(offset: number): number {
    return this.at(offset, 8).getFloat64(offset, true);
  }

  text(offset: number, length: number): string {
    const { buffer, byteOffset } = this.at(offset, length);
    const [text = ''] = Buffer.from(buffer, byteOffset + offset, length)
      .toString('latin1')
      .split('\0');
    return text.trim();
  }

  private at(offset: number, length: number): DataView {
    if (offset + length <= this.view.byteLength) return this.view;
    throw new FrameError('unreadable', `${this.path} has a header block that is too short; fetch it again`, {
      path: this.path,
    });
  }
}

function unpack(path: string): Uint8Array {
  const bytes = readFileSync(path);
  if (bytes.toString('latin1', 0, 3) !== 'BZh') return bytes;
  try {
    return bunzip2(bytes, MAX_SEGMENT_BYTES);
  } catch (cause) {
    throw new FrameError(
      'unreadable',
      `${path} cannot be read: ${(cause as Error).message}; fetch it again`,
      { path },
      { cause },
    );
  }
}
