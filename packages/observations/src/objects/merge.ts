/** Pieces that continue one another become one object. */
import { axisDifference, type End, endsOf, fitUnion, type LineObject, type WeightImage } from './shape.ts';

const MAX_ANGLE = (8 * Math.PI) / 180;
const MAX_GAP = 25;
/** Pieces that overlap by more than this lie side by side. */
const OVERLAP = -5;
const MAX_OFFSET = 3;
const MAX_FAR_OFFSET = 4.5;
const MAX_WIDTH = 10;
const CELL = 64;

export function mergeCollinear(image: WeightImage, pieces: readonly LineObject[]): LineObject[] {
  let objects = [...pieces];
  for (;;) {
    objects.sort((a, b) => b.length - a.length);
    const merged = mergePass(image, objects);
    if (merged === objects.length) return objects;
    objects = objects.filter((object) => object !== DROPPED);
  }
}

const DROPPED = Object.freeze({}) as LineObject;

/** Merges into longer objects the shorter ones that continue them; returns how many objects are left. */
function mergePass(image: WeightImage, objects: LineObject[]): number {
  const cells = new EndCells(objects);
  let left = objects.length;
  for (let i = 0; i < objects.length; i++) {
    if (objects[i] === DROPPED) continue;
    for (let changed = true; changed; ) {
      changed = false;
      const object = objects[i] as LineObject;
      for (const j of cells.near(object)) {
        if (j <= i) continue;
        const other = objects[j] as LineObject;
        if (other === DROPPED || !continues(object, other)) continue;
        const union = fitUnion(image, object, other, MAX_WIDTH);
        if (union === undefined) continue;
        objects[i] = union;
        objects[j] = DROPPED;
        left--;
        changed = true;
        break;
      }
    }
  }
  return left;
}

function continues(object: LineObject, other: LineObject): boolean {
  if (axisDifference(object.angle, other.angle) > MAX_ANGLE) return false;
  const [first, second] = endsOf(other).map((end) => alongAndAcross(object, end)) as [Position, Position];
  const half = object.length / 2;
  const [low, high] = first.u <= second.u ? [first, second] : [second, first];
  const [before, after] = [-half - high.u, low.u - half];
  const gap = Math.max(before, after);
  if (gap > MAX_GAP) return false;
  const offsets = [Math.abs(first.v), Math.abs(second.v)] as const;
  const far = Math.max(...offsets);
  if (gap <= OVERLAP) return far <= MAX_OFFSET;
  const nearer = after >= before ? low : high;
  return Math.abs(nearer.v) <= MAX_OFFSET && far <= MAX_FAR_OFFSET;
}

interface Position {
  readonly u: number;
  readonly v: number;
}

/** A position along and across the axis of an object, from its middle. */
export function alongAndAcross({ midColumn, midRow, angle }: LineObject, { column, row }: End): Position {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [dc, dr] = [column - midColumn, row - midRow];
  return { u: dc * cos + dr * sin, v: dr * cos - dc * sin };
}

/** Objects by the cells of their ends: of two that continue each other, an end of the shorter is near the axis of the longer. */
class EndCells {
  private readonly cells = new Map<number, number[]>();

  constructor(objects: readonly LineObject[]) {
    objects.forEach((object, index) => {
      const keys = new Set(endsOf(object).map(({ column, row }) => cellOf(column, row)));
      for (const key of keys) {
        const cell = this.cells.get(key);
        if (cell === undefined) this.cells.set(key, [index]);
        else cell.push(index);
      }
    });
  }

  /** In the order of the objects. */
  near({ midColumn, midRow, angle, length }: LineObject): number[] {
    const reach = length / 2 + MAX_GAP + MAX_FAR_OFFSET;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const keys = new Set<number>();
    const steps = Math.ceil((2 * reach) / CELL);
    for (let k = 0; k <= steps; k++) {
      const u = -reach + (2 * reach * k) / steps;
      const [c, r] = [midColumn + u * cos, midRow + u * sin];
      for (const dc of [-1, 0, 1]) {
        for (const dr of [-1, 0, 1])
          keys.add(
            cellOf(c + (dc * CELL) / 2 + dc * MAX_FAR_OFFSET, r + (dr * CELL) / 2 + dr * MAX_FAR_OFFSET),
          );
      }
    }
    const found = new Set<number>();
    for (const key of keys) for (const index of this.cells.get(key) ?? []) found.add(index);
    return [...found].sort((a, b) => a - b);
  }
}

function cellOf(column: number, row: number): number {
  return Math.floor(row / CELL) * 2 ** 20 + Math.floor(column / CELL);
}
