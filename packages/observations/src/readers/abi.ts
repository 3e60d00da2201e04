/** ABI imagery: one file per band (CMIP, L1b radiances) or all bands in one (MCMIP), all on the same fixed grid. */
import { basename } from 'node:path';
import { type BandRole, type Frame, FrameError, SCAN_SECONDS } from '../frame/index.ts';
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
import { readFixedGrid } from './axis.ts';
import { parseFileName } from './file-names.ts';
import { type ImageFile, openImageFile } from './hdf5.ts';
import { temperatureTable } from './packing.ts';
import { identify } from './satellites.ts';
import { abiTemperature } from './temperature.ts';

const BAND_NUMBERS: Record<BandRole, number> = { T8: 11, T11: 14, T12: 15 };
const ROLES = Object.entries(BAND_NUMBERS) as [BandRole, number][];
/** Times count from here [ms since 1970]. */
const EPOCH_MS = Date.UTC(2000, 0, 1, 12);

/** One band in a file. */
interface StoredBand {
  readonly role: BandRole;
  readonly file: ImageFile;
  readonly values: string;
  readonly quality: string;
}

export function readAbi(paths: readonly string[], settings: ReadSettings): Frame {
  const files: ImageFile[] = [];
  try {
    for (const path of paths) files.push(openImageFile(path));
    return readOpenFiles(files, settings);
  } finally {
    for (const file of files) file.close();
  }
}

function readOpenFiles(files: readonly ImageFile[], settings: ReadSettings): Frame {
  const stored = bandsOf(files);
  const used = [...new Set(stored.map(({ file }) => file))];
  const headers = used.map((file) => {
    const { path } = file;
    requireFullDisk(file);
    const startMs = startOf(file);
    const time = nominalTimeOf(startMs, path, settings);
    requireTenMinutes(file, startMs, time);
    const named = parseFileName(path);
    if (named !== undefined && named.time !== time) {
      throw new FrameError(
        'mixed-times',
        `${path} was scanned at ${new Date(startMs).toISOString()}, which is not the time in its name; fetch it again`,
        { path, startMs },
      );
    }
    return {
      path,
      startMs,
      time,
      platform: platformOf(file),
      grid: readFixedGrid(file, 'goes_imager_projection'),
    };
  });
  requireOneFrame(headers);
  const [header] = headers;
  if (header === undefined) {
    throw new FrameError(
      'missing-band',
      `${files.map(({ path }) => path).join(', ')}: none holds band C14 or C15; give both of one frame`,
      { paths: files.map(({ path }) => path) },
    );
  }
  const identity = identify(header.grid, {
    path: header.path,
    platform: header.platform,
    timeMs: header.startMs,
  });
  const bands: Bands = {};
  for (const band of stored) bands[band.role] = readBand(band, header.grid);
  const paths = used.map(({ path }) => path);
  return finishFrame(identity, header.time, bands, paths, settings);
}

function bandsOf(files: readonly ImageFile[]): StoredBand[] {
  const bands = files.flatMap((file) => {
    const multiple = ROLES.filter(([, number]) => file.has(`CMI_C${number}`)).map(([role, number]) => ({
      role,
      file,
      values: `CMI_C${number}`,
      quality: `DQF_C${number}`,
    }));
    const single = ['CMI', 'Rad'].find((name) => file.has(name));
    const role = single === undefined ? undefined : roleOf(file);
    return role === undefined ? multiple : [{ role, file, values: single as string, quality: 'DQF' }];
  });
  for (const { role, file } of bands) {
    const same = bands.filter((band) => band.role === role);
    if (same.length === 1) continue;
    throw new FrameError(
      'duplicate-band',
      `${same.map((band) => band.file.path).join(' and ')} both hold band C${BAND_NUMBERS[role]}; give one of them`,
      { path: file.path, role },
    );
  }
  return bands;
}

function roleOf(file: ImageFile): BandRole | undefined {
  const attribute = file.attribute('', 'band_id');
  const [inVariable] = file.has('band_id') ? file.numbers('band_id') : [];
  const [inAttribute] = typeof attribute === 'object' ? attribute : [Number(attribute)];
  const number = inVariable ?? inAttribute;
  return ROLES.find(([, band]) => band === number)?.[0] ?? parseFileName(file.path)?.role;
}

/** Products of other sectors: `OR_ABI-L2-CMIPC-…` of CONUS, `OR_ABI-L1b-RadM1-…` of a mesoscale sector. */
const SECTOR_NAME = /^OR_ABI-L\w+-M?(?:CMIP|Rad)(C|M\d?)-/;

/** Parts that were cut out of a full disk count as one. */
function requireFullDisk(file: ImageFile): void {
  const stated = file.attribute('', 'scene_id');
  if (typeof stated === 'string' && !/^\s*full disk/i.test(stated)) refuseSector(file.path, stated);
  const [, sector] = SECTOR_NAME.exec(basename(file.path)) ?? [];
  if (sector !== undefined) refuseSector(file.path, sector === 'C' ? 'CONUS' : 'Mesoscale');
}

/** By so much the start and the duration of a scan may differ from those that the times of rows are taken from [s]. */
const MAX_DEVIATION_S = 60;

/** Scans of other modes take another time, or begin between the marks of ten minutes. */
function requireTenMinutes(file: ImageFile, startMs: number, nominalMs: number): void {
  const late = (startMs - nominalMs) / 1000;
  const seconds = (endOf(file) - startMs) / 1000;
  if (late <= MAX_DEVIATION_S && !(Math.abs(seconds - SCAN_SECONDS) > MAX_DEVIATION_S)) return;
  const took = Number.isNaN(seconds) ? '' : ` and took ${Math.round(seconds)} s`;
  throw new FrameError(
    'wrong-sector',
    `the scan of ${file.path} began ${Math.round(late)} s after a mark of ten minutes${took}, which is not a full disk of ten minutes; use full-disk imagery of scan mode 6`,
    { path: file.path, startMs },
  );
}

/** When the scan began [ms since 1970]; NaN if the file does not say. */
function startOf(file: ImageFile): number {
  const [start] = boundsOf(file);
  if (start !== undefined) return start;
  const stated = file.attribute('', 'time_coverage_start');
  if (typeof stated === 'string') return Date.parse(stated);
  // The middle of the scan.
  const [middle = Number.NaN] = file.has('t') ? file.numbers('t') : [];
  return EPOCH_MS + (middle - SCAN_SECONDS / 2) * 1000;
}

/** When the scan ended [ms since 1970]; NaN if the file does not say. */
function endOf(file: ImageFile): number {
  const [, end] = boundsOf(file);
  const stated = file.attribute('', 'time_coverage_end');
  return end ?? (typeof stated === 'string' ? Date.parse(stated) : Number.NaN);
}

/** Start and end of the scan [ms since 1970]. */
function boundsOf(file: ImageFile): number[] {
  return file.has('time_bounds')
    ? Array.from(file.numbers('time_bounds'), (seconds) => EPOCH_MS + seconds * 1000)
    : [];
}

function platformOf(file: ImageFile): string {
  const stated = file.attribute('', 'platform_ID');
  return typeof stated === 'string' ? stated : (parseFileName(file.path)?.platform ?? basename(file.path));
}

/** Good and conditionally usable pixels. */
const USABLE_QUALITY = Uint8Array.from({ length: 256 }, (_, flag) => (flag <= 1 ? 1 : 0));

/** Brightness temperatures of a band [K], north row first. */
export function readBand(
  { file, values, quality }: Omit<StoredBand, 'role'>,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Float32Array {
  for (const variable of [values, quality]) {
    const shape = file.shapeOf(variable);
    if (shape.length === 2 && shape[0] === rows && shape[1] === columns) continue;
    throw new FrameError(
      'mixed-grids',
      `${variable} of ${file.path} has ${shape.join(' × ')} values instead of ${rows} × ${columns}; fetch it again`,
      { path: file.path, variable, shape },
    );
  }
  const table = temperatureTable(file, values, temperatureOf(file, values));
  const into = emptyBand(rows * columns);
  const placement = { into, columns, rowOf: (row: number) => row };
  for (const strip of file.strips(values, quality)) placeStrip(strip, table, placement, USABLE_QUALITY);
  return into;
}

function temperatureOf(file: ImageFile, variable: string): (value: number) => number {
  if (variable !== 'Rad') return (temperature) => temperature;
  const constant = (name: string) => file.numbers(`planck_${name}`)[0] ?? Number.NaN;
  const planck = { fk1: constant('fk1'), fk2: constant('fk2'), bc1: constant('bc1'), bc2: constant('bc2') };
  return (radiance) => abiTemperature(radiance, planck);
}
