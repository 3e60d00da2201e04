/** The forecast for commands: computed by the process that asks, beside whatever workers there are. */

import type { Log } from '@contrails/platform/log';
import type { Config } from './configuration.ts';
import type { PlanRequest } from './families/forecast/plan/plan.ts';
import {
  type ArchiveOutcome,
  type ArchiveRequest,
  type ForecastOutcome,
  publishArchive as publishWith,
  runForecast as runWith,
  type WatchJobs,
} from './families/forecast/run-now.ts';
import { openServices } from './open.ts';

export { computeCocipOffline } from './families/forecast/offline.ts';
export type { ArchiveOutcome, ForecastOutcome } from './families/forecast/run-now.ts';

export function runForecast(
  config: Config,
  log: Log,
  request: PlanRequest,
  watch: WatchJobs,
): Promise<ForecastOutcome> {
  return runWith(openServices, config, log, request, watch);
}

/** Publishes contrail grids of the globe from reanalysis, hour by hour; goes on where it stopped. */
export function publishArchive(
  config: Config,
  log: Log,
  request: ArchiveRequest,
  watch: WatchJobs,
): Promise<ArchiveOutcome> {
  return publishWith(openServices, config, log, request, watch);
}
