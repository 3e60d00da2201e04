/**
 * The fixed grid of a geostationary imager: pixels at regular scan angles, x positive to the east and y positive to the
 * north, seen from a point above the equator. `x = x0 + column * dx`, `y = y0 + row * dy`; `dy` is negative, because row 0
 * is the northernmost.
 */
export interface FixedGrid {
  readonly name: string;
  /** Longitude below the satellite [deg]. */
  readonly longitudeOfOrigin: number;
  /** Of the perspective point above the ellipsoid [m]. */
  readonly height: number;
  /** Axes of the ellipsoid [m]. */
  readonly semiMajor: number;
  readonly semiMinor: number;
  /** The axis of the outer rotation: `x` for ABI, `y` for the convention of Meteosat and Himawari. */
  readonly sweep: 'x' | 'y';
  /** Scan angles of the first pixel's centre and the steps between pixels [rad]. */
  readonly x0: number;
  readonly dx: number;
  readonly y0: number;
  readonly dy: number;
  readonly columns: number;
  readonly rows: number;
}

/** From where and how the imager looks, which is all that angles depend on. */
export type Viewpoint = Pick<FixedGrid, 'longitudeOfOrigin' | 'height' | 'semiMajor' | 'semiMinor' | 'sweep'>;

type Perspective = Viewpoint & {
  readonly size: number;
  readonly step: number;
};

const RAD = Math.PI / 180;
const GRS80 = { semiMajor: 6_378_137, semiMinor: 6_356_752.314_14 };
const GOES = { height: 35_786_023, ...GRS80, sweep: 'x', size: 5424, step: 5.6e-5 } as const;

const PERSPECTIVES = {
  'goes-east': { longitudeOfOrigin: -75, ...GOES },
  'goes-west': { longitudeOfOrigin: -137, ...GOES },
  himawari: {
    longitudeOfOrigin: 140.7,
    height: 35_785_863,
    semiMajor: 6_378_137,
    semiMinor: 6_356_752.3,
    sweep: 'y',
    size: 5500,
    step: (2 ** 16 / 20_466_275) * RAD,
  },
  'mtg-0': {
    longitudeOfOrigin: 0,
    height: 35_786_400,
    semiMajor: 6_378_137,
    semiMinor: 6_378_137 * (1 - 1 / 298.257_223_563),
    sweep: 'y',
    size: 5568,
    step: 5.588_715_26e-5,
  },
  'msg-0': {
    longitudeOfOrigin: 0,
    height: 35_785_831,
    semiMajor: 6_378_169,
    semiMinor: 6_356_583.8,
    sweep: 'y',
    size: 3712,
    step: (2 ** 16 / 13_642_337) * RAD,
  },
} as const satisfies Record<string, Perspective>;

export type GridName = keyof typeof PERSPECTIVES;

export const GRID_NAMES = Object.keys(PERSPECTIVES) as GridName[];

/** The nominal infrared full-disk grid of a satellite. Imagery brings its own constants; those are used where there are any. */
export function fullDisk(name: GridName): FixedGrid {
  const { size, step, ...perspective } = PERSPECTIVES[name];
  const half = (step * (size - 1)) / 2;
  return { name, ...perspective, x0: -half, dx: step, y0: half, dy: -step, columns: size, rows: size };
}

/** A part of a grid; the grid of the part has the same scan angles. */
export function windowOf(
  grid: FixedGrid,
  firstRow: number,
  firstColumn: number,
  rows: number,
  columns: number,
): FixedGrid {
  const x0 = grid.x0 + firstColumn * grid.dx;
  const y0 = grid.y0 + firstRow * grid.dy;
  return { ...grid, x0, y0, rows, columns };
}

export interface WindowPosition {
  readonly firstRow: number;
  readonly firstColumn: number;
  /** Of the full disk. */
  readonly rows: number;
  readonly columns: number;
}

/**
 * Where a grid lies in its full disk: digital lines and scan times depend on the row and column of the full disk. A grid
 * without a known name, or with another step, is taken for another full disk.
 */
export function windowPosition(grid: FixedGrid): WindowPosition {
  const { name, rows, columns } = grid;
  const own = { firstRow: 0, firstColumn: 0, rows, columns };
  if (!isGridName(name)) return own;
  const disk = fullDisk(name);
  if (Math.abs(grid.dx / disk.dx - 1) > 1e-4 || Math.abs(grid.dy / disk.dy - 1) > 1e-4) return own;
  const firstRow = Math.round((disk.y0 - grid.y0) / -disk.dy);
  const firstColumn = Math.round((grid.x0 - disk.x0) / disk.dx);
  return { firstRow, firstColumn, rows: disk.rows, columns: disk.columns };
}

export function isGridName(name: string): name is GridName {
  return Object.hasOwn(PERSPECTIVES, name);
}

/** The grid's coordinate reference system as a PROJ string: metres, which are scan angles times the height. */
export function crsOf({ longitudeOfOrigin, height, semiMajor, semiMinor, sweep }: FixedGrid): string {
  const axes = `+a=${withDecimal(semiMajor)} +b=${semiMinor.toFixed(5)}`;
  return `+proj=geos +lon_0=${withDecimal(longitudeOfOrigin)} +h=${withDecimal(height)} ${axes} +sweep=${sweep} +units=m +no_defs`;
}

function withDecimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
