import { expect, test } from 'vitest';
import type { RegionFeature } from '../src/feature.ts';
import { encodeKml } from '../src/kml.ts';
import { exampleFeatures, textOf } from './support/features.ts';

const DOCUMENT = { name: 'issr 2024-06-12', time: '2024-06-12T03:00:00Z' };

const kml = (features: readonly RegionFeature[], document = DOCUMENT) =>
  textOf(encodeKml(document, features));

const occurrences = (text: string, part: string) => text.split(part).length - 1;

test('every level has a folder, also an empty one', async () => {
  const text = await kml(exampleFeatures());
  expect([...text.matchAll(/<Folder>\n<name>(.*?)<\/name>/g)].map(([, name]) => name)).toEqual([
    'FL 270',
    'FL 340',
    'FL 440',
  ]);
});

test('every polygon has a placemark with one outer boundary and an inner one for each hole', async () => {
  const features = exampleFeatures();
  const text = await kml(features);
  const polygons = features.flatMap((feature) => feature.polygons);
  expect(occurrences(text, '<Placemark>')).toBe(polygons.length);
  expect(occurrences(text, '<outerBoundaryIs>')).toBe(polygons.length);
  expect(occurrences(text, '<innerBoundaryIs>')).toBe(polygons.flat().length - polygons.length);
});

test('positions are triples without blanks inside, separated by single blanks', async () => {
  const text = await kml(exampleFeatures());
  const lists = [...text.matchAll(/<coordinates>(.*?)<\/coordinates>/g)].map(([, list]) => list as string);
  expect(lists.length).toBeGreaterThan(0);
  for (const list of lists)
    expect(list).toMatch(/^-?\d+(\.\d+)?,-?\d+(\.\d+)?,\d+( -?\d+(\.\d+)?,-?\d+(\.\d+)?,\d+)+$/);
});

test('longitudes stay within 180 degrees', async () => {
  const text = await kml(exampleFeatures());
  for (const [, list] of text.matchAll(/<coordinates>(.*?)<\/coordinates>/g))
    for (const position of (list as string).split(' '))
      expect(Math.abs(Number(position.split(',')[0]))).toBeLessThanOrEqual(180);
});

test('text with markup is text', async () => {
  const hostile = '</name><Placemark>&"<![CDATA[';
  const text = await kml(
    [
      {
        flightLevel: 300,
        polygons: exampleFeatures()[0]?.polygons ?? [],
        properties: { [hostile]: hostile },
      },
    ],
    {
      ...DOCUMENT,
      name: hostile,
    },
  );
  expect(text).not.toContain('<![CDATA[');
  expect(text).toContain('<name>&lt;/name&gt;&lt;Placemark&gt;&amp;&quot;&lt;![CDATA[</name>');
});

test('characters that XML cannot hold are left out', async () => {
  const text = await kml([], { ...DOCUMENT, name: 'a\u0000\u0008\u001fb\ufffe\ud800c\td' });
  expect(text).toContain('<name>ab\ufffdc\td</name>');
});

test('a missing value is empty', async () => {
  expect(await kml(exampleFeatures())).toContain('<Data name="engine_efficiency"><value></value></Data>');
});
