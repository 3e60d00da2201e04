import { isAscii } from 'node:buffer';

/** Takes the lines of a splitter; what it is given holds during the call only. */
export interface LineSink {
  line(line: LineSpan): void;
}

/**
 * A line within a text that may hold others too. To cut each line out of its bytes by itself would take longer than to read
 * most of them.
 */
export interface LineSpan {
  text: string;
  /** The characters of the text, those beyond ASCII as `OTHER`: reading characters of a text takes several times as long. */
  codes: Uint8Array;
  /** The line is from `start` to before `end`. */
  start: number;
  end: number;
  /** From 1. */
  number: number;
  /** Of its first byte in the input, from 0. */
  offset: number;
  /** Longer than any line of a known format; only its start is here. */
  isTooLong: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const OTHER = 0xff;
const MAX_ASCII = 0x7f;
const MAX_LINE_BYTES = 2 ** 20;
const SHOWN_BYTES = 200;

/**
 * Lines that end with LF, CR LF or CR. Blank lines are left out, and a byte order mark. A line that is not complete when the
 * bytes break off is left out too.
 */
export class LineSplitter {
  private readonly sink: LineSink;
  private readonly span: LineSpan = {
    text: '',
    codes: new Uint8Array(0),
    start: 0,
    end: 0,
    number: 1,
    offset: 0,
    isTooLong: false,
  };
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;
  private isSkipping = false;
  private number = 1;
  private offset = 0;
  /** The last byte was CR, and LF may follow that belongs to it. */
  private isAfterCr = false;

  constructor(sink: LineSink) {
    this.sink = sink;
  }

  push(chunk: Uint8Array): void {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // Loops over buffers and other arrays of bytes alike are slower.
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // Where every byte is a character, lines are parts of one text.
    const text = isAscii(buffer) ? buffer.toString('latin1') : undefined;
    let start = 0;
    if (this.isAfterCr && buffer.length > 0) {
      this.isAfterCr = false;
      if (buffer[0] === LF) {
        start = 1;
        this.offset++;
      }
    }
    let cr = buffer.indexOf(CR, start);
    for (;;) {
      const lf = text === undefined ? buffer.indexOf(LF, start) : text.indexOf('\n', start);
      if (cr !== -1 && cr < start) cr = buffer.indexOf(CR, start);
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf;
      if (end === -1) break;
      const endBytes = end === cr && buffer[end + 1] === LF ? 2 : 1;
      if (text === undefined || this.pendingBytes > 0) this.takeBytes(buffer.subarray(start, end), endBytes);
      else this.take(text, bytes, start, end, end - start, endBytes);
      start = end + endBytes;
      this.isAfterCr = end === cr && endBytes === 1 && start === buffer.length;
    }
    this.keep(buffer.subarray(start));
  }

  /** The last line need not have an end. */
  end(): void {
    this.takeBytes(Buffer.alloc(0), 0);
  }

  /** The start of a line whose end has not come. */
  private keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.pendingBytes += bytes.length;
    if (this.isSkipping) return;
    // The bytes of a stream may be used again for the next chunk.
    this.pending.push(Buffer.from(bytes));
    if (this.pendingBytes <= MAX_LINE_BYTES) return;
    this.isSkipping = true;
    this.pending = [Buffer.concat(this.pending).subarray(0, SHOWN_BYTES)];
  }

  /** The end of a line that is a text by itself. */
  private takeBytes(end: Buffer, endBytes: number): void {
    const length = this.pendingBytes + end.length;
    const shown = length > MAX_LINE_BYTES ? SHOWN_BYTES : length;
    const bytes =
      this.pending.length === 0
        ? end
        : Buffer.concat(this.isSkipping ? this.pending : [...this.pending, end]);
    const whole = bytes.toString('utf8', 0, shown);
    const text = this.offset === 0 ? whole.replace(/^\uFEFF/, '') : whole;
    this.pending = [];
    this.pendingBytes = 0;
    this.isSkipping = false;
    this.take(text, codesOf(text), 0, text.length, length, endBytes);
  }

  private take(
    text: string,
    codes: Uint8Array,
    start: number,
    end: number,
    bytes: number,
    endBytes: number,
  ): void {
    const isTooLong = bytes > MAX_LINE_BYTES;
    const shownEnd = isTooLong ? Math.min(end, start + SHOWN_BYTES) : end;
    if (!isBlank(text, codes, start, shownEnd)) {
      const { span } = this;
      span.text = text;
      span.codes = codes;
      span.start = start;
      span.end = shownEnd;
      span.isTooLong = isTooLong;
      span.number = this.number;
      span.offset = this.offset;
      this.sink.line(span);
    }
    this.number++;
    this.offset += bytes + endBytes;
  }
}

function codesOf(text: string): Uint8Array {
  const codes = new Uint8Array(text.length);
  for (let i = 0; i < codes.length; i++) {
    const code = text.charCodeAt(i);
    codes[i] = code > MAX_ASCII ? OTHER : code;
  }
  return codes;
}

function isBlank(text: string, codes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = codes[at] as number;
    if (code === OTHER) return text.slice(at, end).trim() === '';
    if (code !== SPACE && !(code >= TAB && code <= CR)) return false;
  }
  return true;
}
