/**
 * The lattice of a route: stages along the great circle between two points, offsets across it, and the edges that join
 * neighbouring stages. Vectors are of unit length on a sphere.
 */
import { EARTH_RADIUS_M } from '../constants.ts';
import { InputError } from '../errors.ts';
import { degreesToRadians, radiansToDegrees } from '../units.ts';

/** Longitude and latitude [°]. */
export type Position = readonly [number, number];

/** How fine the lattice is. */
export interface LatticeOptions {
  readonly stageM: number;
  readonly offsetM: number;
  /** Half width of the corridor. */
  readonly corridorM: number;
  /** Offsets that a route may cross in one stage: the limit of its turns. */
  readonly maxSteps: number;
}

const MIN_ANGLE = 1e-6;
/** Keeps a corridor of a whole number of offsets from losing one to rounding. */
const ROUNDING_MARGIN = 1e-9;

/** Stages, offsets low … high at each, and the position of every node. */
export interface Lattice {
  readonly origin: Position;
  readonly destination: Position;
  readonly stages: number;
  readonly lengthM: number;
  readonly offsetM: number;
  readonly maxSteps: number;
  /** Offset indices, both included, at the beginning of each stage and at the end of the last. */
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** Largest magnitude of an offset index. */
  readonly width: number;
  /** Three numbers for each node; {@link nodeIndex} finds them. */
  readonly vectors: Float64Array;
}

export function makeLattice(origin: Position, destination: Position, options: LatticeOptions): Lattice {
  const { stageM, offsetM, corridorM, maxSteps } = options;
  const lengthM = EARTH_RADIUS_M * angleBetween(origin, destination);
  const stages = Math.max(2, Math.floor(lengthM / stageM + 0.5));
  const inCorridor = Math.floor(corridorM / offsetM + ROUNDING_MARGIN);
  const high = Int32Array.from({ length: stages + 1 }, (_, i) =>
    Math.min(inCorridor, maxSteps * Math.min(i, stages - i)),
  );
  const low = high.map((offset) => -offset);
  return fill({ origin, destination, stages, lengthM, offsetM, maxSteps, low, high });
}

/** A lattice `factor` times finer along and across, of nodes within some offsets of a way through a coarser one. */
export function refineLattice(
  coarse: Lattice,
  offsets: ArrayLike<number>,
  factor: number,
  tubeOffsets: number,
): Lattice {
  const stages = factor * coarse.stages;
  const reach = (i: number) => coarse.maxSteps * Math.min(i, stages - i);
  const around = (i: number) => {
    const [stage, part] = [Math.floor(i / factor), i % factor];
    const from = stage === 0 ? 0 : (offsets[stage - 1] as number);
    return factor * from + part * ((offsets[stage] ?? from) - from);
  };
  const [low, high] = [new Int32Array(stages + 1), new Int32Array(stages + 1)];
  for (let i = 0; i <= stages; i++) {
    const limit = Math.min(factor * coarse.width, reach(i));
    low[i] = Math.max(-limit, around(i) - factor * tubeOffsets);
    high[i] = Math.min(limit, around(i) + factor * tubeOffsets);
  }
  const { origin, destination, lengthM, maxSteps } = coarse;
  return fill({
    origin,
    destination,
    lengthM,
    maxSteps,
    stages,
    offsetM: coarse.offsetM / factor,
    low,
    high,
  });
}

/** Angle [rad] between two positions that have one great circle. */
function angleBetween(origin: Position, destination: Position): number {
  const [a, b] = [vectorOf(origin), vectorOf(destination)];
  const angle = Math.atan2(Math.hypot(...cross(a, b)), dot(a, b));
  if (angle >= MIN_ANGLE && Math.PI - angle >= MIN_ANGLE) return angle;
  throw new InputError(
    `origin ${origin.join(', ')} and destination ${destination.join(', ')} are ${angle < MIN_ANGLE ? 'the same point' : 'antipodal'}; there is no single great circle between them`,
    { origin, destination },
  );
}

/** Computes the nodes. */
function fill(shape: Omit<Lattice, 'width' | 'vectors'>): Lattice {
  const { origin, destination, stages, offsetM, low, high } = shape;
  const [a, b] = [vectorOf(origin), vectorOf(destination)];
  const normal = cross(a, b);
  const sine = Math.hypot(...normal);
  const angle = Math.atan2(sine, dot(a, b));
  const width = Math.max(...high, ...low.map((offset) => -offset));
  const vectors = new Float64Array(3 * (stages + 1) * (2 * width + 1)).fill(Number.NaN);
  for (let i = 0; i <= stages; i++) {
    const [ofA, ofB] = [Math.sin((1 - i / stages) * angle), Math.sin((i / stages) * angle)];
    for (let k = low[i] as number; k <= (high[i] as number); k++) {
      const across = (k * offsetM) / EARTH_RADIUS_M;
      const at = 3 * (i * (2 * width + 1) + k + width);
      for (let axis = 0; axis < 3; axis++) {
        const along = (ofA * (a[axis] as number) + ofB * (b[axis] as number)) / Math.sin(angle);
        vectors[at + axis] = along * Math.cos(across) + ((normal[axis] as number) / sine) * Math.sin(across);
      }
    }
  }
  return { ...shape, width, vectors };
}

/** Where the vector of a node begins in `vectors`. */
export function nodeIndex({ width }: Lattice, stage: number, offset: number): number {
  return 3 * (stage * (2 * width + 1) + offset + width);
}

/** Position of a node [°]. */
export function nodePosition(lattice: Lattice, stage: number, offset: number): [number, number] {
  const at = nodeIndex(lattice, stage, offset);
  const [x, y, z] = lattice.vectors.subarray(at, at + 3) as unknown as [number, number, number];
  return [radiansToDegrees(Math.atan2(y, x)), radiansToDegrees(Math.atan2(z, Math.hypot(x, y)))];
}

/** All edges of one stage. */
export interface StageEdges {
  readonly count: number;
  /** Edge from offset k by s steps at (k + width) · (2 maxSteps + 1) + s + maxSteps; −1 where there is none. */
  readonly indexOf: Int32Array;
  readonly lengthM: Float64Array;
  /** Middle of the edge [°]. */
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** Direction at the middle. */
  readonly east: Float64Array;
  readonly north: Float64Array;
}

export function makeEdges(lattice: Lattice, stage: number): StageEdges {
  const { width, low, high, maxSteps, vectors } = lattice;
  const [lowAfter, highAfter] = [low[stage + 1] as number, high[stage + 1] as number];
  const indexOf = new Int32Array((2 * width + 1) * (2 * maxSteps + 1)).fill(-1);
  let count = 0;
  const each = (take: (k: number, steps: number) => void) => {
    for (let k = low[stage] as number; k <= (high[stage] as number); k++) {
      for (let steps = -maxSteps; steps <= maxSteps; steps++)
        if (k + steps >= lowAfter && k + steps <= highAfter) take(k, steps);
    }
  };
  each((k, steps) => {
    indexOf[(k + width) * (2 * maxSteps + 1) + steps + maxSteps] = count++;
  });
  const column = () => new Float64Array(count);
  const edges = {
    count,
    indexOf,
    lengthM: column(),
    longitude: column(),
    latitude: column(),
    east: column(),
    north: column(),
  };
  let e = 0;
  each((k, steps) => {
    const [p, q] = [nodeIndex(lattice, stage, k), nodeIndex(lattice, stage + 1, k + steps)];
    const [px, py, pz] = [vectors[p] as number, vectors[p + 1] as number, vectors[p + 2] as number];
    const [qx, qy, qz] = [vectors[q] as number, vectors[q + 1] as number, vectors[q + 2] as number];
    const [nx, ny, nz] = [py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx];
    const sine = Math.sqrt(nx * nx + ny * ny + nz * nz);
    const [sx, sy, sz] = [px + qx, py + qy, pz + qz];
    const sum = Math.sqrt(sx * sx + sy * sy + sz * sz);
    const [mx, my, mz] = [sx / sum, sy / sum, sz / sum];
    const horizontal = Math.hypot(mx, my);
    const [cosLon, sinLon] = horizontal > 0 ? [mx / horizontal, my / horizontal] : [1, 0];
    const [dx, dy, dz] = [(ny * mz - nz * my) / sine, (nz * mx - nx * mz) / sine, (nx * my - ny * mx) / sine];
    edges.lengthM[e] = EARTH_RADIUS_M * Math.atan2(sine, px * qx + py * qy + pz * qz);
    edges.longitude[e] = radiansToDegrees(Math.atan2(my, mx));
    edges.latitude[e] = radiansToDegrees(Math.atan2(mz, horizontal));
    edges.east[e] = -sinLon * dx + cosLon * dy;
    edges.north[e] = -mz * (cosLon * dx + sinLon * dy) + horizontal * dz;
    e++;
  });
  return edges;
}

/** Positions [°] at fractions of the straight line between two nodes, seen from the centre of the Earth. */
export function positionsBetween(
  lattice: Lattice,
  stage: number,
  from: number,
  to: number,
  fractions: readonly number[],
): Position[] {
  const { vectors } = lattice;
  const [p, q] = [nodeIndex(lattice, stage, from), nodeIndex(lattice, stage + 1, to)];
  return fractions.map((fraction) => {
    const at = (axis: number) =>
      (vectors[p + axis] as number) +
      fraction * ((vectors[q + axis] as number) - (vectors[p + axis] as number));
    const [x, y, z] = [at(0), at(1), at(2)];
    return [radiansToDegrees(Math.atan2(y, x)), radiansToDegrees(Math.atan2(z, Math.hypot(x, y)))];
  });
}

/** Position [°] at a fraction of the great circle between two others. */
export function positionAlong(from: Position, to: Position, fraction: number): Position {
  const [a, b] = [vectorOf(from), vectorOf(to)];
  const angle = angleBetween(from, to);
  const at = (axis: 0 | 1 | 2) =>
    Math.sin((1 - fraction) * angle) * a[axis] + Math.sin(fraction * angle) * b[axis];
  const [x, y, z] = [at(0), at(1), at(2)];
  return [radiansToDegrees(Math.atan2(y, x)), radiansToDegrees(Math.atan2(z, Math.hypot(x, y)))];
}

type Vector = [number, number, number];

function vectorOf([longitudeDeg, latitudeDeg]: Position): Vector {
  const [lon, lat] = [degreesToRadians(longitudeDeg), degreesToRadians(latitudeDeg)];
  return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
}

function cross([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector {
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
