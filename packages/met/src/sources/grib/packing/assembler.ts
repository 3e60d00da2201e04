/** Writes a function of WebAssembly: expressions are functions that return their instructions. */

/** Instructions, of which an expression leaves one value behind. */
export type Code = readonly number[];

const TYPES = { i32: 0x7f, i64: 0x7e, f64: 0x7c } as const;

export type Type = keyof typeof TYPES;

/** A variable of a function. */
export class Local {
  readonly type: Type;
  readonly get: Code;
  readonly #index: number;

  constructor(type: Type, index: number) {
    this.type = type;
    this.#index = index;
    this.get = [0x20, ...unsigned(index)];
  }

  set(value: Code): Code {
    return [...value, 0x21, ...unsigned(this.#index)];
  }

  add(value: Code): Code {
    return this.set((this.type === 'i64' ? i64 : i32).add(this.get, value));
  }
}

const instruction =
  (...opcode: number[]) =>
  (...operands: Code[]): Code => [...operands.flat(), ...opcode];

/** Comparisons and shifts to the right are of unsigned numbers. */
export const i32 = {
  of: (value: number): Code => [0x41, ...signed(value)],
  isZero: instruction(0x45),
  equal: instruction(0x46),
  less: instruction(0x49),
  more: instruction(0x4b),
  add: instruction(0x6a),
  subtract: instruction(0x6b),
  multiply: instruction(0x6c),
  remainder: instruction(0x70),
  and: instruction(0x71),
  or: instruction(0x72),
  shiftLeft: instruction(0x74),
  shiftRight: instruction(0x76),
  ofI64: instruction(0xa7),
  /** Rounded towards zero. */
  ofF64: instruction(0xfc, 0x03),
  load: instruction(0x28, 0x02, 0x00),
  store: instruction(0x36, 0x02, 0x00),
};

export const i64 = {
  of: (value: number): Code => [0x42, ...signed(value)],
  less: instruction(0x54),
  more: instruction(0x56),
  leadingZeros: instruction(0x79),
  add: instruction(0x7c),
  subtract: instruction(0x7d),
  and: instruction(0x83),
  exclusiveOr: instruction(0x85),
  shiftLeft: instruction(0x86),
  shiftRight: instruction(0x88),
  ofI32: instruction(0xad),
  /** Eight bytes, the most significant one first: a vector is loaded, and its bytes are put in the other order. */
  loadBigEndian: (address: Code, offset: number): Code => [
    ...address,
    ...[0xfd, 0x5d, 0x00, ...unsigned(offset)],
    ...[0xfd, 0x0c, 7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0, 0xfd, 0x0e],
    ...[0xfd, 0x1d, 0x00],
  ],
};

export const f64 = {
  of: (value: number): Code => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)],
  squareRoot: instruction(0x9f),
  add: instruction(0xa0),
  subtract: instruction(0xa1),
  multiply: instruction(0xa2),
  ofI32: instruction(0xb8),
  /** Of a signed one. */
  ofI64: instruction(0xb9),
  storeAsF32: instruction(0xb6, 0x38, 0x02, 0x00),
};

/** One of two values that are both computed. */
export const select = (condition: Code, one: Code, other: Code): Code => [
  ...one,
  ...other,
  ...condition,
  0x1b,
];

export const when = (condition: Code, then: readonly Code[], otherwise: readonly Code[] = []): Code => [
  ...condition,
  ...[0x04, 0x40],
  ...then.flat(),
  ...(otherwise.length > 0 ? [0x05, ...otherwise.flat()] : []),
  0x0b,
];

export const loopWhile = (condition: Code, body: readonly Code[]): Code => [
  ...[0x02, 0x40, 0x03, 0x40],
  ...condition,
  ...[0x45, 0x0d, 0x01],
  ...body.flat(),
  ...[0x0c, 0x00, 0x0b, 0x0b],
];

export const returnValue = (value: Code): Code => [...value, 0x0f];

/** A module with its own memory, `memory`, and the function `run`, which returns an integer of 32 bits. */
export function assemble(
  parameters: readonly Type[],
  write: (given: readonly Local[], newLocal: (type: Type) => Local) => readonly Code[],
): Uint8Array<ArrayBuffer> {
  const locals: Local[] = [];
  const newLocal = (type: Type) => {
    const local = new Local(type, locals.length);
    locals.push(local);
    return local;
  };
  const given = parameters.map(newLocal);
  const code = write(given, newLocal).flat();
  const declared = vector(locals.slice(given.length).map(({ type }) => [1, TYPES[type]]));
  const body = [...declared, ...code, 0x0b];
  const exported = [
    [...text('run'), 0x00, 0],
    [...text('memory'), 0x02, 0],
  ];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector([[0x60, ...vector(parameters.map((type) => [TYPES[type]])), 1, TYPES.i32]])),
    ...section(3, vector([[0]])),
    ...section(5, vector([[0x00, 1]])),
    ...section(7, vector(exported)),
    ...section(10, vector([[...unsigned(body.length), ...body]])),
  ]);
}

function section(id: number, content: Code): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly Code[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): number[] {
  return [...unsigned(value.length), ...Buffer.from(value)];
}

/** LEB128 */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...unsigned(Math.floor(value / 128))];
}

function signed(value: number): number[] {
  return value < 64 ? [value] : [(value % 128) + 128, ...signed(Math.floor(value / 128))];
}
