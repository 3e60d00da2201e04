import { choice } from '@contrails/runtime/options/choice';
import { optional } from '@contrails/runtime/options/parameter';
import { ENSEMBLE_SCALING } from '../weather/humidity-scaling.ts';
import { parameterOf } from './parameter-of.ts';
import { WEATHER_OPTIONS } from './weather-options.ts';

const { humidity_scaling, rhi_adj, rhi_boost_exponent, level_type } = WEATHER_OPTIONS;

/** With the scaling that needs the members of an ensemble, where requests can ask for them. */
export const humidityScalingWithMembers = optional(
  choice(
    [...humidity_scaling.choices, ...humidity_scaling.choicesOfCocip],
    `${humidity_scaling.description} ${ENSEMBLE_SCALING} needs \`met_members=all\` of ten members.`,
  ),
);

/** Query parameters of every model that uses humidity. */
export const humidityParameters = {
  humidity_scaling: parameterOf(humidity_scaling),
  rhi_adj: parameterOf(rhi_adj),
  rhi_boost_exponent: parameterOf(rhi_boost_exponent),
  level_type: parameterOf(level_type),
};
