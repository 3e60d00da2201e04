import { type Met, openMet } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { levelEvaluator } from '../../src/grid/evaluate.ts';
import { type GridCells, gridCells } from '../../src/grid/layout.ts';
import { polygonShape } from '../../src/grid/level.ts';
import { BINARY_MODELS, type BinaryModel } from '../../src/grid/models.ts';
import { weatherRequest } from '../../src/grid/request.ts';

const TIME_MS = Date.UTC(2024, 5, 12, 3, 24);
const LEVEL = 350;
const MEBIBYTE = 2 ** 20;

/** With little memory, weather is read in windows around each request; with much, as a globe. */
async function openWeather(memoryBytes: number): Promise<Met> {
  const source = openSynthetic({ name: 'demo', resolutionDeg: 1, seed: 1 });
  const met = openMet({ sources: [source], memoryBytes });
  afterAll(() => met.close());
  return met;
}

async function evaluate(met: Met, model: BinaryModel, cells: GridCells): Promise<Float32Array> {
  const request = {
    model,
    timeMs: TIME_MS,
    cells,
    format: 'netcdf',
    layout: 'default',
    shape: polygonShape({ interiors: true, simplify: 3, convex_hull: false }),
    engineEfficiency: 0.3,
    scaling: { name: 'exponential_boost_latitude_customization', options: {} },
    source: undefined,
  } as const;
  const { levels: weather, release } = await met.openWeather(weatherRequest(request));
  const plane = levelEvaluator({ ...request, ...cells, weather })(LEVEL);
  release();
  return plane;
}

/** The cells of a part as they are in the whole. */
function cut(globe: Float32Array, { columns, rows }: GridCells): Float32Array {
  const lines = columns.flatMap(({ first, count }) =>
    Array.from({ length: count }, (_, k) => {
      const from = (first + k) * 721 + rows.first;
      return [...globe.subarray(from, from + rows.count)];
    }),
  );
  return Float32Array.from(lines.flat());
}

const [much, little] = [await openWeather(2048 * MEBIBYTE), await openWeather(96 * MEBIBYTE)];
const globes = Object.fromEntries(
  await Promise.all(
    BINARY_MODELS.map(async (model) => [model, await evaluate(much, model, gridCells(undefined, [LEVEL]))]),
  ),
) as Record<BinaryModel, Float32Array>;

const boxes = fc
  .record({
    west: fc.integer({ min: -720, max: 720 }),
    width: fc.integer({ min: 0, max: 160 }),
    south: fc.integer({ min: -360, max: 360 }),
    height: fc.integer({ min: 0, max: 160 }),
  })
  .map(({ west, width, south, height }) => {
    const [minLon, east] = [west / 4, (west + width) / 4];
    const maxLon = east > 180 ? east - 360 : east;
    const maxLat = Math.min((south + height) / 4, 90);
    return { minLon, maxLon, minLat: south / 4, maxLat, crossesAntimeridian: minLon > maxLon };
  })
  // East of the last meridian there is no centre before −180.
  .filter(({ minLon, maxLon }) => minLon < 180 || maxLon < 180);

test.each(BINARY_MODELS)(
  'any part of %s is the same to the last bit as the part of the whole',
  async (model) => {
    await fc.assert(
      fc.asyncProperty(boxes, fc.boolean(), async (box, inWindows) => {
        const cells = gridCells(box, [LEVEL]);
        const part = await evaluate(inWindows ? little : much, model, cells);
        expect(part).toEqual(cut(globes[model], cells));
      }),
      {
        numRuns: 12,
        examples: [
          [{ minLon: 170, maxLon: -170, minLat: 40, maxLat: 60, crossesAntimeridian: true }, true],
          [{ minLon: 179.75, maxLon: -180, minLat: 85, maxLat: 90, crossesAntimeridian: true }, true],
          [{ minLon: -180, maxLon: 180, minLat: -90, maxLat: -60, crossesAntimeridian: false }, true],
        ],
      },
    );
  },
);

test('the globe has flagged and unflagged cells', () => {
  const share = (plane: Float32Array) => plane.reduce((sum, flag) => sum + flag, 0) / plane.length;
  expect(share(globes.pcr)).toBeGreaterThan(0.03);
  expect(share(globes.sac)).toBeLessThan(0.97);
});
