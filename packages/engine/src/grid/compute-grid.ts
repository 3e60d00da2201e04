import { type Choice, type Met, MetError, type OpenWeather, type WeatherOrigin } from '@contrails/met';
import { isoSecond } from '@contrails/runtime';
import type { FieldError } from '@contrails/runtime/errors';
import { type Compute, kernelAt } from '../compute.ts';
import { MODELING_VERSION } from '../modeling-version.ts';
import { describeScaling, scalingForLevels } from '../weather/humidity-scaling.ts';
import { sourceAttributes } from '../weather/source-attributes.ts';
import { bufferAttributes } from './buffer.ts';
import { joinGeojson, joinKml, joinNetcdf } from './file.ts';
import type { LevelEncoding } from './level.ts';
import { BINARY_TEST, MODEL_DESCRIPTIONS, usesEngine } from './models.ts';
import { levelProperties } from './properties.ts';
import { type BinaryRequest, weatherRequest } from './request.ts';

export interface GridOptions {
  readonly signal: AbortSignal;
  readonly onComputeMs?: ((ms: number) => void) | undefined;
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

const kernel = kernelAt<typeof import('./binary.kernel.ts').default>(
  new URL('./binary.kernel.ts', import.meta.url),
);

/** The bytes of a file, as chunks, and what its reader has to know. */
export interface GridBytes {
  readonly chunks: readonly Uint8Array[];
  readonly warnings: readonly string[];
}

/** The run whose weather a grid is made of. */
export function chooseWeather(met: Met, request: BinaryRequest): Promise<Choice> {
  return met.catalogue.choose(weatherRequest({ ...request, cells: request.reached }));
}

/** A binary model on a grid. */
export async function computeGrid(
  compute: Pick<Compute, 'parallel'>,
  met: Met,
  given: BinaryRequest,
  choice: Choice,
  options: GridOptions,
): Promise<GridBytes> {
  const weather = await met.openWeather(weatherRequest({ ...given, cells: given.reached }), {
    signal: options.signal,
    choice,
  });
  try {
    const request = { ...given, scaling: scalingForLevels(given.scaling, weather.origin.levelType) };
    const attributes = gridAttributes(request, weather.origin);
    const levels = await encodeLevels(compute, request, weather, attributes, options);
    return { chunks: await joined(request, levels, attributes), warnings: weather.origin.warnings };
  } finally {
    weather.release();
  }
}

function encodeLevels(
  compute: Pick<Compute, 'parallel'>,
  request: BinaryRequest,
  weather: OpenWeather,
  attributes: Record<string, string | number>,
  options: GridOptions,
): Promise<Uint8Array[][]> {
  const { model, timeMs, cells, scaling, engineEfficiency, bufferCells, reached } = request;
  const { flightLevels } = cells;
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
    longitude: reached.longitude,
    latitude: reached.latitude,
    timeMs,
    scaling,
    engineEfficiency,
    bufferCells,
    wanted: { longitude: cells.longitude, latitude: cells.latitude },
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

/** How a grid of flags was computed, as attributes of files and polygons. */
function gridAttributes(
  { model, engineEfficiency, scaling, bufferCells }: BinaryRequest,
  origin: WeatherOrigin,
): Record<string, string | number> {
  const { name, formula, parameters } = describeScaling(scaling);
  return {
    ...(usesEngine(model) ? { engine_efficiency: engineEfficiency } : {}),
    ...bufferAttributes(bufferCells),
    humidity_scaling_name: name,
    humidity_scaling_formula: formula,
    ...Object.fromEntries(
      Object.entries(parameters).map(([parameter, value]) => [`humidity_scaling_${parameter}`, value]),
    ),
    ...sourceAttributes(origin),
    modeling_version: MODELING_VERSION,
  };
}
