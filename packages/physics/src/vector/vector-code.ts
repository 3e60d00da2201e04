/**
 * Loops over columns of numbers, two rows at a time, written as formulas and compiled to WebAssembly. A formula is a
 * graph of {@link Vector}s; equal formulas are one vector, so that nothing is computed twice.
 */
import { signed, unsigned, type WasmFunction } from './wasm-binary.ts';

const OP = {
  load: [0x00],
  loadSplat: [0x0a],
  store: [0x0b],
  anyTrue: [0x53],
  loadLane: [0x57],
  loadZero: [0x5d],
  extractInteger: [0x1b],
} as const;

/** A pair of numbers, one of each of two neighbouring rows. */
export interface Vector {
  readonly arguments: readonly Vector[];
  readonly instructions: readonly number[];
  /** Loaded anew wherever it is used, which is cheaper than keeping it. */
  readonly isConstant: boolean;
  local: number | undefined;
}

export type Operand = Vector | number;

/** Where constants of kernels lie; `intern` answers the address of a pair of equal numbers. */
export interface ConstantPool {
  number(value: number): number;
  bits(value: bigint): number;
}

/** A place whose numbers change while a row is computed. */
export interface Variable {
  readonly local: number;
}

/** Which of several records of a table each row reads. */
export interface RecordChoice {
  readonly low: number;
  readonly high: number;
}

const BASE = 0;
const STRIDE = 1;
const COUNT = 2;
const PARAMETERS = 3;
const END = 3;
const FIRST_OFFSET = 4;

export class VectorLoop<Column extends string> {
  private readonly name: string;
  private readonly columns: readonly Column[];
  private readonly pool: ConstantPool;
  private readonly known = new Map<string, Vector>();
  private readonly ids = new Map<Vector, number>();
  private readonly offsets = new Map<number, number>();
  private readonly records: number[] = [];
  private readonly code: number[] = [];
  private vectors = 0;
  /** Vectors that were computed in the open blocks; they are unknown again when their block ends. */
  private readonly scopes: Vector[][] = [[]];

  /** A loop over the columns of a table: column k begins at base + k·stride. */
  constructor(name: string, columns: readonly Column[], pool: ConstantPool) {
    this.name = name;
    this.columns = columns;
    this.pool = pool;
  }

  /** The numbers of a column, `ahead` rows further. */
  load(column: Column, ahead = 0): Vector {
    const local = this.newVector();
    this.code.push(...this.address(column), ...simd(OP.load), ...memarg(8 * ahead));
    this.code.push(0x21, ...vectorLocal(local));
    return this.register(`load ${local}`, [], [0x20, ...vectorLocal(local)], true);
  }

  store(column: Column, value: Operand): void {
    this.code.push(...this.address(column));
    this.emit(this.vector(value));
    this.code.push(...simd(OP.store), ...memarg(0));
  }

  /** A number that is written to an address before the loop runs. */
  parameter(address: number): Vector {
    const code = [0x41, 0x00, ...simd(OP.loadSplat), 0x03, ...unsigned(address)];
    return this.register(`parameter ${address}`, [], code, true);
  }

  vector(value: Operand): Vector {
    if (typeof value !== 'number') return value;
    return this.constantAt(this.pool.number(value));
  }

  bits(value: bigint): Vector {
    return this.constantAt(this.pool.bits(value));
  }

  /** An instruction of 128-bit vectors, by its number. */
  apply(opcode: number, ...operands: readonly Operand[]): Vector {
    const vectors = operands.map((operand) => this.vector(operand));
    const key = `${opcode} ${vectors.map((vector) => this.ids.get(vector)).join(' ')}`;
    return this.register(key, vectors, simd([opcode]), false);
  }

  /** A shift of both 64-bit integers. */
  shift(opcode: number, operand: Vector, bits: number): Vector {
    const key = `${opcode} ${this.ids.get(operand)} by ${bits}`;
    return this.register(key, [operand], [0x41, ...signed(bits), ...simd([opcode])], false);
  }

  variable(initial: Operand): Variable {
    const local = this.newVector();
    this.emit(this.vector(initial));
    this.code.push(0x21, ...vectorLocal(local));
    return { local };
  }

  assign({ local }: Variable, value: Operand): void {
    this.emit(this.vector(value));
    this.code.push(0x21, ...vectorLocal(local));
  }

  /** What a variable holds now. */
  read({ local }: Variable): Vector {
    const copy = this.newVector();
    this.code.push(0x20, ...vectorLocal(local), 0x21, ...vectorLocal(copy));
    return this.register(`read ${copy}`, [], [0x20, ...vectorLocal(copy)], true);
  }

  /** Computes a vector here, so that all blocks that follow within this one find it. */
  keep(vector: Vector): Vector {
    return this.read(this.variable(vector));
  }

  /** Does what follows only where the mask holds for one of the rows at least. */
  whereAny(mask: Vector, block: () => void): void {
    this.emit(mask);
    this.code.push(...simd(OP.anyTrue), 0x04, 0x40);
    this.scopes.push([]);
    block();
    for (const vector of this.scopes.pop() ?? []) vector.local = undefined;
    this.code.push(0x0b);
  }

  /** The records of a table at an address that whole numbers, one per row, choose. */
  chooseRecords(integers: Vector, address: number, recordBytes: number): RecordChoice {
    const lane = (index: number) => {
      const local = this.records.length;
      this.records.push(local);
      this.emit(integers);
      this.code.push(...simd(OP.extractInteger), 2 * index, 0x41, ...signed(recordBytes), 0x6c);
      this.code.push(0x41, ...signed(address), 0x6a, 0x21, ...recordLocal(local));
      return local;
    };
    return { low: lane(0), high: lane(1) };
  }

  /** A number of the chosen records. */
  field({ low, high }: RecordChoice, index: number): Vector {
    const local = this.newVector();
    this.code.push(0x20, ...recordLocal(high), 0x20, ...recordLocal(low));
    this.code.push(...simd(OP.loadZero), ...memarg(8 * index));
    this.code.push(...simd(OP.loadLane), ...memarg(8 * index), 1);
    this.code.push(0x21, ...vectorLocal(local));
    return this.register(`field ${local}`, [], [0x20, ...vectorLocal(local)], true);
  }

  finish(): WasmFunction {
    const firstRecord = FIRST_OFFSET + this.offsets.size;
    const firstVector = firstRecord + this.records.length;
    const setUp = [...this.offsets].flatMap(([column, index]) => [
      ...[0x20, STRIDE, 0x41, ...signed(column), 0x6c, 0x21, ...unsigned(FIRST_OFFSET + index)],
    ]);
    const end = [0x20, BASE, 0x20, COUNT, 0x41, 3, 0x74, 0x6a, 0x21, END];
    const advance = [0x20, BASE, 0x41, 16, 0x6a, 0x22, BASE, 0x20, END, 0x49, 0x0d, 0x00];
    const loop = [0x03, 0x40, ...this.placed(firstRecord, firstVector), ...advance, 0x0b];
    return {
      name: this.name,
      parameters: PARAMETERS,
      integerLocals: 1 + this.offsets.size + this.records.length,
      vectorLocals: this.vectors,
      code: [0x20, COUNT, 0x04, 0x40, ...setUp, ...end, ...loop, 0x0b],
    };
  }

  private constantAt(address: number): Vector {
    const code = [0x41, 0x00, ...simd(OP.load), ...memarg(address)];
    return this.register(`constant ${address}`, [], code, true);
  }

  private register(
    key: string,
    args: readonly Vector[],
    instructions: readonly number[],
    isConstant: boolean,
  ): Vector {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const vector: Vector = { arguments: args, instructions, isConstant, local: undefined };
    this.known.set(key, vector);
    this.ids.set(vector, this.ids.size);
    return vector;
  }

  private emit(vector: Vector): void {
    if (vector.local !== undefined) {
      this.code.push(0x20, ...vectorLocal(vector.local));
      return;
    }
    for (const argument of vector.arguments) this.emit(argument);
    this.code.push(...vector.instructions);
    if (vector.isConstant) return;
    vector.local = this.newVector();
    this.scopes.at(-1)?.push(vector);
    this.code.push(0x22, ...vectorLocal(vector.local));
  }

  private newVector(): number {
    return this.vectors++;
  }

  private address(column: Column): number[] {
    const place = this.columns.indexOf(column);
    const index = this.offsets.get(place) ?? this.offsets.size;
    this.offsets.set(place, index);
    return [0x20, BASE, 0x20, ...unsigned(FIRST_OFFSET + index), 0x6a];
  }

  /** Code with the numbers of its variables, which are known only at the end. */
  private placed(firstRecord: number, firstVector: number): number[] {
    return this.code.flatMap((byte) => {
      if (byte >= VECTOR_LOCAL) return unsigned(firstVector + byte - VECTOR_LOCAL);
      if (byte >= RECORD_LOCAL) return unsigned(firstRecord + byte - RECORD_LOCAL);
      return byte;
    });
  }
}

/** Codes beyond those of bytes stand for variables until their numbers are known. */
const RECORD_LOCAL = 1 << 16;
const VECTOR_LOCAL = 1 << 20;

function vectorLocal(local: number): [number] {
  return [VECTOR_LOCAL + local];
}

function recordLocal(local: number): [number] {
  return [RECORD_LOCAL + local];
}

function simd(opcode: readonly number[]): number[] {
  return [0xfd, ...opcode.flatMap(unsigned)];
}

/** Alignment of a number and an offset. */
function memarg(offset: number): number[] {
  return [0x03, ...unsigned(offset)];
}
