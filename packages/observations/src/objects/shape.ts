/** Length, width and axis of a set of weighted pixels. */

export interface LineObject {
  /** Positions of its pixels in the image. */
  readonly pixels: Int32Array;
  /** Weighted sums, from which unions are fitted without their pixels. */
  readonly moments: Moments;
  /** Of the axis, 0 along increasing column, in (−π/2, π/2]. */
  readonly angle: number;
  readonly length: number;
  readonly width: number;
  /** Of the axis between its ends. */
  readonly midColumn: number;
  readonly midRow: number;
}

export interface Moments {
  readonly weight: number;
  readonly column: number;
  readonly row: number;
  readonly columnColumn: number;
  readonly columnRow: number;
  readonly rowRow: number;
}

export interface WeightImage {
  readonly columns: number;
  readonly weight: Float32Array;
}

export function fitObject(image: WeightImage, pixels: Int32Array): LineObject {
  return fitWith(image, pixels, momentsOf(image, pixels));
}

/** The union of two objects, or nothing where it would be wider than the limit. */
export function fitUnion(
  image: WeightImage,
  a: LineObject,
  b: LineObject,
  maxWidth: number,
): LineObject | undefined {
  const moments = addMoments(a.moments, b.moments);
  if (axisOf(moments).width > maxWidth) return undefined;
  const pixels = new Int32Array(a.pixels.length + b.pixels.length);
  pixels.set(a.pixels);
  pixels.set(b.pixels, a.pixels.length);
  return fitWith(image, pixels, moments);
}

/** Smallest angle between two axes, which have no sign. */
export function axisDifference(a: number, b: number): number {
  const turn = Math.abs(a - b) % Math.PI;
  return Math.min(turn, Math.PI - turn);
}

/** Ends of the axis, as columns and rows. */
export function endsOf({ midColumn, midRow, angle, length }: LineObject): [End, End] {
  const along = (length - 1) / 2;
  const [dc, dr] = [along * Math.cos(angle), along * Math.sin(angle)];
  return [
    { column: midColumn - dc, row: midRow - dr },
    { column: midColumn + dc, row: midRow + dr },
  ];
}

export interface End {
  readonly column: number;
  readonly row: number;
}

function fitWith({ columns }: WeightImage, pixels: Int32Array, moments: Moments): LineObject {
  const { angle, width, column, row } = axisOf(moments);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const pixel of pixels) {
    const r = Math.floor(pixel / columns);
    const u = (pixel - r * columns - column) * cos + (r - row) * sin;
    if (u < first) first = u;
    if (u > last) last = u;
  }
  const middle = (first + last) / 2;
  return {
    pixels,
    moments,
    angle,
    width,
    length: last - first + 1,
    midColumn: column + middle * cos,
    midRow: row + middle * sin,
  };
}

function axisOf({ weight, column, row, columnColumn, columnRow, rowRow }: Moments): {
  angle: number;
  width: number;
  column: number;
  row: number;
} {
  const [c, r] = [column / weight, row / weight];
  const cc = columnColumn / weight - c * c;
  const cr = columnRow / weight - c * r;
  const rr = rowRow / weight - r * r;
  const angle = 0.5 * Math.atan2(2 * cr, cc - rr);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const across = Math.max(0, sin * sin * cc - 2 * sin * cos * cr + cos * cos * rr);
  return { angle, width: Math.sqrt(12 * (across + 1 / 12)), column: c, row: r };
}

function momentsOf({ columns, weight }: WeightImage, pixels: Int32Array): Moments {
  let total = 0;
  let column = 0;
  let row = 0;
  let columnColumn = 0;
  let columnRow = 0;
  let rowRow = 0;
  for (const pixel of pixels) {
    const w = weight[pixel] as number;
    const r = Math.floor(pixel / columns);
    const c = pixel - r * columns;
    total += w;
    column += w * c;
    row += w * r;
    columnColumn += w * c * c;
    columnRow += w * c * r;
    rowRow += w * r * r;
  }
  return { weight: total, column, row, columnColumn, columnRow, rowRow };
}

function addMoments(a: Moments, b: Moments): Moments {
  return {
    weight: a.weight + b.weight,
    column: a.column + b.column,
    row: a.row + b.row,
    columnColumn: a.columnColumn + b.columnColumn,
    columnRow: a.columnRow + b.columnRow,
    rowRow: a.rowRow + b.rowRow,
  };
}
