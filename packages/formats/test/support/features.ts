import type { RegionFeature } from '../../src/feature.ts';
import { polygonsOf, simplificationOf } from '../../src/polygons/polygons.ts';
import { maskFrom } from './masks.ts';

export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

const LAKE_WITH_ISLAND = maskFrom(
  '#######..',
  '#.....#..',
  '#.....#.#',
  '#..#..#..',
  '#.....#..',
  '#.....#..',
  '#######..',
);

/** Three levels: an island in a lake beside a single cell, nothing, and a region over the pole and the antimeridian. */
export function exampleFeatures(): RegionFeature[] {
  const properties = (level: number) => ({
    name: 'issr',
    description: 'Ice super-saturated regions',
    level,
    time: '2024-06-12T03:00:00Z',
    polygon_iso_value: 0.5,
    met_source_provider: 'Wetter & <Söhne> "雲"',
    engine_efficiency: null,
  });
  const options = { test: { cells: 'at-least', value: 0.5, fillValue: 0 }, ...simplificationOf(0) } as const;
  const axis = (from: number, count: number) => Float32Array.from({ length: count }, (_, k) => from + k / 4);
  const polar = maskFrom('####', '.##.');
  return [
    {
      flightLevel: 270,
      polygons: polygonsOf(LAKE_WITH_ISLAND.cells, axis(-20, 9), axis(50, 7), options),
      properties: properties(270),
    },
    { flightLevel: 340, polygons: [], properties: properties(340) },
    {
      flightLevel: 440,
      polygons: polygonsOf(polar.cells, [179.5, 179.75, -180, -179.75], [89.75, 90], options),
      properties: properties(440),
    },
  ];
}
