import { weatherOf } from '@contrails/met';
import { cellSources, followGridContrails, withinLevels } from '@contrails/physics/cocip';
import { defineKernel } from '../compute.ts';
import { scaleHumidityBy } from '../weather/humidity-scaling.ts';
import { cellAircraft, gridParamsOf, segmentOf } from './cocip-model.ts';
import {
  CellTally,
  indexOfCell,
  outsideByLevel,
  pointsOfTile,
  type TileInput,
  type TileReport,
} from './tile-cells.ts';
import type { Tile } from './tiles.ts';

/** Contrails of the cells of a tile. */
export default defineKernel<TileInput, TileReport>((input) => {
  const { latitude, flightLevels, tiles } = input;
  const weather = withinLevels(weatherOf(input.levels, input.radiation), input.levelRange);
  const scaleHumidity = scaleHumidityBy(input.scaling);
  const aircraft = cellAircraft(input.aircraft, input.custom);
  const [segment, params] = [segmentOf(input.custom), gridParamsOf(input.custom)];
  const levelCount = flightLevels.length;

  return (index, context) => {
    const tile = tiles[index] as Tile;
    const points = pointsOfTile(input, tile);
    const { sources, cells, unknown } = cellSources(points, weather, scaleHumidity, aircraft);
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
    const tally = new CellTally(input);
    for (let k = 0; k < cells.length; k++) {
      const cell = cells[k] as number;
      const at = indexOfCell(tile, cell, levelCount, latitude.length);
      tally.add(cell % levelCount, at, efPerM[k] as number, ageS[k] as number, unforcedS[k] as number);
    }
    const { contrails, cellsWithoutForcing, mostlyWithoutForcing } = tally;
    return {
      contrails,
      plumeSteps,
      cellsOutside: outsideByLevel(unknown, levelCount),
      cellsWithoutForcing,
      mostlyWithoutForcing,
    };
  };
});
