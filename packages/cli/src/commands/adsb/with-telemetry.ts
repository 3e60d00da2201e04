import type { Config } from '@contrails/service/config';
import type { TelemetryRules, TelemetryServices } from '@contrails/service/telemetry';
import type { Command } from 'commander';
import { configureExisting, openLog } from '../../configure.ts';

export type Telemetry = typeof import('@contrails/service/telemetry');

/** Runs a command on the telemetry of the configured database and store. */
export async function withTelemetry<T>(
  command: Command,
  work: (
    services: TelemetryServices,
    rules: TelemetryRules,
    telemetry: Telemetry,
    config: Config,
  ) => Promise<T>,
  configureData = configureExisting,
): Promise<T> {
  const config = await configureData(command);
  const telemetry = await import('@contrails/service/telemetry');
  const { openDataOnly } = await import('@contrails/service/services');
  const rules = telemetry.telemetryRules(config.telemetry);
  const services = await openDataOnly(config, await openLog(config));
  try {
    return await work(services, rules, telemetry, config);
  } finally {
    await services.close();
  }
}
