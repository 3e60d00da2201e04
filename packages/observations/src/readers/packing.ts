/** Counts of a band become temperatures through a table of all 65,536 of them. */
import { FrameError } from '../frame/index.ts';
import type { ImageFile } from './hdf5.ts';

export type TemperatureTable = Float32Array<ArrayBuffer>;

interface Packing {
  readonly scale: number;
  readonly offset: number;
  readonly isUnsigned: boolean;
  readonly fill?: number;
  readonly range?: readonly [min: number, max: number];
}

/** The temperature of each stored 16-bit count [K]; NaN for fill values and what is outside the valid range. */
export function temperatureTable(
  file: ImageFile,
  variable: string,
  temperatureOf: (value: number) => number,
): TemperatureTable {
  const { scale, offset, isUnsigned, fill, range } = packingOf(file, variable);
  return tableOf((count) => {
    const stored = isUnsigned ? count : (count << 16) >> 16;
    if (stored === fill || (range !== undefined && (stored < range[0] || stored > range[1])))
      return Number.NaN;
    return temperatureOf(stored * scale + offset);
  });
}

/** A table over all counts; what is not a temperature becomes NaN. */
export function tableOf(temperatureOf: (count: number) => number): TemperatureTable {
  const table = new Float32Array(0x1_0000);
  for (let count = 0; count < table.length; count++) {
    const temperature = temperatureOf(count);
    table[count] = temperature > 0 && temperature < Number.POSITIVE_INFINITY ? temperature : Number.NaN;
  }
  return table;
}

function packingOf(file: ImageFile, variable: string): Packing {
  const numbers = (name: string) => {
    const value = file.attribute(variable, name);
    return value === undefined || typeof value === 'string' ? [] : value;
  };
  const [scale, offset] = [numbers('scale_factor')[0] ?? Number.NaN, numbers('add_offset')[0] ?? 0];
  if (!Number.isFinite(scale) || scale === 0 || !Number.isFinite(offset)) {
    throw new FrameError(
      'missing-variable',
      `${variable} of ${file.path} has no usable scale_factor and add_offset; fetch it again`,
      { path: file.path, variable },
    );
  }
  const isUnsigned = String(file.attribute(variable, '_Unsigned')) === 'true' || file.isUnsigned(variable);
  const stored = (value: number) => (isUnsigned ? value & 0xffff : value);
  const [fill] = numbers('_FillValue');
  const [min, max] = numbers('valid_range');
  return {
    scale,
    offset,
    isUnsigned,
    ...(fill === undefined ? {} : { fill: stored(fill) }),
    ...(min === undefined || max === undefined ? {} : { range: [stored(min), stored(max)] }),
  };
}
