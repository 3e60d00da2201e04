/**
 * The options of plans, declared once: the query of the endpoints, the flags of `contrails plan` and the table in docs/planning.md
 * come from here. Plain data without imports that take time, because `--help` loads it.
 */
import { CLIMATE_OPTIONS } from '../flights/climate-options.ts';
import { MODEL_OPTIONS } from '../flights/option-table.ts';
import { UNCERTAINTY_OPTIONS } from '../flights/uncertainty-options.ts';
import type { OptionEntry } from '../options/entry.ts';

export interface PlanOptionEntry extends Omit<OptionEntry, 'models'> {
  /** The endpoint that has it; both unless given. */
  readonly kind?: 'levels' | 'profile';
}

export const PLANNING_OPTIONS = {
  flight_levels: {
    description:
      'Levels to compare, multiples of 5 from 200 to 510, at most 40; `none` for none. Levels above the ceiling of the type are left out.',
    help: 'levels to compare, separated by commas (default: 270,280,…440)',
    placeholder: 'levels',
    values: 'multiples of 5 from 200 to 510, at most 40, separated by commas; `none`',
    meaning:
      'levels to compare; 270, 280, … 440 unless given. Levels above the ceiling of the type are left out',
  },
  shifts_ft: {
    description: 'Shifts of the whole cruise to compare as well [ft].',
    help: 'shifts of the cruise to compare, in feet, separated by commas',
    placeholder: 'feet',
    values: '−10000 to 10000, at most 40, separated by commas',
    meaning: 'shifts of the whole cruise to compare besides the levels',
    kind: 'levels',
  },
  fuel_price: {
    description: 'Price per kilogram of fuel, in any currency.',
    help: 'price of a kilogram of fuel',
    placeholder: 'price',
    meaning: 'price of a kilogram of fuel, in your currency',
    number: { minimum: 0, maximum: 100 },
    default: 0.8,
  },
  cost_index: {
    description: 'Price per minute of flight, in kilograms of fuel.',
    help: 'price of a minute in kilograms of fuel',
    placeholder: 'kg/min',
    meaning: 'price of a minute of flight in kilograms of fuel',
    number: { minimum: 0, maximum: 1000 },
    default: 30,
  },
  carbon_price: {
    description: 'Price of a tonne of CO2 and of CO2e of contrails.',
    help: 'price of a tonne of CO2 and CO2e',
    placeholder: 'price',
    meaning: 'price of a tonne of CO2 and of CO2e of contrails',
    number: { minimum: 0, maximum: 100_000 },
    default: 50,
  },
  horizon: {
    description: 'Time horizon of the CO2e in the cost [years].',
    help: 'years of the CO2e in the cost',
    placeholder: 'years',
    values: '20, 50 or 100',
    meaning: 'years of the CO2e in the cost',
    default: 100,
  },
  co2e_metric: {
    ...CLIMATE_OPTIONS.co2e_metric,
    description: 'Metric of the CO2e in the cost.',
    meaning: 'metric of the CO2e in the cost',
  },
  efficacy: {
    ...CLIMATE_OPTIONS.efficacy,
    meaning: 'whether contrails count by their [efficacy](climate.md#metrics)',
  },
  co2e_set: CLIMATE_OPTIONS.co2e_set,
  cooling: {
    description:
      'How cooling segments count in the cost: not at all, by their negative value, or by their magnitude. Reported figures are always net.',
    help: 'what cooling segments count in the cost',
    placeholder: 'rule',
    meaning: 'what cooling segments count in the cost: nothing, their negative value, or their magnitude',
    choices: ['ignore', 'credit', 'avoid'],
    default: 'ignore',
  },
  from_waypoint: {
    description: 'Index of the waypoint of the request from which the flight may change.',
    help: 'waypoint from which the flight may change, counted from 0',
    placeholder: 'index',
    meaning: 'waypoint of the request from which the flight may change, counted from 0: a flight under way',
    number: { integer: true, minimum: 0, maximum: 20_000 },
  },
  to_waypoint: {
    description: 'Index of the waypoint of the request up to which the flight may change.',
    help: 'waypoint up to which the flight may change, counted from 0',
    placeholder: 'index',
    meaning: 'waypoint of the request up to which it may change',
    number: { integer: true, minimum: 0, maximum: 20_000 },
  },
  min_level_minutes: {
    description: 'Minimum time at a level [min].',
    help: 'minimum time at a level in minutes',
    placeholder: 'minutes',
    meaning: 'minimum time at a level in minutes',
    number: { minimum: 1, maximum: 120 },
    kind: 'profile',
    default: 15,
  },
  max_changes: {
    description: 'Maximum number of level changes.',
    help: 'maximum number of level changes',
    placeholder: 'number',
    meaning: 'maximum number of level changes',
    number: { integer: true, minimum: 0, maximum: 8 },
    kind: 'profile',
    default: 4,
  },
  max_step_ft: {
    description: 'Maximum single change of level [ft].',
    help: 'largest single change of level',
    placeholder: 'feet',
    meaning: 'largest single change of level',
    number: { minimum: 500, maximum: 20_000 },
    kind: 'profile',
    default: 4000,
  },
  parity: {
    description: 'Whether levels must fit the direction of flight (semicircular rule, true tracks).',
    help: 'whether levels fit the direction of flight',
    placeholder: 'rule',
    meaning: '`east_west` allows only the levels of the semicircular rule, by the true track',
    choices: ['none', 'east_west'],
    kind: 'profile',
    default: 'none',
  },
  max_extra_fuel_percent: {
    description: 'Maximum additional fuel of a profile [% of the fuel of the flight].',
    help: 'maximum additional fuel in percent',
    placeholder: 'per cent',
    meaning: 'maximum additional fuel of a profile',
    number: { minimum: 0, maximum: 50 },
    kind: 'profile',
  },
  contrails: {
    description:
      'Where the predicted contrail costs of a profile come from: runs of the contrail model at every level, or the stored contrail grid of the type. With `grid` only the baseline, the best level and the proposals are run through the model; figures of other rows are null.',
    help: 'where predicted contrail costs come from',
    placeholder: 'source',
    meaning:
      'where predicted contrail costs come from: runs at every level, or the [stored contrail grid](#stored-grids)',
    choices: ['flight', 'grid'],
    kind: 'profile',
    default: 'flight',
  },
  confidence: {
    description:
      'With `uncertainty`: minimum share of samples in which a change must be better to be recommended.',
    help: 'share of samples in which a change has to be better',
    placeholder: 'share',
    meaning: 'with `uncertainty`: share of the samples in which a change has to be better',
    number: { minimum: 0, maximum: 1 },
    default: 0.8,
  },
  include: {
    description:
      'Additional parts of the response: `waypoints` (the track of every row, as a body for any trajectory endpoint) and, for profiles, `tables`.',
    help: 'some of waypoints, tables, separated by commas',
    placeholder: 'names',
    values: 'some of `waypoints`, `tables`, separated by commas',
    meaning: 'adds the [track of every row](#tracks) and the tables of a profile',
  },
  uncertainty: UNCERTAINTY_OPTIONS.uncertainty,
  seed: UNCERTAINTY_OPTIONS.seed,
  uncertainty_set: UNCERTAINTY_OPTIONS.uncertainty_set,
  uncertainty_parameters: UNCERTAINTY_OPTIONS.uncertainty_parameters,
  met_members: UNCERTAINTY_OPTIONS.met_members,
  sampling: UNCERTAINTY_OPTIONS.sampling,
  ...MODEL_OPTIONS,
} as const satisfies Record<string, PlanOptionEntry>;
