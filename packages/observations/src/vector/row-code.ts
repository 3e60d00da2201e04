/**
 * Loops over rows of images, four float32 pixels at a time, as WebAssembly. A loop is a function of addresses and a number
 * of pixels; formulas are written with plain functions and become vector instructions.
 */
import {
  kernelMemory,
  MEMORY_LIMITS,
  unsigned,
  type WasmFunction,
  WebAssembly,
  wasmModule,
} from '@contrails/physics/wasm';

/** Four numbers in a variable of the function. */
export interface Lanes {
  readonly local: number;
}

/** A parameter that holds an address [bytes]. */
export interface Pointer {
  readonly parameter: number;
}

const OP = {
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  branchIf: 0x0d,
  getLocal: 0x20,
  setLocal: 0x21,
  teeLocal: 0x22,
  constant: 0x41,
  isLess: 0x49,
  add: 0x6a,
  shiftLeft: 0x74,
  noResult: 0x40,
  vector: 0xfd,
} as const;

const VECTOR = {
  load: 0x00,
  loadSplat: 0x09,
  store: 0x0b,
  constant: 0x0c,
  shuffle: 0x0d,
  greater: 0x44,
  atLeast: 0x46,
  equal: 0x41,
  and: 0x4e,
  or: 0x50,
  select: 0x52,
  shiftLeft: 0xab,
  shiftRight: 0xac,
  addIntegers: 0xae,
  subtractIntegers: 0xb1,
  sqrt: 0xe3,
  add: 0xe4,
  subtract: 0xe5,
  multiply: 0xe6,
  divide: 0xe7,
  min: 0xea,
  max: 0xeb,
  fromIntegers: 0xfa,
} as const;

const PIXEL_BYTES = 4;
const LANES = 4;
const VECTOR_BYTES = LANES * PIXEL_BYTES;

/** Codes above those of bytes stand for variables until the number of integer variables is known. */
const VECTOR_LOCAL = 1 << 16;

/** Writes the body of one loop. */
export class RowLoop {
  private readonly before: number[] = [];
  private readonly code: number[] = [];
  private readonly after: number[] = [];
  private readonly constants = new Map<string, Lanes>();
  private vectors = 0;

  readonly pointers: number;

  constructor(pointers: number) {
    this.pointers = pointers;
  }

  pointer(parameter: number): Pointer {
    return { parameter };
  }

  /** Pixels at the address of a row, `ahead` pixels further. Negative distances belong in the address. */
  load({ parameter }: Pointer, ahead = 0): Lanes {
    return this.put([
      ...this.address(parameter),
      OP.vector,
      VECTOR.load,
      ...memoryArgument(ahead * PIXEL_BYTES),
    ]);
  }

  store({ parameter }: Pointer, value: Lanes): void {
    this.code.push(...this.address(parameter), ...get(value), OP.vector, VECTOR.store, ...memoryArgument(0));
  }

  /** One number at an address, the same for all pixels of the row. */
  parameter({ parameter }: Pointer, index: number): Lanes {
    const key = `parameter ${parameter} ${index}`;
    const code = [
      OP.getLocal,
      parameter,
      OP.vector,
      VECTOR.loadSplat,
      ...memoryArgument(index * PIXEL_BYTES),
    ];
    return this.once(key, code);
  }

  constant(value: number): Lanes {
    const bytes = new Uint8Array(Float32Array.from({ length: LANES }, () => value).buffer);
    return this.once(`constant ${bytes}`, [OP.vector, VECTOR.constant, ...bytes]);
  }

  integers(value: number): Lanes {
    const bytes = new Uint8Array(Int32Array.from({ length: LANES }, () => value).buffer);
    return this.once(`constant ${bytes}`, [OP.vector, VECTOR.constant, ...bytes]);
  }

  /** A variable that keeps its value from one turn of the loop to the next, 0 at first. */
  running(): Lanes {
    const lanes = { local: this.vectors++ };
    this.before.push(...get(this.constant(0)), OP.setLocal, VECTOR_LOCAL + lanes.local);
    return lanes;
  }

  assign({ local }: Lanes, value: Lanes): void {
    this.code.push(...get(value), OP.setLocal, VECTOR_LOCAL + local);
  }

  add = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.add, a, b);
  sub = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.subtract, a, b);
  mul = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.multiply, a, b);
  div = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.divide, a, b);
  sqrt = (a: Lanes): Lanes => this.apply(VECTOR.sqrt, a);
  /** Of a number that is not NaN and a bound; the bound otherwise. */
  max = (a: Lanes, bound: Lanes): Lanes => this.apply(VECTOR.max, bound, a);
  min = (a: Lanes, bound: Lanes): Lanes => this.apply(VECTOR.min, bound, a);
  /** Comparisons give masks: all bits where they hold, none elsewhere. */
  greater = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.greater, a, b);
  atLeast = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.atLeast, a, b);
  equal = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.equal, a, b);
  and = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.and, a, b);
  or = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.or, a, b);
  select = (mask: Lanes, where: Lanes, elsewhere: Lanes): Lanes =>
    this.apply(VECTOR.select, where, elsewhere, mask);
  addIntegers = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.addIntegers, a, b);
  subtractIntegers = (a: Lanes, b: Lanes): Lanes => this.apply(VECTOR.subtractIntegers, a, b);
  fromIntegers = (a: Lanes): Lanes => this.apply(VECTOR.fromIntegers, a);
  shiftLeft = (a: Lanes, bits: number): Lanes => this.shift(VECTOR.shiftLeft, a, bits);
  shiftRight = (a: Lanes, bits: number): Lanes => this.shift(VECTOR.shiftRight, a, bits);

  /** Lane k of the result is lane `lanes[k]` of the two vectors in a row. */
  shuffle(a: Lanes, b: Lanes, lanes: readonly [number, number, number, number]): Lanes {
    const bytes = lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => lane * PIXEL_BYTES + byte));
    return this.put([...get(a), ...get(b), OP.vector, VECTOR.shuffle, ...bytes]);
  }

  /** Rows become columns. */
  transpose([a, b, c, d]: Quad): Quad {
    const [low1, high1] = [this.shuffle(a, b, [0, 4, 1, 5]), this.shuffle(a, b, [2, 6, 3, 7])];
    const [low2, high2] = [this.shuffle(c, d, [0, 4, 1, 5]), this.shuffle(c, d, [2, 6, 3, 7])];
    return [
      this.shuffle(low1, low2, [0, 1, 4, 5]),
      this.shuffle(low1, low2, [2, 3, 6, 7]),
      this.shuffle(high1, high2, [0, 1, 4, 5]),
      this.shuffle(high1, high2, [2, 3, 6, 7]),
    ];
  }

  /** Moves an address by more than the loop does, after each turn. */
  advance({ parameter }: Pointer, by: Pointer): void {
    this.after.push(OP.getLocal, parameter, OP.getLocal, by.parameter, OP.add, OP.setLocal, parameter);
  }

  /** Stores at an address that does not follow the loop. */
  storeAt({ parameter }: Pointer, value: Lanes): void {
    this.code.push(OP.getLocal, parameter, ...get(value), OP.vector, VECTOR.store, ...memoryArgument(0));
  }

  finish(name: string): WasmFunction {
    const count = this.pointers;
    const offset = count + 1;
    const end = count + 2;
    const firstVector = count + 3;
    const code = [
      ...[OP.getLocal, count, OP.if, OP.noResult],
      ...[OP.getLocal, count, OP.constant, 2, OP.shiftLeft, OP.setLocal, end],
      ...this.before,
      ...[OP.loop, OP.noResult],
      ...this.code,
      ...this.after,
      ...[OP.getLocal, offset, OP.constant, VECTOR_BYTES, OP.add, OP.teeLocal, offset],
      ...[OP.getLocal, end, OP.isLess, OP.branchIf, 0x00],
      ...[OP.end, OP.end],
    ].flatMap((byte) => (byte >= VECTOR_LOCAL ? unsigned(firstVector + byte - VECTOR_LOCAL) : byte));
    return { name, parameters: count + 1, integerLocals: 2, vectorLocals: this.vectors, code };
  }

  private apply(opcode: number, ...operands: readonly Lanes[]): Lanes {
    return this.put([...operands.flatMap(get), OP.vector, ...unsigned(opcode)]);
  }

  private shift(opcode: number, a: Lanes, bits: number): Lanes {
    return this.put([...get(a), OP.constant, bits, OP.vector, ...unsigned(opcode)]);
  }

  private put(code: readonly number[]): Lanes {
    const lanes = { local: this.vectors++ };
    this.code.push(...code, OP.setLocal, VECTOR_LOCAL + lanes.local);
    return lanes;
  }

  private once(key: string, code: readonly number[]): Lanes {
    const known = this.constants.get(key);
    if (known !== undefined) return known;
    const lanes = { local: this.vectors++ };
    this.before.push(...code, OP.setLocal, VECTOR_LOCAL + lanes.local);
    this.constants.set(key, lanes);
    return lanes;
  }

  private address(parameter: number): number[] {
    return [OP.getLocal, parameter, OP.getLocal, this.pointers + 1, OP.add];
  }
}

export type Quad = readonly [Lanes, Lanes, Lanes, Lanes];

/** Addresses [bytes] and, last, the number of pixels; loops run over whole vectors of four. */
export type RowKernel = (...addressesAndCount: readonly number[]) => void;

/** What a loop does in a turn, given one pointer for each address. */
export interface RowKernelBody {
  readonly pointers: number;
  readonly write: (loop: RowLoop, pointers: readonly Pointer[]) => void;
}

export function compileRowKernels<Name extends string>(
  bodies: Readonly<Record<Name, RowKernelBody>>,
): Readonly<Record<Name, RowKernel>> {
  const functions = (Object.keys(bodies) as Name[]).map((name) => {
    const { pointers, write } = bodies[name];
    const loop = new RowLoop(pointers);
    write(
      loop,
      Array.from({ length: pointers }, (_, index) => loop.pointer(index)),
    );
    return loop.finish(name);
  });
  const module = new WebAssembly.Module(wasmModule(functions, MEMORY_LIMITS));
  const { exports } = new WebAssembly.Instance(module, { env: { memory: kernelMemory() } });
  return exports as Record<Name, RowKernel>;
}

/** Alignment of a number and an offset. */
function memoryArgument(offset: number): number[] {
  if (offset < 0) throw new RangeError('a kernel cannot look behind its address');
  return [0x02, ...unsigned(offset)];
}

function get({ local }: Lanes): number[] {
  return [OP.getLocal, VECTOR_LOCAL + local];
}
