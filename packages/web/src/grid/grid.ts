/** One level of a variable on the globe, as the service sends it: longitude by longitude, latitude running fastest. */
export interface Grid {
  readonly values: Float32Array<ArrayBuffer>;
  readonly columns: number;
  readonly rows: number;
  /** Texels for drawing: value on its scale and whether there is one, two bytes each. Coarse grids come without. */
  readonly texels?: Uint8Array<ArrayBuffer>;
}

/** How values become 0…1 on a colour scale. `root` is symmetric around 0 and lets small values show. */
export type UnitScale =
  | { readonly kind: 'linear'; readonly min: number; readonly max: number }
  | { readonly kind: 'root'; readonly max: number };

export function toUnit(value: number, scale: UnitScale): number {
  const unit =
    scale.kind === 'linear'
      ? (value - scale.min) / (scale.max - scale.min)
      : 0.5 + 0.5 * Math.sign(value) * Math.sqrt(Math.abs(value) / scale.max);
  return Math.min(1, Math.max(0, unit));
}

/** Values weighted by whether there is one, so a linear filter does not mix in what is missing. */
export function texelsOf(values: Float32Array, scale: UnitScale): Uint8Array<ArrayBuffer> {
  const texels = new Uint8Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    texels[2 * i] = Math.round(255 * toUnit(value, scale));
    texels[2 * i + 1] = 255;
  }
  return texels;
}

/** The value of the cell that a position lies in; NaN where there is none. */
export function valueAt({ values, columns, rows }: Grid, longitude: number, latitude: number): number {
  const column = Math.round(((((longitude + 180) % 360) + 360) % 360) * (columns / 360)) % columns;
  const row = Math.round(((latitude + 90) / 180) * (rows - 1));
  return values[column * rows + row] ?? Number.NaN;
}

/** Linear between the four cells around a position. */
export function interpolatedAt({ values, columns, rows }: Grid, longitude: number, latitude: number): number {
  const x = ((((longitude + 180) % 360) + 360) % 360) * (columns / 360);
  const y = Math.min(Math.max(((latitude + 90) / 180) * (rows - 1), 0), rows - 1.000001);
  const [west, south] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - west, y - south];
  const a = (west % columns) * rows + south;
  const b = ((west + 1) % columns) * rows + south;
  const [sw, nw, se, ne] = [values[a], values[a + 1], values[b], values[b + 1]] as number[] as [
    number,
    number,
    number,
    number,
  ];
  return (1 - fx) * ((1 - fy) * sw + fy * nw) + fx * ((1 - fy) * se + fy * ne);
}

export function gridBytes({ values, texels }: Grid): number {
  return values.byteLength + (texels?.byteLength ?? 0);
}
