import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';
import { polygonsOf } from '../../src/polygons/polygons.ts';
import { coordinatesOf } from '../support/geometry.ts';
import { optionsFrom, type ReferenceOptions } from '../support/polygon-case.ts';
import { randomField } from '../support/random-field.ts';

const { python, missing } = readTools();
const absent = python === null;
const because = absent ? ` (skipped: ${missing.python})` : '';

interface Comparison {
  readonly validity: string;
  readonly ours: { polygons: number; interiors: number; area: number };
  readonly theirs: { polygons: number; interiors: number; area: number };
  readonly difference: number;
}

const PLAIN = {
  lower_bound: true,
  fill_value: null,
  min_area: 0,
  epsilon: 0,
  precision: null,
  interiors: true,
  convex_hull: false,
} as const;

const VARIANTS: readonly Omit<ReferenceOptions, 'iso_value'>[] = [
  PLAIN,
  { ...PLAIN, lower_bound: false, precision: 2 },
  { ...PLAIN, min_area: 0.3, epsilon: 0.05, precision: 2 },
  { ...PLAIN, min_area: 1, epsilon: 0.5, precision: 2, interiors: false },
  { ...PLAIN, interiors: false, convex_hull: true, precision: 2 },
];

const STEP = 0.25;
const cases = Array.from({ length: 50 }, (_, seed) => {
  const [longitudes, latitudes] = [60 + (seed % 7) * 5, 50 + (seed % 5) * 6];
  const variant = VARIANTS[seed % VARIANTS.length] as Omit<ReferenceOptions, 'iso_value'>;
  const options = { ...variant, iso_value: ((seed % 4) - 1.5) * 0.4 };
  const field = randomField(longitudes, latitudes, 1 + (seed % 3) * 2, seed + 1);
  const longitude = Array.from({ length: longitudes }, (_, i) => -30 + STEP * i);
  const latitude = Array.from({ length: latitudes }, (_, j) => 40 + STEP * j);
  const ours = coordinatesOf(polygonsOf(field, longitude, latitude, optionsFrom(options)));
  return { seed, options, longitude, latitude, field: Array.from(field), ours };
});

let comparisons: readonly Comparison[] = [];

beforeAll(() => {
  if (python === null) return;
  const script = fileURLToPath(new URL('../support/polygons_peer.py', import.meta.url));
  const answer = execFileSync(python, [script], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  comparisons = JSON.parse(answer);
});

test.skipIf(absent)(`50 random fields give the polygons of pycontrails${because}`, () => {
  const misses = comparisons.flatMap(({ ours, theirs, difference, validity }, seed) => {
    const allowed = Math.max(0.01 * theirs.area, STEP * STEP);
    const equal =
      ours.polygons === theirs.polygons && ours.interiors === theirs.interiors && difference <= allowed;
    return equal && validity === 'Valid Geometry' ? [] : [{ seed, ours, theirs, difference, validity }];
  });
  expect(comparisons).toHaveLength(50);
  expect(misses).toEqual([]);
});

test.skipIf(absent)(`most of the polygons agree to the last digit${because}`, () => {
  const exact = comparisons.filter(({ difference }) => difference < 1e-6);
  expect(exact.length).toBeGreaterThanOrEqual(45);
});
