/** How likely objects are contrails, by their shape, their mean response and how many parallel ones are around. */
import { alongAndAcross } from '../objects/merge.ts';
import { axisDifference, type LineObject } from '../objects/shape.ts';
import { KAPPA_OFFSET, Z_OFFSET } from '../ridge/kernels.ts';
import type { RidgeWeights } from './weights.ts';

const MAX_ANGLE = (12 * Math.PI) / 180;
const MIN_ACROSS = 3;
const MAX_ACROSS = 40;
const MARGIN_ALONG = 20;
const CELL = 64;

export function objectProbabilities(
  { z, kappa }: { readonly z: Float32Array; readonly kappa: Float32Array },
  objects: readonly LineObject[],
  { object: weights }: RidgeWeights,
): number[] {
  const crowding = crowdingOf(objects);
  return objects.map(({ pixels, length, width }, k) => {
    let logKappa = 0;
    let logZ = 0;
    for (const pixel of pixels) {
      logKappa += Math.log(KAPPA_OFFSET + (kappa[pixel] as number));
      logZ += Math.log(Z_OFFSET + (z[pixel] as number));
    }
    const features = [
      1,
      Math.log(length),
      Math.log(length / width),
      logKappa / pixels.length,
      logZ / pixels.length,
      Math.log(1 + (crowding[k] as number)),
    ];
    const exponent = features.reduce((sum, feature, i) => sum + feature * (weights[i] as number), 0);
    return 1 / (1 + Math.exp(-exponent));
  });
}

/** How many others run parallel to each object, beside it or ahead of it. */
function crowdingOf(objects: readonly LineObject[]): number[] {
  const cells = new Map<number, number[]>();
  objects.forEach(({ midColumn, midRow }, index) => {
    const key = cellKey(Math.floor(midColumn / CELL), Math.floor(midRow / CELL));
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [index]);
    else cell.push(index);
  });
  const longest = objects.reduce((max, { length }) => Math.max(max, length), 0);
  return objects.map((object, index) => {
    const along = (object.length + longest) / 2 + MARGIN_ALONG;
    const [cos, sin] = [Math.abs(Math.cos(object.angle)), Math.abs(Math.sin(object.angle))];
    const reachColumns = along * cos + MAX_ACROSS * sin;
    const reachRows = along * sin + MAX_ACROSS * cos;
    const [left, right] = cellRange(object.midColumn, reachColumns);
    const [top, bottom] = cellRange(object.midRow, reachRows);
    let count = 0;
    for (let r = top; r <= bottom; r++) {
      for (let c = left; c <= right; c++) {
        for (const other of cells.get(cellKey(c, r)) ?? []) {
          if (other !== index && isBeside(object, objects[other] as LineObject)) count++;
        }
      }
    }
    return count;
  });
}

function isBeside(object: LineObject, other: LineObject): boolean {
  if (axisDifference(object.angle, other.angle) > MAX_ANGLE) return false;
  const { u, v } = alongAndAcross(object, { column: other.midColumn, row: other.midRow });
  const across = Math.abs(v);
  if (across <= MIN_ACROSS || across >= MAX_ACROSS) return false;
  return Math.abs(u) < (object.length + other.length) / 2 + MARGIN_ALONG;
}

function cellRange(middle: number, reach: number): [first: number, last: number] {
  return [Math.floor((middle - reach) / CELL), Math.floor((middle + reach) / CELL)];
}

function cellKey(column: number, row: number): number {
  return row * 2 ** 20 + column;
}
