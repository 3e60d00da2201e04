/** Colours of values: one list of stops serves the map, the legend and the charts. */
import type { UnitScale } from '../grid/grid.ts';

/** Position 0…1 on the scale, then red, green, blue 0…255 and opacity 0…1. */
type Stop = readonly [unit: number, red: number, green: number, blue: number, opacity: number];

export interface ColorScale {
  readonly scale: UnitScale;
  readonly stops: readonly Stop[];
}

/** Nothing where there is no warming, then from pale yellow to deep magenta. */
export const INDEX_COLORS: ColorScale = {
  scale: { kind: 'linear', min: 0, max: 4 },
  stops: [
    [0, 254, 240, 180, 0],
    [0.02, 254, 240, 180, 0],
    [0.1, 254, 224, 144, 0.55],
    [0.25, 253, 191, 98, 0.75],
    [0.5, 244, 117, 70, 0.85],
    [0.75, 214, 47, 75, 0.9],
    [1, 158, 24, 104, 0.95],
  ],
};

/** Blue cools, red warms; what is near zero is transparent. */
export const FORCING_COLORS: ColorScale = {
  scale: { kind: 'root', max: 2e9 },
  stops: [
    [0, 20, 80, 170, 0.95],
    [0.25, 60, 140, 220, 0.85],
    [0.42, 140, 195, 240, 0.6],
    [0.49, 200, 220, 240, 0],
    [0.51, 250, 225, 190, 0],
    [0.58, 253, 200, 120, 0.6],
    [0.75, 242, 105, 66, 0.85],
    [1, 158, 24, 104, 0.95],
  ],
};

/** The forcing of a contrail where it is [W m⁻²], in the colours of what it adds up to. */
export const CONTRAIL_COLORS: ColorScale = {
  scale: { kind: 'root', max: 40 },
  stops: FORCING_COLORS.stops,
};

export const TEMPERATURE_COLORS: ColorScale = {
  scale: { kind: 'linear', min: 200, max: 250 },
  stops: [
    [0, 58, 16, 94, 0.85],
    [0.2, 62, 73, 167, 0.85],
    [0.4, 43, 140, 190, 0.85],
    [0.6, 82, 188, 163, 0.85],
    [0.8, 214, 220, 118, 0.85],
    [1, 240, 150, 60, 0.85],
  ],
};

/** Relative humidity over ice; from 100 % on the air is supersaturated. */
export const HUMIDITY_COLORS: ColorScale = {
  scale: { kind: 'linear', min: 0, max: 1.6 },
  stops: [
    [0, 120, 88, 52, 0.4],
    [0.3, 128, 112, 84, 0.3],
    [0.55, 120, 150, 150, 0.35],
    [0.6249, 110, 170, 185, 0.5],
    [0.625, 64, 156, 222, 0.85],
    [0.75, 84, 116, 236, 0.9],
    [1, 168, 92, 240, 0.95],
  ],
};

interface Rgba {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly opacity: number;
}

export function colorAt({ stops }: Pick<ColorScale, 'stops'>, unit: number): Rgba {
  const found = stops.findIndex(([position]) => position >= unit);
  const next = found < 0 ? stops.length - 1 : found;
  const above = stops[next] as Stop;
  const below = stops[Math.max(next - 1, 0)] as Stop;
  const span = above[0] - below[0];
  const share = span > 0 ? Math.min(Math.max((unit - below[0]) / span, 0), 1) : 1;
  const mix = (k: 1 | 2 | 3 | 4) => below[k] + share * (above[k] - below[k]);
  return { red: mix(1), green: mix(2), blue: mix(3), opacity: mix(4) };
}

export function cssColor({ red, green, blue, opacity }: Rgba): string {
  return `rgba(${Math.round(red)}, ${Math.round(green)}, ${Math.round(blue)}, ${opacity.toFixed(3)})`;
}

/** Colours of `size` equal steps of the scale with premultiplied opacity, four bytes each. */
export function lookupTable(colors: ColorScale, size = 256): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(4 * size);
  for (let k = 0; k < size; k++) {
    const { red, green, blue, opacity } = colorAt(colors, k / (size - 1));
    table.set([red * opacity, green * opacity, blue * opacity, 255 * opacity].map(Math.round), 4 * k);
  }
  return table;
}

/** Colours of equal steps of the scale, each of its middle, for a legend. */
export function legendColors(colors: ColorScale, count: number): string[] {
  return Array.from({ length: count }, (_, k) => cssColor(colorAt(colors, (k + 0.5) / count)));
}
