/** JSON documents that are read whole, and what can be saved of damaged ones. */
import type { Bytes } from './bytes.ts';
import { DamagedError, FormatError } from './errors.ts';

export interface ReadDocument {
  /** The document, or its beginning up to the last complete element of its list; undefined when nothing can be read. */
  readonly value: unknown;
  /** Why it is not complete, if it is not. */
  readonly problem?: string;
  /** What could not be read, or its start. */
  readonly rest?: string;
  /** The document began, and broke off. */
  readonly isTruncated?: boolean;
}

/** Reads a document of up to `maxBytes`; of a larger one nothing, but its bytes are consumed. */
export async function readDocument(bytes: Bytes, maxBytes: number): Promise<ReadDocument> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let damage: DamagedError | undefined;
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    damage = error;
  }
  if (size > maxBytes) {
    const mebibytes = (count: number) => `${Math.ceil(count / 2 ** 20)} MiB`;
    const problem = `the document has ${mebibytes(size)} decompressed; at most ${mebibytes(maxBytes)} are read`;
    return { value: undefined, problem, rest: '' };
  }
  const whole = Buffer.concat(chunks);
  if (isNestedTooDeep(whole))
    throw new FormatError(
      `the document is nested more than ${MAX_DEPTH} deep, which no known format is; check what wrote it`,
    );
  const text = whole.toString('utf8').replace(/^\uFEFF/, '');
  return damage === undefined ? parseDocument(text) : salvage(text, damage.message);
}

const MAX_DEPTH = 100;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/** To write a value down again takes a call for each level, and there are only so many. */
function isNestedTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (OPENING.includes(byte)) {
      if (++depth > MAX_DEPTH) return true;
    } else if (CLOSING.includes(byte)) depth--;
  }
  return false;
}

const SHOWN_LENGTH = 4096;

function parseDocument(text: string): ReadDocument {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return salvage(text, undefined);
  }
}

/** `reason` is known when the bytes broke off; otherwise the text itself is wrong somewhere. */
function salvage(text: string, reason: string | undefined): ReadDocument {
  const { faultAt, elementsEnd, isWithin } = scan(text);
  const isTruncated = reason !== undefined || isWithin;
  const before = text.slice(0, faultAt);
  const line = before.split('\n').length;
  const problem = `${reason ?? 'the text is not JSON'}: line ${line}, byte ${Buffer.byteLength(before)}`;
  if (!isTruncated && elementsEnd === undefined && text.trim() !== '')
    throw new FormatError(`${problem}; send a document of the format, or name another format`);
  if (elementsEnd === undefined)
    return { value: undefined, problem, rest: text.slice(0, SHOWN_LENGTH), isTruncated };
  const rest = text.slice(elementsEnd, elementsEnd + SHOWN_LENGTH);
  return { value: JSON.parse(`${text.slice(0, elementsEnd)}]}`) as unknown, problem, rest, isTruncated };
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR =
  /"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const KEY = /"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"[ \t\n\r]*:/y;

interface Scanned {
  readonly faultAt: number;
  /** Where the last complete element of a list ends that the outermost object holds. */
  readonly elementsEnd: number | undefined;
  /** The fault is within a list or an object. */
  readonly isWithin: boolean;
}

/** Finds where the text stops being JSON. */
function scan(text: string): Scanned {
  const open: ('{' | '[')[] = [];
  let at = 0;
  let elementsEnd: number | undefined;
  const matches = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const isMatch = pattern.test(text);
    if (isMatch) at = pattern.lastIndex;
    return isMatch;
  };
  const fault = () => ({ faultAt: at, elementsEnd, isWithin: open.length > 0 });
  let expects: 'value' | 'value or end' | 'key' | 'key or end' | 'separator' = 'value';
  for (;;) {
    matches(SPACE);
    const next = text[at];
    if (next === undefined) return fault();
    if (expects === 'separator' || next === (open.at(-1) === '{' ? '}' : ']')) {
      if (expects === 'separator' && next === ',') {
        expects = open.at(-1) === '{' ? 'key' : 'value';
        at++;
        continue;
      }
      const isEnd = next === '}' ? open.at(-1) === '{' : next === ']' && open.at(-1) === '[';
      if (!isEnd || expects === 'key' || expects === 'value') return fault();
      open.pop();
      at++;
      if (open.length === 0) return fault();
      expects = 'separator';
    } else if (expects.startsWith('key')) {
      if (!matches(KEY)) return fault();
      expects = 'value';
      continue;
    } else if (next === '{' || next === '[') {
      open.push(next);
      at++;
      expects = next === '{' ? 'key or end' : 'value or end';
      continue;
    } else {
      if (!matches(SCALAR)) return fault();
      expects = 'separator';
    }
    if (open.length === 2 && open[0] === '{' && open[1] === '[') elementsEnd = at;
  }
}
