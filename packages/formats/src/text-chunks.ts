const CHUNK_SIZE = 1 << 16;
const MAX_NUMBER = 32;
const DECIMALS = 5;
const SCALE = 10 ** DECIMALS;
const [ZERO, MINUS, POINT] = [0x30, 0x2d, 0x2e];

/** What a text has around its items. */
export interface TextFrame {
  readonly head: string;
  readonly between: string;
  readonly tail: string;
}

/** Writes an item to the chunks; gives away those that are full. */
type ItemWriter<Item> = (chunks: TextChunks, item: Item) => Iterable<Uint8Array<ArrayBuffer>>;

/** A text of items in a frame, in chunks as the items come. */
export async function* encodeFramed<Item>(
  { head, between, tail }: TextFrame,
  items: AsyncIterable<Item> | Iterable<Item>,
  write: ItemWriter<Item>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunks = new TextChunks();
  chunks.text(head);
  let separator = '';
  for await (const item of items) {
    chunks.text(separator);
    yield* write(chunks, item);
    separator = between;
  }
  chunks.text(tail);
  yield chunks.take();
}

/** One item alone, for callers that add the frame. */
export function encodeItem<Item>(item: Item, write: ItemWriter<Item>): Uint8Array<ArrayBuffer>[] {
  const chunks = new TextChunks();
  const full = [...write(chunks, item)];
  return [...full, chunks.take()];
}

/** Text under way to a file, as bytes: written piece by piece, taken in chunks. */
export class TextChunks {
  private bytes = new Uint8Array(2 * CHUNK_SIZE);
  private used = 0;
  private readonly encoder = new TextEncoder();

  get isFull(): boolean {
    return this.used >= CHUNK_SIZE;
  }

  /** What was written since the last time. */
  take(): Uint8Array<ArrayBuffer> {
    const chunk = this.bytes.slice(0, this.used);
    this.used = 0;
    return chunk;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.used += this.encoder.encodeInto(text, this.bytes.subarray(this.used)).written;
  }

  /** Quicker for a few characters. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let k = 0; k < text.length; k++) this.bytes[this.used++] = text.charCodeAt(k);
  }

  /** A number as JavaScript prints it; quick for those with up to five decimals, as coordinates have. */
  number(value: number): void {
    const size = Math.abs(value);
    const scaled = Math.round(size * SCALE);
    if (scaled / SCALE !== size || scaled > 0x7fff_ffff) {
      this.ascii(String(value));
      return;
    }
    this.reserve(MAX_NUMBER);
    if (value < 0) this.bytes[this.used++] = MINUS;
    const whole = Math.trunc(scaled / SCALE);
    this.digits(whole);
    let rest = scaled - whole * SCALE;
    if (rest === 0) return;
    this.bytes[this.used++] = POINT;
    for (let unit = SCALE / 10; rest > 0; unit /= 10) {
      const digit = Math.trunc(rest / unit);
      this.bytes[this.used++] = ZERO + digit;
      rest -= digit * unit;
    }
  }

  private digits(whole: number): void {
    let unit = 1;
    while (unit * 10 <= whole) unit *= 10;
    for (let rest = whole; unit >= 1; unit /= 10) {
      const digit = Math.trunc(rest / unit);
      this.bytes[this.used++] = ZERO + digit;
      rest -= digit * unit;
    }
  }

  private reserve(more: number): void {
    if (this.used + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.used + more));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}
