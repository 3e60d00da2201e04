/**
 * Writes the code of a loop, four rows at a time. A formula is a graph of vectors; equal formulas are one vector, so
 * nothing is computed twice.
 *
 * The rows of a turn are two pairs. Each instruction is written for one pair and then for the other: neither waits for the
 * other, so a processor works on both at once.
 */
import type {
  NumberTable,
  Operand,
  RecordChoice,
  Records,
  Variable,
  Vector,
  VectorLoop,
} from '../expression.ts';
import { signed, unsigned, type WasmFunction } from './binary.ts';

const PAIRS = [0, 1] as const;
type Pair = (typeof PAIRS)[number];
const NUMBER_BYTES = 8;
const PAIR_BYTES = 2 * NUMBER_BYTES;
const TURN_BYTES = PAIRS.length * PAIR_BYTES;

/** Codes of plain instructions; `vector` announces one of the others. */
const OP = {
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  branchIf: 0x0d,
  getLocal: 0x20,
  setLocal: 0x21,
  teeLocal: 0x22,
  noResult: 0x40,
  constant: 0x41,
  isLess: 0x49,
  add: 0x6a,
  multiply: 0x6c,
  shiftLeft: 0x74,
  vector: 0xfd,
} as const;

const SIMD = {
  load: 0x00,
  loadSplat: 0x0a,
  store: 0x0b,
  extractInteger: 0x1b,
  or: 0x50,
  anyTrue: 0x53,
  loadLane: 0x57,
  loadZero: 0x5d,
} as const;

/** How a vector is computed. */
interface Node {
  readonly arguments: readonly Vector[];
  /** Of one pair, when its arguments are on the stack. */
  readonly instructions: readonly number[];
  /** The same for both pairs, and loaded again wherever it is used: cheaper than keeping it. */
  readonly isConstant: boolean;
  /** Where it is kept once it is computed; the other pair follows. */
  local: number | undefined;
}

/** Where constants of kernels lie: addresses of pairs of equal numbers. */
export interface ConstantPool {
  number(value: number): number;
  bits(value: bigint): number;
}

// Parameters of the functions, and the first variables after them.
const BASE = 0;
const STRIDE = 1;
const COUNT = 2;
const PARAMETERS = 3;
const END = 3;
const FIRST_OFFSET = 4;

export class WasmLoop<Column extends string> implements VectorLoop<Column> {
  private readonly name: string;
  private readonly columns: readonly Column[];
  private readonly pool: ConstantPool;
  private readonly known = new Map<string, Vector>();
  private readonly nodes: Node[] = [];
  private readonly offsets = new Map<number, number>();
  private readonly code: number[] = [];
  private vectors = 0;
  private addresses = 0;
  /** Vectors that were computed in the open blocks; they are unknown again when their block ends. */
  private readonly scopes: Node[][] = [[]];

  /** A loop over the columns of a table: column k begins at base + k·stride. */
  constructor(name: string, columns: readonly Column[], pool: ConstantPool) {
    this.name = name;
    this.columns = columns;
    this.pool = pool;
  }

  load(column: Column, ahead = 0): Vector {
    return this.stored((pair) => {
      this.code.push(...this.address(column), OP.vector, SIMD.load, ...memarg(8 * ahead + PAIR_BYTES * pair));
    });
  }

  store(column: Column, value: Operand): void {
    const vector = this.vector(value);
    this.compute(vector);
    for (const pair of PAIRS) {
      this.code.push(...this.address(column));
      this.push(vector, pair);
      this.code.push(OP.vector, SIMD.store, ...memarg(PAIR_BYTES * pair));
    }
  }

  parameter(table: NumberTable, index: number): Vector {
    const address = addressOf(table) + NUMBER_BYTES * index;
    const code = [OP.constant, 0x00, OP.vector, SIMD.loadSplat, ...memarg(address)];
    return this.register(`parameter ${address}`, [], code, true);
  }

  vector(value: Operand): Vector {
    return typeof value === 'number' ? this.constantAt(this.pool.number(value)) : value;
  }

  bits(value: bigint): Vector {
    return this.constantAt(this.pool.bits(value));
  }

  /** An instruction of 128-bit vectors, by its number. */
  apply(opcode: number, ...operands: readonly Operand[]): Vector {
    const vectors = operands.map((operand) => this.vector(operand));
    const key = `${opcode} ${vectors.map(({ id }) => id).join(' ')}`;
    return this.register(key, vectors, [OP.vector, ...unsigned(opcode)], false);
  }

  /** A shift of 64-bit integers. */
  shift(opcode: number, operand: Vector, bits: number): Vector {
    const key = `${opcode} ${operand.id} by ${bits}`;
    return this.register(
      key,
      [operand],
      [OP.constant, ...signed(bits), OP.vector, ...unsigned(opcode)],
      false,
    );
  }

  variable(initial: Operand): Variable {
    const variable = { variable: this.newLocals() };
    this.assign(variable, initial);
    return variable;
  }

  assign({ variable: local }: Variable, value: Operand): void {
    const vector = this.vector(value);
    this.compute(vector);
    for (const pair of PAIRS) {
      this.push(vector, pair);
      this.code.push(OP.setLocal, vectorLocal(local + pair));
    }
  }

  read({ variable: local }: Variable): Vector {
    return this.stored((pair) => this.code.push(OP.getLocal, vectorLocal(local + pair)));
  }

  keep(vector: Vector): Vector {
    this.compute(vector);
    return vector;
  }

  whereAny(mask: Vector, block: () => void): void {
    this.compute(mask);
    for (const pair of PAIRS) this.push(mask, pair);
    this.code.push(OP.vector, SIMD.or, OP.vector, SIMD.anyTrue, OP.if, OP.noResult);
    this.scopes.push([]);
    block();
    for (const node of this.scopes.pop() ?? []) node.local = undefined;
    this.code.push(OP.end);
  }

  chooseRecords(integers: Vector, table: NumberTable, records: Records): RecordChoice {
    this.compute(integers);
    const address = addressOf(table) + NUMBER_BYTES * records.first;
    const recordBytes = NUMBER_BYTES * records.length;
    const first = this.addresses;
    for (const pair of PAIRS) {
      for (const lane of [0, 1]) {
        this.push(integers, pair);
        this.code.push(
          OP.vector,
          SIMD.extractInteger,
          2 * lane,
          OP.constant,
          ...signed(recordBytes),
          OP.multiply,
        );
        this.code.push(OP.constant, ...signed(address), OP.add, OP.setLocal, addressLocal(this.addresses++));
      }
    }
    return { choice: first };
  }

  field({ choice: first }: RecordChoice, index: number): Vector {
    return this.stored((pair) => {
      const low = addressLocal(first + 2 * pair);
      const high = addressLocal(first + 2 * pair + 1);
      this.code.push(OP.getLocal, high, OP.getLocal, low, OP.vector, SIMD.loadZero, ...memarg(8 * index));
      this.code.push(OP.vector, SIMD.loadLane, ...memarg(8 * index), 1);
    });
  }

  finish(): WasmFunction {
    const firstAddress = FIRST_OFFSET + this.offsets.size;
    const firstVector = firstAddress + this.addresses;
    const setUp = [...this.offsets].flatMap(([column, index]) => [
      ...[
        OP.getLocal,
        STRIDE,
        OP.constant,
        ...signed(column),
        OP.multiply,
        OP.setLocal,
        ...unsigned(FIRST_OFFSET + index),
      ],
    ]);
    const end = [
      OP.getLocal,
      BASE,
      OP.getLocal,
      COUNT,
      OP.constant,
      3,
      OP.shiftLeft,
      OP.add,
      OP.setLocal,
      END,
    ];
    const advance = [
      OP.getLocal,
      BASE,
      OP.constant,
      TURN_BYTES,
      OP.add,
      OP.teeLocal,
      BASE,
      OP.getLocal,
      END,
      OP.isLess,
      OP.branchIf,
      0x00,
    ];
    const loop = [OP.loop, OP.noResult, ...placed(this.code, firstAddress, firstVector), ...advance, OP.end];
    return {
      name: this.name,
      parameters: PARAMETERS,
      integerLocals: 1 + this.offsets.size + this.addresses,
      vectorLocals: this.vectors,
      code: [OP.getLocal, COUNT, OP.if, OP.noResult, ...setUp, ...end, ...loop, OP.end],
    };
  }

  private constantAt(address: number): Vector {
    const code = [OP.constant, 0x00, OP.vector, SIMD.load, ...memarg(address)];
    return this.register(`constant ${address}`, [], code, true);
  }

  /** A vector that code computes here and now. */
  private stored(write: (pair: Pair) => void): Vector {
    const local = this.newLocals();
    for (const pair of PAIRS) {
      write(pair);
      this.code.push(OP.setLocal, vectorLocal(local + pair));
    }
    const vector = this.register(`stored ${local}`, [], [], false);
    this.node(vector).local = local;
    return vector;
  }

  private register(
    key: string,
    args: readonly Vector[],
    instructions: readonly number[],
    isConstant: boolean,
  ): Vector {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const vector = { id: this.nodes.length };
    this.nodes.push({ arguments: args, instructions, isConstant, local: undefined });
    this.known.set(key, vector);
    return vector;
  }

  private node(vector: Vector): Node {
    const node = this.nodes[vector.id];
    if (node === undefined) throw new RangeError(`the loop ${this.name} uses a vector of another loop`);
    return node;
  }

  private compute(vector: Vector): void {
    const node = this.node(vector);
    if (node.local !== undefined || node.isConstant) return;
    for (const argument of node.arguments) this.compute(argument);
    node.local = this.newLocals();
    this.scopes.at(-1)?.push(node);
    const constants = this.loadConstants(node.arguments);
    for (const pair of PAIRS) {
      for (const argument of node.arguments) {
        const constant = constants.get(argument);
        if (constant === undefined) this.push(argument, pair);
        else this.code.push(OP.getLocal, vectorLocal(constant));
      }
      this.code.push(...node.instructions, OP.setLocal, vectorLocal(node.local + pair));
    }
  }

  /** Constants that an instruction needs, loaded once for both pairs. */
  private loadConstants(vectors: readonly Vector[]): Map<Vector, number> {
    const locals = new Map<Vector, number>();
    for (const vector of vectors) {
      const { isConstant, instructions } = this.node(vector);
      if (!isConstant) continue;
      const local = this.newLocals();
      this.code.push(...instructions, OP.setLocal, vectorLocal(local));
      locals.set(vector, local);
    }
    return locals;
  }

  /** Puts a computed vector on the stack. */
  private push(vector: Vector, pair: Pair): void {
    const { local, instructions } = this.node(vector);
    if (local === undefined) this.code.push(...instructions);
    else this.code.push(OP.getLocal, vectorLocal(local + pair));
  }

  private newLocals(): number {
    const local = this.vectors;
    this.vectors += PAIRS.length;
    return local;
  }

  private address(column: Column): number[] {
    const number = this.columns.indexOf(column);
    const index = this.offsets.get(number) ?? this.offsets.size;
    this.offsets.set(number, index);
    return [OP.getLocal, BASE, OP.getLocal, ...unsigned(FIRST_OFFSET + index), OP.add];
  }
}

/** Codes beyond those of bytes stand for variables until their numbers are known. */
const ADDRESS_LOCAL = 1 << 16;
const VECTOR_LOCAL = 1 << 20;

function vectorLocal(local: number): number {
  return VECTOR_LOCAL + local;
}

function addressOf({ address }: NumberTable): number {
  if (address === undefined) throw new RangeError('a kernel reads a table that is not in its memory');
  return address;
}

function addressLocal(local: number): number {
  return ADDRESS_LOCAL + local;
}

/** Code with the numbers of its variables, which are known only at the end. */
function placed(code: readonly number[], firstAddress: number, firstVector: number): number[] {
  return code.flatMap((byte) => {
    if (byte >= VECTOR_LOCAL) return unsigned(firstVector + byte - VECTOR_LOCAL);
    if (byte >= ADDRESS_LOCAL) return unsigned(firstAddress + byte - ADDRESS_LOCAL);
    return byte;
  });
}

/** Alignment of a number and an offset. */
function memarg(offset: number): number[] {
  return [0x03, ...unsigned(offset)];
}
