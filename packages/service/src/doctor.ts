import type { Finding } from '@contrails/platform/finding';
import type { Log } from '@contrails/platform/log';
import { UsageError } from '@contrails/runtime/errors';
import { type Config, type ConfigSources, loadConfig } from './configuration.ts';
import { checkClock, type OtherClock } from './doctor/clock.ts';
import {
  checkDevice,
  checkDisk,
  checkMemory,
  checkNode,
  checkOpenFiles,
  checkThreads,
} from './doctor/machine.ts';
import { type Repair, repairProducts } from './doctor/products.ts';
import { checkDatabase, checkStore } from './doctor/services.ts';
import { checkSources, checkWeatherMemory } from './doctor/weather.ts';
import { openConfiguredStore, openJobsOnly } from './open.ts';

export type { Finding } from '@contrails/platform/finding';

/** Checks everything the service depends on; what depends on the configuration only if that can be read. */
export async function examine(sources: ConfigSources): Promise<Finding[]> {
  const machine = [checkNode(), checkMemory(), checkOpenFiles()];
  const config = readConfig(sources);
  if (!('data' in config)) return [config, ...machine, checkClock(Date.now(), [])];
  const clocks: OtherClock[] = [];
  const [store, database] = await Promise.all([checkStore(config, clocks), checkDatabase(config, clocks)]);
  const weather = await checkSources(config);
  const disk = config.data.kind === 'directory' ? [await checkDisk(config.data.path)] : [];
  return [
    { check: 'configuration', state: 'ok', message: config.file ?? 'defaults and environment, no file' },
    store,
    ...database,
    ...weather,
    ...machine,
    checkWeatherMemory(config),
    checkThreads(config.workers.threads),
    await checkDevice(config.compute.device, config.compute.gpu_adapters),
    ...disk,
    checkClock(Date.now(), clocks),
  ];
}

/** Plans stored products that are missing or damaged again. */
export async function repair(config: Config, log: Log): Promise<Repair> {
  const { jobs, database, close } = await openJobsOnly(config, log);
  try {
    const store = await openConfiguredStore(config);
    return await repairProducts({ store, database, jobs }).finally(() => store.close());
  } finally {
    await close();
  }
}

function readConfig(sources: ConfigSources): Config | Finding {
  try {
    return loadConfig(sources);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return {
      check: 'configuration',
      state: 'fail',
      message: error.message,
      remedy: 'correct what is named; docs/configuration.md lists every key',
    };
  }
}
