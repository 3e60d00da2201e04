import { altitudeOf, type RegionFeature } from './feature.ts';
import type { Ring } from './polygons/ring.ts';
import { encodeFramed, encodeItem, type TextChunks, type TextFrame } from './text-chunks.ts';

/** The text before, between and after the features of a collection. */
export const GEOJSON_FRAME: TextFrame = {
  head: '{"type":"FeatureCollection","features":[',
  between: ',',
  tail: ']}\n',
};

/**
 * A FeatureCollection (RFC 7946) with one MultiPolygon for each feature, in chunks as they come; positions are longitude,
 * latitude and altitude in metres.
 */
export function encodeGeojson(
  features: AsyncIterable<RegionFeature> | Iterable<RegionFeature>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return encodeFramed(GEOJSON_FRAME, features, writeFeature);
}

/** One feature without the frame of its collection. */
export function geojsonFeature(feature: RegionFeature): Uint8Array<ArrayBuffer>[] {
  return encodeItem(feature, writeFeature);
}

function* writeFeature(chunks: TextChunks, feature: RegionFeature): Generator<Uint8Array<ArrayBuffer>> {
  chunks.text(`{"type":"Feature","properties":${JSON.stringify(feature.properties)},`);
  chunks.text('"geometry":{"type":"MultiPolygon","coordinates":[');
  yield* writePolygons(chunks, feature);
  chunks.text(']}}');
}

function* writePolygons(
  chunks: TextChunks,
  { flightLevel, polygons }: RegionFeature,
): Generator<Uint8Array<ArrayBuffer>> {
  const afterLatitude = `,${altitudeOf(flightLevel)}]`;
  for (const [p, polygon] of polygons.entries()) {
    chunks.ascii(p === 0 ? '[' : ',[');
    for (const [r, ring] of polygon.entries()) {
      chunks.ascii(r === 0 ? '[' : ',[');
      writeRing(chunks, ring, afterLatitude);
      chunks.ascii(']');
      if (chunks.isFull) yield chunks.take();
    }
    chunks.ascii(']');
  }
}

function writeRing(chunks: TextChunks, ring: Ring, afterLatitude: string): void {
  for (let k = 0; k < ring.length; k += 2) {
    chunks.ascii(k === 0 ? '[' : ',[');
    chunks.number(ring[k] as number);
    chunks.ascii(',');
    chunks.number(ring[k + 1] as number);
    chunks.ascii(afterLatitude);
  }
}
