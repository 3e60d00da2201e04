/** Images of GOES-East in the layout of the archive, with straight contrails drawn into them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { encodeNetcdf, type NetcdfVariable } from '@contrails/formats';
import { fullDisk } from '@contrails/observations/navigation';

const ROWS = 160;
const COLUMNS = 192;
const FIRST_ROW = 1000;
const FIRST_COLUMN = 2500;
const EPOCH_MS = Date.UTC(2000, 0, 1, 12);
const SCALE = 0.01;
const OFFSET = 100;

export interface Image {
  readonly timeMs: number;
  /** Slope and row at the left edge of each contrail [pixels]. */
  readonly lines?: readonly (readonly [slope: number, row: number])[];
  /** What the files say instead of the truth. */
  readonly statedMs?: number;
  readonly platform?: string;
  readonly longitude?: number;
  readonly sweep?: 'x' | 'y';
  readonly mapping?: string;
  readonly isEmpty?: boolean;
}

/** The spacecraft that is GOES-East at a time. */
function platformAt(timeMs: number): string {
  return timeMs < Date.UTC(2025, 3, 4, 15) ? 'G16' : 'G19';
}

/** `OR_ABI-L2-MCMIPF-M6_G16_s20240671500204_e…_c….nc`, or of one band. */
export function abiName(timeMs: number, band?: 11 | 14 | 15): string {
  const product = band === undefined ? 'MCMIPF-M6' : `CMIPF-M6C${band}`;
  const at = (ms: number) => {
    const date = new Date(ms);
    const day = Math.floor((ms - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
    const clock = date.toISOString().slice(11, 19).replaceAll(':', '');
    return `${date.getUTCFullYear()}${String(day).padStart(3, '0')}${clock}4`;
  };
  const startMs = timeMs + 20_000;
  return `OR_ABI-L2-${product}_${platformAt(timeMs)}_s${at(startMs)}_e${at(startMs + 570_000)}_c${at(startMs + 590_000)}.nc`;
}

export async function abiBytes(image: Image, bands: readonly number[] = [14, 15]): Promise<Buffer> {
  const disk = fullDisk('goes-east');
  const startMs = (image.statedMs ?? image.timeMs) + 20_000;
  const isSingle = bands.length === 1;
  const axis = (name: 'x' | 'y', first: number, count: number): NetcdfVariable => ({
    name,
    dimensions: [name],
    data: Float64Array.from({ length: count }, (_, k) =>
      name === 'x' ? disk.x0 + (first + k) * disk.dx : disk.y0 + (first + k) * disk.dy,
    ),
    attributes: { units: 'rad' },
  });
  const seconds = (startMs - EPOCH_MS) / 1000;
  const variables: NetcdfVariable[] = [
    axis('y', FIRST_ROW, ROWS),
    axis('x', FIRST_COLUMN, COLUMNS),
    { name: 'nv', dimensions: ['nv'], data: Int32Array.of(0, 1) },
    {
      name: 'goes_imager_projection',
      dimensions: [],
      data: Int32Array.of(0),
      attributes: {
        grid_mapping_name: image.mapping ?? 'geostationary',
        perspective_point_height: disk.height,
        semi_major_axis: disk.semiMajor,
        semi_minor_axis: disk.semiMinor,
        longitude_of_projection_origin: image.longitude ?? disk.longitudeOfOrigin,
        sweep_angle_axis: image.sweep ?? disk.sweep,
      },
    },
    { name: 'time_bounds', dimensions: ['nv'], data: Float64Array.of(seconds, seconds + 570) },
    ...(isSingle ? [{ name: 'band_id', dimensions: [], data: Int32Array.of(bands[0] ?? 0) }] : []),
    ...bands.flatMap((band): NetcdfVariable[] => {
      const suffix = isSingle ? '' : `_C${band}`;
      const pixels = { dimensions: ['y', 'x'], chunks: [32, 32], deflateLevel: 1 };
      return [
        {
          name: `CMI${suffix}`,
          ...pixels,
          data: packed(image, band),
          fillValue: -1,
          attributes: { scale_factor: SCALE, add_offset: OFFSET, valid_range: Int16Array.of(0, 30_000) },
        },
        { name: `DQF${suffix}`, ...pixels, data: new Uint8Array(ROWS * COLUMNS), fillValue: 255 },
      ];
    }),
  ];
  const chunks = await encodeNetcdf({
    dimensions: { y: ROWS, x: COLUMNS, nv: 2 },
    variables,
    attributes: { platform_ID: image.platform ?? platformAt(image.timeMs) },
  });
  return Buffer.concat(chunks);
}

/** Counts of brightness temperatures: a smooth sea with noise, and contrails that are colder, more so at 12 µm. */
function packed({ timeMs, lines = [], isEmpty = false }: Image, band: number): Int16Array {
  const counts = new Int16Array(ROWS * COLUMNS).fill(-1);
  if (isEmpty) return counts;
  let seed = (timeMs / 600_000 + 7919 * band) >>> 0;
  const noise = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  const base = band === 15 ? 283.5 : 285;
  for (let r = 0; r < ROWS; r++) {
    for (let c = 0; c < COLUMNS; c++) {
      let cooling = 0;
      for (const [slope, row] of lines) {
        const across = (r - row - slope * c) / Math.hypot(1, slope);
        cooling += Math.exp(-(across ** 2) / 3);
      }
      const temperature = base + 0.01 * r + 0.2 * noise() - cooling * (band === 15 ? 3.6 : 3);
      counts[r * COLUMNS + c] = Math.round((temperature - OFFSET) / SCALE);
    }
  }
  return counts;
}

export async function writeImage(path: string, image: Image, bands?: readonly number[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await abiBytes(image, bands));
}
