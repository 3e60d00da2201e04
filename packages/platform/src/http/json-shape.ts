import { nextTurn } from '@contrails/runtime/turns';

/** Smaller bodies cannot hold enough brackets to hurt. */
const HARMLESS_BYTES = 65_536;
/** What is read before other requests have their turn. */
const TURN_BYTES = 2 ** 20;
const MAX_DEPTH = 64;
/** A list or object of a few bytes takes fifty in memory; columns of numbers, which bodies hold, need few of them. */
const MAX_PARTS = 200_000;
/** More than the largest fleet has with every column. */
const MAX_VALUES = 10_000_000;
/** No text in a body is a hundredth of that; one of the size of a body would be read in one go. */
const MAX_TEXT_BYTES = 2 ** 20;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * What makes a JSON text too costly to take in: brackets nested too deep, so many lists, objects and keys that they
 * would take many times the memory of their text, more values than any request has, or an endless text. Undefined for texts that are fine, and for those that are not JSON.
 */
export async function jsonShapeError(bytes: Buffer): Promise<string | undefined> {
  if (bytes.length <= HARMLESS_BYTES) return undefined;
  const shape: Shape = { depth: 0, parts: 0, values: 0, textBytes: 0 };
  for (let at = 0; at < bytes.length; ) {
    if (at > 0) await nextTurn();
    at = scan(bytes, at, Math.min(bytes.length, at + TURN_BYTES), shape);
    if (shape.depth > MAX_DEPTH)
      return `the body nests lists and objects more than ${MAX_DEPTH} deep; flatten it`;
    if (shape.parts > MAX_PARTS)
      return `the body has more than ${MAX_PARTS} lists, objects and keys; send it in parts`;
    if (shape.values > MAX_VALUES) return `the body has more than ${MAX_VALUES} values; send it in parts`;
    if (shape.textBytes > MAX_TEXT_BYTES)
      return `the body has a text of more than ${MAX_TEXT_BYTES} bytes; send shorter ones`;
  }
  return undefined;
}

interface Shape {
  depth: number;
  parts: number;
  values: number;
  /** Of the longest text. */
  textBytes: number;
}

/** Reads to `end`, to the end of a text beyond it, or to where it is too much; returns where it stopped. */
function scan(bytes: Buffer, start: number, end: number, shape: Shape): number {
  let { depth, parts, values, textBytes } = shape;
  let at = start;
  for (; at < end && depth <= MAX_DEPTH && parts <= MAX_PARTS; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const last = endOfText(bytes, at) - 1;
      textBytes = Math.max(textBytes, last - at);
      at = last;
    } else if (byte === COMMA) {
      values++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++;
      parts++;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
    } else if (byte === COLON) {
      parts++;
    }
  }
  Object.assign(shape, { depth, parts, values, textBytes });
  return at;
}

/** Behind the quote that closes the text that begins at `start`; the end of the bytes where there is none. */
export function endOfText(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (before > start && bytes[before] === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return bytes.length;
}
