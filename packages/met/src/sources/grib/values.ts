import { BitReader } from './packing/bit-reader.ts';
import { decodeCcsds, type Scaling } from './packing/ccsds.ts';
import { decodeComplex } from './packing/complex.ts';
import { decodeJpeg2000 } from './packing/jpeg2000.ts';
import { signed, viewOf } from './sections.ts';

/** Decoded fields that a thread holds at once. */
export const FIELDS_AT_ONCE = 16;

const NO_BITMAP = 255;
/** Template of the packing that ECMWF uses. */
const CCSDS = 42;

/**
 * Values of a field from its sections 5, 6 and 7; NaN where the bitmap or the packing marks a missing value. They are in `room`
 * where that has their number, else in new memory.
 */
export async function decodeValues(
  representation: Uint8Array,
  bitmap: Uint8Array,
  data: Uint8Array,
  points: number,
  room?: Float32Array,
): Promise<Float32Array> {
  const view = viewOf(representation);
  const count = view.getUint32(5);
  if (count > points) throw new RangeError(`${count} values for ${points} points`);
  const values = room?.length === count ? room : new Float32Array(count);
  await unpack(view, data.subarray(5), values);
  if (bitmap[5] === NO_BITMAP) {
    if (count !== points) throw new RangeError(`${count} values for ${points} points`);
    return values;
  }
  if (bitmap[5] !== 0) throw new RangeError(`predefined bitmap ${bitmap[5]} is not read`);
  return spread(values, bitmap.subarray(6), points);
}

async function unpack(view: DataView, data: Uint8Array, values: Float32Array): Promise<void> {
  const scaling = {
    reference: view.getFloat32(11),
    binaryScale: 2 ** signed(view.getUint16(15), 16),
    decimalScale: 10 ** -signed(view.getUint16(17), 16),
  };
  const bitsPerValue = view.getUint8(19);
  if (view.getUint16(9) !== CCSDS || bitsPerValue === 0) {
    scale(await unpackIntegers(view, data, values.length), values, scaling);
    return;
  }
  const parameters = {
    bitsPerValue,
    flags: view.getUint8(21),
    blockSize: view.getUint8(22),
    referenceInterval: view.getUint16(23),
  };
  decodeCcsds(data, values, parameters, scaling);
}

function scale(packed: ArrayLike<number>, values: Float32Array, scaling: Scaling): void {
  const { reference, binaryScale, decimalScale } = scaling;
  for (let i = 0; i < values.length; i++)
    values[i] = (reference + (packed[i] as number) * binaryScale) * decimalScale;
}

async function unpackIntegers(view: DataView, data: Uint8Array, count: number): Promise<ArrayLike<number>> {
  const template = view.getUint16(9);
  const bits = view.getUint8(19);
  const isGrouped = template === 2 || template === 3;
  if (bits === 0 && !isGrouped) return new Uint8Array(count);
  switch (template) {
    case 0:
      return decodeSimple(data, count, bits);
    case 2:
    case 3:
      return decodeComplex(data, count, {
        bitsPerReference: bits,
        missingManagement: view.getUint8(22),
        groups: view.getUint32(31),
        widthReference: view.getUint8(35),
        bitsPerWidth: view.getUint8(36),
        lengthReference: view.getUint32(37),
        lengthIncrement: view.getUint8(41),
        lastGroupLength: view.getUint32(42),
        bitsPerLength: view.getUint8(46),
        differenceOrder: template === 3 ? view.getUint8(47) : 0,
        descriptorOctets: template === 3 ? view.getUint8(48) : 0,
      });
    case 40:
      return decodeJpeg2000(data, count);
    default:
      throw new RangeError(`packing 5.${template} is not read; repack with CCSDS, simple or complex packing`);
  }
}

/** Puts the values that are there where the bitmap has ones. */
function spread(values: Float32Array, bitmap: Uint8Array, points: number): Float32Array {
  const all = new Float32Array(points).fill(Number.NaN);
  let next = 0;
  for (let i = 0; i < points; i++) {
    if (((bitmap[i >> 3] as number) >> (7 - (i & 7))) & 1) all[i] = values[next++] as number;
  }
  if (next !== values.length)
    throw new RangeError(`the bitmap marks ${next} points for ${values.length} values`);
  return all;
}

/** Contiguous integers of one width (GRIB2 template 5.0). */
function decodeSimple(bytes: Uint8Array, count: number, bitsPerValue: number): Uint32Array {
  const values = new Uint32Array(count);
  if (bytes.length * 8 < count * bitsPerValue) {
    throw new RangeError('packed values end before their number is reached');
  }
  if (bitsPerValue === 16) {
    for (let i = 0; i < count; i++)
      values[i] = ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number);
    return values;
  }
  const reader = new BitReader(bytes);
  for (let i = 0; i < count; i++) values[i] = reader.read(bitsPerValue);
  return values;
}
