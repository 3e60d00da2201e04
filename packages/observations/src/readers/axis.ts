import { FrameError } from '../frame/index.ts';
import type { FixedGrid } from '../navigation/index.ts';
import type { ImageFile } from './hdf5.ts';

/** A regular axis of scan angles [rad]. */
interface Axis {
  readonly first: number;
  readonly step: number;
  readonly length: number;
}

/** Largest distance of a pixel from its place on a regular axis [steps]. */
const MAX_IRREGULARITY = 0.05;

/** The scan angles of a coordinate variable; packed ones follow exactly from the packing. */
export function readAxis(file: ImageFile, variable: string): Axis {
  const stored = file.numbers(variable);
  const attribute = (name: string, otherwise: number) => {
    const value = file.attribute(variable, name);
    return typeof value === 'object' ? (value[0] ?? otherwise) : otherwise;
  };
  const scale = attribute('scale_factor', 1);
  const offset = attribute('add_offset', 0);
  const first = (stored[0] ?? Number.NaN) * scale + offset;
  const last = (stored.at(-1) ?? Number.NaN) * scale + offset;
  const { length } = stored;
  const step = (last - first) / (length - 1);
  const isRegular = stored.every(
    (value, i) => Math.abs(value * scale + offset - first - i * step) <= MAX_IRREGULARITY * Math.abs(step),
  );
  if (length < 2 || !isRegular || step === 0 || !Number.isFinite(first)) {
    throw new FrameError(
      'wrong-projection',
      `${variable} of ${file.path} is not a regular axis of scan angles; use imagery on the fixed grid`,
      { path: file.path, variable, length, first, step },
    );
  }
  // The step of packed neighbours is free of the rounding of a quotient.
  const packed = ((stored[1] as number) - (stored[0] as number)) * scale;
  const isPacked = scale !== 1 && Math.abs(packed / step - 1) < 1e-9;
  return { first, step: isPacked ? packed : step, length };
}

/** The fixed grid that a CF grid mapping and the axes x and y of a file describe. */
export function readFixedGrid(file: ImageFile, mapping: string): Omit<FixedGrid, 'name'> {
  const number = (name: string) => {
    const value = file.attribute(mapping, name);
    return typeof value === 'object' ? (value[0] ?? Number.NaN) : Number.NaN;
  };
  const kind = file.attribute(mapping, 'grid_mapping_name');
  const sweep = file.attribute(mapping, 'sweep_angle_axis');
  const longitudeOfOrigin = number('longitude_of_projection_origin');
  const height = number('perspective_point_height');
  const semiMajor = number('semi_major_axis');
  const semiMinor = number('semi_minor_axis');
  const isComplete = Number.isFinite(longitudeOfOrigin + height + semiMajor + semiMinor);
  if (kind !== 'geostationary' || (sweep !== 'x' && sweep !== 'y') || !isComplete) {
    throw new FrameError(
      'wrong-projection',
      `${file.path} is projected as ${String(kind)} with sweep axis ${String(sweep)}, height ${height} m and axes ${semiMajor} and ${semiMinor} m; use files on the fixed grid of a geostationary satellite`,
      { path: file.path, mapping: kind, sweep, longitudeOfOrigin, height, semiMajor, semiMinor },
    );
  }
  const x = readAxis(file, 'x');
  const y = readAxis(file, 'y');
  return {
    ...{ longitudeOfOrigin, height, semiMajor, semiMinor, sweep },
    ...{ x0: x.first, dx: x.step, y0: y.first, dy: y.step },
    columns: x.length,
    rows: y.length,
  };
}
