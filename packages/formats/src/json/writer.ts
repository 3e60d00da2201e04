import { finish, inTurns, slices, type Work } from '@contrails/runtime/turns';
import { FloatWriter } from './float-writer.ts';

/** JSON that is written already, in chunks. */
export class JsonBytes {
  readonly chunks: readonly Uint8Array[];

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks;
  }
}

/**
 * JSON of an answer. NaN and Infinity become null. Arrays of floating-point numbers, which are the typed ones, carry
 * 7 significant digits; every other number is written in full.
 */
export function toJson(value: unknown): string | Buffer {
  return finish(jsonInParts(value));
}

/** The same for an answer that may be large, in turns with other work. */
export async function toJsonInTurns(value: unknown): Promise<Buffer> {
  const json = await inTurns(jsonInParts(value));
  return typeof json === 'string' ? Buffer.from(json) : json;
}

function* jsonInParts(value: unknown): Work<string | Buffer> {
  if (!holdsTypedArray(value, 4)) return JSON.stringify(value) ?? 'null';
  const writer = new FloatWriter();
  yield* write(value, writer);
  return yield* writer.finish();
}

/** Responses are shallow: columns are in the record itself, or a record or list or two below it. */
function holdsTypedArray(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (ArrayBuffer.isView(value) || value instanceof JsonBytes) return true;
  if (depth === 0) return false;
  if (Array.isArray(value))
    return typeof value[0] === 'object' && value.some((entry) => holdsTypedArray(entry, depth - 1));
  for (const name in value)
    if (holdsTypedArray((value as Record<string, unknown>)[name], depth - 1)) return true;
  return false;
}

function* write(value: unknown, writer: FloatWriter): Work<void> {
  if (value instanceof Float64Array || value instanceof Float32Array) yield* writeFloats(value, writer);
  else if (value instanceof JsonBytes) yield* writeBytes(value, writer);
  else if (ArrayBuffer.isView(value)) yield* writePlainList(Array.from(value as Int32Array), writer);
  else if (Array.isArray(value)) yield* writeList(value, writer);
  else if (isRecord(value)) yield* writeRecord(value, writer);
  else writer.text(JSON.stringify(value) ?? 'null');
}

function* writeFloats(values: Float64Array | Float32Array, writer: FloatWriter): Work<void> {
  writer.text('[');
  yield* slices(values.length, (start, end) => {
    if (start > 0) writer.text(',');
    writer.floats(values, start, end);
  });
  writer.text(']');
}

function* writeBytes({ chunks }: JsonBytes, writer: FloatWriter): Work<void> {
  for (const chunk of chunks) {
    writer.bytes(chunk);
    yield chunk.length / Float64Array.BYTES_PER_ELEMENT;
  }
}

function* writeList(values: readonly unknown[], writer: FloatWriter): Work<void> {
  if (!holdsTypedArray(values, 4)) return yield* writePlainList(values, writer);
  let before = '[';
  for (const value of values) {
    writer.text(before);
    yield* write(value, writer);
    before = ',';
  }
  writer.text(before === '[' ? '[]' : ']');
}

/** Values of a list without columns that are written in one go. */
const PLAIN_VALUES = 4096;

/** Without columns. Long texts count as several values. */
function* writePlainList(values: readonly unknown[], writer: FloatWriter): Work<void> {
  let before = '[';
  for (let start = 0; start < values.length; start += PLAIN_VALUES) {
    const text = JSON.stringify(values.slice(start, start + PLAIN_VALUES));
    writer.text(`${before}${text.slice(1, -1)}`);
    yield text.length / Float64Array.BYTES_PER_ELEMENT;
    before = ',';
  }
  writer.text(before === '[' ? '[]' : ']');
}

function* writeRecord(record: Readonly<Record<string, unknown>>, writer: FloatWriter): Work<void> {
  let before = '{';
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined || typeof value === 'function') continue;
    writer.text(`${before}${JSON.stringify(name)}:`);
    yield* write(value, writer);
    before = ',';
  }
  writer.text(before === '{' ? '{}' : '}');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
