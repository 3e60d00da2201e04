/**
 * netCDF-4 files: HDF5 (superblock 2, object headers 2) with the dimension scales and hidden attributes by which netCDF
 * readers know dimensions and the order of things.
 */
import { ByteWriter } from './byte-writer.ts';
import { lookup3 } from './checksum.ts';
import { buildChunkIndex } from './chunk-index.ts';
import { type ChunkSource, type EncodedChunk, encodeChunks } from './chunks.ts';
import {
  type AttributeValue,
  attribute,
  attributeInfo,
  MESSAGE,
  type Message,
  NO_ADDRESS,
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
  typeOf,
} from './types.ts';

export interface NetcdfVariable {
  readonly name: string;
  /** Names of dimensions; a variable named like its one dimension is its coordinate. */
  readonly dimensions: readonly string[];
  /** Values in C order; or, with `chunks` and `type`, a function that delivers one chunk at a time. */
  readonly data: NumericArray | Exclude<ChunkSource, NumericArray>;
  readonly type?: NumericType;
  /** Shape of a chunk; chunked variables are shuffled and deflated, others stored as they are. */
  readonly chunks?: readonly number[];
  readonly deflateLevel?: number;
  readonly fillValue?: number;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

export interface NetcdfFile {
  /** Name → length, in the order in which readers list them. */
  readonly dimensions: Readonly<Record<string, number>>;
  readonly variables: readonly NetcdfVariable[];
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

const SUPERBLOCK_SIZE = 48;
const HEAP_ITEM_SIZE = 24;
const LEAST_HEAP_SIZE = 4096;

/** The file as parts to be written one after the other; compressed chunks are passed on without another copy. */
export async function encodeNetcdf(file: NetcdfFile): Promise<Uint8Array[]> {
  const variables = await prepareVariables(file);
  const blank = blankAddresses(variables.length);
  const rootSize = rootHeader(file, variables, blank).length;
  const headerSizes = variables.map(
    (_, index) => variableHeader(file, variables, index, blank, new Heap()).length,
  );

  const places = new Places(SUPERBLOCK_SIZE);
  const rootAddress = places.reserve(rootSize);
  const addresses: Addresses = {
    headers: headerSizes.map((size) => places.reserve(size)),
    heap: places.reserve(heapSize(variables)),
    data: variables.map(() => 0),
  };
  for (const [index, variable] of variables.entries()) addresses.data[index] = placeData(variable, places);

  const heap = new Heap();
  const headers = variables.map((_, index) => variableHeader(file, variables, index, addresses, heap));
  places.fill(rootAddress, rootHeader(file, variables, addresses));
  headers.forEach((header, index) => {
    places.fill(addresses.headers[index] as number, header);
  });
  places.fill(addresses.heap, heap.encode(heapSize(variables)));
  places.fill(0, superblock(rootAddress, places.end));
  return places.parts();
}

interface PreparedVariable {
  readonly variable: NetcdfVariable;
  readonly type: NumericType;
  readonly shape: readonly number[];
  readonly chunks: readonly EncodedChunk[] | null;
}

interface Addresses {
  readonly headers: readonly number[];
  readonly heap: number;
  /** Of the values, or of the chunk index. */
  readonly data: number[];
}

function blankAddresses(count: number): Addresses {
  const zeros = new Array<number>(count).fill(0);
  return { headers: zeros, heap: 0, data: zeros };
}

/** Coordinates first, in the order of the dimensions: netCDF numbers dimensions by the order of their scales. */
async function prepareVariables(file: NetcdfFile): Promise<PreparedVariable[]> {
  const dimensionNames = Object.keys(file.dimensions);
  for (const name of dimensionNames) {
    if (!file.variables.some((variable) => variable.name === name)) {
      throw new RangeError(`dimension ${name} has no coordinate variable of its name`);
    }
  }
  const rank = (variable: NetcdfVariable) => {
    const position = dimensionNames.indexOf(variable.name);
    return position < 0 ? dimensionNames.length : position;
  };
  const ordered = [...file.variables].sort((a, b) => rank(a) - rank(b));
  return Promise.all(ordered.map((variable) => prepare(variable, file.dimensions)));
}

async function prepare(
  variable: NetcdfVariable,
  dimensions: Readonly<Record<string, number>>,
): Promise<PreparedVariable> {
  const shape = variable.dimensions.map((name) => {
    const length = dimensions[name];
    if (length === undefined)
      throw new RangeError(`variable ${variable.name} has the unknown dimension ${name}`);
    return length;
  });
  const type = typeof variable.data === 'function' ? variable.type : typeOf(variable.data);
  if (type === undefined)
    throw new RangeError(`variable ${variable.name} is delivered in chunks and needs a type`);
  const wanted = shape.reduce((product, length) => product * length, 1);
  if (typeof variable.data !== 'function' && variable.data.length !== wanted) {
    throw new RangeError(`variable ${variable.name} has ${variable.data.length} values instead of ${wanted}`);
  }
  const chunks =
    variable.chunks === undefined
      ? null
      : await encodeChunks(
          variable.data,
          type,
          shape,
          variable.chunks,
          variable.fillValue ?? Number.NaN,
          variable.deflateLevel ?? 1,
        );
  return { variable, type, shape, chunks };
}

/** Reserves and fills the place of the values; answers where the header is to point. */
function placeData({ variable, type, shape, chunks }: PreparedVariable, places: Places): number {
  if (chunks === null) {
    const bytes = bytesOf(variable.data as NumericArray);
    const address = places.reserve(bytes.length);
    places.fill(address, bytes);
    return address;
  }
  const entries = chunks.map(({ offset, bytes }) => {
    const address = places.reserve(bytes.length);
    places.fill(address, bytes);
    return { offset, size: bytes.length, address };
  });
  const index = buildChunkIndex(
    entries,
    shape,
    variable.chunks as readonly number[],
    byteSize(type),
    (size) => places.reserve(size),
  );
  for (const node of index.nodes) places.fill(node.address, node.bytes);
  return index.rootAddress;
}

function variableHeader(
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
    { kind: MESSAGE.dataspace, body: simpleSpace(shape) },
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
  const filters = new ByteWriter()
    .u8(2)
    .u8(2)
    .u16(shuffleFilter)
    .u16(optional)
    .u16(1)
    .u32(byteSize(type))
    .u16(deflateFilter)
    .u16(optional)
    .u16(1)
    .u32(variable.deflateLevel ?? 1);
  return [
    { kind: MESSAGE.layout, body: layout.finish() },
    { kind: MESSAGE.filters, body: filters.finish(), constant: true },
  ];
}

/** What makes a variable the scale of a dimension, with everyone who uses it. */
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

function rootHeader(
  file: NetcdfFile,
  variables: readonly PreparedVariable[],
  addresses: Addresses,
): Uint8Array {
  const linkInfo = new ByteWriter()
    .u8(0)
    .u8(3)
    .u64(variables.length)
    .u64(NO_ADDRESS)
    .u64(NO_ADDRESS)
    .u64(NO_ADDRESS)
    .finish();
  return objectHeader([
    { kind: MESSAGE.linkInfo, body: linkInfo },
    { kind: MESSAGE.groupInfo, body: Uint8Array.of(0, 0) },
    ...variables.map(({ variable }, index) =>
      linkMessage(variable.name, index, addresses.headers[index] as number),
    ),
    attributeInfo(),
    attribute('_NCProperties', 'version=2,contrails=1'),
    ...Object.entries(file.attributes ?? {}).map(([name, value]) => attribute(name, value)),
  ]);
}

function linkMessage(name: string, order: number, address: number): Message {
  const encoded = new TextEncoder().encode(name);
  const hasOrder = 0x04;
  const twoByteLength = 0x01;
  const body = new ByteWriter()
    .u8(1)
    .u8(hasOrder | twoByteLength)
    .u64(order)
    .u16(encoded.length)
    .append(encoded)
    .u64(address)
    .finish();
  return { kind: MESSAGE.link, body };
}

function superblock(rootAddress: number, end: number): Uint8Array {
  const bytes = new ByteWriter()
    .append([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a])
    .u8(2)
    .u8(8)
    .u8(8)
    .u8(0)
    .u64(0)
    .u64(NO_ADDRESS)
    .u64(end)
    .u64(rootAddress)
    .finish();
  return new ByteWriter().append(bytes).u32(lookup3(bytes)).finish();
}

/** Every use of a dimension by a variable that is not its coordinate takes one item. */
function heapSize(variables: readonly PreparedVariable[]): number {
  const items = variables.reduce((sum, { shape }) => sum + shape.length, 0);
  return Math.max(LEAST_HEAP_SIZE, 16 + items * HEAP_ITEM_SIZE + 16);
}

/** Global heap collection of object addresses. */
class Heap {
  private readonly addresses: number[] = [];

  /** Index of the new item. */
  add(address: number): number {
    return this.addresses.push(address);
  }

  encode(size: number): Uint8Array {
    const writer = new ByteWriter().ascii('GCOL').u8(1).u8(0).u8(0).u8(0).u64(size);
    this.addresses.forEach((address, i) => {
      writer
        .u16(i + 1)
        .u16(1)
        .u32(0)
        .u64(8)
        .u64(address);
    });
    const free = size - writer.size;
    return writer.u16(0).u16(0).u32(0).u64(free).padTo(size).finish();
  }
}

/** Where things stand in the file; addresses are multiples of 8. */
class Places {
  private readonly filled: { readonly address: number; readonly bytes: Uint8Array }[] = [];
  private next: number;

  constructor(first: number) {
    this.next = first;
  }

  get end(): number {
    return this.next;
  }

  reserve(size: number): number {
    const address = Math.ceil(this.next / 8) * 8;
    this.next = address + size;
    return address;
  }

  fill(address: number, bytes: Uint8Array): void {
    this.filled.push({ address, bytes });
  }

  /** All bytes in order, gaps as zeros. */
  parts(): Uint8Array[] {
    const parts: Uint8Array[] = [];
    let position = 0;
    for (const { address, bytes } of [...this.filled].sort((a, b) => a.address - b.address)) {
      if (address > position) parts.push(new Uint8Array(address - position));
      parts.push(bytes);
      position = address + bytes.length;
    }
    return parts;
  }
}
