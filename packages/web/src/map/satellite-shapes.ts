/** What a satellite saw, placed on the map at the height of contrails: pixels of L1 and lines of L2. */
import type { ContrailSegments } from '@contrails/client';
import { toLonLat, type Viewpoint } from '@contrails/observations/navigation';
import { openNetcdf } from '../grid/read-netcdf.ts';

/** Where lines and pixels are placed [m]. */
const HEIGHT_M = 10_500;
/** Pixels below it are not detections. */
const MIN_CONFIDENCE = 0.3;
const CLASSES = [MIN_CONFIDENCE, 0.5, 0.7, 0.9];
/** More would slow the map down and be no contrails. */
const MAX_PIXELS = 40_000;
const STORED_PER_UNIT = 250;
const STORED_FILL = 255;

/** Lines where a contrail would be that appears there. */
export function segmentShapes(segments: ContrailSegments): GeoJSON.FeatureCollection {
  const features = segments.flatMap(({ id, crs, wkt, confidence, length_m }): GeoJSON.Feature[] => {
    const view = parseProjection(crs);
    const coordinates = [...wkt.matchAll(/(-?[\d.e+]+) (-?[\d.e+]+)/g)].map(([, x, y]) =>
      toLonLat(view, Number(x) / view.height, Number(y) / view.height, HEIGHT_M),
    );
    if (coordinates.flat().some(Number.isNaN)) return [];
    const properties = { id, confidence, kilometres: Math.round(length_m / 1000) };
    return [{ type: 'Feature', properties, geometry: { type: 'LineString', coordinates } }];
  });
  return { type: 'FeatureCollection', features };
}

/** An L1 file: its axes in scan angles, and where the satellite is. */
function openImage(bytes: ArrayBuffer) {
  const { variables, attributes } = openNetcdf(bytes);
  const variable = (name: string) => {
    const found = variables.get(name);
    if (found === undefined) throw new Error(`the file has no ${name}`);
    return found;
  };
  return {
    x: variable('x').readDoubles(),
    y: variable('y').readDoubles(),
    view: parseProjection(attributes.projection ?? ''),
    confidence: () => variable('contrail_confidence').readBytes(),
  };
}

const AREA_CORNERS = 120;

/** The outline of the image on the globe, found along rays from its middle: a whole disk ends at its limb. */
export function imagedArea(bytes: ArrayBuffer): GeoJSON.Feature<GeoJSON.Polygon> {
  const { x, y, view } = openImage(bytes);
  const middle = (angles: ArrayLike<number>) => ((angles[0] ?? 0) + (angles[angles.length - 1] ?? 0)) / 2;
  const half = (angles: ArrayLike<number>) =>
    Math.abs((angles[0] ?? 0) - (angles[angles.length - 1] ?? 0)) / 2;
  const ring = Array.from({ length: AREA_CORNERS }, (_, k) => {
    const turn = (2 * Math.PI * k) / AREA_CORNERS;
    const [east, north] = [Math.cos(turn), Math.sin(turn)];
    const reach = Math.min(half(x) / Math.abs(east), half(y) / Math.abs(north));
    const at = (share: number) =>
      toLonLat(view, middle(x) + share * reach * east, middle(y) + share * reach * north, 0);
    let [inside, outside] = [0, 1];
    if (!at(1).some(Number.isNaN)) inside = 1;
    else
      for (let step = 0; step < 20; step++) {
        const share = (inside + outside) / 2;
        if (at(share).some(Number.isNaN)) outside = share;
        else inside = share;
      }
    return at(inside);
  });
  const [first = [0, 0]] = ring;
  return {
    type: 'Feature',
    properties: {},
    geometry: { type: 'Polygon', coordinates: [[...ring, first].map(([lon, lat]) => [lon, lat])] },
  };
}

/** The outlines of pixels that may be contrails, one feature for each class of confidence. */
export function detectionShapes(bytes: ArrayBuffer): GeoJSON.FeatureCollection {
  const { x, y, view, ...image } = openImage(bytes);
  const confidence = image.confidence();
  const [halfX, halfY] = [halfStep(x), halfStep(y)];
  const pixels = strongest(confidence);
  const polygons: number[][][][][] = CLASSES.map(() => []);
  for (const pixel of pixels) {
    const [column, row] = [pixel % x.length, Math.floor(pixel / x.length)];
    const [centreX = Number.NaN, centreY = Number.NaN] = [x[column], y[row]];
    const corner = (east: number, north: number) =>
      toLonLat(view, centreX + east * halfX, centreY + north * halfY, HEIGHT_M);
    const ring = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)];
    if (ring.flat().some(Number.isNaN)) continue;
    const value = (confidence[pixel] ?? 0) / STORED_PER_UNIT;
    polygons[CLASSES.findLastIndex((min) => value >= min)]?.push([ring]);
  }
  return {
    type: 'FeatureCollection',
    features: polygons.map((coordinates, k) => ({
      type: 'Feature',
      properties: { confidence: CLASSES[k] ?? MIN_CONFIDENCE },
      geometry: { type: 'MultiPolygon', coordinates },
    })),
  };
}

/** Pixels that may be contrails; if there are too many, only the most certain ones. */
function strongest(stored: ArrayLike<number>): number[] {
  const counts = new Uint32Array(256);
  for (let i = 0; i < stored.length; i++) counts[stored[i] ?? 0] = (counts[stored[i] ?? 0] ?? 0) + 1;
  let [min, sum] = [STORED_PER_UNIT, counts[STORED_PER_UNIT] ?? 0];
  while (min > MIN_CONFIDENCE * STORED_PER_UNIT && sum + (counts[min - 1] ?? 0) <= MAX_PIXELS) {
    min--;
    sum += counts[min] ?? 0;
  }
  const found: number[] = [];
  for (let i = 0; i < stored.length; i++) {
    const value = stored[i] ?? STORED_FILL;
    if (value !== STORED_FILL && value >= min) found.push(i);
  }
  return found;
}

function halfStep(angles: ArrayLike<number>): number {
  return angles.length < 2 ? 2.8e-5 : ((angles[1] ?? 0) - (angles[0] ?? 0)) / 2;
}

/** What of a PROJ string of a geostationary satellite places its angles. */
function parseProjection(text: string): Viewpoint {
  const value = (name: string) => Number(new RegExp(`\\+${name}=(\\S+)`).exec(text)?.[1] ?? Number.NaN);
  return {
    longitudeOfOrigin: value('lon_0'),
    height: value('h'),
    semiMajor: value('a'),
    semiMinor: value('b'),
    sweep: /\+sweep=x\b/.test(text) ? 'x' : 'y',
  };
}
