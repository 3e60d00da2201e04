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
  const onGrid = noded(rings.map((ring) => ring.map((value) => Math.round(value * STEPS_PER_DEGREE))));
  const graph = graphOf(onGrid);
  const boundary = boundaryOf(graph);
  return assemble(ringsOf(boundary).map((ring) => ring.map((value) => value / STEPS_PER_DEGREE)));
}

/** Undirected edges between numbered positions. */
interface Graph {
  readonly positions: Float64Array;
  /** Of each edge, the western end (the southern one of a vertical edge). */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** How many more rings pass the edge in its direction than against it. */
  readonly weight: readonly number[];
}

function graphOf(rings: readonly Ring[]): Graph {
  const nodes = new Map<number, number>();
  const positions: number[] = [];
  const nodeAt = (x: number, y: number) => {
    const key = x * 2 ** 26 + y;
    const known = nodes.get(key);
    if (known !== undefined) return known;
    nodes.set(key, nodes.size);
    positions.push(x, y);
    return nodes.size - 1;
  };
  const edges = new Map<number, number>();
  const from: number[] = [];
  const to: number[] = [];
  const weight: number[] = [];
  for (const ring of rings) {
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
        weight.push(0);
        edges.set(key, edge);
      }
      weight[edge] = (weight[edge] as number) + (forward ? 1 : -1);
    }
  }
  return { positions: Float64Array.from(positions), from, to, weight };
}

/** Edges with the enclosed area on their left and none on their right. */
interface Boundary {
  readonly positions: Float64Array;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

function boundaryOf(graph: Graph): Boundary {
  const { positions, weight } = graph;
  const winding = new WindingCounter(graph);
  const from: number[] = [];
  const to: number[] = [];
  weight.forEach((edgeWeight, edge) => {
    if (edgeWeight === 0) return;
    const right = winding.rightOf(edge);
    const left = right + edgeWeight;
    if (left > 0 === right > 0) return;
    const a = graph.from[edge] as number;
    const b = graph.to[edge] as number;
    from.push(left > 0 ? a : b);
    to.push(left > 0 ? b : a);
  });
  return { positions, from, to };
}

/** Counts how often rings wind around places; edges are kept in bands of longitude. */
class WindingCounter {
  private readonly graph: Graph;
  private readonly bands: number[][];
  private readonly west: number;
  private readonly width: number;

  constructor(graph: Graph) {
    this.graph = graph;
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

  /** Sums up the edges south of an edge's middle (just east of it for a vertical one). */
  rightOf(edge: number): number {
    const { from, to, weight, positions } = this.graph;
    const x = (this.x(from[edge] as number) + this.x(to[edge] as number)) / 2;
    const y = (this.y(from[edge] as number) + this.y(to[edge] as number)) / 2;
    let winding = 0;
    for (const other of this.bands[this.band(x)] ?? []) {
      const a = 2 * (from[other] as number);
      const b = 2 * (to[other] as number);
      const ax = positions[a] as number;
      const bx = positions[b] as number;
      if (ax > x || bx <= x || other === edge) continue;
      if (turn(ax, positions[a + 1] as number, bx, positions[b + 1] as number, x, y) > 0)
        winding += weight[other] as number;
    }
    return winding;
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
  const placeOnWay = new Int32Array(leaving.length).fill(-1);
  const rings: Ring[] = [];

  const take = (nodes: readonly number[]) => {
    for (const node of nodes) placeOnWay[node] = -1;
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
      const place = placeOnWay[node] as number;
      if (place >= 0) take(way.splice(place));
      placeOnWay[node] = way.push(node) - 1;
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
