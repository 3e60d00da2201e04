/** One whole GRIB2 message with any content, to check and convert a downloaded range. */
import { type LatLonGrid, readGrid } from './grid-definition.ts';
import { type ParameterCode, readCode } from './parameters.ts';
import { type ProductTimes, readTimes } from './product.ts';
import { fieldsOf, type Section, signed, viewOf } from './sections.ts';
import { decodeValues } from './values.ts';

export interface GribMessage extends ProductTimes {
  readonly code: ParameterCode;
  /** Of the first surface (code table 4.5), and its value; NaN where it has none. */
  readonly levelType: number;
  readonly level: number;
  readonly grid: LatLonGrid;
  /** In the order of the grid; NaN where values are missing. */
  readonly values: Float32Array;
}

const END_LENGTH = 4;
const MISSING = 0xffff_ffff;

/** Throws a descriptive RangeError unless the bytes are exactly one whole message with one field. */
export async function decodeMessage(bytes: Uint8Array): Promise<GribMessage> {
  requireEnd(bytes);
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const fields = await Array.fromAsync(fieldsOf(read, bytes.length));
  const [field] = fields;
  if (field === undefined || fields.length > 1)
    throw new RangeError(`it holds ${fields.length} fields instead of one`);
  const of = ({ offset, length }: Section) => bytes.subarray(offset, offset + length);
  if (field.data.offset + field.data.length + END_LENGTH !== bytes.length) {
    throw new RangeError('its sections do not add up to its length');
  }
  const product = viewOf(of(field.product));
  const grid = readGrid(of(field.grid));
  const points = grid.longitudes.length * grid.latitudes.length;
  return {
    code: readCode(field.discipline, of(field.identification), of(field.product)),
    levelType: product.getUint8(22),
    level: levelOf(product),
    ...readTimes(of(field.identification), of(field.product)),
    grid,
    values: await decodeValues(of(field.representation), of(field.bitmap), of(field.data), points),
  };
}

function requireEnd(bytes: Uint8Array): void {
  const view = viewOf(bytes);
  if (bytes.length < 20 || view.getUint32(bytes.length - END_LENGTH) !== 0x37373737) {
    throw new RangeError('no 7777 at its end');
  }
  const length = Number(view.getBigUint64(8));
  if (length !== bytes.length) throw new RangeError(`it has ${bytes.length} bytes instead of ${length}`);
}

function levelOf(product: DataView): number {
  const value = product.getUint32(24);
  return value === MISSING ? Number.NaN : value * 10 ** -signed(product.getUint8(23), 8);
}
