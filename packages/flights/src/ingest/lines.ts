import { isAscii } from 'node:buffer';
import type { Bytes } from './bytes.ts';

export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Of its first byte, from 0. */
  readonly offset: number;
  /** Longer than any line of a known format; only its start is here. */
  readonly isTooLong: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const MAX_LINE_BYTES = 2 ** 20;
const SHOWN_BYTES = 200;

/**
 * Lines that end with LF, CR LF or CR, those of each chunk together. Blank lines are left out, and a byte order mark. A line
 * that is not complete when the bytes break off is left out too: the error follows instead.
 */
export async function* linesOf(bytes: Bytes): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter();
  for await (const chunk of bytes) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const rest = splitter.end();
  if (rest.length > 0) yield rest;
}

class LineSplitter {
  private pending: Uint8Array[] = [];
  private pendingBytes = 0;
  private isSkipping = false;
  private number = 1;
  private offset = 0;
  /** The last byte was CR, and LF may follow that belongs to it. */
  private isAfterCr = false;

  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const encoding = isAscii(buffer) ? 'latin1' : 'utf8';
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
      const lf = buffer.indexOf(LF, start);
      if (cr !== -1 && cr < start) cr = buffer.indexOf(CR, start);
      const end = cr !== -1 && (lf === -1 || cr < lf) ? cr : lf;
      if (end === -1) break;
      const endBytes = end === cr && buffer[end + 1] === LF ? 2 : 1;
      this.take(buffer.subarray(start, end), encoding, endBytes, lines);
      start = end + endBytes;
      this.isAfterCr = end === cr && endBytes === 1 && start === buffer.length;
    }
    this.keep(buffer.subarray(start));
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    this.take(Buffer.alloc(0), 'utf8', 0, lines);
    return lines;
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

  private take(end: Buffer, encoding: BufferEncoding, endBytes: number, lines: Line[]): void {
    const length = this.pendingBytes + end.length;
    const isTooLong = length > MAX_LINE_BYTES;
    let text: string;
    if (this.pending.length === 0) text = end.toString(encoding, 0, isTooLong ? SHOWN_BYTES : end.length);
    else {
      const whole = this.isSkipping ? this.pending : [...this.pending, end];
      text = Buffer.concat(whole).toString('utf8', 0, isTooLong ? SHOWN_BYTES : length);
    }
    if (this.offset === 0) text = text.replace(/^\uFEFF/, '');
    if (text.trim() !== '') lines.push({ text, number: this.number, offset: this.offset, isTooLong });
    this.number++;
    this.offset += length + endBytes;
    this.pending = [];
    this.pendingBytes = 0;
    this.isSkipping = false;
  }
}
