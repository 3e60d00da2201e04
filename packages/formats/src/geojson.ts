import { altitudeOf, type RegionFeature } from './feature.ts';
import type { Ring } from './polygons/ring.ts';
import { TextChunks } from './text-chunks.ts';

/**
 * A FeatureCollection (RFC 7946) with one MultiPolygon for each feature, in chunks as they come; positions are longitude,
 * latitude and altitude in metres.
 */
export async function* encodeGeojson(
  features: AsyncIterable<RegionFeature> | Iterable<RegionFeature>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunks = new TextChunks();
  chunks.text('{"type":"FeatureCollection","features":[');
  let separator = '';
  for await (const feature of features) {
    chunks.text(`${separator}{"type":"Feature","properties":${JSON.stringify(feature.properties)},`);
    chunks.text('"geometry":{"type":"MultiPolygon","coordinates":[');
    yield* writePolygons(chunks, feature);
    chunks.text(']}}');
    separator = ',';
  }
  chunks.text(']}\n');
  yield chunks.take();
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
