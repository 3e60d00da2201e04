import { type MetField, type RadiationField, weatherOf } from '@contrails/met';
import { cellSources, followGridContrails, forcingIndex, withinLevels } from '@contrails/physics/cocip';
import { defineKernel } from '../compute.ts';
import { type ChosenScaling, scaleHumidityBy } from '../weather/humidity-scaling.ts';
import type { GridAircraft } from './aircraft.ts';
import { type CustomGrid, cellAircraft, gridParamsOf, segmentOf } from './cocip-model.ts';
import { pressureOf } from './layout.ts';
import type { Tile } from './tiles.ts';

type SharedPlanes = readonly Float32Array<SharedArrayBuffer>[];

export interface TileInput {
  readonly levels: MetField;
  readonly radiation: RadiationField | undefined;
  /** Between which the weather is looked at [hPa]. */
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
  /** One plane for each level, longitude by longitude, latitude running fastest. */
  readonly efPerM: SharedPlanes;
  readonly ageHours: SharedPlanes;
  readonly index: SharedPlanes;
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

/** Contrails of the cells of a tile. */
export default defineKernel<TileInput, TileReport>((input) => {
  const { longitude, latitude, flightLevels, timeMs, tiles } = input;
  const weather = withinLevels(weatherOf(input.levels, input.radiation), input.levelRange);
  const scaleHumidity = scaleHumidityBy(input.scaling);
  const aircraft = cellAircraft(input.aircraft, input.custom);
  const [segment, params] = [segmentOf(input.custom), gridParamsOf(input.custom)];
  const pressures = flightLevels.map(pressureOf);
  const levelCount = flightLevels.length;

  return (index, context) => {
    const tile = tiles[index] as Tile;
    const { sources, cells, unknown } = cellSources(pointsOf(tile), weather, scaleHumidity, aircraft);
    let plumeSteps = 0;
    const { efPerM, ageS, unforcedS } = followGridContrails(
      sources,
      weather,
      scaleHumidity,
      segment,
      params,
      (_, count, toMs) => {
        context.throwIfCancelled();
        if (!Number.isNaN(toMs)) plumeSteps += count;
      },
      [],
    );
    let contrails = 0;
    const cellsOutside = flightLevels.map(() => 0);
    for (const cell of unknown)
      cellsOutside[cell % levelCount] = (cellsOutside[cell % levelCount] as number) + 1;
    const cellsWithoutForcing = flightLevels.map(() => 0);
    let mostlyWithoutForcing = 0;
    for (let k = 0; k < cells.length; k++) {
      const unforced = unforcedS[k] as number;
      if (ageS[k] === 0 && unforced === 0) continue;
      contrails++;
      const cell = cells[k] as number;
      const level = cell % levelCount;
      if (unforced > 0) cellsWithoutForcing[level] = (cellsWithoutForcing[level] as number) + 1;
      if (unforced > (ageS[k] as number) / 2) mostlyWithoutForcing++;
      const column = Math.floor(cell / levelCount);
      const at =
        (tile.firstColumn + Math.floor(column / tile.rows)) * latitude.length +
        tile.firstRow +
        (column % tile.rows);
      const ef = efPerM[k] as number;
      (input.efPerM[level] as Float32Array)[at] = ef;
      (input.ageHours[level] as Float32Array)[at] = (ageS[k] as number) / 3600;
      (input.index[level] as Float32Array)[at] = forcingIndex(ef);
    }
    return { contrails, plumeSteps, cellsOutside, cellsWithoutForcing, mostlyWithoutForcing };
  };

  function pointsOf({ firstColumn, columns, firstRow, rows }: Tile) {
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
});
