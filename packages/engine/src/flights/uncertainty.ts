/** What a query asks of the samples of a Monte Carlo run. */
import {
  groupsOfSet,
  type SamplerOptions,
  UNCERTAINTY_GROUPS,
  type UncertaintyGroup,
} from '@contrails/physics/uncertainty';
import { type FieldError, ValidationError } from '@contrails/runtime/errors';
import { choice } from '@contrails/runtime/options/choice';
import { list } from '@contrails/runtime/options/list';
import { number } from '@contrails/runtime/options/number';
import { optional, type Parameter } from '@contrails/runtime/options/parameter';
import type { Values } from '@contrails/runtime/options/query';
import { Type } from 'typebox';
import { parameterOf } from '../options/parameter-of.ts';
import { ENSEMBLE_SCALING } from '../weather/humidity-scaling.ts';
import { UNCERTAINTY_OPTIONS as TABLE } from './uncertainty-options.ts';

/** A Monte Carlo run as plain data. */
export interface UncertaintyOptions extends SamplerOptions {
  readonly sensitivity: boolean;
  /** Members of the weather that samples see in turn; where it is `all` alone, their number is that of `samples`, 0 until it is known. */
  readonly metMembers?: 'all' | readonly number[];
}

export const MAX_SAMPLES = TABLE.uncertainty.number.maximum;
/** Samples × waypoints of a request. */
export const MAX_SAMPLED_WAYPOINTS = 2e7;
/** Samples × waypoints of a flight beyond which no quantiles of waypoints are kept. */
export const MAX_KEPT_WAYPOINTS = 5e6;
const MAX_SENSITIVITY_RUNS = 3000;
const MAX_MEMBERS = 1000;
/** From so many samples on, shares of first order are worth their runs. */
const FIRST_ORDER_SAMPLES = 200;

export const uncertaintyParameters = {
  uncertainty: parameterOf(TABLE.uncertainty),
  seed: parameterOf(TABLE.seed),
  uncertainty_set: parameterOf(TABLE.uncertainty_set),
  uncertainty_parameters: optional(
    list(choice(UNCERTAINTY_GROUPS), {
      maxItems: 2 * UNCERTAINTY_GROUPS.length,
      description: TABLE.uncertainty_parameters.description,
    }),
  ),
  met_members: optional(memberList()),
  sampling: parameterOf(TABLE.sampling),
  sensitivity: parameterOf(TABLE.sensitivity),
};

function memberList(): Parameter<'all' | number[]> {
  const numbers = list(number({ integer: true, minimum: 0, maximum: MAX_MEMBERS }), {
    maxItems: MAX_MEMBERS,
  });
  return {
    schema: Type.Unsafe<'all' | number[]>({
      oneOf: [numbers.schema, { type: 'string', enum: ['all'] }],
      description: TABLE.met_members.description,
    }),
    read(name, raw) {
      if (raw === 'all') return { value: 'all' };
      const read = numbers.read(name, raw);
      return 'value' in read ? { value: [...new Set(read.value)] } : read;
    },
  };
}

export type UncertaintyQuery = Values<typeof uncertaintyParameters>;

/** Undefined when the query asks for no samples; parameters without a run that they belong to are errors. */
export function uncertaintyOf(query: Partial<UncertaintyQuery>): UncertaintyOptions | undefined {
  const { uncertainty, met_members: metMembers } = query;
  const groups = groupsOf(query);
  if (uncertainty === undefined) {
    if (query.sensitivity === true)
      throw refused(
        'sensitivity',
        'sensitivity is the variance of samples; add uncertainty, such as uncertainty=100',
      );
    if (metMembers === undefined) return undefined;
  }
  const options: UncertaintyOptions = {
    seed: query.seed ?? TABLE.seed.default,
    samples: uncertainty ?? (metMembers === 'all' ? 0 : (metMembers?.length ?? 0)),
    set: query.uncertainty_set ?? TABLE.uncertainty_set.default,
    // Members alone are compared under nominal parameters.
    groups: uncertainty === undefined ? [] : groups,
    sampling: query.sampling ?? TABLE.sampling.default,
    sensitivity: query.sensitivity ?? TABLE.sensitivity.default,
    ...(metMembers === undefined ? {} : { metMembers }),
  };
  const runs = options.samples * variantsOf(options).length;
  if (options.sensitivity && runs > MAX_SENSITIVITY_RUNS) {
    throw refused(
      'uncertainty',
      `sensitivity with uncertainty=${options.samples} takes ${runs} runs; at most ${MAX_SENSITIVITY_RUNS} are computed: lower uncertainty or name fewer uncertainty_parameters`,
    );
  }
  return options;
}

function groupsOf(query: Partial<UncertaintyQuery>): readonly UncertaintyGroup[] {
  const { uncertainty_set: set = 'default', uncertainty_parameters: asked } = query;
  const ofSet = groupsOfSet(set);
  const outside = asked?.find((group) => !ofSet.includes(group));
  if (outside !== undefined) {
    throw refused(
      'uncertainty_parameters',
      `uncertainty_parameters ${outside} does not vary in uncertainty_set=${set}; choose from ${ofSet.join(', ')}, or uncertainty_set=default`,
    );
  }
  if (asked !== undefined) return ofSet.filter((group) => asked.includes(group));
  // Members bring their own errors of humidity.
  return query.met_members === undefined ? ofSet : ofSet.filter((group) => group !== 'humidity');
}

/** Where the groups of a run are drawn from: null the sample itself, a group from the second stream, or all of them. */
export type Variant = UncertaintyGroup | 'all' | null;

/** The sample itself, plus what its sensitivity needs. Radiation has no share: whether it is estimated is not known yet. */
export function variantsOf({
  groups,
  sensitivity,
  samples,
}: Pick<UncertaintyOptions, 'groups' | 'sensitivity' | 'samples'>): readonly Variant[] {
  if (!sensitivity) return [null];
  const ranked = groups.filter((group) => group !== 'radiation_estimate');
  return [null, ...ranked, ...(samples >= FIRST_ORDER_SAMPLES ? (['all'] as const) : [])];
}

/** Refuses what the scaling of a whole ensemble cannot be computed for. */
export function requireAllMembers(uncertainty: UncertaintyOptions | undefined): void {
  if (uncertainty?.metMembers !== 'all') {
    throw refused(
      'humidity_scaling',
      `humidity_scaling ${ENSEMBLE_SCALING} needs the humidity of all ten members of a weather ensemble; add met_members=all, or choose histogram_matching`,
    );
  }
  if (uncertainty.groups.includes('humidity')) {
    throw refused(
      'uncertainty_parameters',
      `uncertainty_parameters humidity would add to the spread of the members, which humidity_scaling ${ENSEMBLE_SCALING} calibrates already; leave it out`,
    );
  }
}

/** Refuses more work than a request may ask for. */
export function requireSampleable(samples: number, waypoints: number): void {
  if (samples * waypoints <= MAX_SAMPLED_WAYPOINTS) return;
  throw refused(
    'uncertainty',
    `${samples} samples of ${waypoints} waypoints are ${samples * waypoints}; at most ${MAX_SAMPLED_WAYPOINTS} are computed at once: lower uncertainty or send fewer flights`,
  );
}

function refused(name: string, msg: string): ValidationError {
  const error: FieldError = { loc: ['query', name], msg, type: 'value_error' };
  return new ValidationError([error]);
}
