/**
 * The pixel stage of the ridge detector on one tile: normalisation, oriented responses, clutter, probability. All of it runs
 * in the kernel memory of the thread, on a copy of the tile with a halo.
 *
 * Lines that step along columns are followed on transposed images: there every line mean, like that of steep lines, is a sum
 * over rows with a shift that all pixels of a row share. Of the sixteen responses one exists at a time, and only the rows
 * that its clutter window needs.
 */
import { scoped } from '@contrails/physics/wasm';
import {
  DIRECTION_TABLE,
  type Direction,
  FILTER_RADIUS,
  LINE_HALF,
  LINE_OVERHANG,
  lineShifts,
  lineSumLength,
} from '../ridge/filter.ts';
import {
  CLUTTER_HALF,
  DEVIATION_HALF,
  GROUP,
  KERNELS,
  MEAN_HALF,
  partsOf,
  transposed,
} from '../ridge/kernels.ts';
import {
  addressOf,
  MARGIN,
  makeNumbers,
  makePlane,
  makeZeroPlane,
  numbersOf,
  PIXEL_BYTES,
  type Plane,
  rowOf,
  upToFour,
} from '../vector/plane.ts';

/** What all tiles of a frame share. Images are row by row; those in shared memory are seen by every thread. */
export interface RidgeImages {
  readonly rows: number;
  readonly columns: number;
  /** Position of the first pixel in the full grid. */
  readonly firstRow: number;
  readonly firstColumn: number;
  /** Brightness temperatures [K], NaN where invalid. */
  readonly t11: Float32Array;
  readonly t12: Float32Array;
  /** Not 0 where a pixel is excluded at any temperature; absent: all are used. */
  readonly masked?: Uint8Array;
  /** Temperatures near those of the frame [K], which are subtracted to keep the digits of float32. */
  readonly reference: { readonly t11: number; readonly t12: number };
  readonly epsilon: { readonly bt: number; readonly btd: number };
  /** Constant, weight of ln Z, weight of ln κ. */
  readonly pixelWeights: readonly [number, number, number];
  // Results.
  readonly valid: Uint8Array;
  readonly probability: Float32Array;
  readonly direction: Uint8Array;
  readonly z: Float32Array;
  readonly kappa: Float32Array;
}

export interface Tile {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** Around a tile, what its responses depend on: twice the clutter window, a line, the filter. */
const RESPONSE_HALO = 2 * CLUTTER_HALF + LINE_HALF + 4;
/** And what those depend on: the filter and the two local windows, twice each. A multiple of four, like the other. */
export const TILE_HALO = RESPONSE_HALO + FILTER_RADIUS + 3 + 2 * MEAN_HALF + 2 * DEVIATION_HALF - 2;

/** Rows that are kept of what runs through a clutter window; the window, and a block of four. */
const RING_ROWS = 68;
const LINE_RING_ROWS = 2 * LINE_HALF + 2;
const BLOCK = 4;

/** Results of pixels that are not valid stay as they are; images of results start as zeros. */
export function detectInTile(images: RidgeImages, tile: Tile): void {
  const part = usedPart(images, tile);
  if (part !== undefined) scoped(() => new TileDetection(images, part).run());
}

/** The smallest part of a tile around its pixels that are not masked. */
function usedPart({ columns, masked }: RidgeImages, tile: Tile): Tile | undefined {
  if (masked === undefined) return tile;
  let [top, bottom, left, right] = [Number.POSITIVE_INFINITY, -1, Number.POSITIVE_INFINITY, -1];
  for (let r = tile.row; r < tile.row + tile.rows; r++) {
    const start = r * columns + tile.column;
    const row = masked.subarray(start, start + tile.columns);
    const first = row.indexOf(0);
    if (first < 0) continue;
    top = Math.min(top, r);
    bottom = r;
    left = Math.min(left, tile.column + first);
    right = Math.max(right, tile.column + row.lastIndexOf(0));
  }
  if (bottom < 0) return undefined;
  return { row: top, column: left, rows: bottom - top + 1, columns: right - left + 1 };
}

class TileDetection {
  private readonly images: RidgeImages;
  private readonly tile: Tile;
  private readonly parameters: Float32Array;
  private readonly zeros: number;

  constructor(images: RidgeImages, tile: Tile) {
    this.images = images;
    this.tile = tile;
    this.parameters = makeNumbers(16);
    this.zeros = makeNumbers(2 * Math.max(tile.rows, tile.columns) + 1024).byteOffset + MARGIN * PIXEL_BYTES;
  }

  run(): void {
    const { tile } = this;
    const valid = this.loadedZeroPlane();
    const temperature = this.loadedZeroPlane();
    const difference = this.loadedZeroPlane();
    this.load(valid, temperature, difference);
    const { bt, btd } = this.images.epsilon;
    const scratch = [this.loadedPlane(), this.loadedPlane()] as const;
    const factors = this.windowFactors(valid, scratch);
    const deviations = [this.loadedPlane(), this.loadedPlane()] as const;
    this.normalise(temperature, valid, factors, bt, deviations[0], scratch);
    this.normalise(difference, valid, factors, btd, deviations[1], scratch);

    const derivatives = [...this.derivatives(temperature), ...this.derivatives(difference)];
    const responseValid = this.crop(valid);
    const clutterFactors = this.clutterFactors(responseValid);
    const steep = this.bestOf(
      DIRECTION_TABLE.filter(({ isSteep }) => isSteep),
      { derivatives, valid: responseValid, factors: clutterFactors },
      this.images.firstRow + tile.row - RESPONSE_HALO,
      { rows: tile.rows, columns: tile.columns },
    );
    const flatTransposed = this.bestOf(
      DIRECTION_TABLE.filter(({ isSteep }) => !isSteep),
      {
        derivatives: derivatives.map((image) => transposed(image)),
        valid: transposed(responseValid),
        factors: transposed(clutterFactors),
      },
      this.images.firstColumn + tile.column - RESPONSE_HALO,
      { rows: tile.columns, columns: tile.rows },
    );
    const flat = {
      z: transposed(flatTransposed.z),
      ratio: transposed(flatTransposed.ratio),
      direction: transposed(flatTransposed.direction),
    };
    this.store(steep, flat, valid, deviations);
  }

  /** Copies the tile with its halo, as far as the image reaches. */
  private load(valid: Plane, temperature: Plane, difference: Plane): void {
    const { rows, columns, t11, t12, masked, reference, valid: validOut } = this.images;
    const { tile } = this;
    const [left, top] = [tile.column - TILE_HALO, tile.row - TILE_HALO];
    const firstColumn = Math.max(left, 0);
    const width = Math.min(tile.column + tile.columns + TILE_HALO, columns) - firstColumn;
    const input = makePlane(3, upToFour(width));
    const [warm, cold, mask] = [rowOf(input, 0), rowOf(input, 1), rowOf(input, 2).fill(0)];
    const parameters = this.setParameters(reference.t12, reference.t11 - reference.t12);
    for (let r = Math.max(top, 0); r < Math.min(tile.row + tile.rows + TILE_HALO, rows); r++) {
      const start = r * columns + firstColumn;
      warm.set(t11.subarray(start, start + width));
      cold.set(t12.subarray(start, start + width));
      if (masked !== undefined) mask.set(masked.subarray(start, start + width));
      // What fills the last vector is not part of the image.
      warm.fill(0, width);
      cold.fill(0, width);
      KERNELS.prepare(
        warm.byteOffset,
        cold.byteOffset,
        mask.byteOffset,
        parameters,
        addressOf(valid, r - top, firstColumn - left),
        addressOf(temperature, r - top, firstColumn - left),
        addressOf(difference, r - top, firstColumn - left),
        input.columns,
      );
      if (r < tile.row || r >= tile.row + tile.rows) continue;
      const used = rowOf(valid, r - top).subarray(TILE_HALO, TILE_HALO + tile.columns);
      validOut.set(used, r * columns + tile.column);
    }
  }

  private windowFactors(valid: Plane, [scratch]: readonly [Plane, Plane]): { mean: Plane; deviation: Plane } {
    const make = (half: number, rows: Kernel, columns: Kernel): Plane => {
      const out = this.loadedPlane();
      this.window(valid, valid, out, scratch, half, rows, columns);
      return out;
    };
    return {
      mean: make(MEAN_HALF, KERNELS.meanRows, KERNELS.meanFactors),
      deviation: make(DEVIATION_HALF, KERNELS.deviationRows, KERNELS.deviationFactors),
    };
  }

  /**
   * Sums over a window, first along rows and then across them; `factors` go to the second kernel. Sums do not run, so
   * a bright edge leaves no rounding behind and tiles give the same bits.
   */
  private window(
    image: Plane,
    factors: Plane,
    out: Plane,
    scratch: Plane,
    half: number,
    alongRows: Kernel,
    acrossRows: Kernel,
  ): void {
    const { rows, columns } = image;
    const { groups, singles } = partsOf(half);
    scoped(() => {
      const grouped = makePlane(1, columns + 2 * half).address;
      for (let r = 0; r < rows; r++) {
        const start = addressOf(image, r, -half);
        KERNELS.groupRows(start, grouped, upToFour(columns + 2 * half));
        alongRows(grouped, start, addressOf(scratch, r), columns);
      }
      const slots = 2 * half + GROUP;
      const ring = makePlane(slots, columns);
      const slotOf = (r: number): number => addressOf(ring, (r + slots) % slots);
      const group = (r: number) => {
        const sources = [0, 1, 2, 3].map((k) => this.rowOrZeros(scratch, r + k));
        KERNELS.groupColumns(...sources, slotOf(r), columns);
      };
      const lastGroup = groups.at(-1) ?? 0;
      for (let r = -half; r < lastGroup - half; r++) group(r);
      const addresses = new Array<number>(groups.length + singles.length);
      for (let r = 0; r < rows; r++) {
        const first = r - half;
        group(first + lastGroup);
        for (let k = 0; k < groups.length; k++) addresses[k] = slotOf(first + (groups[k] as number));
        for (let k = 0; k < singles.length; k++) {
          addresses[groups.length + k] = this.rowOrZeros(scratch, first + (singles[k] as number));
        }
        acrossRows(...addresses, addressOf(factors, r), addressOf(out, r), columns);
      }
    });
  }

  /** Replaces an image by its deviation from the local mean in units of the local standard deviation. */
  private normalise(
    image: Plane,
    valid: Plane,
    factors: { readonly mean: Plane; readonly deviation: Plane },
    epsilon: number,
    deviation: Plane,
    [first, second]: readonly [Plane, Plane],
  ): void {
    const mean = (from: Plane, to: Plane) =>
      this.window(from, factors.mean, to, first, MEAN_HALF, KERNELS.meanRows, KERNELS.meanColumns);
    mean(image, second);
    mean(second, second);
    const { rows, columns } = image;
    for (let r = 0; r < rows; r++) {
      const address = addressOf(image, r);
      KERNELS.difference(
        address,
        addressOf(second, r),
        addressOf(valid, r),
        address,
        addressOf(second, r),
        columns,
      );
    }
    const meanSquare = () =>
      this.window(
        second,
        factors.deviation,
        second,
        first,
        DEVIATION_HALF,
        KERNELS.deviationRows,
        KERNELS.deviationColumns,
      );
    meanSquare();
    meanSquare();
    const parameters = this.setParameters(epsilon);
    for (let r = 0; r < rows; r++) {
      const address = addressOf(image, r);
      KERNELS.normalise(address, addressOf(second, r), parameters, addressOf(deviation, r), address, columns);
    }
  }

  /** Second derivatives xx, xy, yy around the tile. */
  private derivatives(image: Plane): Plane[] {
    const out = [this.responsePlane(), this.responsePlane(), this.responsePlane()];
    const [xx, xy, yy] = out as [Plane, Plane, Plane];
    const inset = TILE_HALO - RESPONSE_HALO;
    const span = upToFour(xx.columns + 2 * FILTER_RADIUS);
    const across = makePlane(3, span);
    const [smooth, first, second] = [0, 1, 2].map((k) => addressOf(across, k)) as [number, number, number];
    const addresses = new Array<number>(2 * FILTER_RADIUS + 1);
    for (let r = 0; r < xx.rows; r++) {
      for (let k = -FILTER_RADIUS; k <= FILTER_RADIUS; k++) {
        addresses[FILTER_RADIUS + k] = addressOf(image, r + inset + k, inset - FILTER_RADIUS);
      }
      KERNELS.derivativeColumns(...addresses, smooth, first, second, span);
      const results = [addressOf(xx, r), addressOf(xy, r), addressOf(yy, r)];
      KERNELS.derivativeRows(smooth, first, second, ...results, xx.columns);
    }
    return out;
  }

  private crop(image: Plane): Plane {
    const out = this.responsePlane();
    const inset = TILE_HALO - RESPONSE_HALO;
    for (let r = 0; r < out.rows; r++) {
      rowOf(out, r).set(rowOf(image, r + inset).subarray(inset, inset + out.columns));
    }
    return out;
  }

  private clutterFactors(valid: Plane): Plane {
    const { rows, columns } = valid;
    const sums = makePlane(upToFour(rows), columns);
    for (let r = 0; r < rows; r += BLOCK) {
      this.clutterRows(
        (k) => this.rowOrZeros(valid, r + k),
        (k) => addressOf(sums, r + k),
        columns,
      );
    }
    const out = this.responsePlane();
    const running = makeZeroPlane(1, columns);
    for (let t = 0; t < rows + CLUTTER_HALF; t++) {
      const r = t - CLUTTER_HALF;
      const [entering, leaving] = [this.rowOrZeros(sums, t), this.rowOrZeros(sums, t - 2 * CLUTTER_HALF - 1)];
      const isInside = r >= 0;
      const result = isInside ? addressOf(out, r) : addressOf(out, 0);
      KERNELS.clutterFactors(
        running.address,
        entering,
        leaving,
        addressOf(valid, Math.max(r, 0)),
        result,
        columns,
      );
    }
    return out;
  }

  /** Four rows of sums over the clutter window; they start to the left of the image, where the window is empty. */
  private clutterRows(from: (k: number) => number, to: (k: number) => number, columns: number): void {
    const before = (CLUTTER_HALF + 2) * PIXEL_BYTES;
    const behind = before + (CLUTTER_HALF + 1) * PIXEL_BYTES;
    KERNELS.clutterRows(
      from(0) - behind,
      from(1) - behind,
      from(2) - behind,
      from(3) - behind,
      to(0) - before,
      to(1) - before,
      to(2) - before,
      to(3) - before,
      columns + CLUTTER_HALF + 2,
    );
  }

  /** The direction with the largest response relative to its clutter, on the pixels of the tile. */
  private bestOf(
    directions: readonly Direction[],
    input: ResponseInput,
    firstIndex: number,
    size: Size,
  ): Best {
    const best = {
      z: makeZeroPlane(upToFour(size.rows), upToFour(size.columns)),
      ratio: makeZeroPlane(upToFour(size.rows), upToFour(size.columns)),
      direction: makeZeroPlane(upToFour(size.rows), upToFour(size.columns)),
    };
    scoped(() => {
      const rings = makeRings(input.valid);
      for (const direction of directions) this.respond(direction, input, firstIndex, rings, size, best);
    });
    return best;
  }

  private respond(
    direction: Direction,
    { derivatives, valid, factors }: ResponseInput,
    firstIndex: number,
    rings: Rings,
    size: Size,
    best: Best,
  ): void {
    const { rows, columns } = valid;
    const [xxA, xyA, yyA, xxB, xyB, yyB] = derivatives as readonly [Plane, Plane, Plane, Plane, Plane, Plane];
    const shifts = lineShifts(direction.slope, firstIndex, rows);
    for (const ring of Object.values(rings)) ring.numbers.fill(0);
    const parameters = this.setParameters(direction.xx, direction.xy, direction.yy, direction.index);
    const indexParameter = parameters + 3 * PIXEL_BYTES;
    const sumsAt = (k: number, column: number): number => addressOf(rings.lineSums, k, column);
    const clutterRow = 2 * CLUTTER_HALF;
    const lastRow = upToFour(RESPONSE_HALO + size.rows + clutterRow);

    const steerRow = (t: number) => {
      const a = addressOf(rings.steered, t % LINE_RING_ROWS);
      const b = addressOf(rings.steered, LINE_RING_ROWS + (t % LINE_RING_ROWS));
      KERNELS.steer(
        addressOf(xxA, t),
        addressOf(xyA, t),
        addressOf(yyA, t),
        addressOf(xxB, t),
        addressOf(xyB, t),
        addressOf(yyB, t),
        addressOf(valid, t),
        parameters,
        a,
        b,
        columns,
      );
    };
    const lineRow = (r: number) => {
      const [entering, leaving] = [r + LINE_HALF, r - LINE_HALF - 1];
      const enteringColumn = -LINE_OVERHANG + shifts.at(entering) - shifts.at(r);
      const leavingColumn = -LINE_OVERHANG + shifts.at(leaving) - shifts.at(r);
      const steered = (image: number, t: number, column: number): number =>
        t < 0 || t >= rows
          ? this.zeros + column * PIXEL_BYTES
          : addressOf(rings.steered, image * LINE_RING_ROWS + (t % LINE_RING_ROWS), column);
      const sumColumn = shifts.largest - shifts.at(r);
      const slot = ringSlot(r);
      KERNELS.lineStep(
        sumsAt(0, sumColumn),
        sumsAt(1, sumColumn),
        sumsAt(2, sumColumn),
        steered(0, entering, enteringColumn),
        steered(0, leaving, leavingColumn),
        steered(1, entering, enteringColumn),
        steered(1, leaving, leavingColumn),
        this.rowOrZeros(valid, entering) + enteringColumn * PIXEL_BYTES,
        this.rowOrZeros(valid, leaving) + leavingColumn * PIXEL_BYTES,
        this.rowOrZeros(valid, r) - LINE_OVERHANG * PIXEL_BYTES,
        addressOf(rings.response, slot, -LINE_OVERHANG),
        addressOf(rings.ratio, slot, -LINE_OVERHANG),
        upToFour(columns + 2 * LINE_OVERHANG),
      );
    };
    // Rows before the first enter the line sums without their own centre.
    for (let t = 0; t < LINE_HALF; t++) {
      steerRow(t);
      lineRow(t - LINE_HALF);
    }
    for (let t = 0; t < lastRow; t += BLOCK) {
      for (let r = t; r < t + BLOCK; r++) {
        if (r + LINE_HALF < rows) steerRow(r + LINE_HALF);
        lineRow(r);
      }
      const slot = ringSlot(t);
      this.clutterRows(
        (k) => addressOf(rings.response, slot + k),
        (k) => addressOf(rings.sums, slot + k),
        columns,
      );
      for (let k = 0; k < BLOCK; k++) {
        const r = t + k;
        KERNELS.clutterColumns(
          addressOf(rings.running, 0),
          addressOf(rings.sums, slot + k),
          this.ringRowOrZeros(rings.sums, r - clutterRow - 1),
          this.rowOrZeros(factors, r - CLUTTER_HALF),
          addressOf(rings.means, k),
          columns,
        );
      }
      this.clutterRows(
        (k) => addressOf(rings.means, k),
        (k) => addressOf(rings.meanSums, slot + k),
        columns,
      );
      for (let k = 0; k < BLOCK; k++) {
        const r = t + k;
        const centre = r - clutterRow;
        const row = centre - RESPONSE_HALO;
        const target = row < 0 || row >= size.rows ? undefined : row;
        const from = RESPONSE_HALO * PIXEL_BYTES;
        const shared = [
          addressOf(rings.running, 1) + from,
          addressOf(rings.meanSums, slot + k) + from,
          this.ringRowOrZeros(rings.meanSums, r - clutterRow - 1) + from,
          this.rowOrZeros(factors, centre) + from,
        ];
        if (target === undefined) {
          KERNELS.clutterColumns(...shared, addressOf(rings.means, BLOCK), best.z.columns);
          continue;
        }
        const centreSlot = ringSlot(centre);
        KERNELS.keepBest(
          ...shared,
          addressOf(rings.response, centreSlot) + from,
          addressOf(rings.ratio, centreSlot) + from,
          addressOf(best.z, target),
          addressOf(best.ratio, target),
          addressOf(best.direction, target),
          indexParameter,
          best.z.columns,
        );
      }
    }
  }

  private store(steep: Best, flat: Best, valid: Plane, deviations: readonly [Plane, Plane]): void {
    const { columns, probability, direction, z, kappa, pixelWeights } = this.images;
    const { tile } = this;
    const width = steep.z.columns;
    const results = makePlane(2, width);
    const parameters = this.setParameters(...pixelWeights);
    const inset = TILE_HALO * PIXEL_BYTES;
    for (let r = 0; r < tile.rows; r++) {
      const merged = [
        addressOf(steep.z, r),
        addressOf(steep.ratio, r),
        addressOf(steep.direction, r),
      ] as const;
      KERNELS.mergeBest(
        addressOf(flat.z, r),
        addressOf(flat.ratio, r),
        addressOf(flat.direction, r),
        ...merged,
        width,
      );
      KERNELS.probability(
        merged[0],
        merged[1],
        addressOf(deviations[0], r + TILE_HALO) + inset,
        addressOf(deviations[1], r + TILE_HALO) + inset,
        addressOf(valid, r + TILE_HALO) + inset,
        parameters,
        addressOf(results, 0),
        addressOf(results, 1),
        width,
      );
      const start = (tile.row + r) * columns + tile.column;
      kappa.set(rowOf(results, 0).subarray(0, tile.columns), start);
      probability.set(rowOf(results, 1).subarray(0, tile.columns), start);
      z.set(rowOf(steep.z, r).subarray(0, tile.columns), start);
      direction.set(rowOf(steep.direction, r).subarray(0, tile.columns), start);
    }
  }

  private setParameters(...values: readonly number[]): number {
    this.parameters.set(values);
    return this.parameters.byteOffset;
  }

  /** The address of a row, or of zeros outside the image. */
  private rowOrZeros(plane: Plane, row: number): number {
    return row < 0 || row >= plane.rows ? this.zeros : addressOf(plane, row);
  }

  private ringRowOrZeros(ring: Plane, row: number): number {
    return row < 0 ? this.zeros : addressOf(ring, ringSlot(row));
  }

  private loadedPlane(): Plane {
    const { rows, columns } = this.tile;
    return makePlane(upToFour(rows) + 2 * TILE_HALO, upToFour(columns) + 2 * TILE_HALO);
  }

  private loadedZeroPlane(): Plane {
    const { rows, columns } = this.tile;
    return makeZeroPlane(upToFour(rows) + 2 * TILE_HALO, upToFour(columns) + 2 * TILE_HALO);
  }

  private responsePlane(): Plane {
    const { rows, columns } = this.tile;
    return makePlane(upToFour(rows) + 2 * RESPONSE_HALO, upToFour(columns) + 2 * RESPONSE_HALO);
  }
}

type Kernel = (typeof KERNELS)[keyof typeof KERNELS];

interface Size {
  readonly rows: number;
  readonly columns: number;
}

interface ResponseInput {
  readonly derivatives: readonly Plane[];
  readonly valid: Plane;
  readonly factors: Plane;
}

interface Best {
  readonly z: Plane;
  readonly ratio: Plane;
  readonly direction: Plane;
}

interface Ring extends Plane {
  readonly numbers: Float32Array;
}

/** What runs along with a direction; all of it is cleared before the next. */
interface Rings {
  readonly steered: Ring;
  readonly lineSums: Ring;
  readonly response: Ring;
  readonly ratio: Ring;
  /** Responses summed along rows, then their means summed along rows. */
  readonly sums: Ring;
  readonly means: Ring;
  readonly meanSums: Ring;
  readonly running: Ring;
}

function makeRings({ rows, columns }: Plane): Rings {
  const ring = (count: number, width = columns): Ring => {
    const plane = makePlane(count, width);
    return { ...plane, numbers: numbersOf(plane) };
  };
  return {
    steered: ring(2 * LINE_RING_ROWS),
    lineSums: ring(3, lineSumLength(rows, columns)),
    response: ring(RING_ROWS),
    ratio: ring(RING_ROWS),
    sums: ring(RING_ROWS),
    means: ring(BLOCK + 1),
    meanSums: ring(RING_ROWS),
    running: ring(2),
  };
}

/** Rows of what runs through a window, also those before the first. */
function ringSlot(row: number): number {
  return (row + RING_ROWS) % RING_ROWS;
}
