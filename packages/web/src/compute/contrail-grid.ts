/** The contrail grid of a region, level and time on a GPU, as the service computes it. */
import type { CocipAircraftType } from '@contrails/engine/grid/aircraft';
import { cellAircraft, FREE_SEGMENT, GRID_COCIP_PARAMS } from '@contrails/engine/grid/cocip-model';
import { pressureOf } from '@contrails/engine/grid/layout';
import { type ContrailGpu, cruiseTable, humidityFormula, isRegular } from '@contrails/physics/gpu';
import type { ContrailWeather } from './contrail-weather.ts';
import { type Region, regionAxes } from './region.ts';
import type { Scaling } from './scalings.ts';

export interface GridRequest {
  readonly region: Region;
  readonly flightLevel: number;
  /** [ms since 1970] */
  readonly timeMs: number;
  readonly aircraftType: CocipAircraftType;
  readonly scaling: Scaling;
}

export interface ContrailGrid {
  /** Energy forcing per metre of flight [J m⁻¹], longitude by longitude, latitude running fastest. */
  readonly efPerM: Float32Array<ArrayBuffer>;
  /** Age of the contrails [h]; 0 where there is none. */
  readonly ageHours: Float32Array<ArrayBuffer>;
  readonly contrails: number;
  /** Contrails without radiation, and so without forcing, for a part of their lives. */
  readonly unforced: number;
  /** Cells without weather. */
  readonly outside: number;
  /** When the weather ends [ms since 1970]; contrails that live longer count until then. */
  readonly weatherEndMs: number;
}

export async function computeContrailGrid(
  gpu: ContrailGpu,
  { weather, levelType }: ContrailWeather,
  { region, flightLevel, timeMs, aircraftType, scaling }: GridRequest,
  onProgress?: (share: number) => void,
): Promise<ContrailGrid> {
  const formula = humidityFormula(scaling, { levelType });
  if (formula === undefined) throw new RangeError(`humidity_scaling ${scaling} does not run on a GPU`);
  if (!isRegular(weather))
    throw new Error('The weather of this service lies on meridians or parallels that are not evenly spaced.');
  const { longitude, latitude } = regionAxes(region);
  const parts = await gpu.compute(
    {
      longitude,
      latitude,
      timeMs,
      aircraft: cruiseTable(cellAircraft({ type: aircraftType }), [pressureOf(flightLevel)]),
      weather,
      scaling: formula,
      segment: FREE_SEGMENT,
      params: GRID_COCIP_PARAMS,
    },
    undefined,
    onProgress,
  );
  const efPerM = new Float32Array(longitude.length * latitude.length);
  const ageHours = new Float32Array(efPerM.length);
  let [contrails, unforced, outside] = [0, 0, 0];
  for (const found of parts) {
    outside += found.outside[0] ?? 0;
    found.cell.forEach((cell, k) => {
      const [age, unforcedS] = [found.ageS[k] as number, found.unforcedS[k] as number];
      if (age === 0 && unforcedS === 0) return;
      contrails++;
      if (unforcedS > 0) unforced++;
      efPerM[cell] = found.efPerM[k] as number;
      ageHours[cell] = age / 3600;
    });
  }
  const weatherEndMs = weather.levels.time.knots.at(-1) as number;
  return { efPerM, ageHours, contrails, unforced, outside, weatherEndMs };
}
