/** The loops of the ridge detector over rows of an image. */

import { addressOf, makePlane, type Plane, upToFour } from '../vector/plane.ts';
import {
  compileRowKernels,
  type Lanes,
  type Pointer,
  type Quad,
  type RowKernelBody,
  type RowLoop,
} from '../vector/row-code.ts';
import { exp, log } from '../vector/row-math.ts';
import { FILTER_RADIUS, LINE_MIN_PIXELS, TAP_SCALE, TAPS } from './filter.ts';

/** Half widths of the windows of local mean, local deviation and clutter. */
export const MEAN_HALF = 7;
export const DEVIATION_HALF = 14;
export const CLUTTER_HALF = 30;

const CLUTTER_FLOOR = 0.03;
const MIN_RESPONSE = 1e-3;
export const Z_OFFSET = 0.2;
export const KAPPA_OFFSET = 0.02;
const MAX_KAPPA = 0.3;
const MAX_DEVIATIONS = 3;

type Pointers = readonly Pointer[];

function at(pointers: Pointers, index: number): Pointer {
  const pointer = pointers[index];
  if (pointer === undefined) throw new RangeError(`the kernel has no pointer ${index}`);
  return pointer;
}

function sumOf(loop: RowLoop, values: readonly Lanes[]): Lanes {
  // Pairs of pairs, so additions do not wait for each other.
  if (values.length === 1) return values[0] as Lanes;
  const half = values.length >> 1;
  return loop.add(sumOf(loop, values.slice(0, half)), sumOf(loop, values.slice(half)));
}

/** Windows are summed by groups of four pixels and the remainder. */
export const GROUP = 4;

/** Sums of groups along a row; (row, out). */
const groupRows: RowKernelBody = {
  pointers: 2,
  write: (loop, p) => {
    const values = Array.from({ length: GROUP }, (_, k) => loop.load(at(p, 0), k));
    loop.store(at(p, 1), sumOf(loop, values));
  },
};

/** Sums of four rows; (rows …, out). */
const groupColumns: RowKernelBody = {
  pointers: GROUP + 1,
  write: (loop, p) => {
    const values = Array.from({ length: GROUP }, (_, k) => loop.load(at(p, k)));
    loop.store(at(p, GROUP), sumOf(loop, values));
  },
};

/** Sums over a window of the row; (groups and pixels from the begin of the window on, out). */
function rowSums(half: number): RowKernelBody {
  const { groups, singles } = partsOf(half);
  return {
    pointers: 3,
    write: (loop, p) => {
      const values = [
        ...groups.map((k) => loop.load(at(p, 0), k)),
        ...singles.map((k) => loop.load(at(p, 1), k)),
      ];
      loop.store(at(p, 2), sumOf(loop, values));
    },
  };
}

/** Where the groups and the single pixels of a window begin, counted from its first pixel. */
export function partsOf(half: number): {
  readonly groups: readonly number[];
  readonly singles: readonly number[];
} {
  const width = 2 * half + 1;
  const count = Math.floor(width / GROUP);
  return {
    groups: Array.from({ length: count }, (_, k) => k * GROUP),
    singles: Array.from({ length: width - count * GROUP }, (_, k) => count * GROUP + k),
  };
}

function columnSum(loop: RowLoop, p: Pointers, rows: number): Lanes {
  return sumOf(
    loop,
    Array.from({ length: rows }, (_, k) => loop.load(at(p, k))),
  );
}

/** Sums over rows times a factor; (groups and rows …, factor, out). */
function columnMeans(half: number): RowKernelBody {
  const { groups, singles } = partsOf(half);
  const rows = groups.length + singles.length;
  return {
    pointers: rows + 2,
    write: (loop, p) => {
      loop.store(at(p, rows + 1), loop.mul(columnSum(loop, p, rows), loop.load(at(p, rows))));
    },
  };
}

/** From the number of valid pixels in a window to the factor of its mean, 0 on invalid pixels; (groups and rows …, valid, out). */
function columnFactors(half: number): RowKernelBody {
  const { groups, singles } = partsOf(half);
  const rows = groups.length + singles.length;
  return {
    pointers: rows + 2,
    write: (loop, p) => {
      const count = loop.max(columnSum(loop, p, rows), loop.constant(1));
      loop.store(at(p, rows + 1), loop.div(loop.load(at(p, rows)), count));
    },
  };
}

/**
 * The two images of a frame, relative to reference temperatures; (11 µm, 12 µm, mask, parameters [reference of 12 µm, of the
 * difference], out valid, out inverted 12 µm, out difference).
 */
const prepare: RowKernelBody = {
  pointers: 7,
  write: (loop, p) => {
    const zero = loop.constant(0);
    const [warm, cold] = [loop.load(at(p, 0)), loop.load(at(p, 1))];
    // NaN fails the comparison.
    const isReal = loop.greater(loop.add(warm, cold), zero);
    const isValid = loop.and(isReal, loop.equal(loop.load(at(p, 2)), zero));
    loop.store(at(p, 4), loop.and(isValid, loop.constant(1)));
    loop.store(at(p, 5), loop.and(isValid, loop.sub(loop.parameter(at(p, 3), 0), cold)));
    const difference = loop.sub(loop.sub(warm, cold), loop.parameter(at(p, 3), 1));
    loop.store(at(p, 6), loop.and(isValid, difference));
  },
};

function loadQuad(loop: RowLoop, p: Pointers, first: number, ahead: number): Quad {
  return [
    loop.load(at(p, first), ahead),
    loop.load(at(p, first + 1), ahead),
    loop.load(at(p, first + 2), ahead),
    loop.load(at(p, first + 3), ahead),
  ];
}

/** Running sums over the clutter window of four rows at once; (four rows at the window's begin − 1, four of output). */
const clutterRows: RowKernelBody = {
  pointers: 8,
  write: (loop, p) => {
    const sum = loop.running();
    const entering = loadQuad(loop, p, 0, 2 * CLUTTER_HALF + 1);
    const leaving = loadQuad(loop, p, 0, 0);
    const [a, b, c, d] = loop.transpose([
      loop.sub(entering[0], leaving[0]),
      loop.sub(entering[1], leaving[1]),
      loop.sub(entering[2], leaving[2]),
      loop.sub(entering[3], leaving[3]),
    ]);
    const first = loop.add(sum, a);
    const second = loop.add(first, b);
    const third = loop.add(second, c);
    const fourth = loop.add(third, d);
    loop.assign(sum, fourth);
    loop.transpose([first, second, third, fourth]).forEach((row, k) => {
      loop.store(at(p, 4 + k), row);
    });
  },
};

/** Running sums over rows; (sum, entering row, leaving row, factor, out). */
const clutterColumns: RowKernelBody = {
  pointers: 5,
  write: (loop, p) => {
    const sum = runningSum(loop, at(p, 0), at(p, 1), at(p, 2));
    loop.store(at(p, 4), loop.mul(sum, loop.load(at(p, 3))));
  },
};

/** As {@link columnFactors}, of running sums; (sum, entering row, leaving row, valid, out). */
const clutterFactors: RowKernelBody = {
  pointers: 5,
  write: (loop, p) => {
    const sum = runningSum(loop, at(p, 0), at(p, 1), at(p, 2));
    loop.store(at(p, 4), loop.div(loop.load(at(p, 3)), loop.max(sum, loop.constant(1))));
  },
};

function runningSum(loop: RowLoop, sum: Pointer, entering: Pointer, leaving: Pointer): Lanes {
  const value = loop.add(loop.load(sum), loop.sub(loop.load(entering), loop.load(leaving)));
  loop.store(sum, value);
  return value;
}

/** (image, mean, valid, out difference, out its square) */
const difference: RowKernelBody = {
  pointers: 5,
  write: (loop, p) => {
    const d = loop.mul(loop.sub(loop.load(at(p, 0)), loop.load(at(p, 1))), loop.load(at(p, 2)));
    loop.store(at(p, 3), d);
    loop.store(at(p, 4), loop.mul(d, d));
  },
};

/** (difference, its mean square, parameters [ε], out deviation, out normalised) */
const normalise: RowKernelBody = {
  pointers: 5,
  write: (loop, p) => {
    const variance = loop.max(loop.load(at(p, 1)), loop.constant(0));
    const deviation = loop.add(loop.sqrt(variance), loop.parameter(at(p, 2), 0));
    const ratio = loop.div(loop.load(at(p, 0)), deviation);
    loop.store(at(p, 3), deviation);
    const max = loop.constant(MAX_DEVIATIONS);
    loop.store(at(p, 4), loop.min(loop.max(ratio, loop.constant(-MAX_DEVIATIONS)), max));
  },
};

/** Taps of even kernels are applied to sums of opposite pixels, those of odd ones to differences. */
function evenTaps(loop: RowLoop, centre: Lanes, sums: readonly Lanes[], taps: readonly number[]): Lanes {
  const terms = sums.map((sum, k) => loop.mul(sum, loop.constant(taps[FILTER_RADIUS + 1 + k] as number)));
  return sumOf(loop, [loop.mul(centre, loop.constant(taps[FILTER_RADIUS] as number)), ...terms]);
}

function oddTaps(loop: RowLoop, differences: readonly Lanes[], taps: readonly number[]): Lanes {
  return sumOf(
    loop,
    differences.map((value, k) => loop.mul(value, loop.constant(taps[FILTER_RADIUS + 1 + k] as number))),
  );
}

function foldedTaps(loop: RowLoop, load: (tap: number) => Lanes) {
  const pairs = Array.from({ length: FILTER_RADIUS }, (_, k) => [load(k + 1), load(-k - 1)] as const);
  return {
    centre: load(0),
    sums: pairs.map(([ahead, behind]) => loop.add(ahead, behind)),
    differences: pairs.map(([ahead, behind]) => loop.sub(ahead, behind)),
  };
}

/** Across rows; (eleven rows, out smoothed, out first derivative, out second). */
const derivativeColumns: RowKernelBody = {
  pointers: 14,
  write: (loop, p) => {
    const { centre, sums, differences } = foldedTaps(loop, (tap) => loop.load(at(p, FILTER_RADIUS + tap)));
    loop.store(at(p, 11), evenTaps(loop, centre, sums, TAPS.g));
    loop.store(at(p, 12), oddTaps(loop, differences, TAPS.g1));
    loop.store(at(p, 13), evenTaps(loop, centre, sums, TAPS.g2));
  },
};

/** Along a row; (smoothed, first derivative, second, each five pixels behind, out xx, out xy, out yy). */
const derivativeRows: RowKernelBody = {
  pointers: 6,
  write: (loop, p) => {
    const folded = [0, 1, 2].map((k) => foldedTaps(loop, (tap) => loop.load(at(p, k), FILTER_RADIUS + tap)));
    const [smooth, first, second] = folded as [(typeof folded)[0], (typeof folded)[0], (typeof folded)[0]];
    const scale = loop.constant(TAP_SCALE);
    loop.store(at(p, 3), loop.mul(evenTaps(loop, smooth.centre, smooth.sums, TAPS.g2), scale));
    loop.store(at(p, 4), loop.mul(oddTaps(loop, first.differences, TAPS.g1), scale));
    loop.store(at(p, 5), loop.mul(evenTaps(loop, second.centre, second.sums, TAPS.g), scale));
  },
};

/** Response across a direction; (xx, xy, yy of one image, of the other, valid, parameters [xx, xy, yy], out, out). */
const steer: RowKernelBody = {
  pointers: 10,
  write: (loop, p) => {
    const valid = loop.load(at(p, 6));
    for (const image of [0, 1]) {
      const terms = [0, 1, 2].map((k) =>
        loop.mul(loop.load(at(p, 3 * image + k)), loop.parameter(at(p, 7), k)),
      );
      loop.store(at(p, 8 + image), loop.mul(sumOf(loop, terms), valid));
    }
  },
};

/**
 * One step of the line means of both images; (three running sums: images and valid pixels, the entering and the leaving row
 * of each, valid at the centre, out response, out ratio of the images).
 */
const lineStep: RowKernelBody = {
  pointers: 12,
  write: (loop, p) => {
    const [a, b, count] = [0, 1, 2].map((k) =>
      runningSum(loop, at(p, k), at(p, 3 + 2 * k), at(p, 4 + 2 * k)),
    ) as [Lanes, Lanes, Lanes];
    const zero = loop.constant(0);
    const enough = loop.atLeast(count, loop.constant(LINE_MIN_PIXELS));
    const root = loop.sqrt(loop.mul(loop.max(a, zero), loop.max(b, zero)));
    const mean = loop.mul(loop.div(root, count), loop.load(at(p, 9)));
    loop.store(at(p, 10), loop.and(mean, enough));
    const min = loop.mul(count, loop.constant(MIN_RESPONSE));
    loop.store(at(p, 11), loop.div(loop.max(b, zero), loop.max(a, min)));
  },
};

/**
 * The response relative to its clutter, where it exceeds the best so far; (running sum, entering row, leaving row, factor,
 * response, ratio, best response, best ratio, best direction, parameters [direction]).
 */
const keepBest: RowKernelBody = {
  pointers: 10,
  write: (loop, p) => {
    const sum = runningSum(loop, at(p, 0), at(p, 1), at(p, 2));
    const clutter = loop.mul(sum, loop.load(at(p, 3)));
    const z = loop.div(loop.load(at(p, 4)), loop.add(clutter, loop.constant(CLUTTER_FLOOR)));
    const best = loop.load(at(p, 6));
    const isBetter = loop.greater(z, best);
    loop.store(at(p, 6), loop.select(isBetter, z, best));
    loop.store(at(p, 7), loop.select(isBetter, loop.load(at(p, 5)), loop.load(at(p, 7))));
    loop.store(at(p, 8), loop.select(isBetter, loop.parameter(at(p, 9), 0), loop.load(at(p, 8))));
  },
};

/** Four rows become four columns; (four rows, four rows of output, bytes from one group of output rows to the next). */
const transposeRows: RowKernelBody = {
  pointers: 9,
  write: (loop, p) => {
    loop.transpose(loadQuad(loop, p, 0, 0)).forEach((column, k) => {
      loop.storeAt(at(p, 4 + k), column);
      loop.advance(at(p, 4 + k), at(p, 8));
    });
  },
};

/** The better of two; (response, ratio, direction, the same of the other, which then holds the result). */
const mergeBest: RowKernelBody = {
  pointers: 6,
  write: (loop, p) => {
    const [z, ratio, direction] = [0, 1, 2].map((k) => loop.load(at(p, k))) as [Lanes, Lanes, Lanes];
    const [otherZ, otherRatio, otherDirection] = [3, 4, 5].map((k) => loop.load(at(p, k))) as [
      Lanes,
      Lanes,
      Lanes,
    ];
    const isLower = loop.and(loop.equal(z, otherZ), loop.greater(otherDirection, direction));
    const isBetter = loop.or(loop.greater(z, otherZ), isLower);
    loop.store(at(p, 3), loop.select(isBetter, z, otherZ));
    loop.store(at(p, 4), loop.select(isBetter, ratio, otherRatio));
    loop.store(at(p, 5), loop.select(isBetter, direction, otherDirection));
  },
};

/**
 * Pixel probabilities; (response, ratio, deviations of temperature and of difference, valid, parameters [constant, weight
 * of ln Z, weight of ln κ], out κ, out probability).
 */
const probability: RowKernelBody = {
  pointers: 8,
  write: (loop, p) => {
    const z = loop.load(at(p, 0));
    const zero = loop.constant(0);
    const scaled = loop.div(loop.mul(loop.load(at(p, 1)), loop.load(at(p, 3))), loop.load(at(p, 2)));
    const kappa = loop.min(loop.max(scaled, zero), loop.constant(MAX_KAPPA));
    loop.store(at(p, 6), kappa);
    const fz = log(loop, loop.add(z, loop.constant(Z_OFFSET)));
    const fk = log(loop, loop.add(kappa, loop.constant(KAPPA_OFFSET)));
    const exponent = sumOf(loop, [
      loop.parameter(at(p, 5), 0),
      loop.mul(loop.parameter(at(p, 5), 1), fz),
      loop.mul(loop.parameter(at(p, 5), 2), fk),
    ]);
    const one = loop.constant(1);
    const odds = exp(loop, loop.sub(zero, exponent));
    const value = loop.mul(loop.div(one, loop.add(one, odds)), loop.load(at(p, 4)));
    loop.store(at(p, 7), loop.and(value, loop.greater(z, zero)));
  },
};

/** The response across a direction of one image; (xx, xy, yy, valid, parameters [xx, xy, yy], out). */
const steerOne: RowKernelBody = {
  pointers: 6,
  write: (loop, p) => {
    const terms = [0, 1, 2].map((k) => loop.mul(loop.load(at(p, k)), loop.parameter(at(p, 4), k)));
    loop.store(at(p, 5), loop.mul(sumOf(loop, terms), loop.load(at(p, 3))));
  },
};

/**
 * One step of the line means of one image, kept where they are the largest; (running sums of the image and of valid pixels,
 * the entering and the leaving row of each, largest mean, its direction, parameters [direction]).
 */
const lineStepOne: RowKernelBody = {
  pointers: 9,
  write: (loop, p) => {
    const sum = runningSum(loop, at(p, 0), at(p, 2), at(p, 3));
    const count = runningSum(loop, at(p, 1), at(p, 4), at(p, 5));
    const enough = loop.atLeast(count, loop.constant(LINE_MIN_PIXELS));
    const mean = loop.and(loop.div(sum, count), enough);
    const best = loop.load(at(p, 6));
    const isBetter = loop.greater(mean, best);
    loop.store(at(p, 6), loop.select(isBetter, mean, best));
    loop.store(at(p, 7), loop.select(isBetter, loop.parameter(at(p, 8), 0), loop.load(at(p, 7))));
  },
};

export const KERNELS = /* @__PURE__ */ compileRowKernels({
  prepare,
  groupRows,
  groupColumns,
  meanRows: rowSums(MEAN_HALF),
  meanColumns: columnMeans(MEAN_HALF),
  meanFactors: columnFactors(MEAN_HALF),
  deviationRows: rowSums(DEVIATION_HALF),
  deviationColumns: columnMeans(DEVIATION_HALF),
  deviationFactors: columnFactors(DEVIATION_HALF),
  clutterRows,
  clutterColumns,
  clutterFactors,
  difference,
  normalise,
  derivativeColumns,
  derivativeRows,
  steer,
  lineStep,
  steerOne,
  lineStepOne,
  keepBest,
  transposeRows,
  mergeBest,
  probability,
});

const TRANSPOSED_STRIP = 64;

/** A plane with rows and columns exchanged, whose rows are a multiple of four; `out` has room for it where it is given. */
export function transposed(image: Plane, out = makePlane(upToFour(image.columns), image.rows)): Plane {
  // Strips of columns, so the rows that are written to stay in the cache.
  for (let c = 0; c < image.columns; c += TRANSPOSED_STRIP) {
    const width = Math.min(TRANSPOSED_STRIP, image.columns - c);
    for (let r = 0; r < image.rows; r += 4) {
      KERNELS.transposeRows(
        addressOf(image, r, c),
        addressOf(image, r + 1, c),
        addressOf(image, r + 2, c),
        addressOf(image, r + 3, c),
        addressOf(out, c, r),
        addressOf(out, c + 1, r),
        addressOf(out, c + 2, r),
        addressOf(out, c + 3, r),
        4 * out.strideBytes,
        width,
      );
    }
  }
  return out;
}
