import type { AircraftClass } from '@contrails/engine/grid/aircraft';
import { flightLevel } from '@contrails/engine/grid/flight-level';
import { COST_UNITS } from '@contrails/engine/grid/treatment';
import { FORECAST_THRESHOLDS } from '@contrails/physics/cocip';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { parseNumber } from '@contrails/runtime/options/number';
import { byDefault, invalid, optional, type Parameter, single } from '@contrails/runtime/options/parameter';
import { shown } from '@contrails/runtime/options/shown';
import { time } from '@contrails/runtime/options/time';
import { Type } from 'typebox';

/** Parameters of both forecast endpoints; only classes that are computed can be requested. */
export function forecastParameters(classes: readonly [AircraftClass, ...AircraftClass[]]) {
  return {
    time: time('The time of the forecast, rounded down to the hour.'),
    flight_level: optional(flightLevel('Flight level in hectofeet; default: all 18.')),
    aircraft_class: byDefault(
      choice(classes, 'Aircraft class of the forecast.'),
      classes.includes('default') ? 'default' : classes[0],
    ),
    forecast_reference_time: optional(
      time('Start of the weather run; default: the newest run that has the product.'),
    ),
  };
}

/** Of the list of runs. */
export function runsParameters(classes: readonly [AircraftClass, ...AircraftClass[]]) {
  return { aircraft_class: optional(choice(classes, 'Only this class; default: all.')) };
}

/** Of contrail grids: computed for the request even if stored. */
export const onRequest = byDefault(
  boolean('Computes the grid for this request alone, at any time, and stores nothing.'),
  false,
);

export const gridUnits = optional(
  choice(
    ['index', ...COST_UNITS],
    'The forcing index from 0 to 4, the energy forcing in J/m behind it, its CO2 equivalent in kg/km, or its cost per nautical mile.',
  ),
);

/** The minimum index of a region. */
export const regionThreshold: Parameter<number | undefined> = optional(
  single(
    Type.Unsafe<number>({
      type: 'integer',
      enum: [...FORECAST_THRESHOLDS],
      description: 'Minimum forcing index of the regions; default: one feature per index.',
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
