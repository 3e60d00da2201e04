/** Bodies and responses of the planning endpoints as OpenAPI shows them. */

import { LIMITS } from '@contrails/engine/flights/fields';
import { SUMMED } from '@contrails/engine/planning/answer';
import type { Answer } from '@contrails/engine/planning/describe-flight';
import type { PlanKind } from '@contrails/engine/planning/options';
import { type PlanningBody, readPlanningBody } from '@contrails/engine/planning/read-body';
import { CO2E_METRICS, METRIC_NAMES } from '@contrails/physics/climate';
import {
  describeField,
  FIGURE_FIELDS,
  type FigureName,
  nameOf,
  TOTAL_FIELDS,
  WAYPOINT_FIELDS,
} from '@contrails/physics/fields';
import { COOLING_RULES } from '@contrails/physics/planning';
import { PROBLEM_SCHEMA } from '@contrails/platform/http/openapi-problems';
import { INSTANT } from '@contrails/runtime/options/time';
import { inTurns } from '@contrails/runtime/turns';
import { type TSchema, Type } from 'typebox';
import { figure, metrics, oneOf, orNull, statistics } from '../../endpoints/figures.ts';
import { FLIGHT, PARAMETERS } from '../../endpoints/flight.ts';
import { flightsOrFiles } from '../../endpoints/flight-files.ts';

const range = (description: string, min: number, max: number) =>
  Type.Array(Type.Number({ minimum: min, maximum: max }), { minItems: 2, maxItems: 2, description });

const avoid = Type.Array(
  Type.Object(
    {
      longitude: range('West and east; west > east crosses the antimeridian.', -180, 180),
      latitude: range('South and north.', -90, 90),
      flight_level: range('Lowest and highest flight level.', 0, 1000),
      time: Type.Optional(
        Type.Array(Type.Unsafe<string | number>({ ...INSTANT }), {
          minItems: 2,
          maxItems: 2,
          description: 'Start and end; default: always.',
        }),
      ),
    },
    { title: 'AvoidBox', description: 'Airspace that profiles must avoid; bounds are inclusive.' },
  ),
  { maxItems: 100, description: 'Boxes that a profile must avoid; for profiles only.' },
);

/** What a handler gets as `request.body`. */
export function planningBody(kind: PlanKind) {
  const {
    title: _,
    properties,
    ...schema
  } = FLIGHT as TSchema & {
    title?: string;
    properties: Record<string, TSchema>;
    required: string[];
  };
  const boxes = kind === 'profile' ? { avoid } : {};
  const name = kind === 'profile' ? 'PlannedProfileFlight' : 'PlannedFlight';
  const flight = Type.Unsafe({
    ...schema,
    title: name,
    required: [...schema.required, 'aircraft_type'],
    properties: { ...properties, ...boxes },
  });
  const flights = Type.Array(flight, { minItems: 1, maxItems: LIMITS.flights });
  const list = Type.Object(
    {
      flights,
      ...(properties.parameters && { parameters: Type.Optional(properties.parameters) }),
      ...optional(boxes),
    },
    { title: `${name}List`, description: 'A list of flights with shared parameters.' },
  );
  return flightsOrFiles<PlanningBody>(Type.Union([flight, flights, list]), (raw) =>
    inTurns(readPlanningBody(raw)),
  );
}

const optional = (schemas: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]));

const texts = (description?: string) =>
  Type.Array(Type.String(), description === undefined ? {} : { description });
const values = Type.Array(orNull(Type.Number()));

/** Figures of a plan under their public names. */
export const figuresOf = (keys: readonly FigureName[]) =>
  Object.fromEntries(
    keys.map((key) => [nameOf(FIGURE_FIELDS, key), figure(describeField(FIGURE_FIELDS[key]))]),
  );

/** Fields whose names have the metric that prices ask for; a response has one of them. */
const ofMetric = (name: (metric: string) => string, schema: TSchema) =>
  Object.fromEntries(METRIC_NAMES.map((metric) => [name(metric), Type.Optional(schema)]));

const limits = Type.Object(
  {
    ceiling: Type.Boolean({ description: 'Whether the track respects the ceiling of the type.' }),
    lift_share: Type.Number({ description: 'Share of the level distance beyond the buffet limit.' }),
    thrust_share: Type.Number({ description: 'Share with a remaining climb rate below 300 ft/min.' }),
    weather_share: Type.Number({ description: 'Share with known weather.' }),
  },
  { title: 'PlanLimits' },
);

const delta = Type.Object(
  {
    ...figuresOf(['fuel_kg', 'flight_time_s', 'energy_forcing_j', 'cost']),
    ...ofMetric(
      (metric) => `total_co2e_${metric}_kg`,
      figure('CO2 of the fuel and CO2e of the contrails [kg].'),
    ),
  },
  { title: 'PlanDelta', description: 'Row minus baseline.' },
);

const uncertainty = Type.Object(
  {
    [nameOf(TOTAL_FIELDS, 'energy_forcing')]: statistics,
    delta_cost: orNull(statistics),
    ...ofMetric((metric) => `delta_total_co2e_${metric}`, orNull(statistics)),
    probability_better: figure('Share of the samples in which the row is better than the baseline.'),
  },
  {
    title: 'PlanUncertainty',
    description: 'With `uncertainty`: statistics of the samples, paired with the baseline.',
  },
);

const track = Type.Object(
  {
    longitude: Type.Array(Type.Number()),
    latitude: Type.Array(Type.Number()),
    altitude: Type.Array(Type.Number()),
    time: texts(),
    [nameOf(WAYPOINT_FIELDS, 'energy_forcing')]: values,
    [nameOf(WAYPOINT_FIELDS, 'fuel_flow')]: values,
  },
  {
    title: 'PlanTrack',
    description: 'With `include=waypoints`: the track, as a body for any trajectory endpoint.',
  },
);

const figures = {
  kind: oneOf(['baseline', 'level', 'shift', 'profile']),
  flight_level: orNull(Type.Number()),
  shift_ft: orNull(Type.Number()),
  status: oneOf(
    ['ok', 'infeasible', 'outside_weather'],
    'Whether the row can be flown, and whether its weather is known.',
  ),
  ...figuresOf(Object.keys(FIGURE_FIELDS) as FigureName[]),
  metrics,
  limits,
  delta: orNull(delta),
  uncertainty: orNull(uncertainty),
};

const row = Type.Object({ ...figures, waypoints: Type.Optional(orNull(track)) }, { title: 'PlanRow' });

const alternative = Type.Object(
  {
    changes: Type.Integer({ description: 'Changes of level.' }),
    optimum: Type.Boolean({ description: 'Whether it has the lowest predicted cost.' }),
    eligible: Type.Boolean({
      description: 'Whether its verified track can be flown and complies with all rules.',
    }),
    levels: Type.Array(
      Type.Object(
        {
          from_km: Type.Number(),
          to_km: Type.Number(),
          from_time: Type.String(),
          to_time: Type.String(),
          flight_level: Type.Number(),
        },
        { title: 'PlanLevel', description: 'A level with its start and end in distance and time.' },
      ),
    ),
    predicted: Type.Object(figuresOf(SUMMED), { description: 'Sums predicted from the tables.' }),
    verified: Type.Object(figures, {
      title: 'PlanFigures',
      description: 'Figures of the full models along a track.',
    }),
    waypoints: Type.Optional(orNull(track)),
  },
  { title: 'PlanAlternative' },
);

export const verdict = Type.Object(
  {
    better: Type.Integer({ description: 'Number of metrics under which the choice is better.' }),
    of: Type.Integer(),
    delta_co2e_kg: metrics,
  },
  {
    title: 'MetricsVerdict',
    description: 'Comparison of the choice with the baseline; null if the baseline is best.',
  },
);

const recommendation = Type.Object(
  {
    change: Type.Boolean(),
    reason: oneOf(['better', 'not_robust', 'baseline_is_best', 'weather_too_short', 'no_feasible_profile']),
    basis: oneOf(['screening', 'monte_carlo']),
    row: orNull(
      Type.Integer({ description: 'Index in `rows`; null for a profile that is not one of them.' }),
    ),
    delta_cost: figure('Cost of the chosen row minus that of the flight.'),
    delta_cost_half: figure('The same with half the effect of contrails.'),
    delta_cost_double: figure('The same with twice the effect of contrails.'),
    probability_better: figure(
      'Share of the samples in which the change is better; null without `uncertainty`.',
    ),
    metrics: orNull(verdict),
  },
  { title: 'PlanRecommendation', description: 'Whether a change is worth it under uncertainty.' },
);

const flightId = orNull(Type.Union([Type.String(), Type.Integer()]));
const table = Type.Array(values, { description: 'By stage and level.' });

/** Of profiles only. */
const profile = {
  alternatives: Type.Array(alternative),
  chosen: orNull(
    Type.Object(
      {
        kind: oneOf(['baseline', 'level', 'shift', 'profile']),
        flight_level: orNull(Type.Number()),
        changes: orNull(Type.Integer()),
        ...figuresOf(['cost']),
      },
      { title: 'PlanChoice', description: 'The cheapest candidate after verification.' },
    ),
  ),
  simplest: orNull(
    Type.Integer({ description: 'Fewest changes that achieve 95 % of the savings of the chosen profile.' }),
  ),
  multiplier: figure('Surcharge on `fuel_price` that keeps the profile within `max_extra_fuel_percent`.'),
  stages: Type.Integer({ description: 'Number of stages in the search.' }),
  stage_km: Type.Number(),
  min_stages: Type.Integer({ description: 'Minimum number of stages at a level.' }),
  baseline_blocked: Type.Boolean({ description: 'Whether the flight itself breaks a rule.' }),
  binding: texts('Rules and limits that constrain the proposal.'),
  tables: Type.Optional(
    Type.Object(
      {
        flight_levels: Type.Array(Type.Number()),
        fuel_kg: table,
        time_s: table,
        paid_ef_j: table,
        open: table,
        climb_kg_per_ft: values,
      },
      { title: 'PlanTables', description: 'With `include=tables`: the data used by the search.' },
    ),
  ),
};

export const prices = Type.Object(
  {
    fuel_price: Type.Number(),
    cost_index: Type.Number(),
    carbon_price: Type.Number(),
    horizon: Type.Integer(),
    cooling: oneOf(COOLING_RULES),
    co2e_metric: oneOf(CO2E_METRICS),
    efficacy: Type.Boolean(),
    co2e_set: Type.String(),
  },
  { title: 'PlanPrices', description: 'Prices used.' },
);

const working = Type.Object(
  {
    waypoints: Type.Integer(),
    inserted: Type.Integer({ description: 'Number of waypoints added.' }),
    cruise: Type.Array(Type.Integer(), {
      minItems: 2,
      maxItems: 2,
      description: 'First and last waypoint of the cruise.',
    }),
    takeoff_mass: figure('[kg]'),
    length_km: Type.Number(),
  },
  { title: 'PlannedTrack', description: 'The planned track.' },
);

const units = Type.Record(Type.String(), Type.String(), { description: 'Unit of each field.' });

/** The plan of one flight. */
export function planOfFlight(kind: PlanKind) {
  return Type.Object(
    {
      flight_id: flightId,
      ...Object.fromEntries(
        ['met_source_provider', 'met_source_dataset', 'met_source_product'].map((name) => [
          name,
          orNull(Type.String()),
        ]),
      ),
      met_source_radiation: Type.Optional(Type.String()),
      met_source_attribution: Type.Optional(Type.String()),
      met_source_forecast_time: Type.Optional(Type.String()),
      modeling_version: Type.String(),
      humidity_scaling_name: Type.String(),
      humidity_scaling_formula: Type.String(),
      cocip_max_contrail_age: Type.String(),
      cocip_dt_integration: Type.String(),
      parameters: Type.Optional(PARAMETERS),
      nvpm_data_source: orNull(Type.String()),
      engine_uid: orNull(Type.String()),
      working,
      cost: prices,
      rows: Type.Array(row),
      best: Type.Integer({ description: 'Index of the cheapest row.' }),
      ...(kind === 'profile' ? profile : {}),
      recommendation,
      warnings: texts(),
      notes: Type.Optional(texts('Limitations of the plans; once per response.')),
      units: Type.Optional(units),
    },
    { title: kind === 'profile' ? 'ProfilePlan' : 'LevelsPlan' },
  );
}

const sums = Type.Object(figuresOf(SUMMED), { title: 'PlanSums', description: 'Sums over flights.' });

export const problem = Type.Unsafe({ title: 'Problem', ...PROBLEM_SCHEMA });

const refusal = Type.Object(
  { flight_id: flightId, problem },
  { title: 'RefusedPlan', description: 'Why a flight of a fleet has no plan.' },
);

export function planningResponse(kind: PlanKind) {
  const plan = planOfFlight(kind);
  const fleet = Type.Object(
    {
      flights: Type.Array(Type.Union([plan, refusal])),
      totals: Type.Object(
        {
          flights: Type.Integer(),
          planned: Type.Integer(),
          changes_recommended: Type.Integer(),
          baseline: sums,
          chosen: sums,
          recommended: sums,
        },
        { title: 'PlanTotals', description: 'Sums over the flights, for the baseline and as chosen.' },
      ),
      notes: texts(),
      units,
    },
    { title: kind === 'profile' ? 'ProfilePlanFleet' : 'LevelsPlanFleet' },
  );
  return {
    description: 'The plan of the flight; for a fleet, one per flight in order of first appearance.',
    content: { 'application/json': { schema: Type.Unsafe<Answer>(Type.Union([plan, fleet])) } },
  };
}
