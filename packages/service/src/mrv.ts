/** Reports on the non-CO2 effects of an operator's flights, for commands. */
import { openCompute } from '@contrails/engine/compute';
import type { ReportHooks, ReportServices, ReportSettings } from '@contrails/engine/mrv/compute-report';
import { type OperatorFlight, readOperatorFlights, readTracks } from '@contrails/engine/mrv/operator-tables';
import { type PackRequest, writePack } from '@contrails/engine/mrv/pack';
import { DEFAULT_MRV } from '@contrails/engine/mrv/settings';
import type { Summary } from '@contrails/engine/mrv/summary';
import { type SampleSettings, type Verification, verifyPack } from '@contrails/engine/mrv/verify';
import { requireWeather } from '@contrails/engine/weather/errors';
import { withWorkspace } from '@contrails/platform/workspace';
import type { CoreConfig } from './config/core.ts';
import { createLazyMet } from './weather/lazy-met.ts';

export type { PackRequest } from '@contrails/engine/mrv/pack';
export type { ScopeRule } from '@contrails/engine/mrv/settings';
export type { Summary } from '@contrails/engine/mrv/summary';
export type { Verification } from '@contrails/engine/mrv/verify';

/** Computes a report and writes its folder. */
export function reportFlights(
  config: CoreConfig,
  request: PackRequest,
  hooks: ReportHooks,
): Promise<Summary> {
  return withReportServices(config, (services, settings) => writePack(services, request, settings, hooks));
}

/** Checks the folder of a report and computes flights of it again. */
export function verifyReport(
  config: CoreConfig,
  folder: string,
  sample: SampleSettings,
  hooks: ReportHooks,
): Promise<Verification> {
  return withReportServices(config, (services, settings) =>
    verifyPack(services, folder, settings, sample, hooks),
  );
}

export interface CheckedTables {
  readonly flights: number;
  readonly withTrajectory: number;
  /** Values that are not used, by flight. */
  readonly findings: readonly { readonly flightKey: string; readonly codes: readonly string[] }[];
}

/** Reads the tables of an operator without computing anything. */
export function checkTables(flights: string, trajectories: string | undefined): Promise<CheckedTables> {
  return withWorkspace(LIMITS, async ({ duckdb }) => {
    const rows = await readOperatorFlights(duckdb, flights);
    const tracks = trajectories === undefined ? undefined : await readTracks(duckdb, trajectories);
    const found = rows.flatMap(({ key, findings }: OperatorFlight) =>
      findings.length === 0 ? [] : [{ flightKey: key, codes: findings }],
    );
    return {
      flights: rows.length,
      withTrajectory: rows.filter(({ key }) => tracks?.has(key) === true).length,
      findings: found,
    };
  });
}

const LIMITS = { memoryMiB: 512, threads: 1 };

async function withReportServices<T>(
  config: CoreConfig,
  work: (services: ReportServices, settings: ReportSettings) => Promise<T>,
): Promise<T> {
  const met = createLazyMet(config);
  const { threads, heap_mib: heapMb } = config.workers;
  const compute = openCompute({ threads, maxQueue: Number.MAX_SAFE_INTEGER, heapMb });
  const open = async () => {
    requireWeather(config);
    return met.open();
  };
  try {
    return await withWorkspace(LIMITS, ({ duckdb }) =>
      work({ met: { open }, compute, duckdb }, { ...DEFAULT_MRV, scaling: config.met.humidity_scaling }),
    );
  } finally {
    await Promise.all([compute.close(), met.close()]);
  }
}
