/** The weather behind the models on a grid of one degree, as maps show it. */
import type { Choice, Met, WeatherRequest } from '@contrails/met';
import { chunksFile } from '@contrails/platform/http/chunks-file';
import type { File } from '@contrails/platform/http/files';
import { kernelAt } from '../../compute/index.ts';
import { type GridLayout, joinNetcdf, wholeSecond } from '../../grids/file.ts';
import { type BoundingBox, type GridCells, gridCells } from '../../grids/layout.ts';
import { MODELING_VERSION } from '../../modeling-version.ts';
import { asRequestError } from '../../weather/errors.ts';
import {
  type ChosenScaling,
  chooseScaling,
  describeScaling,
  type HumidityQuery,
  type HumidityScalingChoice,
  scalingForLevels,
} from '../../weather/humidity-scaling.ts';
import { type GridOptions, type GridServices, locationOf } from './compute.ts';
import { weatherRequest } from './request.ts';

/** Cells of one degree: maps draw them smoothly, and a level of the globe has 65,160 of them. */
const CELLS_PER_DEGREE = 1;

/** What a file holds, in the order of its variables. */
const WEATHER_FIELDS = [
  { name: 'air_temperature', long_name: 'Air temperature', units: 'K' },
  { name: 'eastward_wind', long_name: 'Eastward wind', units: 'm s-1' },
  { name: 'northward_wind', long_name: 'Northward wind', units: 'm s-1' },
  { name: 'rhi', long_name: 'Relative humidity over ice, after humidity scaling', units: '1' },
] as const;

export interface WeatherQuery extends HumidityQuery {
  /** [ms since 1970] */
  readonly time: number;
  readonly flight_level: readonly number[];
  readonly bbox: BoundingBox | undefined;
  readonly layout: GridLayout;
  readonly met_source: string | undefined;
}

interface WeatherGridRequest {
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

/** The file of the weather: from what was computed before, or computed now. */
export async function obtainWeather(
  services: GridServices,
  query: WeatherQuery,
  defaultScaling: HumidityScalingChoice,
  options: GridOptions,
): Promise<File> {
  const request: WeatherGridRequest = {
    timeMs: wholeSecond(query.time),
    cells: gridCells(query.bbox, query.flight_level, CELLS_PER_DEGREE),
    layout: query.layout,
    scaling: chooseScaling(query, defaultScaling),
    source: query.met_source,
  };
  const met = await services.met.open();
  try {
    const choice = await met.catalogue.choose(airRequest(request));
    const { timeMs, cells, layout, scaling } = request;
    const { description, run } = choice;
    const weather = [description.name, description.generation, run.referenceTime ?? null];
    const place = [cells.columns, cells.rows, cells.flightLevels];
    const key = JSON.stringify(['weather', MODELING_VERSION, weather, timeMs, place, layout, scaling]);
    return await services.results.obtain(key, options.signal, async (signal) =>
      computeWeather(services, met, request, choice, { ...options, signal }),
    );
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}

function airRequest(request: WeatherGridRequest): WeatherRequest {
  return { ...weatherRequest(request, 360 * CELLS_PER_DEGREE), for: 'air' };
}

async function computeWeather(
  { compute }: GridServices,
  met: Met,
  given: WeatherGridRequest,
  choice: Choice,
  options: GridOptions,
): Promise<File> {
  const { timeMs, cells, layout } = given;
  const weather = await met.openWeather(airRequest(given), { signal: options.signal, choice });
  try {
    const { provider, dataset, product, kind, levelType } = weather.origin;
    const scaling = scalingForLevels(given.scaling, levelType);
    const { longitude, latitude, flightLevels } = cells;
    const input = { weather: weather.levels, longitude, latitude, timeMs, scaling, layout, flightLevels };
    const levels = await compute.parallel(kernel, input, flightLevels.length, options);
    const { name, formula } = describeScaling(scaling);
    const chunks = await joinNetcdf({
      cells,
      timeMs,
      layout,
      variables: WEATHER_FIELDS.map(({ name, ...attributes }, k) => ({
        name,
        attributes,
        levels: levels.map((packed) => packed[k] as Uint8Array),
      })),
      attributes: {
        name: 'weather',
        description: 'Weather behind the contrail models',
        humidity_scaling_name: name,
        humidity_scaling_formula: formula,
        met_source_provider: provider,
        met_source_dataset: dataset,
        met_source_product: product,
        met_source_synthetic: String(kind === 'synthetic'),
        modeling_version: MODELING_VERSION,
      },
    });
    return { ...(await chunksFile(chunks, Date.now())), warnings: weather.origin.warnings };
  } finally {
    weather.release();
  }
}
