/**
 * Lossless compression of CCSDS 121.0-B, with which ECMWF packs its open data (GRIB2 template 5.42). A global field has a million
 * values, so one function of WebAssembly, which has words of 64 bits, makes values of codes.
 */
import {
  assemble,
  type Code,
  f64,
  i32,
  i64,
  type Local,
  loopWhile,
  returnValue,
  select,
  type Type,
  when,
} from './assembler.ts';

export interface CcsdsParameters {
  readonly bitsPerValue: number;
  /** Values per block. */
  readonly blockSize: number;
  /** Blocks between two reference values. */
  readonly referenceInterval: number;
  readonly flags: number;
}

/** From a packed integer to a value: `(reference + packed * binaryScale) * decimalScale`. */
export interface Scaling {
  readonly reference: number;
  readonly binaryScale: number;
  readonly decimalScale: number;
}

const PREPROCESSED = 0x08;
const RESTRICTED = 0x10;
/** Blocks of zeros are counted within stretches of this many blocks. */
const ZERO_STRETCH = 64;
/** Code for "zeros to the end of the stretch". */
const REST_OF_STRETCH = 5;
/** Zeros are implied at the end [bytes]; reading beyond them means that the data are cut off. */
const PADDING = 8;
/** The bits of a word that are there wherever in a byte it begins. */
const WORD_BITS = 57;
/** Where the packed bytes begin, after the high parts of the values of a block, at most 255. */
const SOURCE = 1024;
const PAGE_BYTES = 65_536;
const CUT_OFF = 1;

let decoder: Decoder | undefined;

/** Fills in the values of a field; their length decides how many there are. */
export function decodeCcsds(
  bytes: Uint8Array,
  values: Float32Array,
  { bitsPerValue, blockSize, referenceInterval, flags }: CcsdsParameters,
  { reference, binaryScale, decimalScale }: Scaling,
): void {
  if (referenceInterval * blockSize === 0) throw new RangeError('the packing has blocks without values');
  decoder ??= makeDecoder();
  const { memory } = decoder;
  const padded = bytes.length + 2 * PADDING;
  const target = SOURCE + 4 * Math.ceil(padded / 4);
  // The last block may reach beyond what is asked for.
  const room = values.length + blockSize;
  const missing = target + 4 * room - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  const source = new Uint8Array(memory.buffer, SOURCE, padded);
  source.set(bytes);
  source.fill(0, bytes.length);
  const outcome = decoder.run(
    ...[8 * (bytes.length + PADDING), target, values.length, room],
    ...[bitsPerValue, blockSize, referenceInterval, optionWidth(bitsPerValue, flags)],
    ...[(flags & PREPROCESSED) === 0 ? 0 : 1, reference, binaryScale, decimalScale],
  );
  if (outcome === CUT_OFF) throw new RangeError('packed values end before their number is reached');
  values.set(new Float32Array(memory.buffer, target, values.length));
}

function optionWidth(bitsPerValue: number, flags: number): number {
  if (bitsPerValue > 16) return 5;
  if (bitsPerValue > 8) return 4;
  if ((flags & RESTRICTED) !== 0 && bitsPerValue <= 4) return bitsPerValue <= 2 ? 1 : 2;
  return 3;
}

interface Decoder {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  run(...numbers: number[]): number;
}

/** The language's own declarations have no WebAssembly. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
    readonly Instance: new (module: object) => { readonly exports: Decoder };
  };
};

function makeDecoder(): Decoder {
  const parameters: Type[] = [...Array<Type>(9).fill('i32'), ...Array<Type>(3).fill('f64')];
  return new WebAssembly.Instance(new WebAssembly.Module(assemble(parameters, writeDecoder))).exports;
}

/** The parameters are those that `decodeCcsds` gives; returns `CUT_OFF` or 0. */
function writeDecoder(given: readonly Local[], newLocal: (type: Type) => Local): Code[] {
  const [endBit, target, count, room, bitsPerValue] = given as [Local, Local, Local, Local, Local];
  const [blockSize, referenceInterval, idWidth, preprocessed] = given.slice(5) as [
    Local,
    Local,
    Local,
    Local,
  ];
  const [reference, binaryScale, decimalScale] = given.slice(9) as [Local, Local, Local];
  /** The next bit. */
  const at = newLocal('i32');
  /** Index of the next value. */
  const next = newLocal('i32');
  /** Number of the block since the last reference value. */
  const block = newLocal('i32');
  const option = newLocal('i32');
  const isSecondExtension = newLocal('i32');
  const holdsReference = newLocal('i32');
  const number = newLocal('i32');
  const sum = newLocal('i32');
  const start = newLocal('i32');
  /** Of the low parts of values [bits], and what a word is shifted by for them. */
  const width = newLocal('i32');
  const shift = newLocal('i64');
  const i = newLocal('i32');
  const end = newLocal('i32');
  const zeros = newLocal('i32');
  const left = newLocal('i32');
  const leading = newLocal('i32');
  const word = newLocal('i64');
  const folded = newLocal('i64');
  /** The last packed integer. */
  const previous = newLocal('i64');
  const space = newLocal('i64');
  const half = newLocal('i64');
  const largest = newLocal('i64');

  const [none, one] = [i32.of(0), i32.of(1)];
  const wordAt = i64.shiftLeft(
    i64.loadBigEndian(i32.shiftRight(at.get, i32.of(3)), SOURCE),
    i64.ofI32(i32.and(at.get, i32.of(7))),
  );
  const failBeyondEnd = (bit: Code) => when(i32.more(bit, endBit.get), [returnValue(i32.of(CUT_OFF))]);
  const read = (into: Local, bits: Code): Code => {
    const value = i64.shiftRight(wordAt, i64.ofI32(i32.subtract(i32.of(64), bits)));
    return [
      ...failBeyondEnd(at.get),
      ...into.set(into.type === 'i64' ? value : i32.ofI64(value)),
      ...at.add(bits),
    ];
  };
  const highPart = i32.shiftLeft(i.get, i32.of(2));

  /** The zeros before each of the next ones are high parts, from `i` to before `end`. */
  const readUnaries = [
    zeros.set(none),
    loopWhile(i32.less(i.get, end.get), [
      failBeyondEnd(at.get),
      word.set(wordAt),
      left.set(i32.of(WORD_BITS)),
      leading.set(i32.ofI64(i64.leadingZeros(word.get))),
      loopWhile(i32.and(i32.less(leading.get, left.get), i32.less(i.get, end.get)), [
        i32.store(highPart, i32.add(zeros.get, leading.get)),
        i.add(one),
        zeros.set(none),
        leading.add(one),
        left.set(i32.subtract(left.get, leading.get)),
        at.add(leading.get),
        word.set(i64.shiftLeft(word.get, i64.ofI32(leading.get))),
        leading.set(i32.ofI64(i64.leadingZeros(word.get))),
      ]),
      when(i32.less(i.get, end.get), [zeros.add(left.get), at.add(left.get)]),
    ]),
  ].flat();

  /** Pairs of small values as one number: their sum's triangular number plus the second of them. */
  const triangularRoot = f64.multiply(
    f64.subtract(
      f64.squareRoot(f64.add(f64.multiply(f64.of(8), f64.ofI32(number.get)), f64.of(1))),
      f64.of(1),
    ),
    f64.of(0.5),
  );
  const readSecondExtension = [
    start.set(holdsReference.get),
    loopWhile(i32.less(start.get, blockSize.get), [
      i.set(start.get),
      end.set(i32.add(i.get, one)),
      readUnaries,
      i.set(start.get),
      number.set(i32.load(highPart)),
      sum.set(i32.ofF64(triangularRoot)),
      number.set(i32.subtract(number.get, i32.shiftRight(i32.multiply(sum.get, i32.add(sum.get, one)), one))),
      when(i32.isZero(i32.and(i.get, one)), [
        i32.store(highPart, i32.subtract(sum.get, number.get)),
        i.add(one),
      ]),
      i32.store(highPart, number.get),
      start.set(i32.add(i.get, one)),
    ]),
  ].flat();

  const store = [
    f64.storeAsF32(
      i32.add(target.get, i32.shiftLeft(next.get, i32.of(2))),
      f64.multiply(
        f64.add(reference.get, f64.multiply(f64.ofI64(previous.get), binaryScale.get)),
        decimalScale.get,
      ),
    ),
    next.add(one),
  ].flat();

  /** Each value was replaced by its folded difference from the one before: even ones go up, odd ones down. */
  const isLow = i64.less(previous.get, half.get);
  const undoPrediction = [
    space.set(select(isLow, previous.get, i64.subtract(largest.get, previous.get))),
    when(
      i64.more(folded.get, i64.add(space.get, space.get)),
      [previous.set(select(isLow, folded.get, i64.subtract(largest.get, folded.get)))],
      [
        previous.add(
          i64.exclusiveOr(
            i64.shiftRight(folded.get, i64.of(1)),
            i64.subtract(i64.of(0), i64.and(folded.get, i64.of(1))),
          ),
        ),
      ],
    ),
  ].flat();

  /** The high parts of a block, each with its low part. */
  const lastLowPart = i32.multiply(
    i32.subtract(i32.subtract(blockSize.get, holdsReference.get), one),
    width.get,
  );
  const storeBlock = [
    failBeyondEnd(i32.add(at.get, lastLowPart)),
    // In two steps, because a shift by 64 would be none.
    shift.set(i64.ofI32(i32.subtract(i32.of(63), width.get))),
    i.set(holdsReference.get),
    loopWhile(i32.less(i.get, blockSize.get), [
      folded.set(
        i64.ofI32(
          i32.or(
            i32.shiftLeft(i32.load(highPart), width.get),
            i32.ofI64(i64.shiftRight(i64.shiftRight(wordAt, i64.of(1)), shift.get)),
          ),
        ),
      ),
      at.add(width.get),
      i.add(one),
      when(preprocessed.get, [undoPrediction], [previous.set(folded.get)]),
      store,
    ]),
    block.add(one),
  ].flat();

  const least = (first: Code, second: Code) => select(i32.less(first, second), first, second);
  /** A difference of zero repeats the value before. */
  const storeZeros = [
    i.set(none),
    end.set(one),
    readUnaries,
    number.set(i32.add(i32.load(none), one)),
    when(
      i32.equal(number.get, i32.of(REST_OF_STRETCH)),
      [
        number.set(
          least(
            i32.subtract(i32.of(ZERO_STRETCH), i32.remainder(block.get, i32.of(ZERO_STRETCH))),
            i32.subtract(referenceInterval.get, block.get),
          ),
        ),
      ],
      [when(i32.more(number.get, i32.of(REST_OF_STRETCH)), [number.set(i32.subtract(number.get, one))])],
    ),
    block.add(number.get),
    // Damaged data may count more blocks than there is room for.
    number.set(least(number.get, room.get)),
    end.set(i32.add(next.get, i32.subtract(i32.multiply(number.get, blockSize.get), holdsReference.get))),
    end.set(least(end.get, room.get)),
    when(i32.isZero(preprocessed.get), [previous.set(i64.of(0))]),
    loopWhile(i32.less(next.get, end.get), [store]),
  ].flat();

  const readCompressed = [
    width.set(none),
    when(
      i32.isZero(option.get),
      [readSecondExtension],
      [
        when(
          i32.equal(option.get, i32.subtract(i32.shiftLeft(one, idWidth.get), one)),
          [
            // Not compressed: all bits are low ones.
            loopWhile(i32.less(i.get, end.get), [i32.store(highPart, none), i.add(one)]),
            width.set(bitsPerValue.get),
          ],
          [readUnaries, width.set(i32.subtract(option.get, one))],
        ),
      ],
    ),
  ].flat();

  return [
    half.set(i64.shiftLeft(i64.of(1), i64.ofI32(i32.subtract(bitsPerValue.get, one)))),
    largest.set(i64.subtract(i64.add(half.get, half.get), i64.of(1))),
    loopWhile(i32.less(next.get, count.get), [
      block.set(none),
      loopWhile(i32.and(i32.less(block.get, referenceInterval.get), i32.less(next.get, count.get)), [
        read(option, idWidth.get),
        isSecondExtension.set(none),
        when(i32.isZero(option.get), [read(isSecondExtension, one)]),
        holdsReference.set(i32.and(preprocessed.get, i32.isZero(block.get))),
        when(holdsReference.get, [read(previous, bitsPerValue.get), store]),
        i.set(holdsReference.get),
        end.set(blockSize.get),
        when(i32.or(option.get, isSecondExtension.get), [readCompressed, storeBlock], [storeZeros]),
      ]),
    ]),
    none,
  ];
}
