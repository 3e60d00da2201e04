/**
 * What formation needs of an aircraft, tabulated for a GPU: nominal cruise depends on pressure and temperature alone, and a grid
 * has few levels.
 */
import { exhaustMoistureToHeat } from '../../formation/sac.ts';
import { type CellAircraft, cruiseOf } from '../cell-sources.ts';
import { CRUISE_COLUMNS } from '../vector/formation.ts';

export interface CruiseTable {
  readonly wingspanM: number;
  readonly eiH2o: number;
  /** Levels of the grid [hPa]. */
  readonly levels: readonly number[];
  /** Level by level, temperature by temperature, one number of each of the columns. */
  readonly numbers: Float32Array;
}

/** Temperatures of the table [K]. In warmer air no aircraft leaves contrails; colder air is taken for the coldest. */
export const CRUISE_AXIS = { coldestK: 180, perK: 4, count: 281 } as const;

export function cruiseTable(aircraft: CellAircraft, levels: readonly number[]): CruiseTable {
  const { coldestK, perK, count } = CRUISE_AXIS;
  const column = (of: (k: number) => number) =>
    Float64Array.from({ length: levels.length * count }, (_, k) => of(k));
  const { cruise, nvpmEiN } = cruiseOf(
    aircraft,
    column((k) => 100 * (levels[Math.floor(k / count)] as number)),
    column((k) => coldestK + (k % count) / perK),
    column(() => 0),
  );
  const { eiH2o, qFuelJKg } = aircraft.fuel;
  const numbers = new Float32Array(nvpmEiN.length * CRUISE_COLUMNS.length);
  nvpmEiN.forEach((soot, k) => {
    const airspeed = cruise.trueAirspeedMS[k] as number;
    const row: Record<(typeof CRUISE_COLUMNS)[number], number> = {
      exhaustPerHeat: exhaustMoistureToHeat(cruise.engineEfficiency[k] as number, eiH2o, qFuelJKg),
      fuelPerM: (cruise.fuelFlowKgS[k] as number) / airspeed,
      airspeedPerKg: airspeed / (cruise.aircraftMassKg[k] as number),
      nvpmEiN: soot,
      trueAirspeed: airspeed,
    };
    CRUISE_COLUMNS.forEach((name, c) => {
      numbers[k * CRUISE_COLUMNS.length + c] = row[name];
    });
  });
  return { wingspanM: aircraft.type.wingspanM, eiH2o, levels, numbers };
}
