import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTools } from '../../../test/support/tools.ts';
import { encodeGeojson } from '../src/geojson.ts';
import { encodeKml } from '../src/kml.ts';
import { exampleFeatures, textOf } from './support/features.ts';
import { areaOf } from './support/geometry.ts';

const { python, missing } = readTools();
const absent = python === null;
const because = absent ? ` (skipped: ${missing.python})` : '';

interface Description {
  readonly rows: number;
  readonly types: string[];
  readonly valid: boolean;
  readonly threeDimensional: boolean;
  readonly area: number;
  readonly columns: string[];
}

interface Findings {
  readonly geojson: Description;
  readonly providers: string[];
  readonly shapes: { area: number; valid: boolean }[];
  readonly kmlSchemaErrors: string[];
  readonly kmlLayers: string[];
  readonly kml: Record<string, Description>;
  readonly kmlProviders: string[];
  readonly kmlDocumentName: string;
}

const features = exampleFeatures();
const folder = mkdtempSync(join(tmpdir(), 'contrails-readers-'));
let found: Findings;

beforeAll(async () => {
  if (python === null) return;
  const [geojson, kml] = [join(folder, 'regions.geojson'), join(folder, 'regions.kml')];
  writeFileSync(geojson, await textOf(encodeGeojson(features)));
  writeFileSync(
    kml,
    await textOf(encodeKml({ name: 'issr & more', time: '2024-06-12T03:00:00Z' }, features)),
  );
  const script = fileURLToPath(new URL('support/readers.py', import.meta.url));
  found = JSON.parse(execFileSync(python, [script, geojson, kml], { encoding: 'utf8' }));
});

afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(absent)(`geopandas opens the GeoJSON${because}`, () => {
  expect(found.geojson).toMatchObject({
    rows: features.length,
    types: ['MultiPolygon'],
    valid: true,
    threeDimensional: true,
  });
  expect(found.providers).toEqual(['Wetter & <Söhne> "雲"']);
});

test.skipIf(absent)(`shapely makes valid shapes of the features${because}`, () => {
  expect(found.shapes.map(({ valid }) => valid)).toEqual(features.map(() => true));
  features.forEach(({ polygons }, index) => {
    expect(found.shapes[index]?.area).toBeCloseTo(areaOf(polygons), 9);
  });
});

test.skipIf(absent)(`the KML obeys the schema of KML 2.2${because}`, () => {
  expect(found.kmlSchemaErrors).toEqual([]);
});

test.skipIf(absent)(
  `GDAL finds a layer for each flight level of the KML, with the same areas${because}`,
  () => {
    expect(found.kmlLayers).toEqual(['FL 270', 'FL 340', 'FL 440']);
    for (const { flightLevel, polygons } of features) {
      if (polygons.length === 0) continue;
      expect(found.kml[`FL ${flightLevel}`]).toMatchObject({
        rows: polygons.length,
        types: ['Polygon'],
        valid: true,
        threeDimensional: true,
      });
      expect(found.kml[`FL ${flightLevel}`]?.area).toBeCloseTo(areaOf(polygons), 9);
    }
  },
);

test.skipIf(absent)(`properties and names survive in the KML${because}`, () => {
  expect(found.kmlProviders).toEqual(['Wetter & <Söhne> "雲"']);
  expect(found.kmlDocumentName).toBe('issr & more');
});
