import {
  type AircraftClass,
  COCIP_AIRCRAFT_TYPES,
  type CocipAircraftType,
} from '@contrails/engine/grid/aircraft';
import { flightLevel } from '@contrails/engine/options/flight-level';
import { FORECAST_THRESHOLDS } from '@contrails/physics/cocip';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { number, parseNumber } from '@contrails/runtime/options/number';
import { byDefault, invalid, optional, type Parameter, single } from '@contrails/runtime/options/parameter';
import { shown } from '@contrails/runtime/options/shown';
import { time } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import { gridParameters, polygonParameters } from '../../../endpoints/grids.ts';

/** Parameters of both forecast endpoints; only classes that are computed can be requested. */
export function forecastParameters(classes: readonly [AircraftClass, ...AircraftClass[]]) {
  return {
    time: time('The time of the forecast; what lies within an hour counts as its beginning.'),
    flight_level: optional(flightLevel('Flight level in hectofeet; all 18 when it is not given.')),
    aircraft_class: byDefault(
      choice(classes, 'Class of aircraft that the forecast is for.'),
      classes.includes('default') ? 'default' : classes[0],
    ),
    forecast_reference_time: optional(
      time('Start of the weather run that is wanted; the newest that has the product when it is not given.'),
    ),
  };
}

/** Of the list of runs. */
export function runsParameters(classes: readonly [AircraftClass, ...AircraftClass[]]) {
  return { aircraft_class: optional(choice(classes, 'Only this class; all when it is not given.')) };
}

/** Of contrail grids: computed for the request, whatever is stored. */
export const onRequest = byDefault(
  boolean('Computes the grid for this request alone, at any time, and stores nothing.'),
  false,
);

export const gridUnits = optional(
  choice(['index', 'ef_per_m'], 'The forcing index of 0 to 4, or the energy forcing in J/m behind it.'),
);

/** The least index of a region. */
export const regionThreshold: Parameter<number | undefined> = optional(
  single(
    Type.Unsafe<number>({
      type: 'integer',
      enum: [...FORECAST_THRESHOLDS],
      description: 'Least forcing index of the regions; one feature for each when it is not given.',
    }),
    (name, text) => {
      const value = FORECAST_THRESHOLDS.find((threshold) => threshold === parseNumber(text));
      return value === undefined
        ? invalid(
            `${name} ${shown(text)} is not served; choose from ${FORECAST_THRESHOLDS.join(', ')}`,
            'choice',
          )
        : { value };
    },
  ),
);

/** Names under which clients know a type besides its own. */
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
    aircraft_type: aircraftType(types),
    threshold: byDefault(
      number({
        description:
          'Energy forcing in J/m that cells of polygons reach: at least it, or at most it when it is negative. Without meaning for netCDF.',
        examples: [1e8],
      }),
      1e8,
    ),
  };
}
