/** Bodies and responses of the trajectory endpoints as OpenAPI shows them. */

import type { Answer } from '@contrails/engine/flights/answer';
import { LIMITS } from '@contrails/engine/flights/fields';
import {
  INCLUDES,
  type OutputColumn,
  outputColumns,
  type TrajectoryModel,
} from '@contrails/engine/flights/models';
import { needsOf } from '@contrails/engine/flights/needs';
import { readBody, type TrajectoryBody } from '@contrails/engine/flights/read-body';
import { METRIC_NAMES } from '@contrails/physics/climate';
import { describeField, type Field, nameOf, TOTAL_FIELDS, WAYPOINT_FIELDS } from '@contrails/physics/fields';
import { featureCollection, warningsHeader } from '@contrails/platform/http/openapi-responses';
import { inTurns } from '@contrails/runtime/turns';
import { type TSchema, Type } from 'typebox';
import { FLIGHT, flightId, PARAMETERS } from '../../endpoints/flight.ts';
import { flightsOrFiles } from '../../endpoints/flight-files.ts';
import { EXAMPLE_ANSWERS } from './examples.ts';
import { TABLE_CONTENT } from './tables.ts';

/** What a handler of this model gets as `request.body`. */
export function trajectoryBody(model: TrajectoryModel) {
  const needs = needsOf(model, []);
  return flightsOrFiles<TrajectoryBody>(BODY, (raw) => inTurns(readBody(raw, model, needs)));
}

/** As it is sent most often, or several flights in a list, each as it would be sent alone. */
const BODY = Type.Union([
  FLIGHT,
  Type.Array(FLIGHT, { minItems: 1, maxItems: LIMITS.flights }),
  Type.Object(
    {
      flights: Type.Array(FLIGHT, { minItems: 1, maxItems: LIMITS.flights }),
      parameters: Type.Optional(PARAMETERS),
    },
    { title: 'FlightList', description: 'Flights in a list, with parameters for all of them.' },
  ),
]);

/** One text where all flights agree, else one for each waypoint. */
const perFlight = (description: string) =>
  Type.Union([Type.String(), Type.Null(), Type.Array(Type.Union([Type.String(), Type.Null()]))], {
    description: `${description} A list with one for each waypoint where flights differ.`,
  });

const column = (name: OutputColumn) =>
  Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description: describeField(WAYPOINT_FIELDS[name]),
  });

const metricsBlock = (description: string) =>
  Type.Object(Object.fromEntries(METRIC_NAMES.map((name) => [name, Type.Number()])), { description });

const totals = Type.Object(
  {
    flight_id: Type.Optional(flightId),
    ...Object.fromEntries(
      Object.entries<Field>(TOTAL_FIELDS).map(([key, field]) => [
        field.name ?? key,
        Type.Optional(Type.Union([Type.Number(), Type.Null()], { description: describeField(field) })),
      ]),
    ),
    metrics: Type.Optional(metricsBlock('Contrails under nine metrics [kg].')),
    co2e_efficacy: Type.Optional(Type.Boolean({ description: 'Whether CO2 equivalents count efficacy.' })),
    co2e_set: Type.Optional(Type.String({ description: 'Warming potentials of CO2 that were used.' })),
  },
  { title: 'FlightTotals', description: 'Sums over a flight; what is unknown on a leg does not count.' },
);

/** An object that its guide describes, or a list of them. */
const anything = (description: string) =>
  Type.Union(
    [
      Type.Object({}, { additionalProperties: true }),
      Type.Array(Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])),
    ],
    { description },
  );

/** What a model returns; what only `include` adds may be absent. */
function trajectoryResult(model: TrajectoryModel) {
  const own = outputColumns(model, []);
  const included = outputColumns(model, INCLUDES).filter((name) => !own.includes(name));
  const withEngines = model === 'emissions' || model === 'cocip';
  const engine = (schema: TSchema) => (withEngines ? schema : Type.Optional(schema));
  return Type.Object(
    {
      flight_id: Type.Union([flightId, Type.Array(flightId)], {
        description: 'As it was sent; microseconds since 1970 of the computation when none was.',
      }),
      met_source_provider: perFlight('Who made the weather data; null when no weather was needed.'),
      met_source_dataset: perFlight('Data set of the weather.'),
      met_source_product: perFlight('Product of the data set.'),
      met_source_forecast_time: Type.Optional(perFlight('Start of the forecast, where one was used.')),
      met_source_radiation: Type.Optional(
        perFlight(
          'With `cocip`: where radiation is from: `own`, `estimated`, or another source with its run.',
        ),
      ),
      met_source_attribution: Type.Optional(perFlight('Lines that the providers of the weather require.')),
      modeling_version: Type.String({ description: 'Version of the models.' }),
      humidity_scaling_name: Type.String({ description: 'How humidity was corrected.' }),
      humidity_scaling_formula: Type.String({ description: 'The correction as a formula.' }),
      resample: Type.Optional(Type.String({ description: 'With `resample`: its step.' })),
      ...Object.fromEntries(
        ['time', 'longitude', 'latitude', 'altitude'].map((name) => [
          name,
          Type.Optional(
            Type.Array(name === 'time' ? Type.String() : Type.Number(), {
              description: 'With `resample`: where the resampled waypoints are, to which all lists belong.',
            }),
          ),
        ]),
      ),
      ...(model === 'cocip'
        ? {
            cocip_max_contrail_age: Type.String({ description: 'Longest life of a contrail.' }),
            cocip_dt_integration: Type.String({ description: 'Time step of the model.' }),
          }
        : {}),
      parameters: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description: 'With `parameters` in the body: all parameters of the models as they were used.',
          },
        ),
      ),
      fuel_properties: Type.Optional(
        anything('Given properties of the fuel, with `effect` none beside those that change nothing.'),
      ),
      ...(model === 'accf'
        ? {
            accf_parameters: anything('Parameters of the functions as they were used.'),
            geopotential_source: Type.String({ description: '`given`, or `standard_atmosphere`.' }),
            potential_vorticity_source: Type.String({ description: '`given`, or `computed`.' }),
          }
        : {}),
      nvpm_data_source: engine(perFlight('Where the numbers of particles come from.')),
      engine_uid: engine(perFlight('Engine that was used.')),
      ...Object.fromEntries(own.map((key) => [nameOf(WAYPOINT_FIELDS, key), column(key)])),
      ...Object.fromEntries(
        included.map((key) => [nameOf(WAYPOINT_FIELDS, key), Type.Optional(column(key))]),
      ),
      totals: Type.Optional(
        Type.Union([totals, Type.Array(totals)], {
          description: 'With `include`: sums over the flight; a list with one for each flight of a fleet.',
        }),
      ),
      ...(model === 'cocip'
        ? {
            contrail: Type.Optional(featureCollection),
            climate: Type.Optional(
              anything(
                'With `include=climate`: CO2, contrails, NOx and water vapour under nine metrics; a list in a fleet.',
              ),
            ),
            uncertainty: Type.Optional(
              Type.Object(
                {},
                {
                  additionalProperties: true,
                  description:
                    'With `uncertainty`: statistics of the samples; of a fleet, `flights` and `fleet`.',
                },
              ),
            ),
          }
        : {}),
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'With `include` or `resample`, and where there are any: what the reader should know of the numbers.',
        }),
      ),
      units: Type.Object({}, { additionalProperties: true, description: 'Unit of each field.' }),
    },
    {
      title: `${model.charAt(0).toUpperCase()}${model.slice(1)}Result`,
      description:
        'One value for each waypoint, in the order of the request; with `resample` for each resampled waypoint, flight after flight.',
      examples: [EXAMPLE_ANSWERS[model]],
    },
  );
}

export function trajectoryResponse(model: TrajectoryModel) {
  return {
    description: 'One value for each waypoint, in the order of the request.',
    headers: warningsHeader,
    content: {
      'application/json': { schema: Type.Unsafe<Answer>(trajectoryResult(model)) },
      ...Object.fromEntries(
        Object.values(TABLE_CONTENT).map(({ type }) => [type, { schema: Type.String({ format: 'binary' }) }]),
      ),
    },
  };
}
