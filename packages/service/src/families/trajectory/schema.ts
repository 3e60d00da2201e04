/** Bodies and responses of the trajectory endpoints as OpenAPI shows them. */

import type { Answer } from '@contrails/engine/flights/answer';
import { contrailUnits } from '@contrails/engine/flights/contrail-lines';
import { LIMITS } from '@contrails/engine/flights/fields';
import {
  INCLUDES,
  type OutputColumn,
  outputColumns,
  type TrajectoryModel,
} from '@contrails/engine/flights/models';
import { needsOf } from '@contrails/engine/flights/needs';
import { readBody, type TrajectoryBody } from '@contrails/engine/flights/read-body';
import { EMISSION_SCENARIOS } from '@contrails/physics/climate';
import { CO2E_HORIZONS } from '@contrails/physics/cocip';
import {
  describeField,
  FIGURE_FIELDS,
  type Field,
  nameOf,
  TOTAL_FIELDS,
  WAYPOINT_FIELDS,
} from '@contrails/physics/fields';
import {
  QUANTILE_NAMES,
  SCALAR_NAMES,
  UNCERTAIN_SCALARS,
  UNCERTAINTY_GROUPS,
} from '@contrails/physics/uncertainty';
import { featureCollection, lineString, warningsHeader } from '@contrails/platform/http/openapi-responses';
import { inTurns } from '@contrails/runtime/turns';
import { type TSchema, Type } from 'typebox';
import { figure, metrics, oneOf, orNull, statistics } from '../../endpoints/figures.ts';
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
    { title: 'FlightList', description: 'A list of flights with shared parameters.' },
  ),
]);

/** One text where all flights agree, else one for each waypoint. */
const perFlight = (description: string) =>
  Type.Union([Type.String(), Type.Null(), Type.Array(Type.Union([Type.String(), Type.Null()]))], {
    description: `${description} A list with one value per waypoint if flights differ.`,
  });

const column = (name: OutputColumn) =>
  Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description: describeField(WAYPOINT_FIELDS[name]),
  });

const totals = Type.Object(
  {
    flight_id: Type.Optional(flightId),
    ...Object.fromEntries(
      Object.entries<Field>(TOTAL_FIELDS).map(([key, field]) => [
        field.name ?? key,
        Type.Optional(Type.Union([Type.Number(), Type.Null()], { description: describeField(field) })),
      ]),
    ),
    metrics: Type.Optional(metrics),
    co2e_efficacy: Type.Optional(Type.Boolean({ description: 'Whether CO2 equivalents include efficacy.' })),
    co2e_set: Type.Optional(Type.String({ description: 'Set of CO2 warming potentials used.' })),
  },
  { title: 'FlightTotals', description: 'Sums over a flight; unknown values of segments are not counted.' },
);

/** One object, or one for each flight of a fleet. */
const oneOrList = (schema: TSchema, description: string) =>
  Type.Union([schema, Type.Array(orNull(schema))], { description });

const fuelProperty = Type.Object({
  value: Type.Number(),
  effect: Type.Optional(Type.Literal('none', { description: 'The property has no effect.' })),
});

const fuelProperties = Type.Object(
  {
    hydrogen_content: Type.Optional(fuelProperty),
    sulphur_ppm: Type.Optional(fuelProperty),
    aromatics_pct: Type.Optional(fuelProperty),
    naphthalene_pct: Type.Optional(fuelProperty),
  },
  { title: 'FuelProperties' },
);

const functions = Type.Object(
  {
    accf_v: Type.String({ description: 'Version of the functions.' }),
    efficacy: Type.Boolean(),
    emission_scenario: oneOf(EMISSION_SCENARIOS),
    time_horizon: Type.Integer({ description: '[years]' }),
    pmo: Type.Boolean({ description: 'Whether primary-mode ozone is included.' }),
    pcfa: oneOf(['sac', 'issr'], 'Where contrails persist.'),
    issr_rhi_threshold: Type.Number(),
    issr_temp_threshold: Type.Number({ description: '[K]' }),
    nox_ei: Type.Number({ description: 'NOx emission index of the merged function [kg kg-1].' }),
    km_per_kg_fuel: Type.Number(),
  },
  { title: 'ClimateFunctions', description: 'Parameters of the functions as used.' },
);

const effect = { atr20_k: figure('Average temperature response over 20 years [K].'), co2e: metrics };
const kg = figure('[kg]');

const balance = Type.Object(
  {
    flight_id: Type.Optional(flightId),
    accf_v: Type.String({ description: 'Version of the climate change functions.' }),
    efficacy: Type.Boolean(),
    co2e_set: Type.String(),
    contrails: Type.Literal('cocip', { description: 'Source of the contrails in the balance.' }),
    coverage: figure('Share of the fuel whose NOx and water vapour are known.'),
    [nameOf(FIGURE_FIELDS, 'fuel_kg')]: figure(`[${FIGURE_FIELDS.fuel_kg.unit}]`),
    species: Type.Object({
      co2: Type.Object({ kg, ...effect }),
      contrails: Type.Object({
        [nameOf(FIGURE_FIELDS, 'energy_forcing_j')]: figure(describeField(FIGURE_FIELDS.energy_forcing_j)),
        ...effect,
      }),
      nox: Type.Object({ kg, ...effect, o3_k: figure('[K]'), ch4_k: figure('[K]'), pmo_k: figure('[K]') }),
      h2o: Type.Object({ kg, ...effect }),
      contrails_accf: Type.Object(
        { km: figure('[km]'), ...effect, counted: Type.Literal(false) },
        { description: 'Result of the climate change function, for comparison; not part of any sum.' },
      ),
    }),
    non_co2: Type.Object({ co2e: metrics }),
    total: Type.Object({ co2e: metrics }),
  },
  { title: 'ClimateBalance', description: 'CO2, contrails, NOx and water vapour under nine metrics.' },
);

const distribution = Type.Object(
  {
    distribution: Type.String(),
    values: Type.Array(Type.Number()),
    minimum: Type.Optional(Type.Number()),
  },
  { title: 'Distribution' },
);
const scalarNames = SCALAR_NAMES.map((name) => UNCERTAIN_SCALARS[name].name);
const optionalOf = (names: readonly string[], schema: TSchema) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(schema)]));
const list = Type.Array(figure());
const share = figure('Share of the samples.');

const sampledTotals = {
  totals: Type.Object({
    [nameOf(TOTAL_FIELDS, 'energy_forcing')]: statistics,
    ...Object.fromEntries(CO2E_HORIZONS.map((horizon) => [`co2e_gwp${horizon}`, statistics])),
    persistent_km: statistics,
  }),
  probability_warming: share,
  probability_cooling: share,
  probability_persistent: share,
};

const sampledFlight = {
  ...sampledTotals,
  waypoints: orNull(
    Type.Object(
      { ...Object.fromEntries(QUANTILE_NAMES.map((name) => [name, list])), probability_persistent: list },
      { description: 'Quantiles of the energy forcing of each waypoint [J].' },
    ),
  ),
  sensitivity: Type.Optional(
    Type.Object(optionalOf(UNCERTAINTY_GROUPS, Type.Object({ total: figure(), first_order: figure() })), {
      description: 'Shares of the variance by group of parameters.',
    }),
  ),
  sample_values: Type.Optional(
    Type.Object(
      {
        ...Object.fromEntries(scalarNames.map((name) => [name, list])),
        radiation_estimate: Type.Optional(list),
        [nameOf(TOTAL_FIELDS, 'energy_forcing')]: list,
        persistent_km: list,
      },
      { description: 'With `include=samples`: inputs and results of each sample.' },
    ),
  ),
};

const sampling = {
  samples: Type.Integer(),
  seed: Type.Integer(),
  set: Type.String(),
  sampling: Type.String(),
  met_members: orNull(Type.Array(Type.Integer())),
  parameters: Type.Object({
    humidity: Type.Optional(
      Type.Object(optionalOf(['systematic', 'field', 'length_km', 'height_m', 'time_h'], Type.Number())),
    ),
    ...optionalOf([...scalarNames, 'habit_distributions', 'radiation_estimate'], distribution),
  }),
  notes: Type.Array(Type.String()),
};

const uncertainty = Type.Union(
  [
    Type.Object({ ...sampling, ...sampledFlight }, { title: 'FlightUncertainty' }),
    Type.Object(
      {
        ...sampling,
        flights: Type.Array(Type.Object({ flight_id: Type.Optional(flightId), ...sampledFlight })),
        fleet: Type.Object(sampledTotals),
      },
      { title: 'FleetUncertainty' },
    ),
  ],
  { description: 'With `uncertainty`: statistics of the samples; for a fleet, `flights` and `fleet`.' },
);

const unitNames = Type.Record(Type.String(), Type.String());

const contrailLines = featureCollection(
  'Contrail',
  lineString,
  Type.Object(
    {
      flight_id: Type.Optional(flightId),
      time: Type.String({ description: 'End of the model step.' }),
      waypoint: Type.Array(orNull(Type.Integer())),
      age: Type.Array(figure('[min]')),
      ...Object.fromEntries(
        Object.entries(contrailUnits(true))
          .filter(([name]) => name !== 'altitude' && name !== 'age')
          .map(([name, unit]) => {
            const values = Type.Array(figure(), { description: `[${unit}]` });
            return [name, name in contrailUnits(false) ? values : Type.Optional(values)];
          }),
      ),
    },
    { title: 'ContrailLineValues', description: 'Values at the positions of the line.' },
  ),
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
        description: 'Id as sent; otherwise the time of the computation in microseconds since 1970.',
      }),
      met_source_provider: perFlight('Provider of the weather data; null if no weather was needed.'),
      met_source_dataset: perFlight('Data set of the weather.'),
      met_source_product: perFlight('Product of the data set.'),
      met_source_forecast_time: Type.Optional(perFlight('Start of the forecast, where one was used.')),
      met_source_radiation: Type.Optional(
        perFlight(
          'With `cocip`: source of the radiation: `own`, `estimated`, or another source with its run.',
        ),
      ),
      met_source_attribution: Type.Optional(perFlight('Attribution required by the weather providers.')),
      modeling_version: Type.String({ description: 'Version of the models.' }),
      humidity_scaling_name: Type.String({ description: 'Name of the humidity correction.' }),
      humidity_scaling_formula: Type.String({ description: 'The correction as a formula.' }),
      resample: Type.Optional(Type.String({ description: 'With `resample`: the step used.' })),
      ...Object.fromEntries(
        ['time', 'longitude', 'latitude', 'altitude'].map((name) => [
          name,
          Type.Optional(
            Type.Array(name === 'time' ? Type.String() : Type.Number(), {
              description: 'With `resample`: positions of the resampled waypoints, to which all lists refer.',
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
      parameters: Type.Optional(PARAMETERS),
      fuel_properties: Type.Optional(
        oneOrList(fuelProperties, 'Given fuel properties; those that change nothing have `effect` none.'),
      ),
      ...(model === 'accf'
        ? {
            accf_parameters: functions,
            geopotential_source: Type.String({ description: '`given`, or `standard_atmosphere`.' }),
            potential_vorticity_source: Type.String({ description: '`given`, or `computed`.' }),
          }
        : {}),
      nvpm_data_source: engine(perFlight('Source of the particle numbers.')),
      engine_uid: engine(perFlight('UID of the engine used.')),
      ...Object.fromEntries(own.map((key) => [nameOf(WAYPOINT_FIELDS, key), column(key)])),
      ...Object.fromEntries(
        included.map((key) => [nameOf(WAYPOINT_FIELDS, key), Type.Optional(column(key))]),
      ),
      totals: Type.Optional(
        Type.Union([totals, Type.Array(totals)], {
          description: 'With `include`: sums over the flight; for a fleet, a list with one entry per flight.',
        }),
      ),
      ...(model === 'cocip'
        ? {
            contrail: Type.Optional(contrailLines),
            climate: Type.Optional(
              oneOrList(balance, 'With `include=climate`: the balance of the flight; for a fleet, a list.'),
            ),
            uncertainty: Type.Optional(uncertainty),
          }
        : {}),
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description: 'With `include` or `resample`: warnings about the numbers, if there are any.',
        }),
      ),
      units: Type.Record(Type.String(), Type.Union([Type.String(), unitNames]), {
        description: 'Unit of each field.',
      }),
    },
    {
      title: `${model.charAt(0).toUpperCase()}${model.slice(1)}Result`,
      description:
        'One value per waypoint, in the order of the request; with `resample`, one per resampled waypoint, flight by flight.',
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
