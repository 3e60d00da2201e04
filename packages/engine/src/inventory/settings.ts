import type { AccfSettings } from '../flights/accf-settings.ts';
import { DEFAULT_CLIMATE } from '../flights/flight-climate.ts';
import { DEFAULT_TRAJECTORY_OPTIONS, type TrajectoryOptions } from '../flights/options.ts';
import type { HumidityScalingChoice } from '../weather/humidity-scaling.ts';

/** How the models run for the inventory, as public inventories of contrails do. */
export function inventoryOptions(
  scaling: HumidityScalingChoice,
  { maxAgeHours = 12, dtIntegrationMinutes = 5 }: Partial<TrajectoryOptions> = {},
  accf: AccfSettings = DEFAULT_CLIMATE.settings,
): TrajectoryOptions {
  return {
    ...DEFAULT_TRAJECTORY_OPTIONS,
    includes: ['performance', 'emissions', 'met', 'climate'],
    scaling: { name: scaling, options: {} },
    climate: { ...DEFAULT_CLIMATE, settings: accf },
    maxAgeHours,
    dtIntegrationMinutes,
  };
}
