/**
 * netCDF-4 files: HDF5 (superblock 2, object headers 2) with the dimension scales and hidden attributes by which netCDF
 * readers know dimensions and the order of things.
 */
import { ByteWriter } from './byte-writer.ts';
import { lookup3 } from './checksum.ts';
import { buildChunkIndex } from './chunk-index.ts';
import { encodeChunks } from './chunks.ts';
import type { NetcdfFile, NetcdfVariable } from './file.ts';
import { FileLayout } from './file-layout.ts';
import { Heap } from './heap.ts';
import {
  attribute,
  attributeInfo,
  MESSAGE,
  type Message,
  NO_ADDRESS,
  objectHeader,
} from './object-header.ts';
import { byteSize, bytesOf, type NumericArray, typeOf } from './types.ts';
import { type Addresses, type PreparedVariable, variableHeader } from './variable-header.ts';

const SUPERBLOCK_SIZE = 48;
const HEAP_ITEM_SIZE = 24;
const MIN_HEAP_SIZE = 4096;

/** The file as chunks to be written in turn; compressed chunks are passed on without another copy. */
export async function encodeNetcdf(file: NetcdfFile): Promise<Uint8Array[]> {
  const variables = await prepareVariables(file);
  const blank = blankAddresses(variables.length);
  const rootSize = rootHeader(file, variables, blank).length;
  const headerSizes = variables.map(
    (_, index) => variableHeader(file, variables, index, blank, new Heap()).length,
  );

  const layout = new FileLayout(SUPERBLOCK_SIZE);
  const rootAddress = layout.reserve(rootSize);
  const addresses: Addresses = {
    headers: headerSizes.map((size) => layout.reserve(size)),
    heap: layout.reserve(heapSize(variables)),
    data: variables.map(() => 0),
  };
  for (const [index, variable] of variables.entries()) addresses.data[index] = placeData(variable, layout);

  const heap = new Heap();
  const headers = variables.map((_, index) => variableHeader(file, variables, index, addresses, heap));
  layout.fill(rootAddress, rootHeader(file, variables, addresses));
  headers.forEach((header, index) => {
    layout.fill(addresses.headers[index] as number, header);
  });
  layout.fill(addresses.heap, heap.encode(heapSize(variables)));
  layout.fill(0, superblock(rootAddress, layout.end));
  return layout.chunks();
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

/** Reserves and fills the bytes of the values; returns the address for the header. */
function placeData({ variable, type, shape, chunks }: PreparedVariable, layout: FileLayout): number {
  if (chunks === null) {
    const bytes = bytesOf(variable.data as NumericArray);
    const address = layout.reserve(bytes.length);
    layout.fill(address, bytes);
    return address;
  }
  const entries = chunks.map(({ offset, bytes }) => {
    const address = layout.reserve(bytes.length);
    layout.fill(address, bytes);
    return { offset, size: bytes.length, address };
  });
  const index = buildChunkIndex(
    entries,
    shape,
    variable.chunks as readonly number[],
    byteSize(type),
    (size) => layout.reserve(size),
  );
  for (const node of index.nodes) layout.fill(node.address, node.bytes);
  return index.rootAddress;
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
  return Math.max(MIN_HEAP_SIZE, 16 + items * HEAP_ITEM_SIZE + 16);
}
