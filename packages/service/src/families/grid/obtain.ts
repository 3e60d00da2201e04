/** Files of grids: from what was computed before, or computed now. */
import type { Compute } from '@contrails/engine/compute';
import { type AccfRequest, computeAccf, functionWeather } from '@contrails/engine/grid/compute-accf';
import {
  chooseWeather,
  computeGrid,
  type GridOptions,
  locationOf,
} from '@contrails/engine/grid/compute-grid';
import {
  airRequest,
  CELLS_PER_DEGREE,
  computeWeather,
  type WeatherGridRequest,
} from '@contrails/engine/grid/compute-weather';
import {
  type ContrailWeatherRequest,
  chooseContrailWeather,
  readContrailWeather,
} from '@contrails/engine/grid/contrail-weather';
import { type GridLayout, wholeSecond } from '@contrails/engine/grid/file';
import { type BoundingBox, gridCells } from '@contrails/engine/grid/layout';
import { usesEngine } from '@contrails/engine/grid/models';
import type { BinaryRequest } from '@contrails/engine/grid/request';
import { MODELING_VERSION } from '@contrails/engine/modeling-version';
import { asRequestError } from '@contrails/engine/weather/errors';
import {
  chooseScaling,
  type HumidityQuery,
  type HumidityScalingChoice,
} from '@contrails/engine/weather/humidity-scaling';
import { generationOfChoice, type Met } from '@contrails/met';
import type { File } from '@contrails/platform/http/files';
import type { Results } from '@contrails/platform/http/results';
import { gridFile } from '../../endpoints/grids.ts';

/** What grids are computed with. */
export interface GridServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Pick<Compute, 'parallel'>;
  readonly results: Pick<Results, 'obtain'>;
}

export interface WeatherQuery extends HumidityQuery {
  /** [ms since 1970] */
  readonly time: number;
  readonly flight_level: readonly number[];
  readonly bbox: BoundingBox | undefined;
  readonly layout: GridLayout;
  readonly met_source: string | undefined;
}

/** The file of a grid: from what was computed before, or computed now. */
export async function obtainGrid(
  services: GridServices,
  request: BinaryRequest,
  options: GridOptions,
): Promise<File> {
  const met = await services.met.open();
  try {
    // Chosen once: a run that arrives before the weather is opened must not be kept under the name of this one.
    const choice = await chooseWeather(met, request);
    const { description, run } = choice;
    const weather = [description.name, description.generation, run.referenceTime ?? null];
    return await services.results.obtain(resultKey(request, weather), options.signal, async (signal) =>
      gridFile(await computeGrid(services.compute, met, request, choice, { ...options, signal })),
    );
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}

/** Everything that the bytes of an answer depend on. */
function resultKey(request: BinaryRequest, weather: readonly unknown[]): string {
  const { model, timeMs, cells, format, layout, shape, engineEfficiency, scaling, bufferCells } = request;
  return JSON.stringify([
    model,
    MODELING_VERSION,
    weather,
    timeMs,
    cells.columns,
    cells.rows,
    cells.flightLevels,
    bufferCells,
    format,
    format === 'netcdf' ? layout : shape,
    usesEngine(model) ? engineEfficiency : null,
    scaling,
  ]);
}

/** The file of climate change functions: from what was computed before, or computed now. */
export async function obtainAccf(
  services: GridServices,
  request: AccfRequest,
  options: GridOptions,
): Promise<File> {
  const met = await services.met.open();
  try {
    const choice = await met.catalogue.choose(functionWeather(request));
    const { cells, source: _, ...rest } = request;
    const { description, run } = choice;
    const weather = [description.name, description.generation, run.referenceTime ?? null];
    const axes = [cells.columns, cells.rows, cells.flightLevels];
    const key = JSON.stringify(['accf', MODELING_VERSION, weather, axes, rest]);
    return await services.results.obtain(key, options.signal, async (signal) =>
      gridFile(await computeAccf(services.compute, met, request, choice, { ...options, signal })),
    );
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}

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
    const axes = [cells.columns, cells.rows, cells.flightLevels];
    const key = JSON.stringify(['weather', MODELING_VERSION, weather, timeMs, axes, layout, scaling]);
    return await services.results.obtain(key, options.signal, async (signal) =>
      gridFile(await computeWeather(services.compute, met, request, choice, { ...options, signal })),
    );
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}

/** The file of the weather that contrails live in. */
export async function obtainContrailWeather(
  services: GridServices,
  request: ContrailWeatherRequest,
  options: GridOptions,
): Promise<File> {
  const met = await services.met.open();
  try {
    const chosen = await chooseContrailWeather(met, request);
    const { timeMs, hours, box } = request;
    const key = JSON.stringify(['contrail-weather', generationOfChoice(chosen.choice), timeMs, hours, box]);
    return await services.results.obtain(key, options.signal, async (signal) =>
      gridFile(await readContrailWeather(services.compute, met, request, chosen, { ...options, signal })),
    );
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}
