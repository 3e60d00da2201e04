import type { Frame } from '../frame/index.ts';
import { type ConfidenceImage, STORED_FILL, STORED_PER_UNIT } from '../l1/index.ts';

/** Rows of red, green and blue bytes, north row first. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Limits of the three channels of the ash composite [K]. */
const RED = { min: -4, max: 2 };
const GREEN = { min: -4, max: 5 };
const BLUE = { min: 243, max: 303 };

/**
 * The ash colour composite, in which thin ice cloud is dark blue: red T12 − T11, green T11 − T8, blue T11. Without the
 * 8.5 µm band, a grey picture of T11, cold white. Invalid pixels are black.
 */
export function composite({ t8, t11, t12, rows, columns }: Frame): Picture {
  const pixels = new Uint8Array(3 * rows * columns);
  for (let i = 0; i < rows * columns; i++) {
    const warm = t11[i] as number;
    const third = t8 === undefined ? 0 : (t8[i] as number);
    if (Number.isNaN(warm + (t12[i] as number) + third)) continue;
    const blue = scaled(warm, BLUE);
    if (t8 === undefined) pixels.fill(255 - blue, 3 * i, 3 * i + 3);
    else {
      pixels[3 * i] = scaled((t12[i] as number) - warm, RED);
      pixels[3 * i + 1] = scaled(warm - third, GREEN);
      pixels[3 * i + 2] = blue;
    }
  }
  return { width: columns, height: rows, pixels };
}

/** Confidence in grey: none black, full white; pixels without one dark blue. */
export function confidencePicture({ stored, grid }: Pick<ConfidenceImage, 'stored' | 'grid'>): Picture {
  const pixels = new Uint8Array(3 * stored.length);
  for (let i = 0; i < stored.length; i++) {
    const value = stored[i] as number;
    if (value === STORED_FILL) pixels[3 * i + 2] = 48;
    else pixels.fill(Math.round((255 * value) / STORED_PER_UNIT), 3 * i, 3 * i + 3);
  }
  return { width: grid.columns, height: grid.rows, pixels };
}

function scaled(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.round(255 * Math.min(1, Math.max(0, (value - min) / (max - min))));
}
