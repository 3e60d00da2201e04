/** Longitude, latitude, longitude, latitude … of a closed ring: the last position repeats the first. */
export type Ring = Float64Array;

/** Exterior (counter-clockwise) first, then interiors (clockwise). */
export type Polygon = readonly Ring[];

export type MultiPolygon = readonly Polygon[];

/** Planar area in square degrees, positive when the ring runs counter-clockwise. */
export function signedArea(ring: Ring): number {
  const x0 = ring[0] as number;
  const y0 = ring[1] as number;
  let twice = 0;
  for (let k = 2; k + 3 < ring.length; k += 2) {
    const ax = (ring[k] as number) - x0;
    const ay = (ring[k + 1] as number) - y0;
    const bx = (ring[k + 2] as number) - x0;
    const by = (ring[k + 3] as number) - y0;
    twice += ax * by - ay * bx;
  }
  return twice / 2;
}

/** The ring in the wanted direction; its first position stays first. */
export function oriented(ring: Ring, direction: 'counter-clockwise' | 'clockwise'): Ring {
  return signedArea(ring) > 0 === (direction === 'counter-clockwise') ? ring : reversed(ring);
}

function reversed(ring: Ring): Ring {
  const result = new Float64Array(ring.length);
  for (let from = ring.length - 2, to = 0; from >= 0; from -= 2, to += 2) {
    result[to] = ring[from] as number;
    result[to + 1] = ring[from + 1] as number;
  }
  return result;
}

/** Without positions that repeat their predecessor; in place. */
export function withoutRepeats(ring: Ring): Ring {
  let kept = 2;
  for (let k = 2; k < ring.length; k += 2) {
    const x = ring[k] as number;
    const y = ring[k + 1] as number;
    if (x === ring[kept - 2] && y === ring[kept - 1]) continue;
    ring[kept++] = x;
    ring[kept++] = y;
  }
  return ring.subarray(0, kept);
}

/** Every coordinate to a number of decimals, halves to the even neighbour. */
export function rounded(ring: Ring, decimals: number): Ring {
  const scale = 10 ** decimals;
  const result = new Float64Array(ring.length);
  for (let k = 0; k < ring.length; k++) result[k] = roundHalfToEven((ring[k] as number) * scale) / scale;
  return withoutRepeats(result);
}

/** Adding 1.5 · 2⁵² leaves no bits for a fraction, and the addition rounds halves to even. */
function roundHalfToEven(value: number): number {
  const shift = 6_755_399_441_055_744;
  return value + shift - shift;
}

export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export function boxOf(ring: Ring): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < ring.length; k += 2) {
    const x = ring[k] as number;
    const y = ring[k + 1] as number;
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  }
  return { west, south, east, north };
}
