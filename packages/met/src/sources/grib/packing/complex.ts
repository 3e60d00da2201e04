/** Complex packing: groups of values, one width each (GRIB2 template 5.2), of differences too (5.3). */
import { BitReader } from './bit-reader.ts';

export interface ComplexParameters {
  /** Width of the groups' reference values. */
  readonly bitsPerReference: number;
  /** 0: none; 1: primary; 2: primary and secondary missing values are marked in the packed numbers. */
  readonly missingManagement: number;
  readonly groups: number;
  readonly widthReference: number;
  readonly bitsPerWidth: number;
  readonly lengthReference: number;
  readonly lengthIncrement: number;
  readonly lastGroupLength: number;
  readonly bitsPerLength: number;
  /** 0 for plain complex packing, else 1 or 2. */
  readonly differenceOrder: number;
  readonly descriptorOctets: number;
}

/** The packed integers; NaN where a value is missing. */
export function decodeComplex(bytes: Uint8Array, count: number, parameters: ComplexParameters): Float64Array {
  const reader = new BitReader(bytes);
  const descriptors = readDescriptors(reader, parameters);
  const { groups, bitsPerReference, bitsPerWidth, bitsPerLength } = parameters;
  if (groups > count) throw new RangeError(`${groups} groups for ${count} values`);
  const references = readAligned(reader, groups, bitsPerReference);
  const widths = readAligned(reader, groups, bitsPerWidth).map((width) => width + parameters.widthReference);
  const lengths = readAligned(reader, groups, bitsPerLength).map(
    (length) => parameters.lengthReference + length * parameters.lengthIncrement,
  );
  if (groups > 0) lengths[groups - 1] = parameters.lastGroupLength;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total !== count) throw new RangeError(`the groups hold ${total} values instead of ${count}`);

  const values = new Float64Array(count);
  let at = 0;
  for (let g = 0; g < groups; g++) {
    const reference = references[g] as number;
    const width = widths[g] as number;
    const end = at + (lengths[g] as number);
    const marked = width === 0 ? bitsPerReference : width;
    for (; at < end; at++) {
      const packed = width === 0 ? reference : reader.read(width);
      values[at] = isMissing(packed, marked, parameters.missingManagement)
        ? Number.NaN
        : width === 0
          ? reference
          : reference + packed;
    }
  }
  undoDifferences(values, parameters.differenceOrder, descriptors);
  return values;
}

/** The largest number of a width marks a missing value, the one below it a secondary one. */
function isMissing(packed: number, width: number, management: number): boolean {
  if (management === 0) return false;
  const largest = 2 ** width - 1;
  return packed === largest || (management === 2 && packed === largest - 1);
}

interface Descriptors {
  readonly first: number;
  readonly second: number;
  readonly smallest: number;
}

/** First values and smallest difference, the latter as sign and magnitude. */
function readDescriptors(
  reader: BitReader,
  { differenceOrder, descriptorOctets }: ComplexParameters,
): Descriptors {
  if (differenceOrder === 0) return { first: 0, second: 0, smallest: 0 };
  const signed = () => {
    const bits = 8 * descriptorOctets;
    const sign = reader.read(1) === 1 ? -1 : 1;
    return sign * reader.read(bits - 1);
  };
  const first = signed();
  const second = differenceOrder === 2 ? signed() : 0;
  return { first, second, smallest: signed() };
}

function readAligned(reader: BitReader, count: number, width: number): Float64Array {
  const values = new Float64Array(count);
  if (width > 0) for (let i = 0; i < count; i++) values[i] = reader.read(width);
  reader.alignToByte();
  return values;
}

/** Differences run over the values that are there. */
function undoDifferences(
  values: Float64Array,
  order: number,
  { first, second, smallest }: Descriptors,
): void {
  if (order === 0) return;
  let seen = 0;
  let previous = 0;
  let beforePrevious = 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    let value: number;
    if (seen === 0) value = first;
    else if (seen === 1 && order === 2) value = second;
    else {
      const difference = (values[i] as number) + smallest;
      value = order === 1 ? difference + previous : difference + 2 * previous - beforePrevious;
    }
    values[i] = value;
    beforePrevious = previous;
    previous = value;
    seen++;
  }
}
