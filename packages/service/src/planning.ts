/** Plans for commands: computed by the process that asks, against what the installation stores. */

import type { PlanKind } from '@contrails/engine/planning/options';
import { createLog } from '@contrails/platform/log';
import type { Config } from './configuration.ts';
import {
  type OfflinePlans,
  type OpenGrids,
  openOfflineRoutes as openRoutesWith,
  openOfflinePlans as openWith,
  type PlanFlags,
} from './families/planning/offline.ts';

export type { Answer } from '@contrails/engine/planning/describe-flight';
export type { PlanKind } from '@contrails/engine/planning/options';

export function openOfflinePlans(config: Config, kind: PlanKind, flags: PlanFlags): OfflinePlans {
  return openWith(config, kind, flags, () => openGrids(config));
}

export function openOfflineRoutes(config: Config, given: PlanFlags['given']): OfflinePlans {
  return openRoutesWith(config, given, () => openGrids(config));
}

async function openGrids(config: Config): Promise<OpenGrids> {
  const [{ openServices }, { storedGrids }] = await Promise.all([
    import('./open.ts'),
    import('./families/planning/stored-grids.ts'),
  ]);
  const services = await openServices(config, createLog(config.log));
  return { grids: storedGrids(services, config), close: () => services.close() };
}
