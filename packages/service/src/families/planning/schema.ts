/** Bodies and responses of the planning endpoints as OpenAPI shows them. */

import { LIMITS } from '@contrails/engine/flights/fields';
import type { Answer } from '@contrails/engine/planning/describe-flight';
import type { PlanKind } from '@contrails/engine/planning/options';
import { type PlanningBody, readPlanningBody } from '@contrails/engine/planning/read-body';
import { describeField, FIGURE_FIELDS, type Field } from '@contrails/physics/fields';
import { INSTANT } from '@contrails/runtime/options/time';
import { inTurns } from '@contrails/runtime/turns';
import { type TSchema, Type } from 'typebox';
import { FLIGHT } from '../../endpoints/flight.ts';
import { flightsOrFiles } from '../../endpoints/flight-files.ts';

const range = (description: string, least: number, most: number) =>
  Type.Array(Type.Number({ minimum: least, maximum: most }), { minItems: 2, maxItems: 2, description });

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
          description: 'From and to; always unless given.',
        }),
      ),
    },
    { title: 'AvoidBox', description: 'Airspace that no profile touches; bounds are inclusive.' },
  ),
  { maxItems: 100, description: 'Boxes that a profile does not touch; for profiles only.' },
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
    { title: `${name}List`, description: 'Flights in a list, with parameters for all of them.' },
  );
  return flightsOrFiles<PlanningBody>(Type.Union([flight, flights, list]), (raw) =>
    inTurns(readPlanningBody(raw)),
  );
}

const optional = (schemas: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]));

const unknown = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const figure = (description: string) => unknown(Type.Number({ description }));

const open = (description: string) => Type.Object({}, { additionalProperties: true, description });

const limits = Type.Object(
  {
    ceiling: Type.Boolean({ description: 'Whether the ceiling of the type is kept.' }),
    lift_share: Type.Number({ description: 'Share of the level distance beyond the buffet limit.' }),
    thrust_share: Type.Number({ description: 'Share with less than 300 ft/min of climb left.' }),
    weather_share: Type.Number({ description: 'Share with known weather.' }),
  },
  { title: 'PlanLimits' },
);

const figures = {
  kind: Type.Unsafe({ type: 'string', enum: ['baseline', 'level', 'shift', 'profile'] }),
  flight_level: unknown(Type.Number()),
  shift_ft: unknown(Type.Number()),
  status: Type.Unsafe({
    type: 'string',
    enum: ['ok', 'infeasible', 'outside_weather'],
    description: 'Whether the row can be flown, and whether its weather is known.',
  }),
  ...Object.fromEntries(
    Object.entries<Field>(FIGURE_FIELDS).map(([key, field]) => [
      field.name ?? key,
      figure(describeField(field)),
    ]),
  ),
  metrics: open('CO2e of the contrails under nine metrics [kg].'),
  limits,
};

const row = Type.Object(
  {
    ...figures,
    delta: unknown(open('Row minus baseline; null for the baseline.')),
    uncertainty: unknown(open('With `uncertainty`: statistics of the samples, paired with the baseline.')),
    waypoints: Type.Optional(
      unknown(open('With `include=waypoints`: the track, as a body for any trajectory endpoint.')),
    ),
  },
  { title: 'PlanRow' },
);

const alternative = Type.Object(
  {
    changes: Type.Integer({ description: 'Changes of level.' }),
    optimum: Type.Boolean({ description: 'Whether it is the cheapest as predicted.' }),
    eligible: Type.Boolean({ description: 'Whether its verified track can be flown within all rules.' }),
    levels: Type.Array(open('A level, from where to where and when.')),
    predicted: open('Sums of the tables.'),
    verified: open('Figures of the full models along its track.'),
    waypoints: Type.Optional(unknown(open('With `include=waypoints`: its track.'))),
  },
  { title: 'PlanAlternative' },
);

const recommendation = Type.Object(
  {
    change: Type.Boolean(),
    reason: Type.Unsafe({
      type: 'string',
      enum: ['better', 'not_robust', 'baseline_is_best', 'weather_too_short', 'no_feasible_profile'],
    }),
    basis: Type.Unsafe({ type: 'string', enum: ['screening', 'monte_carlo'] }),
    row: unknown(Type.Integer({ description: 'Index in `rows`; null for a profile that is none of them.' })),
    delta_cost: figure('Cost of the chosen row minus that of the flight.'),
    delta_cost_half: figure('The same with half the effect of contrails.'),
    delta_cost_double: figure('The same with twice the effect of contrails.'),
    probability_better: figure(
      'Share of the samples in which the change is better; null without `uncertainty`.',
    ),
    metrics: unknown(
      open(
        'Under how many of nine metrics the chosen row is better, and its CO2 and CO2e minus those of the flight; null where the flight is best.',
      ),
    ),
  },
  { title: 'PlanRecommendation', description: 'Whether a change is worth it under uncertainty.' },
);

function planOfFlight(kind: PlanKind) {
  return Type.Object(
    {
      flight_id: Type.Optional(unknown(Type.Union([Type.String(), Type.Integer()]))),
      problem: Type.Optional(open('In a fleet: why this flight has no plan (RFC 9457).')),
      working: Type.Optional(open('The track that was planned.')),
      cost: Type.Optional(open('Prices that were used.')),
      rows: Type.Optional(Type.Array(row)),
      best: Type.Optional(Type.Integer({ description: 'Index of the cheapest row.' })),
      recommendation: Type.Optional(recommendation),
      warnings: Type.Optional(Type.Array(Type.String())),
      ...(kind === 'profile'
        ? {
            alternatives: Type.Optional(Type.Array(alternative)),
            chosen: Type.Optional(unknown(open('The cheapest candidate as verified.'))),
            simplest: Type.Optional(
              unknown(
                Type.Integer({ description: 'Fewest changes that save 95 % of what the chosen one saves.' }),
              ),
            ),
            binding: Type.Optional(
              Type.Array(Type.String(), { description: 'Rules and limits that the proposal runs into.' }),
            ),
          }
        : {}),
    },
    { title: kind === 'profile' ? 'ProfilePlan' : 'LevelsPlan', additionalProperties: true },
  );
}

export function planningResponse(kind: PlanKind) {
  const plan = planOfFlight(kind);
  const fleet = Type.Object(
    { flights: Type.Array(plan), totals: open('Sums over the flights, as they were and as chosen.') },
    { title: kind === 'profile' ? 'ProfilePlanFleet' : 'LevelsPlanFleet', additionalProperties: true },
  );
  return {
    description: 'The plan of the flight; of a fleet, one for each flight in the order of first appearance.',
    content: { 'application/json': { schema: Type.Unsafe<Answer>(Type.Union([plan, fleet])) } },
  };
}
