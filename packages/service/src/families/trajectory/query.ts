/** The query of the trajectory endpoints, which is also what the command line has as options. */

import { choice } from '../../http/params/choice.ts';
import { humidityParameters } from '../../http/params/humidity-scaling.ts';
import { list } from '../../http/params/list.ts';
import { number } from '../../http/params/number.ts';
import { byDefault, optional } from '../../http/params/parameter.ts';
import { text } from '../../http/params/text.ts';
import type { Values } from '../../http/query.ts';
import { chooseScaling, type HumidityScalingChoice } from '../../weather/humidity-scaling.ts';
import { INCLUDES, type Include } from './models.ts';
import { DEFAULT_TRAJECTORY_OPTIONS, type TrajectoryOptions } from './options.ts';

/** Parameters of every model. */
export const airParameters = {
  include: {
    ...list(choice(INCLUDES), {
      maxItems: 2 * INCLUDES.length,
      description:
        'What the answer has besides the fields of the model: performance, emissions, met (the air at the waypoints), co2e, and with cocip contrail (its lines at each step as GeoJSON).',
    }),
    // Not `byDefault`: an empty list cannot be written in a query.
    absent: { value: [] as Include[] },
  },
  resample: optional(
    number({
      description:
        'Resamples each flight to whole multiples of so many seconds, along geodesics, before anything is computed. Lists of the answer then have one value for each resampled waypoint, and `time`, `longitude`, `latitude` and `altitude` [ft] tell where those are.',
      integer: true,
      minimum: 1,
      maximum: 600,
      examples: [60],
    }),
  ),
  ...humidityParameters,
  met_source: optional(
    text({
      maxLength: 64,
      description:
        'Name of a configured weather source; without it re-analysis where it covers a flight, else forecast.',
    }),
  ),
};

/** Parameters of the contrail model besides. */
export const contrailParameters = {
  ...airParameters,
  max_age_hours: byDefault(
    number({ description: 'Longest life of a contrail [h].', exclusiveMinimum: 0, maximum: 24 }),
    DEFAULT_TRAJECTORY_OPTIONS.maxAgeHours,
  ),
  dt_integration_minutes: byDefault(
    number({ description: 'Time step of the contrail model [min].', minimum: 1, maximum: 30 }),
    DEFAULT_TRAJECTORY_OPTIONS.dtIntegrationMinutes,
  ),
};

export type AirQuery = Values<typeof airParameters>;
type ContrailQuery = Values<typeof contrailParameters>;

/** What a query asks for; `scaling` is what the service does unless it says otherwise. */
export function optionsOf(
  query: AirQuery & Partial<Pick<ContrailQuery, 'max_age_hours' | 'dt_integration_minutes'>>,
  scaling: HumidityScalingChoice,
): TrajectoryOptions {
  const { maxAgeHours, dtIntegrationMinutes } = DEFAULT_TRAJECTORY_OPTIONS;
  return {
    includes: INCLUDES.filter((name) => query.include.includes(name)),
    scaling: chooseScaling(query, scaling),
    ...(query.resample === undefined ? {} : { resampleS: query.resample }),
    ...(query.met_source === undefined ? {} : { metSource: query.met_source }),
    maxAgeHours: query.max_age_hours ?? maxAgeHours,
    dtIntegrationMinutes: query.dt_integration_minutes ?? dtIntegrationMinutes,
  };
}
