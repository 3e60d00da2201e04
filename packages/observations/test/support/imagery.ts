import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';
import type { BandRole, Frame } from '../../src/frame/index.ts';

const { python, missing } = readTools();
export const withoutPython = python === null;
export const pythonBecause = withoutPython ? ` (skipped: ${missing.python})` : '';

export interface ImageryFile {
  readonly kind: 'abi' | 'ahi' | 'fci';
  readonly path: string;
  readonly start: string;
  readonly bands: readonly BandRole[];
  readonly [deviation: string]: unknown;
}

/** Pixels of each band: row, column and the temperature to find there, or null for none. */
export type Found = Partial<Record<BandRole, [row: number, column: number, temperature: number | null][]>>;

/** Writes imagery with libraries that are not ours. */
export function writeImagery(files: readonly ImageryFile[]): Found[] {
  const script = fileURLToPath(new URL('imagery.py', import.meta.url));
  return JSON.parse(runPython([script], JSON.stringify(files)));
}

export function runPython(args: readonly string[], input = ''): string {
  return execFileSync(python as string, args, { encoding: 'utf8', input, maxBuffer: 1 << 26 });
}

const ARRAYS = { T8: 't8', T11: 't11', T12: 't12' } as const;

/** The largest difference of a frame from what it must hold [K]; a value where there must be none, or none, is infinite. */
export function largestDifference(frame: Frame, found: readonly Found[]): number {
  let worst = 0;
  let compared = 0;
  for (const bands of found) {
    for (const [role, pixels] of Object.entries(bands) as [BandRole, NonNullable<Found[BandRole]>][]) {
      for (const [row, column, temperature] of pixels) {
        const value = frame[ARRAYS[role]]?.[row * frame.columns + column] ?? Number.NaN;
        const isSame = Number.isNaN(value) === (temperature === null);
        const difference = isSame ? Math.abs(value - (temperature ?? value)) : Number.POSITIVE_INFINITY;
        if (difference > worst) worst = difference;
        compared++;
      }
    }
  }
  expect(compared).toBeGreaterThan(100);
  return worst;
}
