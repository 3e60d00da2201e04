/** Words in which DuckDB holds a text or a UUID in a column. */
const WORDS = 4;
/** A longer text is elsewhere, and its words say where. */
const MAX_SHORT_BYTES = 12;
const FIRST_SLOTS = 4096;
/** Of a text as a string with its place in the list, beside its words and its slots. */
const TEXT_BYTES = 64;

/**
 * Numbers for the different texts of columns, in the order in which they come. The words of DuckDB are what is looked up, so
 * that a text is decoded once, however often it comes.
 */
export class TextCodes {
  /** Bytes that it uses, about. */
  bytes = 0;
  private readonly kind: 'text' | 'uuid';
  private readonly texts: string[] = [];
  private readonly longTexts = new Map<string, number>();
  private words = new Uint32Array(WORDS * 1024);
  private slots = new Int32Array(FIRST_SLOTS).fill(-1);

  constructor(kind: 'text' | 'uuid') {
    this.kind = kind;
  }

  get size(): number {
    return this.texts.length;
  }

  text(code: number): string {
    const text = this.texts[code];
    if (text === undefined) throw new RangeError(`no text has the code ${code}`);
    return text;
  }

  /** The code of a text that has the code `code` in another list of the same kind. */
  adopt(other: TextCodes, code: number): number {
    const [a, b, c, d] = other.wordsOf(code);
    return this.isLong(a) ? this.codeOfLong(other.text(code), a) : this.codeOf(a, b, c, d);
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
        last = this.isLong(a) ? this.codeOfLong(longText(i), a) : this.codeOf(a, b, c, d);
        [lastA, lastB, lastC, lastD] = [a, b, c, d];
      }
      column[at + i] = last;
    }
  }

  private isLong(length: number): boolean {
    return this.kind === 'text' && length > MAX_SHORT_BYTES;
  }

  private codeOfLong(text: string, length: number): number {
    const known = this.longTexts.get(text);
    if (known !== undefined) return known;
    const code = this.add(text, length, 0, 0, 0);
    this.longTexts.set(text, code);
    this.bytes += length;
    return code;
  }

  private codeOf(a: number, b: number, c: number, d: number): number {
    const { words, slots } = this;
    const mask = slots.length - 1;
    for (let slot = hashOf(a, b, c, d) & mask; ; slot = (slot + 1) & mask) {
      const code = slots[slot] as number;
      if (code < 0) {
        const added = this.add(this.decode(a, b, c, d), a, b, c, d);
        slots[slot] = added;
        if (2 * this.texts.length > slots.length) this.grow();
        return added;
      }
      const w = WORDS * code;
      if (words[w] === a && words[w + 1] === b && words[w + 2] === c && words[w + 3] === d) return code;
    }
  }

  private add(text: string, a: number, b: number, c: number, d: number): number {
    const code = this.texts.push(text) - 1;
    if (WORDS * this.texts.length > this.words.length) {
      const longer = new Uint32Array(2 * this.words.length);
      longer.set(this.words);
      this.words = longer;
    }
    this.words.set([a, b, c, d], WORDS * code);
    this.bytes += TEXT_BYTES;
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

  private decode(a: number, b: number, c: number, d: number): string {
    if (this.kind === 'text') {
      return Buffer.from(Uint32Array.of(b, c, d).buffer, 0, a).toString();
    }
    // A signed number of 128 bits, whose order is that of the texts: the highest bit is turned over.
    const hex = [(d ^ 0x8000_0000) >>> 0, c, b, a].map((word) => word.toString(16).padStart(8, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}

/** Values of a column of VARCHAR or UUID as DuckDB holds them. */
export interface DuckDbWords {
  readonly words: Uint32Array;
  readonly count: number;
  /** One bit of each value, 0 for null; undefined where no value is null. */
  readonly isValid: Uint32Array | undefined;
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
