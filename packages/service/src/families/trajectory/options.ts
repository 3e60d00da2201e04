import type { ChosenScaling } from '../../weather/humidity-scaling.ts';
import type { Include } from './models.ts';

/** How flights are evaluated; plain data, which a thread or a job can be sent. */
export interface TrajectoryOptions {
  readonly includes: readonly Include[];
  readonly scaling: ChosenScaling;
  /** Name of a weather source; without it the one that suits each flight best. */
  readonly metSource?: string;
  /** Step [s] to which flights were resampled; the waypoints are those that were sent without it. */
  readonly resampleS?: number;
  /** Longest life of a contrail. */
  readonly maxAgeHours: number;
  /** Step of the contrail model. */
  readonly dtIntegrationMinutes: number;
}

/** What the service does unless a request says otherwise. */
export const DEFAULT_TRAJECTORY_OPTIONS: TrajectoryOptions = {
  includes: [],
  scaling: { name: 'exponential_boost_latitude_customization', options: {} },
  maxAgeHours: 12,
  dtIntegrationMinutes: 10,
};
