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
  if (!holdsTypedArray(value, 4)) return JSON.stringify(value) ?? 'null';
  const writer = new FloatWriter();
  write(value, writer);
  return writer.finish();
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

function write(value: unknown, writer: FloatWriter): void {
  if (value instanceof Float64Array || value instanceof Float32Array) writer.floats(value);
  else if (value instanceof JsonBytes) for (const chunk of value.chunks) writer.bytes(chunk);
  else if (ArrayBuffer.isView(value)) writer.text(JSON.stringify(Array.from(value as Int32Array)));
  else if (Array.isArray(value)) writeList(value, writer);
  else if (isRecord(value)) writeRecord(value, writer);
  else writer.text(JSON.stringify(value) ?? 'null');
}

function writeList(values: readonly unknown[], writer: FloatWriter): void {
  if (!holdsTypedArray(values, 4)) {
    writer.text(JSON.stringify(values));
    return;
  }
  let before = '[';
  for (const value of values) {
    writer.text(before);
    write(value, writer);
    before = ',';
  }
  writer.text(before === '[' ? '[]' : ']');
}

function writeRecord(record: Readonly<Record<string, unknown>>, writer: FloatWriter): void {
  let before = '{';
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined || typeof value === 'function') continue;
    writer.text(`${before}${JSON.stringify(name)}:`);
    write(value, writer);
    before = ',';
  }
  writer.text(before === '{' ? '{}' : '}');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
