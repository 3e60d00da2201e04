/**
 * What the formulas of a vector loop may use. A formula is written once against these interfaces and names no
 * instruction: an emitter (`wasm/` for WebAssembly) turns it into code for its machine.
 */

/** One number in each row. Only the loop that made it knows how it is computed. */
export interface Vector {
  readonly id: number;
}

export type Operand = Vector | number;

/** A vector whose numbers change while rows are computed. */
export interface Variable {
  readonly variable: number;
}

/** Which record of a table each row reads. */
export interface RecordChoice {
  readonly choice: number;
}

/** Numbers that all rows share: parameters that change between runs, and tables of records. */
export interface NumberTable {
  /** May be written between runs. */
  readonly numbers: Float64Array;
  /** In the memory of kernels; tables of which none reads have none. */
  readonly address?: number | undefined;
}

/** Which records rows choose between: `first` and `length` count numbers of the table. */
export interface Records {
  readonly first: number;
  readonly length: number;
}

/** A loop over the rows of a table with named columns. */
export interface VectorLoop<Column extends string> {
  /** The numbers of a column, `ahead` rows further. */
  load(column: Column, ahead?: number): Vector;
  store(column: Column, value: Operand): void;
  /** A number of a table as it is when the loop runs, the same in all rows. */
  parameter(table: NumberTable, index: number): Vector;
  variable(initial: Operand): Variable;
  assign(variable: Variable, value: Operand): void;
  /** What a variable holds now. */
  read(variable: Variable): Vector;
  /** Computes a vector here, so all blocks that follow within this one find it. */
  keep(vector: Vector): Vector;
  /** Runs the block where the mask holds for at least one row; it may then run for the others too. */
  whereAny(mask: Vector, block: () => void): void;
  /** Record k of a table begins at number `first + k·length`; whole numbers, one per row, choose k. */
  chooseRecords(integers: Vector, table: NumberTable, records: Records): RecordChoice;
  /** A number of the chosen records. */
  field(choice: RecordChoice, index: number): Vector;
}

/** Arithmetic and elementary functions. NaN in, NaN out, unless a function documents otherwise. */
export interface VectorMath {
  constant(value: number): Vector;
  add(first: Operand, ...others: readonly Operand[]): Vector;
  mul(first: Operand, ...others: readonly Operand[]): Vector;
  sub(a: Operand, b: Operand): Vector;
  div(a: Operand, b: Operand): Vector;
  neg(a: Operand): Vector;
  abs(a: Operand): Vector;
  sqrt(a: Operand): Vector;
  square(a: Operand): Vector;
  /** The larger of a vector and a bound that is not NaN. */
  atLeast(a: Operand, bound: Operand): Vector;
  /** The smaller of a vector and a bound that is not NaN. */
  atMost(a: Operand, bound: Operand): Vector;
  max(a: Operand, b: Operand): Vector;
  min(a: Operand, b: Operand): Vector;
  /** Masks hold nowhere where a number is NaN. */
  isLess(a: Operand, b: Operand): Vector;
  isAtMost(a: Operand, b: Operand): Vector;
  isEqual(a: Operand, b: Operand): Vector;
  both(a: Vector, b: Vector): Vector;
  not(mask: Vector): Vector;
  select(mask: Vector, where: Operand, elsewhere: Operand): Vector;
  /** The number where the mask holds, 0 elsewhere. */
  only(mask: Vector, value: Operand): Vector;
  /** 0 instead of NaN. */
  zeroForNaN(a: Vector): Vector;
  /** How many of the masks hold, as whole numbers. */
  countOf(masks: readonly Vector[]): Vector;
  /** The nearest whole numbers, with which records are chosen. */
  nearestInteger(x: Operand): Vector;
  /** Σ cₖ xᵏ. */
  polynomial(x: Vector, coefficients: readonly number[]): Vector;
  /** eˣ for x up to 700; no less than e⁻⁷⁰⁰. */
  exp(x: Operand): Vector;
  /** 1 − e⁻ˣ, where it is small too, for x above −700. */
  oneMinusExp(x: Operand): Vector;
  /** ln x of positive, normal and finite numbers; NaN and ∞ give NaN. */
  log(x: Operand): Vector;
  /** Sine and cosine of an angle [rad] below 1e5. */
  sineAndCosine(x: Operand): { sine: Vector; cosine: Vector };
  radians(degrees: Operand): Vector;
}

/** The formulas of one loop. */
export type LoopBody<Column extends string> = (loop: VectorLoop<Column>, math: VectorMath) => void;
