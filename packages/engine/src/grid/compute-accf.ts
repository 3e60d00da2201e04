/** Climate change functions on a grid. */
import { thresholdTest } from '@contrails/formats';
import type { Choice, Met, WeatherOrigin, WeatherRequest } from '@contrails/met';
import { isoSecond } from '@contrails/runtime';
import { ValidationError } from '@contrails/runtime/errors';
import { type Compute, kernelAt } from '../compute.ts';
import { type ClimateQuery, climateOf, describeFunctions } from '../flights/climate.ts';
import type { ClimateOptions } from '../flights/flight-climate.ts';
import { MODELING_VERSION } from '../modeling-version.ts';
import {
  type ChosenScaling,
  chooseScaling,
  describeScaling,
  scalingForLevels,
} from '../weather/humidity-scaling.ts';
import { sourceAttributes } from '../weather/source-attributes.ts';
import { ACCF_VARIABLE_NAMES, ACCF_VARIABLES, type AccfVariable } from './accf-variables.ts';
import type { GridBytes, GridOptions } from './compute-grid.ts';
import { type GridFormat, type GridLayout, joinGeojson, joinKml, joinNetcdf, wholeSecond } from './file.ts';
import { type GridCells, gridCells } from './layout.ts';
import { type LevelEncoding, type PolygonShape, polygonShape } from './level.ts';
import { DEFAULT_ENGINE_EFFICIENCY } from './models.ts';
import { levelProperties } from './properties.ts';
import { type BinaryQuery, weatherRequest } from './request.ts';

export interface AccfQuery extends Omit<BinaryQuery, 'buffer'>, Partial<ClimateQuery> {
  readonly variables: readonly AccfVariable[] | undefined;
  /** Merged response from which on cells belong to a polygon [K per kg of fuel]. */
  readonly threshold: number | undefined;
}

/** A request for a grid of functions, checked and complete. */
export interface AccfRequest {
  /** [ms since 1970], a whole second. */
  readonly timeMs: number;
  readonly cells: GridCells;
  readonly format: GridFormat;
  readonly layout: GridLayout;
  readonly shape: PolygonShape;
  readonly threshold: number | undefined;
  readonly variables: readonly AccfVariable[];
  readonly climate: ClimateOptions;
  readonly engineEfficiency: number;
  readonly scaling: ChosenScaling;
  readonly source: string | undefined;
}

/** Throws `ValidationError` where parameters that are right by themselves do not go together. */
export function accfRequest(query: AccfQuery): AccfRequest {
  const { format, threshold, variables } = query;
  const isFile = format === 'netcdf';
  if (!isFile && threshold === undefined)
    throw refusal(
      'threshold',
      `threshold is missing; polygons need the response in K per kg of fuel that their cells reach, such as 1e-14`,
    );
  if (!isFile && variables !== undefined)
    throw refusal(
      'variables',
      'variables select those of a netCDF file; leave it out, because polygons are those of aCCF_merged',
    );
  return {
    timeMs: wholeSecond(query.time),
    cells: gridCells(query.bbox, query.flight_level),
    format,
    layout: query.layout,
    shape: polygonShape(query),
    threshold: isFile ? undefined : threshold,
    variables: isFile
      ? ACCF_VARIABLE_NAMES.filter((name) => variables === undefined || variables.includes(name))
      : ['aCCF_merged'],
    climate: climateOf(query),
    engineEfficiency: query.engine_efficiency ?? DEFAULT_ENGINE_EFFICIENCY,
    // The threshold of humidity stands for the scaling.
    scaling: chooseScaling(query, 'none'),
    source: query.met_source,
  };
}

function refusal(parameter: string, msg: string): ValidationError {
  return new ValidationError([{ loc: ['query', parameter], msg, type: 'value_error' }]);
}

/** The weather that the request needs. */
export function functionWeather(request: AccfRequest): WeatherRequest {
  return { ...weatherRequest(request), for: 'accf' };
}

const kernel = kernelAt<typeof import('./accf.kernel.ts').default>(
  new URL('./accf.kernel.ts', import.meta.url),
);

export async function computeAccf(
  compute: Pick<Compute, 'parallel'>,
  met: Met,
  given: AccfRequest,
  choice: Choice,
  options: GridOptions,
): Promise<GridBytes> {
  const weather = await met.openWeather(functionWeather(given), { signal: options.signal, choice });
  try {
    const { levels: air, radiation, origin } = weather;
    if (origin.climate === undefined)
      throw new RangeError('the weather was not opened for climate change functions');
    const request = { ...given, scaling: scalingForLevels(given.scaling, origin.levelType) };
    const { cells, timeMs, variables, climate, engineEfficiency, scaling } = request;
    const attributes = attributesOf(request, origin);
    const levels = cells.flightLevels.map((flightLevel) => ({
      flightLevel,
      properties: levelProperties({
        name: 'aCCF_merged',
        description: ACCF_VARIABLES.aCCF_merged.long_name,
        flightLevel,
        timeMs,
        isoValue: request.threshold ?? Number.NaN,
        attributes,
      }),
    }));
    const input = {
      weather: air,
      radiation,
      sources: origin.climate,
      longitude: cells.longitude,
      latitude: cells.latitude,
      ...{ timeMs, scaling, climate, engineEfficiency, variables, levels },
      encoding: encodingOf(request),
    };
    const planes = await compute.parallel(kernel, input, levels.length, options);
    return { chunks: await joined(request, planes, attributes), warnings: origin.warnings };
  } finally {
    weather.release();
  }
}

function encodingOf({ format, layout, shape, threshold }: AccfRequest): LevelEncoding {
  if (format === 'netcdf' || threshold === undefined) return { format: 'netcdf', layout };
  return { format, shape, test: thresholdTest(threshold) };
}

/** `planes` has the encoded variables of each level. */
async function joined(
  { timeMs, cells, format, layout, variables }: AccfRequest,
  planes: readonly (readonly Uint8Array[][])[],
  attributes: Record<string, string | number>,
): Promise<Uint8Array[]> {
  if (format !== 'netcdf') {
    const features = planes.map((level) => level.flat());
    const time = isoSecond(timeMs);
    return format === 'geojson' ? joinGeojson(features) : joinKml({ name: `accf ${time}`, time }, features);
  }
  return joinNetcdf({
    cells,
    timeMs,
    layout,
    variables: variables.map((name, v) => ({
      name,
      attributes: ACCF_VARIABLES[name],
      levels: planes.flatMap((level) => level[v] ?? []),
    })),
    attributes: { name: 'accf', description: 'Algorithmic climate change functions', ...attributes },
  });
}

/** How the functions were evaluated, as attributes of files and polygons. */
function attributesOf(
  { climate, scaling, engineEfficiency }: AccfRequest,
  origin: WeatherOrigin,
): Record<string, string | number> {
  const { name, formula } = describeScaling(scaling);
  const functions = Object.entries(describeFunctions(climate)).map(([key, value]) => [
    key,
    typeof value === 'number' ? value : String(value),
  ]);
  return {
    ...Object.fromEntries(functions),
    ...(climate.needsCriterion ? { engine_efficiency: engineEfficiency } : {}),
    geopotential_source: origin.climate?.geopotential ?? 'standard_atmosphere',
    potential_vorticity_source: origin.climate?.potentialVorticity ?? 'computed',
    humidity_scaling_name: name,
    humidity_scaling_formula: formula,
    ...sourceAttributes(origin),
    modeling_version: MODELING_VERSION,
    references: REFERENCES,
  };
}

const REFERENCES =
  'van Manen & Grewe 2019, TR-D 67, 388; Yin et al. 2023, GMD 16, 3313; Matthes et al. 2023; Dietmüller et al. 2023, GMD 16, 4405';
