import { type Choice, type Met, MetError, type OpenWeather } from '@contrails/met';
import { chunksFile } from '@contrails/platform/http/chunks-file';
import type { File } from '@contrails/platform/http/files';
import type { Results } from '@contrails/platform/http/results';
import { isoSecond } from '@contrails/runtime';
import type { FieldError } from '@contrails/runtime/errors';
import { type Compute, kernelAt } from '../../compute/index.ts';
import { joinGeojson, joinKml, joinNetcdf } from '../../grids/file.ts';
import type { LevelEncoding } from '../../grids/level.ts';
import { levelProperties } from '../../grids/properties.ts';
import { MODELING_VERSION } from '../../modeling-version.ts';
import { asRequestError } from '../../weather/errors.ts';
import { scalingForLevels } from '../../weather/humidity-scaling.ts';
import { gridAttributes } from './attributes.ts';
import { BINARY_TEST, MODEL_DESCRIPTIONS, usesEngine } from './models.ts';
import { type BinaryRequest, weatherRequest } from './request.ts';

/** What grids are computed with. */
export interface GridServices {
  readonly met: { open(): Promise<Met> };
  readonly compute: Pick<Compute, 'parallel'>;
  readonly results: Pick<Results, 'obtain'>;
}

export interface GridOptions {
  readonly signal: AbortSignal;
  readonly onComputeMs?: (ms: number) => void;
  readonly onProgress?: (fraction: number) => void;
}

const kernel = kernelAt<typeof import('./binary.kernel.ts').default>(
  new URL('./binary.kernel.ts', import.meta.url),
);

/** The file of a grid: from what was computed before, or computed now. */
export async function obtainGrid(
  services: GridServices,
  request: BinaryRequest,
  options: GridOptions,
): Promise<File> {
  const met = await services.met.open();
  try {
    // Chosen once: a run that arrives before the weather is opened must not be kept under the name of this one.
    const choice = await met.catalogue.choose(weatherRequest(request));
    const { description, run } = choice;
    const weather = [description.name, description.generation, run.referenceTime ?? null];
    return await services.results.obtain(resultKey(request, weather), options.signal, async (signal) =>
      computeGrid(services, met, request, choice, { ...options, signal }),
    );
  } catch (error) {
    throw asRequestError(error, locationOf(error));
  }
}

/** Everything that the bytes of an answer depend on. */
function resultKey(request: BinaryRequest, weather: readonly unknown[]): string {
  const { model, timeMs, cells, format, layout, shape, engineEfficiency, scaling } = request;
  return JSON.stringify([
    model,
    MODELING_VERSION,
    weather,
    timeMs,
    cells.columns,
    cells.rows,
    cells.flightLevels,
    format,
    format === 'netcdf' ? layout : shape,
    usesEngine(model) ? engineEfficiency : null,
    scaling,
  ]);
}

async function computeGrid(
  { compute }: GridServices,
  met: Met,
  given: BinaryRequest,
  choice: Choice,
  options: GridOptions,
): Promise<File> {
  const weather = await met.openWeather(weatherRequest(given), { signal: options.signal, choice });
  try {
    const request = { ...given, scaling: scalingForLevels(given.scaling, weather.origin.levelType) };
    const attributes = gridAttributes(request, weather.origin);
    const levels = await encodeLevels(compute, request, weather, attributes, options);
    const file = await chunksFile(await joined(request, levels, attributes), Date.now());
    return { ...file, warnings: weather.origin.warnings };
  } finally {
    weather.release();
  }
}

function encodeLevels(
  compute: GridServices['compute'],
  request: BinaryRequest,
  weather: OpenWeather,
  attributes: Record<string, string | number>,
  options: GridOptions,
): Promise<Uint8Array[][]> {
  const { model, timeMs, cells, scaling, engineEfficiency } = request;
  const { longitude, latitude, flightLevels } = cells;
  const levels = flightLevels.map((flightLevel) => ({
    flightLevel,
    properties: levelProperties({
      name: model,
      description: MODEL_DESCRIPTIONS[model],
      flightLevel,
      timeMs,
      isoValue: BINARY_TEST.value,
      attributes,
    }),
  }));
  const input = {
    model,
    weather: weather.levels,
    longitude,
    latitude,
    timeMs,
    scaling,
    engineEfficiency,
    levels,
    encoding: encodingOf(request),
  };
  return compute.parallel(kernel, input, levels.length, options);
}

function encodingOf({ format, layout, shape }: BinaryRequest): LevelEncoding {
  return format === 'netcdf' ? { format, layout } : { format, shape, test: BINARY_TEST };
}

async function joined(
  { model, timeMs, cells, format, layout }: BinaryRequest,
  levels: readonly (readonly Uint8Array[])[],
  attributes: Record<string, string | number>,
): Promise<Uint8Array[]> {
  if (format === 'geojson') return joinGeojson(levels);
  if (format === 'kml') {
    const time = isoSecond(timeMs);
    return joinKml({ name: `${model} ${time}`, time }, levels);
  }
  const description = MODEL_DESCRIPTIONS[model];
  // A reader that opens the variable alone does not see the attributes of the data set.
  const variable = {
    name: model,
    attributes: { long_name: description, ...attributes },
    levels: levels.flat(),
  };
  return joinNetcdf({
    cells,
    timeMs,
    variables: [variable],
    attributes: { name: model, description, ...attributes },
    layout,
  });
}

/** The parameter that asks for what no weather has. */
export function locationOf(error: unknown): FieldError['loc'] {
  const served = error instanceof MetError ? error.facts?.served : undefined;
  const reasons = Array.isArray(served) ? served.map(({ short }: { short?: unknown }) => short) : [];
  if (reasons.includes('time') || reasons.length === 0) return ['query', 'time'];
  return ['query', reasons.includes('area') ? 'bbox' : 'flight_level'];
}
