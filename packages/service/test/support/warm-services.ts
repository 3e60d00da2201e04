import { openCompute } from '../../src/compute/index.ts';
import type { Config } from '../../src/configuration.ts';
import type { Log } from '../../src/log.ts';
import { openServices } from '../../src/open.ts';
import type { Services } from '../../src/services.ts';

/** Of all test files of this process: a thread that has just started takes seconds to become quick. */
const compute = openCompute({ threads: 1, maxQueue: 64 });

/** The services, which compute on one thread that others have warmed up. */
export async function openWarmServices(config: Config, log: Log): Promise<Services> {
  return { ...(await openServices(config, log)), compute };
}
