/** Bytes of a WebAssembly module with functions over one imported shared memory. */

/** A function of `parameters` integers and no result, with further variables. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly integerLocals: number;
  readonly vectorLocals: number;
  /** Instructions, without the final `end`. */
  readonly code: readonly number[];
}

const I32 = 0x7f;
const V128 = 0x7b;
const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SHARED_WITH_MAXIMUM = 0x03;

export interface SharedMemoryLimits {
  /** In pages of 64 KiB. */
  readonly initial: number;
  readonly maximum: number;
}

/** A module that exports the functions by their names and imports `env.memory`. */
export function wasmModule(
  functions: readonly WasmFunction[],
  limits: SharedMemoryLimits,
): Uint8Array<ArrayBuffer> {
  const signatures = [...new Set(functions.map(({ parameters }) => parameters))];
  const types = signatures.map((parameters) => [0x60, ...vector(Array(parameters).fill([I32])), 0x00]);
  const memory = [SHARED_WITH_MAXIMUM, ...unsigned(limits.initial), ...unsigned(limits.maximum)];
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(1, vector(types)),
    ...section(2, vector([[...text('env'), ...text('memory'), 0x02, ...memory]])),
    ...section(3, vector(functions.map(({ parameters }) => unsigned(signatures.indexOf(parameters))))),
    ...section(7, vector(functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]))),
    ...section(10, vector(functions.map(body))),
  ]);
}

function body({ integerLocals, vectorLocals, code }: WasmFunction): number[] {
  const locals = vector([
    [...unsigned(integerLocals), I32],
    [...unsigned(vectorLocals), V128],
  ]);
  return [...unsigned(locals.length + code.length + 1), ...locals, ...code, 0x0b];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): number[] {
  return [...unsigned(value.length), ...Array.from(value, (c) => c.charCodeAt(0))];
}

/** LEB128 of a number that is not negative. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return bytes;
}

/** Signed LEB128 of a number that is not negative, as constants are written. */
export function signed(value: number): number[] {
  const bytes = unsigned(value);
  const last = bytes[bytes.length - 1] as number;
  if (last < 64) return bytes;
  return [...bytes.slice(0, -1), last + 128, 0];
}
