/** What a query or a command line asks of a plan, as `option-table.ts` declares it. */
import { CO2E_HORIZONS, type Co2eHorizon } from '@contrails/physics/cocip';
import type { Prices } from '@contrails/physics/planning';
import { type FieldError, ValidationError } from '@contrails/runtime/errors';
import { choice } from '@contrails/runtime/options/choice';
import { list, splitList } from '@contrails/runtime/options/list';
import { number, parseNumber } from '@contrails/runtime/options/number';
import { byDefault, invalid, optional, type Parameter } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { Type } from 'typebox';
import { climateParameters } from '../flights/climate.ts';
import { MODEL_OPTIONS, TRAJECTORY_OPTIONS } from '../flights/option-table.ts';
import { DEFAULT_TRAJECTORY_OPTIONS, numbersOf, type TrajectoryOptions } from '../flights/options.ts';
import {
  MAX_SAMPLED_WAYPOINTS,
  type UncertaintyOptions,
  type UncertaintyQuery,
  uncertaintyOf,
  uncertaintyParameters,
} from '../flights/uncertainty.ts';
import { humidityParameters } from '../options/humidity-scaling.ts';
import { parameterOf } from '../options/parameter-of.ts';
import { chooseScaling, type HumidityScalingChoice } from '../weather/humidity-scaling.ts';
import { PLANNING_OPTIONS as TABLE } from './option-table.ts';

export const PLAN_KINDS = ['levels', 'profile'] as const;
export type PlanKind = (typeof PLAN_KINDS)[number];

const PLAN_INCLUDES = ['waypoints', 'tables'] as const;
export type PlanInclude = (typeof PLAN_INCLUDES)[number];

/** A plan as plain data, which a job can be sent. */
export interface PlanningOptions {
  readonly kind: PlanKind;
  /** Ascending. */
  readonly flightLevels: readonly number[];
  readonly shiftsFt: readonly number[];
  readonly prices: Omit<Prices, 'eiCo2'>;
  readonly fromWaypoint?: number;
  readonly toWaypoint?: number;
  readonly minLevelMinutes: number;
  readonly maxChanges: number;
  readonly maxStepFt: number;
  readonly parity: 'none' | 'east_west';
  readonly maxExtraFuelPercent?: number;
  /** Where predicted contrail costs come from. */
  readonly contrails: 'flight' | 'grid';
  readonly uncertainty?: UncertaintyOptions;
  readonly confidence: number;
  readonly includes: readonly PlanInclude[];
}

const MAX_LEVELS = 40;
const LEVEL_RULE = { integer: true, minimum: 200, maximum: 510 } as const;

function flightLevelList(): Parameter<number[]> {
  return {
    schema: Type.Unsafe<number[]>({
      oneOf: [
        {
          type: 'array',
          items: { type: 'integer', minimum: LEVEL_RULE.minimum, maximum: LEVEL_RULE.maximum, multipleOf: 5 },
          minItems: 1,
          maxItems: MAX_LEVELS,
        },
        { type: 'string', enum: ['none'] },
      ],
      description: TABLE.flight_levels.description,
    }),
    read(name, raw) {
      if (raw === 'none') return { value: [] };
      const texts = splitList(raw);
      if (texts.length > MAX_LEVELS)
        return invalid(`${name} has ${texts.length} values; give at most ${MAX_LEVELS}`, 'length');
      const levels = texts.map(parseNumber);
      const wrong = levels.findIndex(
        (level) =>
          level === undefined || level % 5 !== 0 || level < LEVEL_RULE.minimum || level > LEVEL_RULE.maximum,
      );
      if (wrong >= 0) {
        return invalid(
          `${name} ${texts[wrong]} is not a flight level; give multiples of 5 from ${LEVEL_RULE.minimum} to ${LEVEL_RULE.maximum}, or none`,
          'range',
        );
      }
      return { value: [...new Set(levels as number[])].sort((a, b) => a - b) };
    },
  };
}

const DEFAULT_LEVELS = Array.from({ length: 18 }, (_, k) => 270 + 10 * k);

const horizon: Parameter<Co2eHorizon> = {
  schema: Type.Unsafe<Co2eHorizon>({
    type: 'integer',
    enum: [...CO2E_HORIZONS],
    description: TABLE.horizon.description,
  }),
  read(name, raw) {
    const value = CO2E_HORIZONS.find((years) => String(years) === raw);
    return value === undefined
      ? invalid(`${name} ${String(raw)} is not served; choose from ${CO2E_HORIZONS.join(', ')}`, 'choice')
      : { value };
  },
};

const { uncertainty, seed, uncertainty_set, uncertainty_parameters, met_members, sampling } =
  uncertaintyParameters;

const modelParameters = Object.fromEntries(
  Object.entries(MODEL_OPTIONS).map(([name, entry]) => [name, parameterOf(entry)]),
) as Readonly<Record<keyof typeof MODEL_OPTIONS, Parameter<number>>>;

const { co2e_metric, efficacy, co2e_set } = climateParameters;

const commonParameters = {
  flight_levels: byDefault(flightLevelList(), DEFAULT_LEVELS),
  fuel_price: parameterOf(TABLE.fuel_price),
  cost_index: parameterOf(TABLE.cost_index),
  carbon_price: parameterOf(TABLE.carbon_price),
  horizon: byDefault(horizon, TABLE.horizon.default),
  co2e_metric,
  efficacy,
  co2e_set,
  cooling: parameterOf(TABLE.cooling),
  from_waypoint: parameterOf(TABLE.from_waypoint),
  to_waypoint: parameterOf(TABLE.to_waypoint),
  ...{ uncertainty, seed, uncertainty_set, uncertainty_parameters, met_members, sampling },
  confidence: parameterOf(TABLE.confidence),
  include: {
    ...list(choice(PLAN_INCLUDES), { maxItems: 4, description: TABLE.include.description }),
    absent: { value: [] as PlanInclude[] },
  },
  ...humidityParameters,
  met_source: optional(text({ maxLength: 64, description: TRAJECTORY_OPTIONS.met_source.description })),
  ...modelParameters,
};

const levelsParameters = {
  ...commonParameters,
  shifts_ft: {
    ...list(number({ minimum: -10_000, maximum: 10_000 }), {
      maxItems: MAX_LEVELS,
      description: TABLE.shifts_ft.description,
    }),
    absent: { value: [] as number[] },
  },
};

const profileParameters = {
  ...commonParameters,
  min_level_minutes: parameterOf(TABLE.min_level_minutes),
  max_changes: parameterOf(TABLE.max_changes),
  max_step_ft: parameterOf(TABLE.max_step_ft),
  parity: parameterOf(TABLE.parity),
  max_extra_fuel_percent: parameterOf(TABLE.max_extra_fuel_percent),
  contrails: parameterOf(TABLE.contrails),
};

export const planningParameters = { levels: levelsParameters, profile: profileParameters };

export type PlanningQuery = Values<typeof commonParameters> &
  Partial<Values<typeof levelsParameters>> &
  Partial<Values<typeof profileParameters>> &
  Readonly<Record<string, unknown>>;

/** What a query asks of the plan and of the models behind it. */
export function planningOptionsOf(
  kind: PlanKind,
  query: PlanningQuery,
  scaling: HumidityScalingChoice,
): { planning: PlanningOptions; options: TrajectoryOptions } {
  const drawn = uncertaintyOf(query as Partial<UncertaintyQuery>);
  const { from_waypoint: from, to_waypoint: to } = query;
  if (from !== undefined && to !== undefined && to <= from) {
    throw refused('to_waypoint', `to_waypoint ${to} is not after from_waypoint ${from}; give a larger one`);
  }
  const planning: PlanningOptions = {
    kind,
    flightLevels: query.flight_levels,
    shiftsFt: query.shifts_ft ?? [],
    prices: {
      ...{ fuelPrice: query.fuel_price, costIndex: query.cost_index, carbonPrice: query.carbon_price },
      ...{ horizon: query.horizon, cooling: query.cooling },
      co2e: { metric: query.co2e_metric, efficacy: query.efficacy, set: query.co2e_set },
    },
    ...(from === undefined ? {} : { fromWaypoint: from }),
    ...(to === undefined ? {} : { toWaypoint: to }),
    minLevelMinutes: query.min_level_minutes ?? TABLE.min_level_minutes.default,
    maxChanges: query.max_changes ?? TABLE.max_changes.default,
    maxStepFt: query.max_step_ft ?? TABLE.max_step_ft.default,
    parity: query.parity ?? TABLE.parity.default,
    contrails: query.contrails ?? TABLE.contrails.default,
    ...(query.max_extra_fuel_percent === undefined
      ? {}
      : { maxExtraFuelPercent: query.max_extra_fuel_percent }),
    ...(drawn === undefined ? {} : { uncertainty: drawn }),
    confidence: query.confidence,
    includes: query.include,
  };
  return {
    planning,
    options: {
      ...DEFAULT_TRAJECTORY_OPTIONS,
      scaling: chooseScaling(query, scaling),
      ...(query.met_source === undefined ? {} : { metSource: query.met_source }),
      ...numbersOf(query),
    },
  };
}

const MAX_ROW_WAYPOINTS = 2e6;
const MAX_REQUEST_ROW_WAYPOINTS = 2e7;

/** Rows that are computed of a flight, before any verification. */
export function rowsOfPlan({ kind, flightLevels, shiftsFt, maxChanges }: PlanningOptions): number {
  return 1 + flightLevels.length + (kind === 'levels' ? shiftsFt.length : maxChanges + 1);
}

/** Refuses more work than a request may ask for; waypoints are those of each flight. */
export function requirePlannable(planning: PlanningOptions, waypoints: readonly number[]): void {
  const rows = rowsOfPlan(planning);
  const all = rows * waypoints.reduce((sum, count) => sum + count, 0);
  const largest = rows * Math.max(...waypoints);
  const samples = planning.uncertainty?.samples ?? 0;
  const remedy = 'ask for fewer levels or send fewer waypoints';
  if (largest > MAX_ROW_WAYPOINTS) {
    throw refused(
      'flight_levels',
      `${rows} rows of a flight of ${largest / rows} waypoints are ${largest}; at most ${MAX_ROW_WAYPOINTS} are computed for a flight: ${remedy}`,
    );
  }
  if (all > MAX_REQUEST_ROW_WAYPOINTS) {
    throw refused(
      'flight_levels',
      `${rows} rows of ${all / rows} waypoints are ${all}; at most ${MAX_REQUEST_ROW_WAYPOINTS} are computed at once: ${remedy}`,
    );
  }
  if (samples * all > MAX_SAMPLED_WAYPOINTS) {
    throw refused(
      'uncertainty',
      `${samples} samples of ${rows} rows of ${all / rows} waypoints are ${samples * all}; at most ${MAX_SAMPLED_WAYPOINTS} are computed at once: lower uncertainty, or ${remedy}`,
    );
  }
}

function refused(name: string, msg: string): ValidationError {
  const error: FieldError = { loc: ['query', name], msg, type: 'value_error' };
  return new ValidationError([error]);
}
