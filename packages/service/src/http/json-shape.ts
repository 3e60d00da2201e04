/** Smaller bodies cannot hold enough brackets to hurt. */
const HARMLESS_BYTES = 65_536;
const DEEPEST = 64;
/** A list or object of a few bytes takes fifty in memory; columns of numbers, which bodies hold, need few of them. */
const MAX_PARTS = 200_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * What makes a JSON text too costly to take in: brackets nested too deep, or so many lists, objects and keys that they
 * would take many times the memory of their text. Undefined for texts that are fine, and for those that are no JSON.
 */
export function jsonShapeError(bytes: Uint8Array): string | undefined {
  if (bytes.length <= HARMLESS_BYTES) return undefined;
  let depth = 0;
  let parts = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inText) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) {
      inText = true;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth++;
      parts++;
      if (depth > DEEPEST) return `the body nests lists and objects more than ${DEEPEST} deep; flatten it`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
    } else if (byte === COLON) {
      parts++;
    }
    if (parts > MAX_PARTS)
      return `the body has more than ${MAX_PARTS} lists, objects and keys; send it in parts`;
  }
  return undefined;
}
