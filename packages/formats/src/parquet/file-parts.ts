/** What all Parquet files that we write have in common: types of columns, levels of nulls, and the footer. */
import {
  bool,
  encodeThrift,
  i8,
  i32,
  i64,
  list,
  struct,
  type ThriftValue,
  text,
  writeVarint,
} from './thrift.ts';

/** Types of columns with their encodings; timestamps have microseconds and no zone. */
export type ParquetType =
  | 'string'
  | 'int8'
  | 'uint8'
  | 'int32'
  | 'int64'
  | 'int64 by difference'
  | 'float'
  | 'double'
  | 'bool'
  | 'timestamp';

export const MAGIC = Buffer.from('PAR1');
export const ENCODING = { plain: 0, rle: 3, delta: 5, dictionary: 8, byteStreamSplit: 9 } as const;
export const PAGE = { data: 0, dictionary: 2 } as const;
const OPTIONAL = 1;

export const PHYSICAL = { boolean: 0, int32: 1, int64: 2, float: 4, double: 5, binary: 6 } as const;

export interface Storage {
  readonly physical: number;
  readonly converted?: number;
  readonly logical?: ThriftValue;
}

const NOTHING = struct([]);
export const STORAGE: Readonly<Record<ParquetType, Storage>> = {
  string: { physical: PHYSICAL.binary, converted: 0, logical: struct([[1, NOTHING]]) },
  int8: {
    physical: PHYSICAL.int32,
    converted: 15,
    logical: struct([
      [
        10,
        struct([
          [1, i8(8)],
          [2, bool(true)],
        ]),
      ],
    ]),
  },
  uint8: {
    physical: PHYSICAL.int32,
    converted: 11,
    logical: struct([
      [
        10,
        struct([
          [1, i8(8)],
          [2, bool(false)],
        ]),
      ],
    ]),
  },
  int32: { physical: PHYSICAL.int32 },
  int64: { physical: PHYSICAL.int64 },
  'int64 by difference': { physical: PHYSICAL.int64 },
  float: { physical: PHYSICAL.float },
  double: { physical: PHYSICAL.double },
  bool: { physical: PHYSICAL.boolean },
  timestamp: {
    physical: PHYSICAL.int64,
    logical: struct([
      [
        8,
        struct([
          [1, bool(false)],
          [2, struct([[2, NOTHING]])],
        ]),
      ],
    ]),
  },
};

/** Content of a file's footer. */
export interface FooterContent {
  readonly columns: readonly { readonly name: string; readonly storage: Storage }[];
  readonly rowCount: number;
  readonly groups: readonly ThriftValue[];
  /** Keys and values; a file without has no list of them. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The end of a file. */
export function encodeFooter({ columns, rowCount, groups, metadata }: FooterContent): Buffer {
  const entries = Object.entries(metadata ?? {}).map(([key, value]) =>
    struct([
      [1, text(key)],
      [2, text(value)],
    ]),
  );
  const elements = columns.map(({ name, storage }) => schemaElement(name, storage));
  const description = encodeThrift(
    struct([
      [1, i32(2)],
      [2, list([schemaRoot(elements.length), ...elements])],
      [3, i64(rowCount)],
      [4, list(groups)],
      [5, metadata === undefined ? undefined : list(entries)],
      [6, text('contrails')],
      [7, list(columns.map(() => struct([[1, NOTHING]])))],
    ]),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(description.length);
  return Buffer.concat([description, length, MAGIC]);
}

const schemaRoot = (children: number) =>
  struct([
    [4, text('schema')],
    [5, i32(children)],
  ]);

function schemaElement(name: string, { physical, converted, logical }: Storage): ThriftValue {
  return struct([
    [1, i32(physical)],
    [3, i32(OPTIONAL)],
    [4, text(name)],
    [6, converted === undefined ? undefined : i32(converted)],
    [10, logical],
  ]);
}

/** One bit of each row, 0 for null: one run where all are alike, else groups of eight bits. */
export function levelsOf(rowCount: number, known: number, isNull: (row: number) => boolean): Uint8Array {
  if (known === 0 || known === rowCount) return allLevels(rowCount, known > 0);
  const out: number[] = [];
  writeVarint(out, Math.ceil(rowCount / 8) * 2 + 1);
  for (let i = 0; i < rowCount; i += 8) {
    let byte = 0;
    for (let b = 0; b < 8 && i + b < rowCount; b++) if (!isNull(i + b)) byte |= 1 << b;
    out.push(byte);
  }
  return behindLength(out);
}

export function allLevels(rowCount: number, areKnown: boolean): Uint8Array {
  const out: number[] = [];
  writeVarint(out, rowCount * 2);
  out.push(areKnown ? 1 : 0);
  return behindLength(out);
}

/** After its own length, as levels are stored. */
export function behindLength(bytes: ArrayLike<number>): Uint8Array {
  const out = Buffer.alloc(4 + bytes.length);
  out.writeUInt32LE(bytes.length);
  out.set(bytes, 4);
  return out;
}
