/** Contrails of grid cells on the GPUs of a machine. */
import {
  type CruiseTable,
  cruiseTable,
  type FoundContrails,
  type GridWork,
  humidityFormula,
  isRegular,
  runsOnGpu,
} from '@contrails/physics/gpu';
import { histogramFormula } from '@contrails/physics/humidity-scaling';
import type { TaskOptions } from '@contrails/runtime/compute';
import type { GridGpu } from '../gpu/grid-gpu.ts';
import type { ChosenScaling } from '../weather/humidity-scaling.ts';
import { cellAircraft, gridParamsOf, segmentOf } from './cocip-model.ts';
import { pressureOf } from './layout.ts';
import { CellTally, type TileInput, type TileReport } from './tile-cells.ts';

/**
 * What GPUs compute; undefined where only the CPU does: with rare options of the model, and on weather whose meridians or
 * parallels are not evenly spaced. `weatherName` identifies its weather.
 */
export function gpuWorkOf(input: TileInput, weatherName: string): GridWork | undefined {
  const { levels, radiation, levelRange, scaling, custom, timeMs, longitude, latitude } = input;
  const weather = { name: weatherName, levels, radiation, levelRange };
  const params = gridParamsOf(custom);
  const formula = formulaOf(scaling);
  if (formula === undefined || !runsOnGpu(params) || !isRegular(weather)) return undefined;
  const aircraft = cruiseOf(input);
  const segment = segmentOf(custom);
  return { longitude, latitude, timeMs, aircraft, weather, scaling: formula, segment, params };
}

const formulaOf = ({ name, options }: ChosenScaling) =>
  name === 'histogram_matching' ? histogramFormula(options) : humidityFormula(name, options);

/** With several devices each computes some rows at a time, so one that is slower holds up the others less. */
const BANDS_PER_DEVICE = 2;

interface Band {
  readonly firstRow: number;
  readonly rows: number;
  readonly parts: readonly FoundContrails[];
  readonly device: string;
}

/** Fills the planes of the input. Undefined, with the planes as they were, where no device can do it. */
export async function contrailsOnGpus(
  gpus: GridGpu,
  input: TileInput,
  work: GridWork,
  { signal, onProgress }: Pick<TaskOptions, 'signal' | 'onProgress'>,
): Promise<{ readonly report: TileReport; readonly device: string } | undefined> {
  const rows = work.latitude.length;
  const devices = (await gpus.devices()).filter(({ contrails }) => contrails.fits(work.weather));
  if (devices.length === 0) return undefined;
  const bandCount = devices.length === 1 ? 1 : Math.min(BANDS_PER_DEVICE * devices.length, rows);
  const shares = new Float64Array(bandCount);
  const bands = await Promise.all(
    Array.from(shares, (_, k) => {
      const firstRow = Math.floor((k * rows) / bandCount);
      const latitude = work.latitude.subarray(firstRow, Math.floor(((k + 1) * rows) / bandCount));
      const report = (share: number) => {
        shares[k] = share / bandCount;
        onProgress?.(shares.reduce((sum, one) => sum + one, 0));
      };
      return gpus.run(
        async ({ contrails, name }): Promise<Band> => ({
          firstRow,
          rows: latitude.length,
          parts: await contrails.compute({ ...work, latitude }, signal, report),
          device: name,
        }),
        ({ contrails }) => contrails.fits(work.weather),
      );
    }),
  );
  const found = bands.filter((band) => band !== undefined);
  if (found.length < bands.length) return undefined;
  const device = [...new Set(found.map((band) => band.device))].join(' and ');
  return { report: tallied(input, work, found), device };
}

/** The devices compute for others meanwhile. */
function tallied(input: TileInput, { params }: GridWork, bands: readonly Band[]): TileReport {
  const levelCount = input.flightLevels.length;
  const tally = new CellTally(input);
  const cellsOutside = input.flightLevels.map(() => 0);
  let plumeSteps = 0;
  for (const { firstRow, rows, parts } of bands) {
    for (const { cell, efPerM, ageS, unforcedS, outside } of parts) {
      outside.forEach((count, level) => {
        cellsOutside[level] = (cellsOutside[level] as number) + count;
      });
      for (let k = 0; k < cell.length; k++) {
        const at = cell[k] as number;
        const level = at % levelCount;
        const inBand = (at - level) / levelCount;
        const row = inBand % rows;
        const index = ((inBand - row) / rows) * input.latitude.length + firstRow + row;
        const age = ageS[k] as number;
        tally.add(level, index, efPerM[k] as number, age, unforcedS[k] as number);
        // Quotients in single precision are a little more or less than whole.
        plumeSteps += Math.ceil(age / params.dtIntegrationS - 0.01);
      }
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
