import { weatherOf } from '@contrails/met';
import { cellSources, withinLevels } from '@contrails/physics/cocip';
import { type YoungContrails, youngContrails } from '@contrails/physics/gpu';
import { defineKernel } from '../compute.ts';
import { scaleHumidityBy } from '../weather/humidity-scaling.ts';
import { cellAircraft, gridParamsOf } from './cocip-model.ts';
import { indexOfCell, outsideByLevel, pointsOfTile, type TileInput } from './tile-cells.ts';
import type { Tile } from './tiles.ts';

export interface YoungInput extends Omit<TileInput, 'efPerM' | 'ageHours' | 'index'> {
  readonly normalShearShare: number;
}

export interface YoungTile extends YoungContrails {
  /** For each contrail its level and its index in the plane of that level. */
  readonly level: Uint8Array;
  readonly at: Uint32Array;
  /** For each level the cells without weather. */
  readonly cellsOutside: readonly number[];
}

/** Contrails that form in the cells of a tile. */
export default defineKernel<YoungInput, YoungTile>((input) => {
  const { flightLevels, tiles, latitude, custom, normalShearShare } = input;
  const weather = withinLevels(weatherOf(input.levels, input.radiation), input.levelRange);
  const scaleHumidity = scaleHumidityBy(input.scaling);
  const aircraft = cellAircraft(input.aircraft, custom);
  const params = gridParamsOf(custom);
  return (index) => {
    const tile = tiles[index] as Tile;
    const points = pointsOfTile(input, tile);
    const { sources, cells, unknown } = cellSources(points, weather, scaleHumidity, aircraft);
    const { count, state, rows } = youngContrails(sources, weather, scaleHumidity, normalShearShare, params);
    const level = new Uint8Array(count);
    const at = new Uint32Array(count);
    for (let k = 0; k < count; k++) {
      const cell = cells[rows[k] as number] as number;
      level[k] = cell % flightLevels.length;
      at[k] = indexOfCell(tile, cell, flightLevels.length, latitude.length);
    }
    return { count, state, level, at, cellsOutside: outsideByLevel(unknown, flightLevels.length) };
  };
});
