/** Plans for commands: computed by the process that asks, against what the installation stores. */
import type { Config } from './configuration.ts';
import { type OfflinePlans, openOfflinePlans as openWith } from './families/planning/offline.ts';
import type { PlanKind } from './families/planning/options.ts';
import type { RawValue } from './http/params/parameter.ts';
import { createLog } from './log.ts';

export type { Answer } from './families/planning/describe-flight.ts';
export type { PlanKind } from './families/planning/options.ts';

/** `given` holds the parameters as they were written, by their names in a query. */
export function openOfflinePlans(
  config: Config,
  kind: PlanKind,
  given: Readonly<Record<string, RawValue | undefined>>,
): OfflinePlans {
  return openWith(config, kind, given, async () => {
    const [{ openServices }, { storedGrids }] = await Promise.all([
      import('./open.ts'),
      import('./families/planning/stored-grids.ts'),
    ]);
    const services = await openServices(config, createLog(config.log));
    return { grids: storedGrids(services, config), close: () => services.close() };
  });
}
