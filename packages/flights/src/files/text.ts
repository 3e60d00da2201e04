/** Text of files: UTF-8, UTF-16 with a byte order mark, else Windows-1252. */
import { asFileError, type Bytes, DamagedBytes, gather, MAX_DOCUMENT_BYTES } from './bytes.ts';
import type { Content } from './content.ts';
import { decodeWindows, utf16Of } from './encoding.ts';
import { type FileReport, FlightFileError } from './refusals.ts';
import { quoted } from './values.ts';

const ENCODING_WARNING = 'the text is not UTF-8 and is read as Windows-1252; save it as UTF-8';

/** Encodings that an XML declaration may name. */
const DECLARED: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  'us-ascii': 'utf-8',
  'utf-16': 'utf-16',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
};

/** The text of a document, which is held in memory as a whole. */
export async function documentText(content: Content, report: FileReport): Promise<string> {
  const bytes = await gather(content.open(), MAX_DOCUMENT_BYTES, 'document');
  const utf16 = utf16Of(bytes);
  try {
    if (utf16 !== undefined) return new TextDecoder(utf16, { fatal: true }).decode(bytes);
    const declared = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/.exec(content.head.text)?.[1];
    const encoding = DECLARED[declared?.toLowerCase() ?? 'utf-8'];
    if (encoding === undefined) {
      throw new FlightFileError(
        'not_supported',
        `the encoding ${quoted(declared ?? '')} is not read; save it as UTF-8`,
      );
    }
    if (encoding === 'windows-1252') return decodeWindows(bytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof FlightFileError) throw error;
    if (utf16 !== undefined) {
      throw new FlightFileError('parse_error', 'the text is not valid UTF-16; save it as UTF-8');
    }
    report.warn('encoding', `${content.name}: ${ENCODING_WARNING}`);
    return decodeWindows(bytes);
  }
}

export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

const MAX_LINE_BYTES = 2 ** 20;
const [LF, CR] = [0x0a, 0x0d];

/**
 * Lines in batches, without their ends; blank lines are left out. Damage ends them: it is reported, and what came before stays.
 * A last line without an end may be cut off, which is a warning.
 */
export async function* lineBatches(content: Content, report: FileReport): AsyncGenerator<Line[]> {
  let number = 1;
  try {
    for await (const piece of textPieces(content, report)) {
      const lines: Line[] = [];
      const texts = piece.split(/\r\n|\n|\r/);
      // A piece ends with the end of a line, except the last one.
      const isWhole = texts.at(-1) === '';
      for (const text of texts) {
        if (text.trim() !== '') lines.push({ text, number });
        number++;
      }
      if (isWhole) number--;
      else {
        report.warn(
          'unfinished_line',
          `${content.name}: the last line has no line end; the file may be cut off`,
        );
      }
      yield lines;
    }
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    report.warnOfDamage(asFileError(error) as FlightFileError, content.name);
  }
}

/** Texts of whole lines, many at a time. Throws `DamagedBytes` where the file breaks off. */
export async function* textPieces(content: Content, report: FileReport): AsyncGenerator<string> {
  const utf16 = utf16Of(content.head.bytes);
  if (utf16 !== undefined) {
    yield* utf16Pieces(content.open(), new TextDecoder(utf16));
    return;
  }
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let isFirst = true;
  const decode = (bytes: Uint8Array): string => {
    const text = decodeLines(bytes, () => report.warn('encoding', `${content.name}: ${ENCODING_WARNING}`));
    const start = isFirst && text.startsWith('\uFEFF') ? 1 : 0;
    isFirst = false;
    return start === 0 ? text : text.slice(start);
  };
  for await (const chunk of content.open()) {
    const end = lastLineEnd(chunk);
    if (end > 0) {
      yield decode(joined(rest, chunk.subarray(0, end)));
      rest = [];
      restBytes = 0;
    }
    const left = chunk.subarray(end);
    if (left.length === 0) continue;
    restBytes += left.length;
    if (restBytes > MAX_LINE_BYTES) throw tooLong();
    rest.push(left.slice());
  }
  if (restBytes > 0) yield decode(joined(rest, new Uint8Array(0)));
}

async function* utf16Pieces(bytes: Bytes, decoder: InstanceType<typeof TextDecoder>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of bytes) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
    if (end > 0) yield text.slice(0, end);
    rest = text.slice(end);
    if (rest.length > MAX_LINE_BYTES) throw tooLong();
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

function tooLong(): FlightFileError {
  return new FlightFileError('parse_error', 'a line is longer than 1 MiB, which no known format has');
}

/** After the last line end of a chunk. A CR at its end may be half of one. */
function lastLineEnd(chunk: Uint8Array): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (chunk[at] === LF || (chunk[at] === CR && at < chunk.length - 1)) return at + 1;
  }
  return 0;
}

function joined(rest: readonly Uint8Array[], end: Uint8Array): Uint8Array {
  if (rest.length === 0) return end;
  const all = new Uint8Array(rest.reduce((sum, { length }) => sum + length, end.length));
  let at = 0;
  for (const part of [...rest, end]) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Lines that are not UTF-8 are Windows-1252, each by itself: its text does not depend on how bytes arrive. */
function decodeLines(bytes: Uint8Array, onOther: () => void): string {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return utf8.decode(bytes);
  } catch {
    onOther();
  }
  let text = '';
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found === -1 ? bytes.length : found + 1;
    const line = bytes.subarray(start, end);
    try {
      text += utf8.decode(line);
    } catch {
      text += decodeWindows(line);
    }
    start = end;
  }
  return text;
}
