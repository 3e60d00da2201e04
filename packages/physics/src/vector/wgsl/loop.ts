/**
 * Writes the formulas of a loop as WGSL, in single precision: one invocation of a GPU has one row, and the columns of the
 * row are variables of it. A formula is a graph of vectors; equal formulas are one vector, so nothing is computed twice.
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

export type WgslType = 'f32' | 'i32' | 'bool';

/** How a vector is computed. */
interface Node {
  readonly type: WgslType;
  readonly arguments: readonly Vector[];
  readonly write: (names: readonly string[]) => string;
  /** What stands for it once it is computed; constants always have one. */
  name: string | undefined;
}

/** Where a shader finds what a loop does not hold itself. */
export interface WgslTables {
  /** A number of a table that is the same in all rows. */
  parameter(table: NumberTable, index: number): string;
  /** A number of a table of records, by an expression of its index. */
  record(table: NumberTable, index: string): string;
}

export class WgslLoop<Column extends string> implements VectorLoop<Column> {
  /** Statements of the loop so far. */
  readonly statements: string[] = [];
  /** Columns that were loaded or stored. */
  readonly columns = new Set<Column>();
  private readonly prefix: string;
  private readonly tables: WgslTables;
  private readonly known = new Map<string, Vector>();
  private readonly nodes: Node[] = [];
  private readonly types: WgslType[] = [];
  private readonly choices: NumberTable[] = [];
  /** Vectors that were computed in the open blocks; they are unknown again when their block ends. */
  private readonly scopes: Node[][] = [[]];
  private names = 0;

  /** Names of the loop begin with `prefix`, those of columns are {@link columnName}. */
  constructor(prefix: string, tables: WgslTables) {
    this.prefix = prefix;
    this.tables = tables;
  }

  load(column: Column, ahead = 0): Vector {
    if (ahead !== 0) throw new RangeError('rows of a GPU do not see each other');
    this.columns.add(column);
    return this.stored('f32', columnName(column));
  }

  store(column: Column, value: Operand): void {
    this.columns.add(column);
    this.statements.push(`${columnName(column)} = ${this.compute(this.vector(value))};`);
  }

  parameter(table: NumberTable, index: number): Vector {
    return this.constant('f32', this.tables.parameter(table, index));
  }

  variable(initial: Operand): Variable {
    const vector = this.vector(initial);
    const value = this.compute(vector);
    const variable = this.types.length;
    this.types.push(this.typeOf(vector));
    this.statements.push(`var ${this.prefix}x${variable} = ${value};`);
    return { variable };
  }

  assign({ variable }: Variable, value: Operand): void {
    this.statements.push(`${this.prefix}x${variable} = ${this.compute(this.vector(value))};`);
  }

  read({ variable }: Variable): Vector {
    return this.stored(this.types[variable] as WgslType, `${this.prefix}x${variable}`);
  }

  keep(vector: Vector): Vector {
    this.compute(vector);
    return vector;
  }

  whereAny(mask: Vector, block: () => void): void {
    this.statements.push(`if (${this.compute(mask)}) {`);
    this.scopes.push([]);
    block();
    for (const node of this.scopes.pop() ?? []) node.name = undefined;
    this.statements.push('}');
  }

  chooseRecords(integers: Vector, table: NumberTable, { first, length }: Records): RecordChoice {
    const choice = this.choices.length;
    this.choices.push(table);
    this.statements.push(
      `let ${this.prefix}r${choice} = ${first}u + ${length}u * u32(${this.compute(integers)});`,
    );
    return { choice };
  }

  field({ choice }: RecordChoice, index: number): Vector {
    const table = this.choices[choice] as NumberTable;
    const text = this.tables.record(table, `${this.prefix}r${choice} + ${index}u`);
    return this.apply('f32', text, () => text);
  }

  vector(value: Operand): Vector {
    return typeof value === 'number' ? this.constant('f32', literal(value)) : value;
  }

  typeOf(vector: Vector): WgslType {
    return this.node(vector).type;
  }

  /** A vector of others, whose names `write` receives; `operation` and operands identify it. */
  apply(
    type: WgslType,
    operation: string,
    write: (...names: string[]) => string,
    ...operands: readonly Operand[]
  ): Vector {
    const vectors = operands.map((operand) => this.vector(operand));
    const key = `${operation} ${vectors.map(({ id }) => id).join(' ')}`;
    return this.register(key, {
      type,
      arguments: vectors,
      write: (names) => write(...names),
      name: undefined,
    });
  }

  /** The name of a vector, which is computed here unless it already is. */
  private compute(vector: Vector): string {
    const node = this.node(vector);
    if (node.name !== undefined) return node.name;
    const text = node.write(node.arguments.map((one) => this.compute(one)));
    node.name = this.newName();
    this.statements.push(`let ${node.name} = ${text};`);
    this.scopes.at(-1)?.push(node);
    return node.name;
  }

  private constant(type: WgslType, text: string): Vector {
    return this.register(`constant ${text}`, { type, arguments: [], write: () => text, name: text });
  }

  /** A vector that is read here and now. */
  private stored(type: WgslType, text: string): Vector {
    const name = this.newName();
    this.statements.push(`let ${name} = ${text};`);
    return this.register(name, { type, arguments: [], write: () => name, name });
  }

  private register(key: string, node: Node): Vector {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const vector = { id: this.nodes.length };
    this.nodes.push(node);
    this.known.set(key, vector);
    return vector;
  }

  private node({ id }: Vector): Node {
    const node = this.nodes[id];
    if (node === undefined) throw new RangeError(`a loop of ${this.prefix} uses a vector of another loop`);
    return node;
  }

  private newName(): string {
    return `${this.prefix}v${this.names++}`;
  }
}

/** The variable that holds a column of the row. */
export function columnName(column: string): string {
  return `c_${column}`;
}

/** The largest number in single precision; infinity has no literal, and compilers may assume that there is none. */
export const LARGEST = 3.4028234663852886e38;

/** A number in single precision. */
export function literal(value: number): string {
  if (Number.isNaN(value)) throw new RangeError('WGSL has no NaN');
  const single = Math.fround(Math.min(Math.max(value, -LARGEST), LARGEST));
  const text = String(single);
  return `${/[.e]/.test(text) ? text : `${text}.0`}f`;
}
