import type { Work } from '@contrails/runtime/turns';

const DIGITS = 7;
const LEAST = 10 ** (DIGITS - 1);
const BEYOND = 10 ** DIGITS;
/** Sign, leading zeros down to 1e-7, digits, point, exponent and comma all fit. */
const MAX_NUMBER_LENGTH = 28;
const FIRST_CAPACITY = 65_536;
/** Memory that is written for the first time takes the system up to a millisecond for each mebibyte. */
const MAX_CAPACITY = 2 ** 22;

/** Numbers of this size are written without an exponent. */
const SMALLEST_PLAIN_EXPONENT = -7;
const MAX_PLAIN_EXPONENT = 20;
/** Beyond, powers of ten leave the range of a double. */
const MAX_EXPONENT = 290;

const POWERS = Float64Array.from({ length: 2 * MAX_EXPONENT + 32 }, (_, index) =>
  Number(`1e${index - MAX_EXPONENT - 8}`),
);

const WHOLE_POWERS = Int32Array.from({ length: DIGITS + 1 }, (_, index) => 10 ** index);

const ZERO = 48;
const MINUS = 45;
const POINT = 46;
const COMMA = 44;

/** Writes JSON texts and columns of numbers into chunks of memory; digits are made without a string each. */
export class FloatWriter {
  readonly #full: Uint8Array[] = [];
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;

  text(text: string): void {
    if (text.length > FIRST_CAPACITY) {
      this.bytes(Buffer.from(text));
      return;
    }
    // A UTF-16 unit never takes more than three bytes.
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }

  /** A text that is encoded already, and does not change any more. */
  bytes(bytes: Uint8Array): void {
    if (bytes.length > FIRST_CAPACITY) {
      this.#close(this.#bytes.length - this.#length);
      this.#full.push(bytes);
      return;
    }
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Numbers with 7 significant digits each, separated by commas; what is not finite is null. */
  floats(values: Float64Array | Float32Array, start: number, end: number): void {
    this.#reserve((end - start) * MAX_NUMBER_LENGTH);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = start; index < end; index++) {
      if (index > start) bytes[at++] = COMMA;
      at = writeNumber(bytes, at, values[index] ?? Number.NaN);
    }
    this.#length = at;
  }

  /** All that was written; the writer must not be used any more. */
  *finish(): Work<Buffer> {
    const last = this.#bytes.subarray(0, this.#length);
    if (this.#full.length === 0) return last;
    const chunks = [...this.#full, last];
    const joined = Buffer.allocUnsafe(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      joined.set(chunk, at);
      at += chunk.length;
      yield chunk.length / Float64Array.BYTES_PER_ELEMENT;
    }
    return joined;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#bytes.length)
      this.#close(Math.max(bytes, Math.min(2 * this.#bytes.length, MAX_CAPACITY)));
  }

  /** Begins a chunk; the rest of the last one stays in use where it is enough. */
  #close(capacity: number): void {
    if (this.#length > 0) this.#full.push(this.#bytes.subarray(0, this.#length));
    const rest = this.#bytes.subarray(this.#length);
    this.#bytes = rest.length >= capacity ? rest : Buffer.allocUnsafe(capacity);
    this.#length = 0;
  }
}

/** Writes one number and returns where it ends. */
function writeNumber(bytes: Buffer, start: number, value: number): number {
  const magnitude = Math.abs(value);
  if (magnitude === 0) {
    bytes[start] = ZERO;
    return start + 1;
  }
  if (!(magnitude > 1e-290 && magnitude < 1e290)) return writeUnusual(bytes, start, value);
  let at = start;
  if (value < 0) bytes[at++] = MINUS;
  if (magnitude < BEYOND && magnitude === Math.floor(magnitude))
    return writeInteger(bytes, at, magnitude | 0);

  let exponent = Math.floor(Math.log10(magnitude));
  let digits = scaled(magnitude, exponent);
  if (digits >= BEYOND || digits < LEAST) {
    exponent += digits >= BEYOND ? 1 : -1;
    digits = scaled(magnitude, exponent);
  }
  if (digits >= BEYOND) {
    exponent++;
    digits = LEAST;
  }
  let count = DIGITS;
  while (digits % 10 === 0) {
    digits = (digits / 10) | 0;
    count--;
  }
  if (exponent < SMALLEST_PLAIN_EXPONENT || exponent > MAX_PLAIN_EXPONENT) {
    at = writeDecimal(bytes, at, digits, count, 0);
    return at + bytes.write(`e${exponent}`, at, 'latin1');
  }
  return writeDecimal(bytes, at, digits, count, exponent);
}

/** The first 7 digits of a number of this decimal exponent, as an integer. */
function scaled(magnitude: number, exponent: number): number {
  const shift = DIGITS - 1 - exponent;
  // As a 32-bit integer, which is what makes the divisions below fast.
  return Math.round(shift >= 0 ? magnitude * power(shift) : magnitude / power(-shift)) | 0;
}

function power(exponent: number): number {
  return POWERS[exponent + MAX_EXPONENT + 8] ?? Number.NaN;
}

/** `count` digits with the point behind the place that `exponent` gives, filled up with zeros where needed. */
function writeDecimal(bytes: Buffer, start: number, digits: number, count: number, exponent: number): number {
  let at = start;
  if (exponent < 0) {
    bytes[at++] = ZERO;
    bytes[at++] = POINT;
    for (let zeros = -1; zeros > exponent; zeros--) bytes[at++] = ZERO;
    return putDigits(bytes, at, digits, count);
  }
  const whole = exponent + 1;
  if (count <= whole) {
    at = putDigits(bytes, at, digits, count);
    for (let zeros = count; zeros < whole; zeros++) bytes[at++] = ZERO;
    return at;
  }
  const unit = WHOLE_POWERS[count - whole] ?? 1;
  const head = (digits / unit) | 0;
  at = putDigits(bytes, at, head, whole);
  bytes[at++] = POINT;
  return putDigits(bytes, at, digits - head * unit, count - whole);
}

function writeInteger(bytes: Buffer, start: number, value: number): number {
  let count = 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) count++;
  return putDigits(bytes, start, value, count);
}

function putDigits(bytes: Buffer, start: number, digits: number, count: number): number {
  let rest = digits;
  for (let at = start + count - 1; at >= start; at--) {
    const next = (rest / 10) | 0;
    bytes[at] = ZERO + rest - next * 10;
    rest = next;
  }
  return start + count;
}

/** Not finite, or so small or large that the arithmetic above would leave the range of a double. */
function writeUnusual(bytes: Buffer, start: number, value: number): number {
  const text = Number.isFinite(value) ? String(Number(value.toPrecision(DIGITS))) : 'null';
  return start + bytes.write(text, start, 'latin1');
}
