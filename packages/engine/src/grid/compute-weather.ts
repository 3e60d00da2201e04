/** The weather behind the models on a grid of one degree, as maps show it. */

import type { Choice, Met, WeatherRequest } from '@contrails/met';
import { type Field, WEATHER_GRID_FIELDS } from '@contrails/physics/fields';
import { type Compute, kernelAt } from '../compute.ts';
import { MODELING_VERSION } from '../modeling-version.ts';
import { type ChosenScaling, describeScaling, scalingForLevels } from '../weather/humidity-scaling.ts';
import { sourceAttributes } from '../weather/source-attributes.ts';
import type { GridBytes, GridOptions } from './compute-grid.ts';
import { type GridLayout, joinNetcdf } from './file.ts';
import type { GridCells } from './layout.ts';
import { weatherRequest } from './request.ts';

/** Cells of one degree: maps draw them smoothly, and a level of the globe has 65,160 of them. */
export const CELLS_PER_DEGREE = 1;

export interface WeatherGridRequest {
  /** [ms since 1970], a whole second. */
  readonly timeMs: number;
  readonly cells: GridCells;
  readonly layout: GridLayout;
  readonly scaling: ChosenScaling;
  readonly source: string | undefined;
}

const kernel = kernelAt<typeof import('./weather.kernel.ts').default>(
  new URL('./weather.kernel.ts', import.meta.url),
);

/** The weather that the request needs. */
export function airRequest(request: WeatherGridRequest): WeatherRequest {
  return { ...weatherRequest(request, 360 * CELLS_PER_DEGREE), for: 'air' };
}

/** Temperature, wind and humidity on a grid. */
export async function computeWeather(
  compute: Pick<Compute, 'parallel'>,
  met: Met,
  given: WeatherGridRequest,
  choice: Choice,
  options: GridOptions,
): Promise<GridBytes> {
  const { timeMs, cells, layout } = given;
  const weather = await met.openWeather(airRequest(given), { signal: options.signal, choice });
  try {
    const { kind, levelType } = weather.origin;
    const scaling = scalingForLevels(given.scaling, levelType);
    const { longitude, latitude, flightLevels } = cells;
    const input = { weather: weather.levels, longitude, latitude, timeMs, scaling, layout, flightLevels };
    const levels = await compute.parallel(kernel, input, flightLevels.length, options);
    const { name, formula } = describeScaling(scaling);
    const chunks = await joinNetcdf({
      cells,
      timeMs,
      layout,
      variables: Object.entries<Field>(WEATHER_GRID_FIELDS).map(
        ([key, { name: given, description, unit }], k) => ({
          name: given ?? key,
          attributes: { long_name: description ?? key, units: unit },
          levels: levels.map((packed) => packed[k] as Uint8Array),
        }),
      ),
      attributes: {
        name: 'weather',
        description: 'Weather behind the contrail models',
        humidity_scaling_name: name,
        humidity_scaling_formula: formula,
        ...sourceAttributes(weather.origin),
        met_source_synthetic: String(kind === 'synthetic'),
        modeling_version: MODELING_VERSION,
      },
    });
    return { chunks, warnings: weather.origin.warnings };
  } finally {
    weather.release();
  }
}
