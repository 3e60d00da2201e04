/** What threads are given to compute tiles of a grid, and what becomes of their cells. */
import type { MetField, RadiationField } from '@contrails/met';
import { forcingIndex, type WeatherPoints } from '@contrails/physics/cocip';
import type { ChosenScaling } from '../weather/humidity-scaling.ts';
import type { GridAircraft } from './aircraft.ts';
import type { CustomGrid } from './cocip-model.ts';
import { pressureOf } from './layout.ts';
import type { Tile } from './tiles.ts';

type SharedPlanes = readonly Float32Array<SharedArrayBuffer>[];

/** One plane for each level, longitude by longitude, latitude running fastest. */
export interface GridPlanes {
  readonly efPerM: SharedPlanes;
  readonly ageHours: SharedPlanes;
  readonly index: SharedPlanes;
}

export interface TileInput extends GridPlanes {
  readonly levels: MetField;
  readonly radiation: RadiationField | undefined;
  /** Between which the weather is read [hPa]. */
  readonly levelRange: readonly [top: number, bottom: number];
  readonly scaling: ChosenScaling;
  readonly aircraft: GridAircraft;
  readonly custom: CustomGrid | undefined;
  /** [ms since 1970] */
  readonly timeMs: number;
  /** [°] of all columns and rows. */
  readonly longitude: Float64Array<SharedArrayBuffer>;
  readonly latitude: Float64Array<SharedArrayBuffer>;
  readonly flightLevels: readonly number[];
  readonly tiles: readonly Tile[];
}

export interface TileReport {
  /** Cells with a contrail that survived a step, and the steps that were survived. */
  readonly contrails: number;
  readonly plumeSteps: number;
  /** For each level the cells without weather: outside it, or in a hole of it. */
  readonly cellsOutside: readonly number[];
  /** For each level the contrails that live through a step without radiation, and so without forcing. */
  readonly cellsWithoutForcing: readonly number[];
  /** Contrails without forcing for more than half of their life. */
  readonly mostlyWithoutForcing: number;
}

/** The cells of a tile, levels running fastest. */
export function pointsOfTile(
  { longitude, latitude, flightLevels, timeMs }: Omit<TileInput, keyof GridPlanes>,
  { firstColumn, columns, firstRow, rows }: Tile,
): WeatherPoints {
  const pressures = flightLevels.map(pressureOf);
  const levelCount = flightLevels.length;
  const count = columns * rows * levelCount;
  const column = () => new Float64Array(count);
  const points = { longitude: column(), latitude: column(), level: column(), timeMs: column() };
  points.timeMs.fill(timeMs);
  let cell = 0;
  for (let i = firstColumn; i < firstColumn + columns; i++) {
    for (let j = firstRow; j < firstRow + rows; j++) {
      for (let l = 0; l < levelCount; l++) {
        points.longitude[cell] = longitude[i] as number;
        points.latitude[cell] = latitude[j] as number;
        points.level[cell++] = pressures[l] as number;
      }
    }
  }
  return points;
}

/** Where a cell of a tile is in the planes. */
export function indexOfCell(tile: Tile, cell: number, levelCount: number, rows: number): number {
  const column = Math.floor(cell / levelCount);
  return (tile.firstColumn + Math.floor(column / tile.rows)) * rows + tile.firstRow + (column % tile.rows);
}

/** Number of the cells on each level. */
export function outsideByLevel(cells: Uint32Array, levelCount: number): number[] {
  const outside = new Array<number>(levelCount).fill(0);
  for (const cell of cells) outside[cell % levelCount] = (outside[cell % levelCount] as number) + 1;
  return outside;
}

/** Writes what became of contrails into the planes and counts it. */
export class CellTally {
  contrails = 0;
  mostlyWithoutForcing = 0;
  readonly cellsWithoutForcing: number[];
  readonly #planes: GridPlanes;

  constructor(planes: GridPlanes) {
    this.#planes = planes;
    this.cellsWithoutForcing = planes.efPerM.map(() => 0);
  }

  add(level: number, at: number, efPerM: number, ageS: number, unforcedS: number): void {
    if (ageS === 0 && unforcedS === 0) return;
    this.contrails++;
    if (unforcedS > 0) this.cellsWithoutForcing[level] = (this.cellsWithoutForcing[level] as number) + 1;
    if (unforcedS > ageS / 2) this.mostlyWithoutForcing++;
    const { efPerM: ef, ageHours, index } = this.#planes;
    (ef[level] as Float32Array)[at] = efPerM;
    (ageHours[level] as Float32Array)[at] = ageS / 3600;
    (index[level] as Float32Array)[at] = forcingIndex(efPerM);
  }
}
