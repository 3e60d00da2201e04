import type { ByteSink } from './byte-sink.ts';

/** Words in which DuckDB holds a text or a UUID in a column. */
const WORDS = 4;
/** A longer text is elsewhere; its words point to it. */
const MAX_SHORT_BYTES = 12;
/** Stands for the length of a long text. */
const LONG = MAX_SHORT_BYTES + 1;
const FIRST_SLOTS = 4096;
/** Of a text in all lists. */
const TEXT_BYTES = 48;

/** Memory of a short text on its way into a list. */
const shortWords = new Int32Array(WORDS - 1);
const shortBytes = new Uint8Array(shortWords.buffer);

/**
 * Numbers for the distinct texts of columns, in order of appearance. Looks up the words of DuckDB, to decode each text only once.
 */
export class TextCodes {
  /** Bytes that it uses, about. */
  bytes = 0;
  /** Different texts; codes are less. */
  size = 0;
  private readonly kind: 'text' | 'uuid';
  private readonly longTexts = new Map<string, number>();
  private words = new Int32Array(WORDS * 1024);
  /** Concatenated texts. */
  private utf8 = new Uint8Array(2 ** 14);
  private ends = new Int32Array(1024);
  private slots = new Int32Array(FIRST_SLOTS).fill(-1);

  constructor(kind: 'text' | 'uuid') {
    this.kind = kind;
  }

  /** These texts, whose codes are their indices in the list. */
  static of(texts: readonly string[]): TextCodes {
    const codes = new TextCodes('text');
    for (const text of texts) codes.codeOfLong(text);
    return codes;
  }

  text(code: number): string {
    return Buffer.from(
      this.utf8.buffer,
      this.startOf(code),
      this.endOf(code) - this.startOf(code),
    ).toString();
  }

  utf8Of(code: number): Uint8Array {
    return this.utf8.subarray(this.startOf(code), this.endOf(code));
  }

  /** Appends a text with its length before it, as Parquet writes it. */
  appendTo(sink: ByteSink, code: number): void {
    sink.text(this.utf8, this.startOf(code), this.endOf(code));
  }

  /** The order of the bytes of two texts. */
  compare(code: number, other: number): number {
    const { utf8 } = this;
    const [end, otherEnd] = [this.endOf(code), this.endOf(other)];
    let [i, j] = [this.startOf(code), this.startOf(other)];
    for (; i < end && j < otherEnd; i++, j++) {
      const difference = (utf8[i] as number) - (utf8[j] as number);
      if (difference !== 0) return difference;
    }
    return end - i - (otherEnd - j);
  }

  private startOf(code: number): number {
    return code === 0 ? 0 : this.endOf(code - 1);
  }

  private endOf(code: number): number {
    if (!(code >= 0 && code < this.size)) throw new RangeError(`no text has the code ${code}`);
    return this.ends[code] as number;
  }

  /** The code of a text by its code in another list of the same kind. */
  translate(other: TextCodes): (code: number) => number {
    const codes = new Int32Array(other.size).fill(-1);
    return (code) => {
      const known = codes[code] as number;
      if (known >= 0) return known;
      const [a, b, c, d] = other.wordsOf(code);
      const own = this.isLong(a) ? this.codeOfLong(other.text(code)) : this.codeOf(a, b, c, d);
      codes[code] = own;
      return own;
    };
  }

  private wordsOf(code: number): readonly [number, number, number, number] {
    const at = WORDS * code;
    const word = (k: number) => this.words[at + k] as number;
    return [word(0), word(1), word(2), word(3)];
  }

  /** Writes the codes of `count` values to a column; −1 where the bit of a value in `isValid` is 0. */
  encode(
    { words, count, isValid, longText }: DuckDbWords,
    column: Int32Array<ArrayBufferLike>,
    at: number,
  ): void {
    let [lastA, lastB, lastC, lastD, last] = [0, 0, 0, 0, -1];
    for (let i = 0, w = 0; i < count; i++, w += WORDS) {
      if (isValid !== undefined && (((isValid[i >> 5] as number) >>> (i & 31)) & 1) === 0) {
        column[at + i] = -1;
        continue;
      }
      const a = words[w] as number;
      const b = words[w + 1] as number;
      const c = words[w + 2] as number;
      const d = words[w + 3] as number;
      if (last < 0 || a !== lastA || b !== lastB || c !== lastC || d !== lastD) {
        last = this.isLong(a) ? this.codeOfLong(longText(i)) : this.codeOf(a, b, c, d);
        [lastA, lastB, lastC, lastD] = [a, b, c, d];
      }
      column[at + i] = last;
    }
  }

  private isLong(length: number): boolean {
    return this.kind === 'text' && length > MAX_SHORT_BYTES;
  }

  private codeOfLong(text: string): number {
    const known = this.longTexts.get(text);
    if (known !== undefined) return known;
    const utf8 = Buffer.from(text);
    const code = this.add(utf8, LONG, 0, 0, 0);
    this.longTexts.set(text, code);
    this.bytes += 2 * utf8.length;
    return code;
  }

  private codeOf(a: number, b: number, c: number, d: number): number {
    const { words, slots } = this;
    const mask = slots.length - 1;
    for (let slot = hashOf(a, b, c, d) & mask; ; slot = (slot + 1) & mask) {
      const code = slots[slot] as number;
      if (code < 0) {
        const added = this.add(this.utf8OfWords(a, b, c, d), a, b, c, d);
        slots[slot] = added;
        if (2 * this.size > slots.length) this.grow();
        return added;
      }
      const w = WORDS * code;
      if (words[w] === a && words[w + 1] === b && words[w + 2] === c && words[w + 3] === d) return code;
    }
  }

  private add(utf8: Uint8Array, a: number, b: number, c: number, d: number): number {
    const code = this.size++;
    const start = code === 0 ? 0 : (this.ends[code - 1] as number);
    const end = start + utf8.length;
    if (this.size > this.ends.length) {
      this.ends = longer(this.ends, new Int32Array(2 * this.ends.length));
      this.words = longer(this.words, new Int32Array(2 * this.words.length));
    }
    if (end > this.utf8.length) this.utf8 = longer(this.utf8, new Uint8Array(2 * end));
    this.utf8.set(utf8, start);
    this.ends[code] = end;
    const at = WORDS * code;
    this.words[at] = a;
    this.words[at + 1] = b;
    this.words[at + 2] = c;
    this.words[at + 3] = d;
    this.bytes += TEXT_BYTES + utf8.length;
    return code;
  }

  private grow(): void {
    const slots = new Int32Array(2 * this.slots.length).fill(-1);
    const mask = slots.length - 1;
    for (const code of this.slots) {
      if (code < 0) continue;
      let slot = hashOf(...this.wordsOf(code)) & mask;
      while ((slots[slot] as number) >= 0) slot = (slot + 1) & mask;
      slots[slot] = code;
    }
    this.slots = slots;
  }

  private utf8OfWords(a: number, b: number, c: number, d: number): Uint8Array {
    if (this.kind === 'text') {
      shortWords[0] = b;
      shortWords[1] = c;
      shortWords[2] = d;
      return shortBytes.subarray(0, a);
    }
    // A signed number of 128 bits, whose order is that of the texts: the highest bit is turned over.
    const hex = [d ^ 0x8000_0000, c, b, a].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return Buffer.from(parts.join('-'));
  }
}

function longer<T extends Int32Array | Uint8Array>(array: T, copy: T): T {
  copy.set(array);
  return copy;
}

/** Values of a column of VARCHAR or UUID as DuckDB holds them. */
export interface DuckDbWords {
  /** Signed, which are faster than unsigned ones. */
  readonly words: Int32Array;
  readonly count: number;
  /** One bit of each value, 0 for null; undefined where no value is null. */
  readonly isValid: Int32Array | undefined;
  /** The value of a row that the words do not hold. */
  readonly longText: (row: number) => string;
}

function hashOf(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(b ^ (b >>> 15), 0x9e37_79b1) ^ c;
  hash = Math.imul(hash ^ (hash >>> 13), 0x85eb_ca6b) ^ d;
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2_ae35) ^ a;
  hash = Math.imul(hash ^ (hash >>> 14), 0x27d4_eb2f);
  return hash ^ (hash >>> 15);
}
