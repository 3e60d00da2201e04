import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  albedoLine,
  estimatedAlbedo,
  intervalSun,
  MIN_INCOMING_W_M2,
} from '../../src/atmosphere/planetary-albedo.ts';

interface Table {
  readonly rows: readonly {
    readonly mu: number;
    readonly precipitable_water_cm: number;
    readonly surface_absorbed_fraction: number;
    readonly A: number;
    readonly G: number;
    readonly albedo: number;
  }[];
  readonly intervals: readonly {
    readonly longitude: number;
    readonly latitude: number;
    readonly start: string;
    readonly end: string;
    readonly ssr_j_m2: number;
    readonly tcwv_kg_m2: number;
    readonly incoming_w_m2: number;
    readonly mu: number;
    readonly albedo: number | null;
  }[];
}

const { rows, intervals }: Table = JSON.parse(
  readFileSync(new URL('../reference/radiation/estimate.json', import.meta.url), 'utf8'),
);

test('estimates the albedo of every row of the table', () => {
  expect(rows.length).toBe(160);
  for (const row of rows) {
    const { intercept, slope } = albedoLine(row.mu, row.precipitable_water_cm);
    expect(intercept).toBeCloseTo(row.A, 12);
    expect(slope).toBeCloseTo(row.G, 12);
    expect(estimatedAlbedo(row.mu, row.precipitable_water_cm, row.surface_absorbed_fraction)).toBeCloseTo(
      row.albedo,
      12,
    );
  }
});

describe.each(intervals)('from $start to $end at $longitude, $latitude', (row) => {
  const [startMs, endMs] = [Date.parse(row.start), Date.parse(row.end)];
  // The second point shows that points of a grid do not mix.
  const sun = intervalSun(
    Float64Array.of(row.longitude, row.longitude + 90),
    Float64Array.of(row.latitude),
    startMs,
    endMs,
  );
  const [incoming = 0] = sun.incoming;
  const [mu = 0] = sun.mu;

  test('averages the incoming flux and the zenith angle', () => {
    expect(incoming).toBeCloseTo(row.incoming_w_m2, 9);
    expect(mu).toBeCloseTo(row.mu, 9);
  });

  test('has the albedo of the table, or too little sun for one', () => {
    const absorbed = row.ssr_j_m2 / ((endMs - startMs) / 1000) / incoming;
    if (row.albedo === null) expect(incoming).toBeLessThan(MIN_INCOMING_W_M2);
    else expect(estimatedAlbedo(mu, row.tcwv_kg_m2 / 10, absorbed)).toBeCloseTo(row.albedo, 9);
  });
});
