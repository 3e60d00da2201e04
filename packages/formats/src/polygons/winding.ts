import { liesInside, RingLocator } from './locate.ts';
import { noded } from './noding.ts';
import { turn } from './predicates.ts';
import { type Polygon, type Ring, signedArea } from './ring.ts';
import { isBetween } from './touching.ts';

/** Steps per degree of the grid on which unions are computed: about a metre, and fine enough for any precision we write. */
const STEPS_PER_DEGREE = 1e5;

/**
 * What rings enclose at least once counter-clockwise, as valid polygons that do not overlap. Of polygons with proper
 * orientation this is the union; of a ring that crosses itself, the parts of the right orientation.
 */
export function enclosedArea(rings: readonly Ring[]): Polygon[] {
  return nestedAreas([rings], STEPS_PER_DEGREE)[0] as Polygon[];
}

/**
 * For each layer of rings what this layer and all before it enclose at least once. Coordinates are multiples of a step.
 * Areas have a position wherever rings of any layer meet, so each contains those of later layers exactly: sides
 * that run together are the same sides.
 */
export function nestedAreas(layers: readonly (readonly Ring[])[], stepsPerDegree: number): Polygon[][] {
  const rings = layers.flat();
  const layerOf = layers.flatMap((layer, k) => layer.map(() => k));
  const onGrid = noded(rings.map((ring) => ring.map((value) => Math.round(value * stepsPerDegree))));
  const graph = graphOf(onGrid, layerOf, layers.length);
  return boundariesOf(graph).map((boundary) =>
    assemble(ringsOf(boundary).map((ring) => ring.map((value) => value / stepsPerDegree))),
  );
}

/** Undirected edges between numbered positions. */
interface Graph {
  readonly positions: Float64Array;
  /** Of each edge, the western end (the southern one of a vertical edge). */
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly layers: number;
  /** Of each edge, layer by layer: how many more rings of it pass the edge in its direction than against it. */
  readonly weights: readonly number[];
  /** Edges of all rings, one way after the other; −1 − edge where a ring passes it against its direction. */
  readonly passes: readonly number[];
  /** How many edges end at each position. */
  readonly degrees: readonly number[];
}

function graphOf(rings: readonly Ring[], layerOf: readonly number[], layers: number): Graph {
  const nodes = new Map<number, number>();
  const positions: number[] = [];
  const degrees: number[] = [];
  const passes: number[] = [];
  const nodeAt = (x: number, y: number) => {
    const key = x * 2 ** 26 + y;
    const known = nodes.get(key);
    if (known !== undefined) return known;
    nodes.set(key, nodes.size);
    positions.push(x, y);
    degrees.push(0);
    return nodes.size - 1;
  };
  const edges = new Map<number, number>();
  const from: number[] = [];
  const to: number[] = [];
  const weights: number[] = [];
  for (const [r, ring] of rings.entries()) {
    const layer = layerOf[r] as number;
    for (let k = 0; k + 3 < ring.length; k += 2) {
      const dx = (ring[k + 2] as number) - (ring[k] as number);
      const forward = dx > 0 || (dx === 0 && (ring[k + 3] as number) > (ring[k + 1] as number));
      const a = nodeAt(ring[k] as number, ring[k + 1] as number);
      const b = nodeAt(ring[k + 2] as number, ring[k + 3] as number);
      const key = (forward ? a : b) * 2 ** 26 + (forward ? b : a);
      let edge = edges.get(key);
      if (edge === undefined) {
        edge = from.push(forward ? a : b) - 1;
        to.push(forward ? b : a);
        for (let k = 0; k < layers; k++) weights.push(0);
        edges.set(key, edge);
        degrees[a] = (degrees[a] as number) + 1;
        degrees[b] = (degrees[b] as number) + 1;
      }
      passes.push(forward ? edge : -1 - edge);
      const index = edge * layers + layer;
      weights[index] = (weights[index] as number) + (forward ? 1 : -1);
    }
  }
  return { positions: Float64Array.from(positions), from, to, layers, weights, passes, degrees };
}

/** Edges with the enclosed area on their left and none on their right. */
interface Boundary {
  readonly positions: Float64Array;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

function boundariesOf(graph: Graph): Boundary[] {
  const { positions, from, to, layers, weights, passes, degrees } = graph;
  const counter = new WindingCounter(graph);
  const sides = Array.from({ length: layers }, () => ({ from: [] as number[], to: [] as number[] }));
  const seen = new Uint8Array(from.length);
  /** Windings to the right of the way. They stay the same until the way comes to other rings. */
  const right = new Int32Array(layers);
  let at = -1;
  let previous = -1;
  for (const pass of passes) {
    const edge = pass < 0 ? -1 - pass : pass;
    const a = (pass < 0 ? to[edge] : from[edge]) as number;
    const b = (pass < 0 ? from[edge] : to[edge]) as number;
    const direction = pass < 0 ? -1 : 1;
    const weightOf = (layer: number) => direction * (weights[edge * layers + layer] as number);
    // A way that turns back on itself has its other side on the right.
    if (a !== at || degrees[a] !== 2 || edge === previous) {
      right.set(counter.rightOf(edge));
      if (pass < 0)
        for (let layer = 0; layer < layers; layer++)
          right[layer] = (right[layer] as number) - weightOf(layer);
    }
    at = b;
    previous = edge;
    if (seen[edge] === 1) continue;
    seen[edge] = 1;
    let isLeftInside = true;
    let isRightInside = true;
    for (const [layer, side] of sides.entries()) {
      const windingRight = right[layer] as number;
      isRightInside &&= windingRight > 0;
      isLeftInside &&= windingRight + weightOf(layer) > 0;
      if (isLeftInside === isRightInside) continue;
      side.from.push(isLeftInside ? a : b);
      side.to.push(isLeftInside ? b : a);
    }
  }
  return sides.map((side) => ({ positions, ...side }));
}

/** Counts how often rings wind around positions; edges are kept in bands of longitude. */
class WindingCounter {
  private readonly graph: Graph;
  private readonly bands: number[][];
  private readonly windings: Int32Array;
  private readonly west: number;
  private readonly width: number;

  constructor(graph: Graph) {
    this.graph = graph;
    this.windings = new Int32Array(graph.layers);
    let [west, east] = [Infinity, -Infinity];
    for (let k = 0; k < graph.positions.length; k += 2) {
      west = Math.min(west, graph.positions[k] as number);
      east = Math.max(east, graph.positions[k] as number);
    }
    const count = (graph.from.length >> 2) + 1;
    this.west = west;
    this.width = (east - west) / count || 1;
    this.bands = Array.from({ length: count + 1 }, () => []);
    graph.from.forEach((a, edge) => {
      const last = this.band(this.x(graph.to[edge] as number));
      for (let band = this.band(this.x(a)); band <= last; band++) this.bands[band]?.push(edge);
    });
  }

  /** Sums up the edges south of an edge's middle (just east of it for a vertical one), layer by layer; valid until the next call. */
  rightOf(edge: number): Int32Array {
    const { from, to, layers, weights, positions } = this.graph;
    const x = (this.x(from[edge] as number) + this.x(to[edge] as number)) / 2;
    const y = (this.y(from[edge] as number) + this.y(to[edge] as number)) / 2;
    const windings = this.windings.fill(0);
    for (const other of this.bands[this.band(x)] ?? []) {
      const a = 2 * (from[other] as number);
      const b = 2 * (to[other] as number);
      const ax = positions[a] as number;
      const bx = positions[b] as number;
      if (ax > x || bx <= x || other === edge) continue;
      if (turn(ax, positions[a + 1] as number, bx, positions[b + 1] as number, x, y) <= 0) continue;
      for (let layer = 0; layer < layers; layer++)
        windings[layer] = (windings[layer] as number) + (weights[other * layers + layer] as number);
    }
    return windings;
  }

  private band(x: number): number {
    return Math.floor((x - this.west) / this.width);
  }

  private x(node: number): number {
    return this.graph.positions[2 * node] as number;
  }

  private y(node: number): number {
    return this.graph.positions[2 * node + 1] as number;
  }
}

/**
 * Closed ways along the boundary. At a position that several ways share, a way keeps to its own piece of the inside, and
 * one that comes back to a position is cut there: so every ring is simple.
 */
function ringsOf({ positions, from, to }: Boundary): Ring[] {
  const leaving = Array.from({ length: positions.length / 2 }, (): number[] => []);
  for (const [edge, node] of from.entries()) leaving[node]?.push(edge);
  const used = new Uint8Array(from.length);
  const indexOnWay = new Int32Array(leaving.length).fill(-1);
  const rings: Ring[] = [];

  const take = (nodes: readonly number[]) => {
    for (const node of nodes) indexOnWay[node] = -1;
    const closed = [...nodes, nodes[0] as number];
    rings.push(
      Float64Array.from(closed.flatMap((node) => [positions[2 * node], positions[2 * node + 1]] as number[])),
    );
  };
  const after = (edge: number) => {
    const at = to[edge] as number;
    return (leaving[at] as number[]).reduce((best, candidate) =>
      isBetween(positions, at, to[best] as number, from[edge] as number, to[candidate] as number)
        ? candidate
        : best,
    );
  };

  for (let start = 0; start < from.length; start++) {
    const way: number[] = [];
    for (let edge = start; used[edge] === 0; edge = after(edge)) {
      used[edge] = 1;
      const node = from[edge] as number;
      const index = indexOnWay[node] as number;
      if (index >= 0) take(way.splice(index));
      indexOnWay[node] = way.push(node) - 1;
    }
    if (way.length > 0) take(way);
  }
  return rings;
}

/** Every interior goes to the smallest exterior around it. */
function assemble(rings: readonly Ring[]): Polygon[] {
  const exteriors = rings
    .filter((ring) => signedArea(ring) > 0)
    .map((ring) => ({
      ring,
      area: signedArea(ring),
      locator: new RingLocator(ring),
      interiors: [] as Ring[],
    }))
    .sort((a, b) => a.area - b.area);
  for (const ring of rings) {
    if (signedArea(ring) > 0) continue;
    exteriors.find(({ locator }) => liesInside(ring, locator))?.interiors.push(ring);
  }
  return exteriors.map(({ ring, interiors }) => [ring, ...interiors]);
}
