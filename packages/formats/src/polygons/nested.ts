import { followBorders } from './borders.ts';
import { liesInside, RingLocator } from './locate.ts';
import { labelImage } from './mask.ts';
import { outlineAround } from './outline.ts';
import { type MultiPolygon, type Polygon, type Ring, signedArea } from './ring.ts';
import { cellOf, cornersOf, type RingOptions, roundedSimple } from './ring-shaper.ts';
import { simplified } from './simplify.ts';
import { isSimple } from './validity.ts';
import { nestedAreas } from './winding.ts';

export type NestedOptions = Required<Pick<RingOptions, 'minAreaDeg2' | 'toleranceDeg' | 'precision'>>;

/**
 * Regions of a plane of cells (as {@link polygonsOf} takes it) where a field reaches each of several ascending
 * thresholds, without interiors. A region contains those of all higher thresholds exactly, to the last bit of the
 * coordinates, and every cell centre that reaches its threshold, unless it belongs to a patch below the minimum area.
 *
 * The outlines of all thresholds are simplified one by one, cut at each other on one grid of coordinates, and each
 * region is the area that its own outlines and those of all lower thresholds enclose.
 */
export function nestedPolygonsOf(
  field: Float32Array | Float64Array,
  longitude: ArrayLike<number>,
  latitude: ArrayLike<number>,
  thresholds: readonly number[],
  options: NestedOptions,
): MultiPolygon[] {
  const plane = { field, longitude, latitude };
  const patches = patchesOf(plane, thresholds, options);
  const layers = [[WORLD], ...patches.map((layer) => layer.map(({ ring }) => ring))];
  for (let decimals = options.precision; ; decimals++) {
    const [, ...regions] = nestedAreas(layers, 10 ** decimals).map(filled);
    const isFinest = decimals >= FINEST_DECIMALS;
    if (!isFinest && !regions.every((rings, k) => holdsCentres(rings, patches[k] ?? []))) continue;
    return regions.map((rings, k) =>
      rings
        .filter((ring) => isWorthKeeping(ring, plane, thresholds[k] as number, options.minAreaDeg2))
        .map((ring) => [ring]),
    );
  }
}

/** Outlines of cells on the edge of the world reach half a cell beyond it. */
const WORLD: Ring = Float64Array.of(-180, -90, 180, -90, 180, 90, -180, 90, -180, -90);

/** Cutting moves sides by about a unit of the last decimal; here that is far less than centres are clear of them. */
const FINEST_DECIMALS = 5;

/** Without interiors and their content. Where areas contain each other, so do the filled ones. */
function filled(polygons: readonly Polygon[]): Ring[] {
  const exteriors = polygons.map(([exterior]) => exterior as Ring);
  const open = polygons.filter(({ length }) => length > 1).map(([exterior]) => exterior as Ring);
  if (open.length === 0) return exteriors;
  const locators = open.map((ring) => ({ ring, locator: new RingLocator(ring) }));
  return exteriors.filter(
    (inner) => !locators.some(({ ring, locator }) => ring !== inner && liesInside(inner, locator)),
  );
}

interface Plane {
  readonly field: Float32Array | Float64Array;
  readonly longitude: ArrayLike<number>;
  readonly latitude: ArrayLike<number>;
}

/** A connected patch of cells that reach a threshold. */
interface Patch {
  readonly ring: Ring;
  /** Centres of the cells at its corners: what holds them holds all of its cells. */
  readonly centres: Float64Array;
}

/** Patches of each threshold. A patch is as large as its content, even where its own outline has less area. */
function patchesOf(plane: Plane, thresholds: readonly number[], options: NestedOptions): Patch[][] {
  const { field, longitude, latitude } = plane;
  const cell = cellOf(longitude, latitude);
  const layers: Patch[][] = [];
  let above: readonly Patch[] = [];
  for (const value of thresholds.toReversed()) {
    const image = labelImage(
      field,
      longitude.length,
      latitude.length,
      { cells: 'at-least', value },
      spareLabels,
    );
    spareLabels = image.labels;
    const borders = followBorders(image);
    const patches: Patch[] = [];
    for (let border = borders.count - 1; border >= 0; border--) {
      if (borders.isHole[border] || (borders.parent[border] as number) >= 0) continue;
      const outline = outlineAround(cornersOf(borders, border, longitude, latitude, image.stride), cell);
      if (signedArea(outline.ring) < options.minAreaDeg2 && !holdsAny(outline.ring, above)) continue;
      patches.push({ ring: simplifiedAround(outline, options), centres: outline.centres });
    }
    layers.unshift(patches);
    above = patches;
  }
  return layers;
}

/** Labels of the last plane: level after level needs as many, and megabytes of garbage are dear. */
let spareLabels: Int32Array = new Int32Array();

function holdsAny(ring: Ring, patches: readonly Patch[]): boolean {
  if (patches.length === 0) return false;
  const locator = new RingLocator(ring);
  return patches.some(
    ({ centres }) => locator.locate(centres[0] as number, centres[1] as number) === 'inside',
  );
}

/** As simple as the tolerance allows with every centre inside; with less tolerance where the ring would meet itself. */
function simplifiedAround({ ring, centres }: Patch, { toleranceDeg, precision }: NestedOptions): Ring {
  const clearanceDeg = CLEARANCE * 10 ** -precision;
  for (let tolerance = toleranceDeg; tolerance > MIN_TOLERANCE * toleranceDeg; tolerance /= 2) {
    const simple = simplified(ring, tolerance, { centres, clearanceDeg });
    if (simple === undefined || !isSimple(simple)) continue;
    const candidate = roundedSimple(simple, precision);
    const locator = new RingLocator(candidate);
    if (areWithin(centres, (x, y) => locator.locate(x, y) === 'inside')) return candidate;
  }
  return ring;
}

/** How far centres stay clear of simplified sides, in units of the last decimal: what rounding and cutting may take. */
const CLEARANCE = 1.5;
const MIN_TOLERANCE = 1e-3;

function holdsCentres(rings: readonly Ring[], patches: readonly Patch[]): boolean {
  const locators = rings.map((ring) => new RingLocator(ring));
  return patches.every(({ centres }) => {
    let home: RingLocator | undefined;
    return areWithin(centres, (x, y) => {
      if (home !== undefined && home.locate(x, y) !== 'outside') return true;
      home = locators.find((locator) => locator.locate(x, y) !== 'outside');
      return home !== undefined;
    });
  });
}

function areWithin(centres: Float64Array, isWithin: (x: number, y: number) => boolean): boolean {
  for (let k = 0; k < centres.length; k += 2)
    if (!isWithin(centres[k] as number, centres[k + 1] as number)) return false;
  return true;
}

/** Cutting leaves slivers; those in which no cell reaches the threshold are noise. */
function isWorthKeeping(
  ring: Ring,
  { field, longitude, latitude }: Plane,
  threshold: number,
  minAreaDeg2: number,
): boolean {
  if (signedArea(ring) >= minAreaDeg2) return true;
  const locator = new RingLocator(ring);
  const { west, east, south, north } = locator.box;
  const rows = within(latitude, south, north);
  for (const i of within(longitude, west, east)) {
    for (const j of rows) {
      const value = field[i * latitude.length + j] as number;
      if (value < threshold || Number.isNaN(value)) continue;
      if (locator.locate(longitude[i] as number, latitude[j] as number) !== 'outside') return true;
    }
  }
  return false;
}

/** Indices of an ascending, even axis between two values. */
function within(axis: ArrayLike<number>, from: number, to: number): number[] {
  const indices: number[] = [];
  const start = axis[0] as number;
  const step = axis.length < 2 ? 1 : ((axis[axis.length - 1] as number) - start) / (axis.length - 1);
  const first = Math.max(0, Math.floor((from - start) / step));
  for (let k = first; k < axis.length && (axis[k] as number) <= to; k++)
    if ((axis[k] as number) >= from) indices.push(k);
  return indices;
}
