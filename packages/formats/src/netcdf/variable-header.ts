import { ByteWriter } from './byte-writer.ts';
import type { EncodedChunk } from './chunks.ts';
import type { NetcdfFile, NetcdfVariable } from './file.ts';
import type { Heap } from './heap.ts';
import {
  attribute,
  attributeInfo,
  MESSAGE,
  type Message,
  objectHeader,
  rawAttribute,
  textAttribute,
} from './object-header.ts';
import {
  arrayOf,
  byteSize,
  bytesOf,
  type NumericArray,
  type NumericType,
  numericDatatype,
  referenceListDatatype,
  scalarSpace,
  scaleUserDatatype,
  simpleSpace,
} from './types.ts';

/** A variable whose values are ready to be written. */
export interface PreparedVariable {
  readonly variable: NetcdfVariable;
  readonly type: NumericType;
  readonly shape: readonly number[];
  readonly chunks: readonly EncodedChunk[] | null;
}

/** Positions in the file [bytes]. */
export interface Addresses {
  readonly headers: readonly number[];
  readonly heap: number;
  /** Of the values, or of the chunk index. */
  readonly data: number[];
}

/** The object header of one variable, with its dimensions, layout and attributes. */
export function variableHeader(
  file: NetcdfFile,
  variables: readonly PreparedVariable[],
  index: number,
  addresses: Addresses,
  heap: Heap,
): Uint8Array {
  const prepared = variables[index] as PreparedVariable;
  const { variable, type, shape } = prepared;
  const isScale = variable.name in file.dimensions;
  return objectHeader([
    { kind: MESSAGE.dataspace, body: shape.length === 0 ? scalarSpace() : simpleSpace(shape) },
    { kind: MESSAGE.datatype, body: numericDatatype(type), constant: true },
    fillValueMessage(prepared),
    ...layoutMessages(prepared, addresses.data[index] as number),
    attributeInfo(),
    ...(isScale
      ? scaleAttributes(file, variables, variable.name, addresses)
      : dimensionAttributes(file, variables, variable, addresses, heap)),
    ...(variable.fillValue === undefined
      ? []
      : [attribute('_FillValue', arrayOf(type, [variable.fillValue]))]),
    ...Object.entries(variable.attributes ?? {}).map(([name, value]) => attribute(name, value)),
  ]);
}

function fillValueMessage({ variable, type, chunks }: PreparedVariable): Message {
  const allocateWhen = chunks === null ? 2 : 3;
  const writeIfSet = 2 << 2;
  const defined = 0x20;
  const writer = new ByteWriter().u8(3);
  if (variable.fillValue === undefined) writer.u8(allocateWhen | writeIfSet);
  else {
    const bytes = bytesOf(arrayOf(type, [variable.fillValue]));
    writer
      .u8(allocateWhen | writeIfSet | defined)
      .u32(bytes.length)
      .append(bytes);
  }
  return { kind: MESSAGE.fillValue, body: writer.finish(), constant: true };
}

function layoutMessages({ variable, type, shape, chunks }: PreparedVariable, address: number): Message[] {
  if (chunks === null) {
    const size = (variable.data as NumericArray).byteLength;
    return [{ kind: MESSAGE.layout, body: new ByteWriter().u8(3).u8(1).u64(address).u64(size).finish() }];
  }
  const layout = new ByteWriter()
    .u8(3)
    .u8(2)
    .u8(shape.length + 1)
    .u64(address);
  for (const length of variable.chunks as readonly number[]) layout.u32(length);
  layout.u32(byteSize(type));
  const shuffleFilter = 2;
  const deflateFilter = 1;
  const optional = 1;
  const isShuffled = byteSize(type) > 1;
  const filters = new ByteWriter().u8(2).u8(isShuffled ? 2 : 1);
  if (isShuffled) filters.u16(shuffleFilter).u16(optional).u16(1).u32(byteSize(type));
  filters
    .u16(deflateFilter)
    .u16(optional)
    .u16(1)
    .u32(variable.deflateLevel ?? 1);
  return [
    { kind: MESSAGE.layout, body: layout.finish() },
    { kind: MESSAGE.filters, body: filters.finish(), constant: true },
  ];
}

/** Attributes that make a variable the scale of a dimension, with the list of variables that use it. */
function scaleAttributes(
  file: NetcdfFile,
  variables: readonly PreparedVariable[],
  name: string,
  addresses: Addresses,
): Message[] {
  const users = variables.flatMap(({ variable }, user) =>
    variable.name in file.dimensions
      ? []
      : variable.dimensions.flatMap((dimension, axis) => (dimension === name ? [{ user, axis }] : [])),
  );
  const list = new ByteWriter();
  for (const { user, axis } of users)
    list
      .u64(addresses.headers[user] as number)
      .u32(axis)
      .u32(0);
  return [
    textAttribute('CLASS', 'DIMENSION_SCALE', true),
    textAttribute('NAME', name, true),
    rawAttribute(
      '_Netcdf4Dimid',
      numericDatatype('int32'),
      scalarSpace(),
      bytesOf(Int32Array.of(Object.keys(file.dimensions).indexOf(name))),
    ),
    ...(users.length === 0
      ? []
      : [rawAttribute('REFERENCE_LIST', scaleUserDatatype(), simpleSpace([users.length]), list.finish())]),
  ];
}

/** Which scales belong to the dimensions of a variable. */
function dimensionAttributes(
  file: NetcdfFile,
  variables: readonly PreparedVariable[],
  variable: NetcdfVariable,
  addresses: Addresses,
  heap: Heap,
): Message[] {
  if (variable.dimensions.length === 0) return [];
  const names = Object.keys(file.dimensions);
  const list = new ByteWriter();
  for (const dimension of variable.dimensions) {
    const scale = variables.findIndex((candidate) => candidate.variable.name === dimension);
    list
      .u32(1)
      .u64(addresses.heap)
      .u32(heap.add(addresses.headers[scale] as number));
  }
  return [
    rawAttribute(
      'DIMENSION_LIST',
      referenceListDatatype(),
      simpleSpace([variable.dimensions.length]),
      list.finish(),
    ),
    rawAttribute(
      '_Netcdf4Coordinates',
      numericDatatype('int32'),
      simpleSpace([variable.dimensions.length]),
      bytesOf(Int32Array.from(variable.dimensions, (dimension) => names.indexOf(dimension))),
    ),
  ];
}
