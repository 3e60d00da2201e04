/** A worker of observations that runs until it is killed: `observations-worker.ts DATA FOLDER`. */

import { createLog } from '@contrails/platform/log';
import { observationHandlers } from '../../../src/families/observations/jobs.ts';
import { openKillTrial } from '../observations-kill.ts';

const [, , data = '', folder = ''] = process.argv;
const { services, config, rules } = await openKillTrial(data, folder);
services.jobs.work(observationHandlers(services, config, rules), {
  concurrency: 2,
  log: createLog(config.log),
});
process.stdout.write('ready\n');
