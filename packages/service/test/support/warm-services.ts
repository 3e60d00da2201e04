import { openCompute } from '@contrails/engine/compute';
import type { Log } from '@contrails/platform/log';
import type { Config } from '../../src/configuration.ts';
import { openServices } from '../../src/open.ts';
import type { Services } from '../../src/services.ts';
import { createLazyMet, type LazyMet } from '../../src/weather/lazy-met.ts';

/** Of all test files of this process: a thread that has just started takes seconds to become quick. */
export const warmCompute = openCompute({ threads: 1, maxQueue: 64 });

/** Likewise synthetic weather by its settings: it is the same in every test, and its threads take as long. */
const weathers = new Map<string, LazyMet>();

/** The services, which compute on one thread and use synthetic weather that others have warmed up. */
export async function openWarmServices(config: Config, log: Log): Promise<Services> {
  const services = await openServices(config, log);
  return { ...services, compute: warmCompute, met: weatherOf(config) ?? services.met };
}

function weatherOf(config: Config): LazyMet | undefined {
  const { sources } = config.met;
  if (sources.length === 0 || sources.some(({ kind }) => kind !== 'synthetic')) return undefined;
  const settings = JSON.stringify(config.met);
  const weather = weathers.get(settings) ?? createLazyMet(config);
  weathers.set(settings, weather);
  // Tests replace members of it.
  return { ...weather, close: async () => {} };
}
