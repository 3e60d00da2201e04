import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { altitudeOf } from '../../src/feature.ts';
import { polygonsOf, simplificationOf } from '../../src/polygons/polygons.ts';
import { polygonsFrom } from '../support/geometry.ts';
import { readVariables } from '../support/netcdf.ts';
import { ringDistance } from '../support/rings.ts';

const FOLDER = new URL('../reference/forecast/', import.meta.url);

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.geojson'))) {
  const [, aircraftClass, threshold] = /^regions-(\w+)-(\d)\.geojson$/.exec(file) ?? [];

  test(`forecast regions of class ${aircraftClass} from index ${threshold} on`, async () => {
    const grid = await readVariables(fileURLToPath(new URL(`grid-${aircraftClass}.nc`, FOLDER)));
    const { features } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
    const axis = (name: string) => grid[name]?.values as Float64Array;
    const levels = axis('flight_level');
    expect(features).toHaveLength(levels.length);
    for (const [index, feature] of features.entries()) {
      const plane = axis('contrails').filter((_, k) => k % levels.length === index);
      const ours = polygonsOf(plane, axis('longitude'), axis('latitude'), {
        test: { cells: 'at-least', value: Number(threshold), fillValue: 0 },
        ...simplificationOf(10),
        interiors: false,
      });
      const reference = polygonsFrom(feature.geometry.coordinates);
      expect(ours.map((polygon) => polygon.length)).toEqual(reference.map((polygon) => polygon.length));
      ours.flat().forEach((ring, r) => {
        expect(ringDistance(ring, reference.flat()[r] as Float64Array)).toBeLessThan(1e-9);
      });
      const [altitude] = feature.geometry.coordinates.flat(2).map((position: number[]) => position[2]);
      if (altitude !== undefined) expect(altitudeOf(levels[index] as number)).toBe(altitude);
    }
  });
}
