/** The options of everything that is computed from weather; declared as `entry.ts` explains. */
import type { OptionEntry } from './entry.ts';

export const WEATHER_OPTIONS = {
  humidity_scaling: {
    description:
      'How specific humidity of the weather is corrected; the operator of the service sets the default.',
    help: 'how humidity of the weather is corrected',
    placeholder: 'name',
    meaning:
      'how humidity of the weather is corrected; `exponential_boost_latitude_customization` unless the service is configured otherwise; `histogram_matching_with_eckel` for cocip with `met_members=all` of [ten members](research.md#humidity-of-ensembles)',
    choices: [
      'none',
      'constant_scale',
      'exponential_boost',
      'exponential_boost_latitude_customization',
      'constant_scale_by_level',
      'histogram_matching',
    ],
    choicesOfCocip: ['histogram_matching_with_eckel'],
  },
  rhi_adj: {
    description: 'Divisor of relative humidity over ice; for constant_scale and exponential_boost.',
    help: 'divisor of constant_scale and exponential_boost',
    placeholder: 'number',
    number: { exclusiveMinimum: 0, maximum: 10 },
    meaning: 'divisor of relative humidity over ice, of `constant_scale` and `exponential_boost`',
  },
  rhi_boost_exponent: {
    description: 'Exponent of exponential_boost.',
    help: 'exponent of exponential_boost',
    placeholder: 'number',
    number: { exclusiveMinimum: 0, maximum: 10 },
    meaning: 'exponent of `exponential_boost`',
  },
  level_type: {
    description:
      'Vertical coordinate of the coefficients; default: that of the weather. For histogram_matching and exponential_boost_latitude_customization.',
    help: 'levels that coefficients are for',
    placeholder: 'type',
    meaning:
      "which coefficients `exponential_boost_latitude_customization` and `histogram_matching` take; those for the weather's own levels unless given",
    choices: ['pressure', 'model'],
  },
  met_source: {
    description:
      'Name of a configured weather source; default: reanalysis where it covers a flight, otherwise forecast.',
    help: 'weather source (default: the first that covers the request)',
    placeholder: 'name',
    values: 'name of a source',
    meaning: 'default: [how a source is chosen](meteorology.md#how-a-source-is-chosen)',
  },
} as const satisfies Record<string, OptionEntry>;
