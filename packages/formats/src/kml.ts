import { altitudeOf, type RegionFeature } from './feature.ts';
import type { Polygon, Ring } from './polygons/ring.ts';
import { encodeFramed, encodeItem, type TextChunks, type TextFrame } from './text-chunks.ts';

export interface KmlDocument {
  readonly name: string;
  /** ISO 8601 with Z. */
  readonly time: string;
}

const STYLE = 'region';
/** Alpha, blue, green, red. */
const FILL_COLOUR = '7f1478f0';
const LINE_COLOUR = 'ff1478f0';

/** The text before and after the folders of a document. */
export function kmlFrame(document: KmlDocument): TextFrame {
  return {
    head: `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2">
<Document>
<name>${escaped(document.name)}</name>
<TimeStamp><when>${escaped(document.time)}</when></TimeStamp>
<Style id="${STYLE}">
<LineStyle><color>${LINE_COLOUR}</color><width>1</width></LineStyle>
<PolyStyle><color>${FILL_COLOUR}</color></PolyStyle>
</Style>
`,
    between: '',
    tail: '</Document>\n</kml>\n',
  };
}

/** KML 2.2: a folder for each flight level, in it a placemark for each polygon, in chunks as they come. */
export function encodeKml(
  document: KmlDocument,
  features: AsyncIterable<RegionFeature> | Iterable<RegionFeature>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return encodeFramed(kmlFrame(document), features, writeFolder);
}

/** The folder of one flight level without the frame of its document. */
export function kmlFolder(feature: RegionFeature): Uint8Array<ArrayBuffer>[] {
  return encodeItem(feature, writeFolder);
}

function* writeFolder(
  chunks: TextChunks,
  { flightLevel, polygons, properties }: RegionFeature,
): Generator<Uint8Array<ArrayBuffer>> {
  const name = `FL ${flightLevel}`;
  const about = extendedData(properties);
  const altitude = altitudeOf(flightLevel);
  chunks.text(`<Folder>\n<name>${name}</name>\n`);
  for (const [p, polygon] of polygons.entries()) {
    chunks.text(`<Placemark>\n<name>${name} region ${p + 1}</name>\n`);
    chunks.text(`<styleUrl>#${STYLE}</styleUrl>\n${about}`);
    writePolygon(chunks, polygon, altitude);
    chunks.text('</Placemark>\n');
    if (chunks.isFull) yield chunks.take();
  }
  chunks.text('</Folder>\n');
}

function writePolygon(chunks: TextChunks, polygon: Polygon, altitude: number): void {
  chunks.text(
    '<Polygon><extrude>0</extrude><tessellate>0</tessellate><altitudeMode>absolute</altitudeMode>\n',
  );
  for (const [r, ring] of polygon.entries()) {
    const boundary = r === 0 ? 'outerBoundaryIs' : 'innerBoundaryIs';
    chunks.text(`<${boundary}><LinearRing><coordinates>`);
    writeCoordinates(chunks, ring, `,${altitude}`);
    chunks.text(`</coordinates></LinearRing></${boundary}>\n`);
  }
  chunks.text('</Polygon>\n');
}

function writeCoordinates(chunks: TextChunks, ring: Ring, afterLatitude: string): void {
  for (let k = 0; k < ring.length; k += 2) {
    if (k > 0) chunks.ascii(' ');
    chunks.number(ring[k] as number);
    chunks.ascii(',');
    chunks.number(ring[k + 1] as number);
    chunks.ascii(afterLatitude);
  }
}

function extendedData(properties: RegionFeature['properties']): string {
  const entries = Object.entries(properties).map(
    ([name, value]) =>
      `<Data name="${escaped(name)}"><value>${value === null ? '' : escaped(String(value))}</value></Data>\n`,
  );
  return entries.length === 0 ? '' : `<ExtendedData>\n${entries.join('')}</ExtendedData>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML, without the characters that XML cannot hold. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}
