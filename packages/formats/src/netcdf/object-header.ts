import { ByteWriter } from './byte-writer.ts';
import { lookup3 } from './checksum.ts';
import {
  bytesOf,
  type NumericArray,
  numericDatatype,
  scalarSpace,
  simpleSpace,
  textDatatype,
  typeOf,
} from './types.ts';

/** Kinds of HDF5 header messages that a netCDF-4 file needs. */
export const MESSAGE = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  fillValue: 0x05,
  link: 0x06,
  layout: 0x08,
  groupInfo: 0x0a,
  filters: 0x0b,
  attribute: 0x0c,
  attributeInfo: 0x15,
} as const;

/** Bytes that the length of a message can express. */
const MAX_MESSAGE = 0xffff;

/** "No address": what a pointer holds when there is nothing to point to. */
export const NO_ADDRESS = 0xffff_ffff_ffff_ffffn;

export interface Message {
  readonly kind: number;
  readonly body: Uint8Array;
  /** Set for messages that may not change. */
  readonly constant?: boolean;
}

export type AttributeValue = string | number | NumericArray;

/** An object header (version 2) with its checksum; attributes are numbered in the order of the messages. */
export function objectHeader(messages: readonly Message[]): Uint8Array {
  const body = new ByteWriter();
  let attributes = 0;
  for (const message of messages) {
    if (message.body.length > MAX_MESSAGE)
      throw new RangeError(
        `an attribute of ${message.body.length} bytes is too long for netCDF: shorten it to ${MAX_MESSAGE}`,
      );
    const order = message.kind === MESSAGE.attribute ? attributes++ : 0;
    body
      .u8(message.kind)
      .u16(message.body.length)
      .u8(message.constant ? 1 : 0)
      .u16(order)
      .append(message.body);
  }
  const messageBytes = body.finish();
  const tracksOrder = 0x0c;
  const fourByteSize = 0x02;
  const header = new ByteWriter()
    .ascii('OHDR')
    .u8(2)
    .u8(tracksOrder | fourByteSize)
    .u32(messageBytes.length)
    .append(messageBytes)
    .finish();
  return new ByteWriter().append(header).u32(lookup3(header)).finish();
}

/** An attribute as users write them: text, one number (as a double), or numbers of a type. */
export function attribute(name: string, value: AttributeValue): Message {
  if (typeof value === 'string') return textAttribute(name, value);
  const values = typeof value === 'number' ? Float64Array.of(value) : value;
  return rawAttribute(name, numericDatatype(typeOf(values)), simpleSpace([values.length]), bytesOf(values));
}

export function textAttribute(name: string, text: string, zeroEnded = false): Message {
  const encoded = new TextEncoder().encode(text);
  const bytes = new Uint8Array(Math.max(1, encoded.length + (zeroEnded ? 1 : 0)));
  bytes.set(encoded);
  const utf8 = encoded.some((byte) => byte > 0x7f);
  return rawAttribute(name, textDatatype(bytes.length, utf8), scalarSpace(), bytes);
}

export function rawAttribute(
  name: string,
  datatype: Uint8Array,
  dataspace: Uint8Array,
  data: Uint8Array,
): Message {
  const encodedName = new TextEncoder().encode(`${name}\0`);
  const body = new ByteWriter()
    .u8(3)
    .u8(0)
    .u16(encodedName.length)
    .u16(datatype.length)
    .u16(dataspace.length)
    .u8(encodedName.length > name.length + 1 ? 1 : 0)
    .append(encodedName)
    .append(datatype)
    .append(dataspace)
    .append(data)
    .finish();
  return { kind: MESSAGE.attribute, body };
}

/** States that attributes keep the order of their creation. */
export function attributeInfo(): Message {
  const body = new ByteWriter().u8(0).u8(3).u16(64).u64(NO_ADDRESS).u64(NO_ADDRESS).u64(NO_ADDRESS).finish();
  return { kind: MESSAGE.attributeInfo, body };
}
