/**
 * The options of a Monte Carlo run, for flights and for plans; declared like those of `option-table.ts`, whose file explains why it
 * imports nothing that takes time.
 */

const models = ['cocip'] as const;

export const UNCERTAINTY_OPTIONS = {
  uncertainty: {
    description:
      'Number of Monte Carlo samples, 2 to 1000. Adds `uncertainty` with quantiles and probabilities to the response and leaves the rest unchanged.',
    help: 'number of Monte Carlo samples, 2 to 1000',
    placeholder: 'samples',
    number: { integer: true, minimum: 2, maximum: 1000 },
    meaning: 'computes so many [samples](#uncertainty)',
    models,
  },
  seed: {
    description: 'Random seed; the same seed gives the same samples.',
    help: 'seed of the samples',
    placeholder: 'number',
    number: { integer: true, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    default: 0,
    meaning: 'seed of the samples',
    models,
  },
  uncertainty_set: {
    description:
      'Distributions that parameters are drawn from; `library` uses those of the reference library.',
    help: 'distributions that parameters are drawn from',
    placeholder: 'set',
    meaning: 'distributions that parameters are drawn from',
    choices: ['default', 'library'],
    default: 'default',
    models,
  },
  uncertainty_parameters: {
    description: 'Groups of parameters to vary; default: all groups of the set.',
    help: 'groups of parameters that vary, separated by commas (default: all)',
    placeholder: 'groups',
    values: 'some of the [groups](#what-varies), separated by commas',
    meaning: 'only these groups vary; all of the set unless given',
    models,
  },
  sampling: {
    description: 'How samples are drawn: independently, or as a Latin hypercube.',
    help: 'how samples are drawn',
    placeholder: 'method',
    meaning: '`random`, or `lhs` for a Latin hypercube of the scalar parameters',
    choices: ['random', 'lhs'],
    default: 'random',
    models,
  },
  met_members: {
    description:
      'Weather ensemble members for the samples, `all` or a list of their numbers: sample s uses member s mod M of the M members. Without `uncertainty`, one run per member with nominal parameters. The source must serve its members (`member: all`).',
    help: 'members of the weather ensemble: all, or numbers separated by commas',
    placeholder: 'members',
    values: '`all`, or numbers separated by commas',
    meaning: 'runs the flight in these [members of the weather ensemble](#weather-ensembles)',
    models,
  },
  sensitivity: {
    description: 'Whether the variance of the energy forcing is attributed to groups of parameters.',
    help: 'whether variance is attributed to groups of parameters',
    placeholder: 'true|false',
    isBoolean: true,
    default: false,
    meaning: 'attributes variance to [groups of parameters](#sensitivity)',
    models,
  },
} as const;
