import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { optional } from '@contrails/runtime/options/parameter';
import { ENSEMBLE_SCALING, HUMIDITY_SCALINGS } from '../weather/humidity-scaling.ts';

const DESCRIPTION =
  'How specific humidity of the weather is corrected; the service has a default of its own.';

/** With the scaling that needs the members of an ensemble, where requests can ask for them. */
export const humidityScalingWithMembers = optional(
  choice(
    [...HUMIDITY_SCALINGS, ENSEMBLE_SCALING],
    `${DESCRIPTION} ${ENSEMBLE_SCALING} needs \`met_members=all\` of ten members.`,
  ),
);

/** Query parameters of every model that looks at humidity. */
export const humidityParameters = {
  humidity_scaling: optional(choice(HUMIDITY_SCALINGS, DESCRIPTION)),
  rhi_adj: optional(
    number({
      description: 'Divisor of relative humidity over ice; of constant_scale and exponential_boost.',
      exclusiveMinimum: 0,
      maximum: 10,
    }),
  ),
  rhi_boost_exponent: optional(
    number({ description: 'Exponent of exponential_boost.', exclusiveMinimum: 0, maximum: 10 }),
  ),
  level_type: optional(
    choice(
      ['pressure', 'model'],
      'For which vertical coordinate the coefficients are taken; that of the weather unless it is given. Of histogram_matching and exponential_boost_latitude_customization.',
    ),
  ),
};
