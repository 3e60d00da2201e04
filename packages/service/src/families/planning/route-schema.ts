/** Bodies and responses of the endpoint of routes as OpenAPI shows them. */
import { FIGURE_FIELDS, type FigureName, nameOf } from '@contrails/physics/fields';
import { INSTANT } from '@contrails/runtime/options/time';
import { Type } from 'typebox';
import { figure, oneOf, orNull } from '../../endpoints/figures.ts';
import { figuresOf, planOfFlight, prices, problem, verdict } from './schema.ts';

export const MAX_ROUTES = 1000;
/** More than one request may wait for. */
export const MAX_ROUTES_AT_ONCE = 10;

const end = (description: string) =>
  Type.Union(
    [
      Type.String({ minLength: 3, maxLength: 4, description: 'ICAO code of an airport.' }),
      Type.Object({
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
      }),
    ],
    { description },
  );

const routeBody = Type.Object(
  {
    origin: end('Start of the flight; for an airport, the cruise begins 200 km from it.'),
    destination: end('End of the flight.'),
    departure_time: Type.Unsafe<string | number>({ ...INSTANT, description: 'Time when the cruise begins.' }),
    aircraft_type: Type.String({ description: 'ICAO designator of the type.' }),
    takeoff_mass: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'Mass at the start of the search [kg]; default: estimated.',
      }),
    ),
    avoid: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'GeoJSON FeatureCollection of polygons that the route must not enter, with the properties `min_flight_level`, `max_flight_level`, `from` and `to`.',
      }),
    ),
  },
  {
    title: 'RouteToPlan',
    additionalProperties: true,
    description: 'Endpoints, time and aircraft; other aircraft fields are those of a flight.',
  },
);

const flownRoute = Type.Object(
  {
    flight: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'A flight as accepted by `/v1/planning/profile`: its cruise defines the endpoints and the time, its aircraft is used, and it is the baseline.',
    }),
    avoid: routeBody.properties.avoid,
  },
  { title: 'FlownRoute', additionalProperties: false },
);

const manyRoutes = Type.Object(
  { routes: Type.Array(Type.Union([routeBody, flownRoute]), { minItems: 1, maxItems: MAX_ROUTES }) },
  {
    title: 'RoutesToPlan',
    description: `Up to ${MAX_ROUTES} routes; more than ${MAX_ROUTES_AT_ONCE} as a job.`,
  },
);

const numbers = Type.Array(figure());
const columnsOf = (keys: readonly FigureName[]) =>
  Object.fromEntries(keys.map((key) => [nameOf(FIGURE_FIELDS, key), numbers]));
const coordinates = { longitude: Type.Array(Type.Number()), latitude: Type.Array(Type.Number()) };
const forcing = {
  ...figuresOf(['energy_forcing_j']),
  paid_j: figure('Energy forcing counted in the cost [J].'),
};
const spent = figuresOf(['fuel_kg', 'flight_time_s']);
const name = oneOf(
  ['great_circle', 'wind_optimal', 'optimum', 'baseline', 'flight', 'front'],
  'Name of the route.',
);

const verifiedFigures = Type.Object(
  { ...figuresOf(['cost']), ...spent, ...forcing },
  { title: 'RouteFigures', description: 'Figures of the full models.' },
);

const candidate = Type.Object(
  {
    route: name,
    kind: oneOf(['searched', 'flown', 'level', 'shift', 'profile']),
    flight_level: figure(),
    changes: orNull(Type.Integer({ description: 'Changes of level of a profile.' })),
    ...figuresOf(['cost']),
    ...spent,
    ...forcing,
    waypoints: Type.Object({
      ...coordinates,
      altitude: Type.Array(Type.Number()),
      time: Type.Array(Type.String()),
    }),
  },
  { title: 'RouteCandidate', description: 'A profile along a route, with the figures of the full models.' },
);

const route = Type.Object(
  {
    name,
    closed: Type.Boolean({
      description: 'Whether it enters an area of `avoid` and is included for comparison only.',
    }),
    path: Type.Object(
      {
        ...coordinates,
        offset_km: numbers,
        flight_level: numbers,
        mach: numbers,
        time: Type.Array(Type.String()),
      },
      { description: 'Positions, levels and Mach numbers of the search.' },
    ),
    predicted: Type.Object(
      {
        ...figuresOf(['cost']),
        ...spent,
        ...forcing,
        moved_paid_j: figure('Largest such forcing with the track moved [J].'),
      },
      { description: 'Sums predicted by the search.' },
    ),
    verified: orNull(candidate),
    profile: planOfFlight('profile'),
    max_turn_deg: figure(),
    length_km: figure(),
    extra_length_percent: figure('Additional length relative to the great circle.'),
  },
  { title: 'Route', description: 'A route found by the search, with the plan along it.' },
);

const plannedRoute = Type.Object(
  {
    working: Type.Object(
      { takeoff_mass: figure('[kg]'), length_km: figure(), stages: Type.Integer() },
      { description: 'Mass, length and stages of the search.' },
    ),
    cost: prices,
    routes: Type.Array(route),
    optimum: orNull(name),
    baseline: orNull(candidate),
    chosen: orNull(candidate),
    verified_with: Type.Optional(
      Type.Object(
        {
          met_source: Type.String(),
          member: orNull(Type.Integer({ description: 'Member of the ensemble.' })),
          forecast_reference_time: orNull(Type.String({ description: 'Start of the run.' })),
          baseline: orNull(verifiedFigures),
          chosen: orNull(verifiedFigures),
          delta_cost: orNull(figure('Cost of the chosen route minus that of the baseline.')),
        },
        { description: 'Baseline and chosen route in a second weather source.' },
      ),
    ),
    recommendation: Type.Object(
      {
        change: Type.Boolean(),
        reason: oneOf([
          ...(['better', 'not_robust', 'baseline_is_best', 'weather_too_short'] as const),
          'no_feasible_route',
        ]),
        basis: oneOf(['screening', 'monte_carlo']),
        delta_cost: figure('Cost of the chosen route minus that of the baseline.'),
        delta_cost_half: Type.Optional(figure('The same with half the effect of contrails.')),
        delta_cost_double: Type.Optional(figure('The same with twice the effect of contrails.')),
        delta_cost_moved: Type.Optional(figure('The same with the track moved.')),
        probability_better: orNull(
          Type.Number({ description: 'Share of the samples in which the change is cheaper.' }),
        ),
        metrics: orNull(verdict),
      },
      { title: 'RouteRecommendation', description: 'Whether a change is worth it.' },
    ),
    front: Type.Optional(
      Type.Array(
        Type.Object(
          {
            weight: Type.Number(),
            cost_without_contrails: figure(),
            ...forcing,
            ...spent,
            dominated: Type.Boolean({ description: 'Whether another route is better in both.' }),
            path: Type.Object({ ...coordinates, flight_level: numbers, time: Type.Array(Type.String()) }),
            verified: Type.Optional(orNull(candidate)),
            profile: Type.Optional(planOfFlight('profile')),
          },
          { title: 'RouteOfFront', description: 'A route for one weight of contrails.' },
        ),
      ),
    ),
    graph: Type.Optional(
      Type.Object(
        {
          ...{ stage: numbers, offset_km: numbers, flight_level: numbers, mach: numbers },
          ...columnsOf(['cost', 'flight_time_s']),
          mass_kg: numbers,
          ...columnsOf(['energy_forcing_j']),
          paid_j: numbers,
        },
        {
          title: 'RouteGraph',
          description: 'Labels of all nodes reached in the search for the optimum, as columns.',
        },
      ),
    ),
    notes: Type.Array(Type.String()),
    warnings: Type.Array(Type.String()),
  },
  { title: 'PlannedRoute' },
);
const refusedRoute = Type.Object(
  { problem },
  { title: 'RefusedRoute', description: 'Why one of several requests has no route (RFC 9457).' },
);
const plannedRoutes = Type.Object(
  { routes: Type.Array(Type.Union([plannedRoute, refusedRoute])) },
  { title: 'PlannedRoutes' },
);

export const ROUTE_BODY = Type.Union([routeBody, flownRoute, manyRoutes]);
export const ROUTE_ANSWER = Type.Union([plannedRoute, plannedRoutes]);
