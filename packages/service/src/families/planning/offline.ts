/** Plans without a server: what `POST /v1/planning/{kind}` returns, computed by the calling process. */

import { openCompute } from '@contrails/engine/compute';
import { computePlans, type PlanningServices } from '@contrails/engine/planning/compute';
import {
  type PlanKind,
  type PlanningQuery,
  planningOptionsOf,
  planningParameters,
} from '@contrails/engine/planning/options';
import type { StoredGrids } from '@contrails/engine/planning/prepare';
import { planningRequestOf, readPlanFlags, readPlanningBody } from '@contrails/engine/planning/read-body';
import { computeRoute } from '@contrails/engine/routes/compute';
import { readRouteBody, routeOptionsOf, routeParameters } from '@contrails/engine/routes/request';
import { requireWeather } from '@contrails/engine/weather/errors';
import { toJson } from '@contrails/formats/json/writer';
import { asUsage, ContrailsError, ValidationError } from '@contrails/runtime/errors';
import { readFlags } from '@contrails/runtime/options/flags';
import type { RawValue } from '@contrails/runtime/options/parameter';
import { errorsOf, Rejected } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { createLazyMet } from '../../weather/lazy-met.ts';
import type { PlanningConfig } from './config.ts';
import { describeProblem } from './problems.ts';

const MIB = 2 ** 20;

/** Weather and threads that stay open from one body to the next. */
export interface OfflinePlans {
  /** The answer as JSON. */
  plan(body: unknown, onProgress?: (fraction: number) => void): Promise<Buffer>;
  close(): Promise<void>;
}

/** What the installation stores. */
export interface OpenGrids {
  readonly grids: StoredGrids;
  close(): Promise<void>;
}

/** What a command line asks for. */
export interface PlanFlags {
  /** Options as they were written, by their names in a query. */
  readonly given: Readonly<Record<string, RawValue | undefined>>;
  /** Parameters of the contrail model, each as `name=value`. */
  readonly params?: readonly string[];
}

export function openOfflinePlans(
  config: PlanningConfig,
  kind: PlanKind,
  { given, params = [] }: PlanFlags,
  openGrids: () => Promise<OpenGrids>,
): OfflinePlans {
  const { planning, options } = readOptions(config, kind, given);
  const flags = asUsage(() => readPlanFlags(params));
  const opened = openPlanServices(config, planning.contrails === 'grid', openGrids);
  return {
    async plan(body, onProgress) {
      try {
        const read = finish(readPlanningBody(body));
        if (read instanceof Rejected) throw errorsOf(undefined, undefined, read);
        const services = await opened.services();
        // What a body gives takes precedence over what holds for all of them.
        const parameters = flags && { ...flags, ...read.parameters };
        const request = planningRequestOf(
          parameters === undefined ? read : { ...read, parameters },
          planning,
          options,
        );
        return Buffer.from(toJson(await computePlans(services, request, { onProgress })));
      } catch (error) {
        throw error instanceof ValidationError ? new ContrailsError(error.summary, { cause: error }) : error;
      }
    },
    close: () => opened.close(),
  };
}

/** Routes without a server: what `POST /v1/planning/route` returns. */
export function openOfflineRoutes(
  config: PlanningConfig,
  given: PlanFlags['given'],
  openGrids: () => Promise<OpenGrids>,
): OfflinePlans {
  const query = readFlags(routeParameters, given);
  const route = asUsage(() => routeOptionsOf(query, config.met.humidity_scaling));
  const opened = openPlanServices(config, route.contrails === 'grid', openGrids);
  return {
    async plan(raw) {
      try {
        const body = readRouteBody(raw);
        if (body instanceof Rejected) throw errorsOf(undefined, undefined, body);
        return Buffer.from(toJson(await computeRoute(await opened.services(), { body, route }, {})));
      } catch (error) {
        throw error instanceof ValidationError ? new ContrailsError(error.summary, { cause: error }) : error;
      }
    },
    close: () => opened.close(),
  };
}

/** Weather and threads of the calling process, and what the installation stores only where it is wanted. */
function openPlanServices(
  config: PlanningConfig,
  wantsGrids: boolean,
  openGrids: () => Promise<OpenGrids>,
): { services(): Promise<PlanningServices>; close(): Promise<void> } {
  const met = createLazyMet(config);
  const openMet = async () => {
    requireWeather(config);
    return met.open();
  };
  const { threads, heap_mib: heapMb } = config.workers;
  const compute = openCompute({ threads, maxQueue: Number.MAX_SAFE_INTEGER, heapMb });
  const memoryBytes = config.planning.memory_mib * MIB;
  let opening: Promise<OpenGrids> | undefined;
  const gridsOf = async () => {
    if (!wantsGrids) return {};
    opening ??= openGrids();
    return { grids: (await opening).grids };
  };
  return {
    services: async () => ({
      met: { open: openMet },
      compute,
      describeProblem,
      memoryBytes,
      ...(await gridsOf()),
    }),
    async close() {
      const grids = await opening?.catch(() => undefined);
      await Promise.all([compute.close(), met.close(), grids?.close()]);
    },
  };
}

function readOptions(
  config: PlanningConfig,
  kind: PlanKind,
  given: Readonly<Record<string, RawValue | undefined>>,
) {
  const query = readFlags(planningParameters[kind], given) as PlanningQuery;
  return asUsage(() => planningOptionsOf(kind, query, config.met.humidity_scaling));
}
