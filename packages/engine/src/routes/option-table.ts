/**
 * The options of routes that plans do not have, declared once: the query of the endpoint and the flags of `contrails plan route`
 * come from here. Plain data without imports that take time, because `--help` loads it.
 */
import type { OptionEntry } from '../options/entry.ts';
import { PLANNING_OPTIONS, type PlanOptionEntry } from '../planning/option-table.ts';

const OWN = {
  mach: {
    description: 'Mach numbers available in each stage, at most 4; default: the nominal cruise of the type.',
    help: 'Mach numbers to choose from, separated by commas (default: that of the type)',
    placeholder: 'numbers',
    values: '0.4 to 1, at most 4, separated by commas',
    meaning: 'Mach numbers to choose from in every stage; the nominal cruise of the type unless given',
  },
  corridor_km: {
    description: 'Half width of the corridor around the great circle; 0 leaves no lateral freedom.',
    help: 'half width of the corridor',
    placeholder: 'km',
    meaning: 'half width of the corridor around the great circle; 0 leaves no lateral freedom',
    number: { minimum: 0, maximum: 1000 },
    default: 400,
  },
  stage_km: {
    description: 'Length of a stage.',
    help: 'length of a stage',
    placeholder: 'km',
    meaning: 'length of a stage',
    number: { minimum: 25, maximum: 200 },
    default: 100,
  },
  offset_km: {
    description: 'Distance between neighbouring tracks.',
    help: 'distance of neighbouring tracks',
    placeholder: 'km',
    meaning: 'distance of neighbouring tracks',
    number: { minimum: 2, maximum: 50 },
    default: 10,
  },
  contrails: {
    description:
      'Source of contrails in the search: the stored grids of the type, the contrail model on the cells of the corridor, or none. Reported results are always verified by the full model.',
    help: 'where the search takes contrails from',
    placeholder: 'source',
    meaning:
      'where the search takes contrails from: the stored grids of the type, the model on the cells of the corridor, or nowhere',
    choices: ['grid', 'compute', 'none'],
    default: 'grid',
  },
  neighbourhood_km: {
    description:
      'Radius over which contrails are smoothed for each cell in the search; reported results are never smoothed.',
    help: 'distance within which contrails count in the search',
    placeholder: 'km',
    meaning:
      'distance within which contrails count for each cell in the search; what is reported is never smoothed',
    number: { minimum: 0, maximum: 500 },
    default: 0,
  },
  neighbourhood: {
    description: 'How a neighbourhood is aggregated: the maximum, or the area-weighted mean.',
    help: 'what a neighbourhood is made into',
    placeholder: 'kind',
    meaning: 'what a neighbourhood is made into: the maximum, or the mean by area',
    choices: ['max', 'mean'],
    default: 'max',
  },
  max_extra_fuel_percent: {
    description: 'Maximum additional fuel of a chosen route, relative to the baseline.',
    help: 'fuel above the baseline that a chosen route may burn',
    placeholder: 'percent',
    meaning: 'routes that burn more than so much above the baseline are not chosen',
    number: { minimum: 0, maximum: 100 },
  },
  verify_with: {
    description:
      'A second weather in which the baseline and the chosen route are also verified: a source, a member of its ensemble (`source:3`) or one of its runs (`source@2027-02-03T06:00Z`). A change is recommended only if it is cheaper there.',
    help: 'a second weather to verify with: a source, source:member, or source@time of its run',
    placeholder: 'weather',
    values: 'name of a weather source, `name:member`, or `name@time` of a run',
    meaning:
      'a second weather in which baseline and chosen route are verified too; a change is recommended only if it is cheaper there',
  },
  front: {
    description:
      'Adds routes for eleven contrail weights, from zero to 64 times their price; with `verified`, the non-dominated ones are verified by the full models.',
    help: 'add routes for eleven weights of contrails; --front verified runs the full models along them',
    placeholder: 'kind',
    meaning:
      'adds routes for eleven weights of contrails, from none to 64 times their price; `verified` runs the full models along those that no other one beats',
    choices: ['0', '1', 'false', 'true', 'verified'],
    default: '0',
  },
  include: {
    description:
      'Additional parts of the response: `waypoints`, the tracks of all rows of the profiles; `graph`, the labels of every node of the search.',
    help: 'some of waypoints, graph, separated by commas',
    placeholder: 'names',
    values: 'some of `waypoints`, `graph`, separated by commas',
    meaning: 'adds the tracks of all rows of the profiles, and the labels of every node of the search',
  },
} as const satisfies Readonly<Record<string, OptionEntry>>;

/** Options of profiles that hold for routes too. */
const OF_PROFILES = [
  'flight_levels',
  'fuel_price',
  'cost_index',
  'carbon_price',
  'horizon',
  'cooling',
  'co2e_metric',
  'efficacy',
  'co2e_set',
  'min_level_minutes',
  'max_changes',
  'max_step_ft',
  'parity',
  'uncertainty',
  'seed',
  'uncertainty_set',
  'uncertainty_parameters',
  'met_members',
  'sampling',
  'confidence',
  'max_age_hours',
  'dt_integration_minutes',
] as const satisfies readonly (keyof typeof PLANNING_OPTIONS)[];

export const OWN_ROUTE_OPTIONS = OWN;
export const PROFILE_OPTIONS_OF_ROUTES: readonly string[] = OF_PROFILES;

/** All options of a route but those of the weather. */
export const ROUTE_OPTIONS: Readonly<Record<string, OptionEntry>> = {
  ...Object.fromEntries(
    OF_PROFILES.map((name) => {
      const { kind: _, ...entry }: PlanOptionEntry = PLANNING_OPTIONS[name];
      return [name, entry];
    }),
  ),
  ...OWN,
};
