/** Parameters of grids, as the endpoints, commands and programs read them. */
import { DEFAULT_SIMPLIFICATION, MAX_SIMPLIFICATION } from '@contrails/formats';
import { ValidationError } from '@contrails/runtime/errors';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { number } from '@contrails/runtime/options/number';
import { byDefault, invalid, optional, type Parameter, single } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { shown } from '@contrails/runtime/options/shown';
import { text } from '@contrails/runtime/options/text';
import { time } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import { climateParameters } from '../flights/climate.ts';
import { limitsOf, MODEL_PARAMETERS } from '../flights/parameter-table.ts';
import { humidityParameters } from '../options/humidity-scaling.ts';
import { parameterOf } from '../options/parameter-of.ts';
import { PLANNING_OPTIONS } from '../planning/option-table.ts';
import { ACCF_VARIABLE_NAMES } from './accf-variables.ts';
import { COCIP_AIRCRAFT_TYPES, type CocipAircraftType } from './aircraft.ts';
import { bbox } from './bbox.ts';
import { MAX_BUFFER_CELLS } from './buffer.ts';
import { MAX_AGE_HOURS, TIME_STEP_MINUTES } from './cocip-model.ts';
import { GRID_FORMATS } from './file.ts';
import { flightLevels } from './flight-level.ts';
import { FLIGHT_LEVELS } from './layout.ts';
import { DEFAULT_ENGINE_EFFICIENCY } from './models.ts';
import { COST_UNITS, type CostUnit, type GridTreatment } from './treatment.ts';

/** How netCDF files are laid out. */
export const layout = byDefault(
  choice(
    ['default', 'cf'],
    'Layout of netCDF: longitude, latitude, flight level, time; or cf for time, flight level, latitude, longitude as the CF conventions and geographic information systems (GDAL, QGIS) expect.',
  ),
  'default',
);

/** Part of the globe. */
export const gridBox = optional(
  bbox(
    'Bounding box min_lon,min_lat,max_lon,max_lat in degrees: cells whose centre lies in it, edges included. min_lon > max_lon crosses the antimeridian. Default: the whole globe.',
  ),
);

/** Which cells, when, and how they are written. */
const gridParameters = {
  time: time('Time of the grid; UTC if no zone is given.'),
  flight_level: byDefault(flightLevels('Flight levels in hectofeet; default: all 18.'), FLIGHT_LEVELS),
  bbox: gridBox,
  format: byDefault(
    choice(GRID_FORMATS, 'netCDF-4 with every cell, or polygons around the cells as GeoJSON or KML.'),
    'netcdf',
  ),
  layout,
};

/** How regions become polygons; without meaning for netCDF. */
const polygonParameters = {
  interiors: byDefault(boolean('Whether polygons have holes; false drops them.'), true),
  simplify: byDefault(
    number({
      integer: true,
      minimum: 0,
      maximum: MAX_SIMPLIFICATION,
      description:
        'Degree of polygon simplification: the minimum area is 0.1 square degrees times this number, and the tolerance grows from 0 to 0.5 degrees.',
    }),
    DEFAULT_SIMPLIFICATION,
  ),
  convex_hull: byDefault(
    boolean('Whether each polygon is replaced by its convex hull, which has no holes.'),
    false,
  ),
};

/** Cells that regions are widened by. */
export const bufferParameter = byDefault(
  number({
    integer: true,
    minimum: 0,
    maximum: MAX_BUFFER_CELLS,
    description:
      'Number of cells by which regions are widened: for flags, a cell is 1 if a cell of the region lies within this many steps east, west, north or south; for other values, it is the maximum of these cells. On cells of a quarter of a degree, a step is 27.8 km from north to south.',
  }),
  0,
);

/** What planners make of contrail grids. */
export const treatmentParameters = {
  carbon_price: parameterOf(PLANNING_OPTIONS.carbon_price),
  horizon: byDefault(choice(['20', '50', '100'], 'Time horizon of the CO2e in the cost [years].'), '100'),
  cooling: parameterOf(PLANNING_OPTIONS.cooling),
  buffer: bufferParameter,
  neighbourhood_km: byDefault(
    number({
      minimum: 0,
      maximum: 500,
      description: 'Radius of the neighbourhood of each cell, applied before `units`; 0 for the cell alone.',
    }),
    0,
  ),
  neighbourhood: byDefault(
    choice(['max', 'mean'], 'How a neighbourhood is aggregated: the maximum, or the area-weighted mean.'),
    'max',
  ),
  neighbourhood_hours: byDefault(
    number({
      integer: true,
      minimum: 0,
      maximum: 6,
      description:
        'Number of hours before and after whose stored grids of the same run are included for each cell.',
    }),
    0,
  ),
};

/** What a query makes of a contrail grid; `unit` is that of the file. Throws `ValidationError`. */
export function treatmentOf(
  query: Values<typeof treatmentParameters>,
  unit: CostUnit | undefined,
): GridTreatment {
  const { buffer: bufferCells, neighbourhood_km: neighbourhoodKm, neighbourhood, cooling } = query;
  const { neighbourhood_hours: neighbourhoodHours } = query;
  const excluded = neighbourhoodKm > 0 ? 'neighbourhood_km' : 'neighbourhood_hours';
  if (bufferCells > 0 && (neighbourhoodKm > 0 || neighbourhoodHours > 0))
    throw new ValidationError([
      {
        loc: ['query', excluded],
        msg: `${excluded} and buffer exclude each other; give one of them`,
        type: 'value_error',
      },
    ]);
  const horizon = Number(query.horizon) as 20 | 50 | 100;
  return {
    bufferCells,
    neighbourhoodKm,
    neighbourhood,
    neighbourhoodHours,
    prices: unit && { unit, carbonPrice: query.carbon_price, horizon, cooling },
  };
}

const weatherSource = optional(
  text({
    maxLength: 64,
    description:
      'Name of a configured weather source; default: reanalysis where it covers the request, otherwise forecast.',
  }),
);

/** Parameters of grids that only use the air. */
export const airParameters = {
  ...gridParameters,
  ...polygonParameters,
  ...humidityParameters,
  buffer: bufferParameter,
  met_source: weatherSource,
};

const { format: _, ...fileParameters } = gridParameters;

/** Parameters of the weather itself, which has no polygons. */
export const weatherParameters = { ...fileParameters, ...humidityParameters, met_source: weatherSource };

/** Parameters of the weather that contrails live in, which is not interpolated and has all levels. */
export const contrailWeatherParameters = {
  time: time('Time at which contrails form; UTC if no zone is given.'),
  hours: byDefault(
    number({
      description: `Hours for which contrails are followed; default: ${MAX_AGE_HOURS}.`,
      minimum: 0,
      maximum: MAX_AGE_HOURS,
    }),
    MAX_AGE_HOURS,
  ),
  bbox: bbox(
    'Bounding box min_lon,min_lat,max_lon,max_lat in degrees, including the air that contrails drift into. min_lon > max_lon crosses the antimeridian.',
  ),
  met_source: weatherSource,
};

/** Parameters of grids that also ask for the engine. */
export const engineParameters = {
  ...airParameters,
  engine_efficiency: byDefault(
    number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'Overall propulsion efficiency of the aircraft.',
    }),
    DEFAULT_ENGINE_EFFICIENCY,
  ),
};

const { buffer: _buffer, ...cellParameters } = engineParameters;
const { co2e_metric: _metric, co2e_set: _set, ...functionParameters } = climateParameters;

/** Parameters of climate change functions; humidity is not scaled unless a request asks for it. */
export const accfParameters = {
  ...cellParameters,
  ...functionParameters,
  variables: optional(
    list(choice(ACCF_VARIABLE_NAMES), {
      maxItems: 2 * ACCF_VARIABLE_NAMES.length,
      description: 'Variables of the netCDF file; default: all.',
    }),
  ),
  threshold: optional(
    number({
      description:
        'Minimum merged response of the cells in polygons [K per kg of fuel]. Required for GeoJSON and KML.',
      examples: [1e-14],
    }),
  ),
};

/** Other names under which clients know a type. */
const SYNONYMS: Readonly<Record<string, CocipAircraftType>> = { A359: 'A350' };

function aircraftType(types: readonly CocipAircraftType[]): Parameter<CocipAircraftType> {
  const choices = `choose from ${types.join(', ')}`;
  const schema = Type.Unsafe<string>({
    type: 'string',
    enum: [...types],
    description: 'Aircraft type, with its most common engine.',
    examples: ['B738'],
  });
  return {
    ...single(schema, (name, text) => {
      const designator = text.toUpperCase();
      const value = types.find((type) => type === (SYNONYMS[designator] ?? designator));
      return value === undefined
        ? invalid(`${name} ${shown(text)} is not served; ${choices}`, 'choice')
        : { value };
    }),
    remedy: choices,
  };
}

export function cocipParameters(types: readonly CocipAircraftType[] = COCIP_AIRCRAFT_TYPES) {
  return {
    ...gridParameters,
    ...polygonParameters,
    ...treatmentParameters,
    units: optional(
      choice(
        COST_UNITS,
        'Energy forcing in J/m (default), its CO2 equivalent in kg/km, or its cost per nautical mile; `threshold` has the same unit.',
      ),
    ),
    aircraft_type: aircraftType(types),
    threshold: byDefault(
      number({
        description:
          'Threshold for cells in polygons, in J/m or as set by `units`: values at or above it, or at or below it if it is negative. Ignored for netCDF.',
        examples: [1e8],
      }),
      1e8,
    ),
  };
}

/** What makes a grid one for a request alone. */
export const customParameters = {
  ...humidityParameters,
  dt_integration_minutes: optional(
    number({
      description: `Time step of the contrail model [min]; default: ${TIME_STEP_MINUTES}.`,
      ...limitsOf(MODEL_PARAMETERS.dt_integration_minutes),
    }),
  ),
  max_age_hours: optional(
    number({
      description: `Longest life of a contrail [h]; default: ${MAX_AGE_HOURS}.`,
      ...limitsOf(MODEL_PARAMETERS.max_age_hours, 'query'),
    }),
  ),
  azimuth: optional(
    number({
      description:
        'Direction of flight, clockwise from north [degrees]; default: approximately the mean over all directions.',
      minimum: 0,
      maximum: 360,
    }),
  ),
  fuel: optional(choice(['JetA', 'SAF'], 'Fuel, SAF with saf_blend_pct; default: JetA.')),
  saf_blend_pct: optional(
    number({ description: 'Share of sustainable fuel [% by volume].', minimum: 0, maximum: 100 }),
  ),
  aircraft_mass: optional(
    number({
      description: 'Mass of the aircraft in every cell [kg]; default: that of nominal cruise.',
      exclusiveMinimum: 0,
      maximum: 1_000_000,
    }),
  ),
  met_source: optional(text({ maxLength: 64, description: 'Name of a configured weather source.' })),
};

export type CustomQuery = Values<typeof customParameters>;

const { neighbourhood_hours: _ofStoredGrids, ...ofOneHour } = cocipParameters();

/** Where nothing is computed beforehand, any engine can be chosen, and there are no hours around. */
export const programParameters = {
  ...ofOneHour,
  ...customParameters,
  engine_uid: optional(
    text({ maxLength: 32, description: 'Engine; default: the most common one of the type.' }),
  ),
};
