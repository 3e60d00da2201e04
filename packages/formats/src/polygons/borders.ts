import type { LabelImage } from './mask.ts';

/**
 * Borders of an image in the order of their discovery. Outer borders run counter-clockwise (longitude to the right,
 * latitude up), borders of holes clockwise over the cells that surround the hole.
 */
export interface Borders {
  readonly count: number;
  readonly isHole: ArrayLike<boolean>;
  /** The border that encloses another one directly; −1 where there is none. */
  readonly parent: ArrayLike<number>;
  /** Where the corner cells of each border begin in `corners`; one more entry than borders. */
  readonly first: ArrayLike<number>;
  /** Cells at which a border changes its direction, as indices into the image. */
  readonly corners: Int32Array;
}

const NORTH = 2;
const SOUTH = 6;
/** Labels: 1 for the frame of the image and for cells on no border yet, then one for each border. */
const FRAME = 1;
const FIRST_BORDER = 2;

/**
 * Topological border following (Suzuki & Abe 1985, algorithm 1): one scan finds every border and which border encloses
 * it. Uses up the image: cells on a border get the label of the border, negative where the border passes on their
 * northern side.
 *
 * Borders can only start at the ends of runs. The cells between them need no visit: the label seen last before the start
 * of a run is that of the end of the run before, and all labels within a run lead to the same component.
 */
export function followBorders({ labels, stride, runs }: LabelImage): Borders {
  const follower = new BorderFollower(labels, stride);
  const isHole: boolean[] = [];
  const parent: number[] = [];
  const first: number[] = [0];
  const enclosing = (hole: boolean, last: number) => {
    if (last === FRAME || isHole[last - FIRST_BORDER] !== hole) return last - FIRST_BORDER;
    return parent[last - FIRST_BORDER] as number;
  };
  const follow = (start: number, hole: boolean, last: number) => {
    const border = isHole.length;
    parent.push(enclosing(hole, last));
    isHole.push(hole);
    first.push(follower.follow(start, hole ? NORTH : SOUTH, border + FIRST_BORDER));
  };

  let longitudeEnd = 0;
  let last = FRAME;
  for (let run = 0; run < runs.length; run += 2) {
    const start = runs[run] as number;
    const end = runs[run + 1] as number;
    if (start >= longitudeEnd) {
      longitudeEnd = start - (start % stride) + stride;
      last = FRAME;
    }
    if (labels[start] === 1) follow(start, false, last);
    const label = labels[end] as number;
    if (label > 0) follow(end, true, label > 1 ? label : Math.abs(labels[start] as number));
    last = Math.abs(labels[end] as number);
  }
  return { count: isHole.length, isHole, parent, first, corners: follower.corners };
}

class BorderFollower {
  corners = new Int32Array(1024);
  private used = 0;
  private readonly labels: Int32Array;
  /** Steps to the eight neighbours, counter-clockwise from the east; twice, so a turn needs no modulus. */
  private readonly steps: Int32Array;

  constructor(labels: Int32Array, stride: number) {
    this.labels = labels;
    const circle = [stride, stride + 1, 1, 1 - stride, -stride, -stride - 1, -1, stride - 1];
    this.steps = Int32Array.from([...circle, ...circle]);
  }

  /** Follows one border from its start, coming from the background in direction `from`; returns where its corners end. */
  follow(start: number, from: number, border: number): number {
    const { labels, steps } = this;
    let back = from + 8;
    do back--;
    while (back > from && labels[start + (steps[back] as number)] === 0);
    if (back === from) {
      labels[start] = -border;
      return this.add(start);
    }
    back &= 7;
    const lastCell = start + (steps[back] as number);
    let at = start;
    for (;;) {
      let ahead = back + 1;
      while (labels[at + (steps[ahead] as number)] === 0) ahead++;
      const sawNorth = (back < NORTH && NORTH < ahead) || ahead > NORTH + 8;
      if (sawNorth) labels[at] = -border;
      else if (labels[at] === 1) labels[at] = border;
      ahead &= 7;
      if (((back + 4) & 7) !== ahead) this.add(at);
      const next = at + (steps[ahead] as number);
      if (next === start && at === lastCell) return this.used;
      at = next;
      back = (ahead + 4) & 7;
    }
  }

  private add(cell: number): number {
    if (this.used === this.corners.length) {
      const grown = new Int32Array(2 * this.corners.length);
      grown.set(this.corners);
      this.corners = grown;
    }
    this.corners[this.used++] = cell;
    return this.used;
  }
}
