/** Contrails of grid cells on a GPU. */
import { type CruiseTable, cruiseTable, humidityFormula, isRegular, runsOnGpu } from '@contrails/physics/gpu';
import type { TaskOptions } from '@contrails/runtime/compute';
import type { OpenGpu } from '../gpu/grid-gpu.ts';
import { cellAircraft, gridParamsOf, segmentOf } from './cocip-model.ts';
import { pressureOf } from './layout.ts';
import { CellTally, type TileInput, type TileReport } from './tile-cells.ts';

/** Why a grid cannot be computed on a GPU; undefined where it can. */
export function whyNotOnGpu({
  levels,
  radiation,
  levelRange,
  scaling,
  custom,
}: TileInput): string | undefined {
  if (segmentOf(custom).kind !== 'free') return 'segments with a direction';
  if (humidityFormula(scaling.name, scaling.options) === undefined) return `humidity_scaling ${scaling.name}`;
  if (!runsOnGpu(gridParamsOf(custom))) return 'options of the model';
  return isRegular({ name: '', levels, radiation, levelRange })
    ? undefined
    : 'weather on meridians or parallels that are not evenly spaced';
}

/** Fills the planes of the input. `weatherName` tells its weather from any other. */
export async function contrailsOnGpu(
  { contrails: device }: OpenGpu,
  input: TileInput,
  weatherName: string,
  { signal, onProgress }: Pick<TaskOptions, 'signal' | 'onProgress'>,
): Promise<TileReport> {
  const { levels, radiation, levelRange, scaling, custom, timeMs, longitude, latitude, flightLevels } = input;
  const segment = segmentOf(custom);
  const formula = humidityFormula(scaling.name, scaling.options);
  if (segment.kind !== 'free' || formula === undefined)
    throw new RangeError('this grid does not run on a GPU');
  const params = gridParamsOf(custom);
  const tally = new CellTally(input);
  const cellsOutside = flightLevels.map(() => 0);
  let plumeSteps = 0;
  const parts = await device.compute(
    {
      longitude,
      latitude,
      timeMs,
      aircraft: cruiseOf(input),
      weather: { name: weatherName, levels, radiation, levelRange },
      scaling: formula,
      normalShearShare: segment.normalShearShare,
      params,
    },
    signal,
    onProgress,
  );
  // The device computes for others meanwhile.
  for (const { cell, efPerM, ageS, unforcedS, outside } of parts) {
    outside.forEach((count, level) => {
      cellsOutside[level] = (cellsOutside[level] as number) + count;
    });
    for (let k = 0; k < cell.length; k++) {
      const at = cell[k] as number;
      const level = at % flightLevels.length;
      const age = ageS[k] as number;
      const index = (at - level) / flightLevels.length;
      tally.add(level, index, efPerM[k] as number, age, unforcedS[k] as number);
      // Quotients in single precision are a little more or less than whole.
      plumeSteps += Math.ceil(age / params.dtIntegrationS - 0.01);
    }
  }
  const { contrails, cellsWithoutForcing, mostlyWithoutForcing } = tally;
  return { contrails, plumeSteps, cellsOutside, cellsWithoutForcing, mostlyWithoutForcing };
}

/** Tables of the aircraft last used: hours of a forecast share them. */
const tables = new Map<string, CruiseTable>();
const MAX_TABLES = 32;

function cruiseOf({ aircraft, custom, flightLevels }: TileInput): CruiseTable {
  const { aircraftMassKg, safBlendPercent } = custom ?? {};
  const key = JSON.stringify([aircraft, aircraftMassKg, safBlendPercent, flightLevels]);
  const table = tables.get(key) ?? cruiseTable(cellAircraft(aircraft, custom), flightLevels.map(pressureOf));
  tables.delete(key);
  tables.set(key, table);
  for (const oldest of tables.keys()) {
    if (tables.size <= MAX_TABLES) break;
    tables.delete(oldest);
  }
  return table;
}
