/** A worker of observations that runs until it is killed: `observations-worker.ts DATA FOLDER`. */
import { observationHandlers } from '../../../src/families/observations/jobs.ts';
import { createLog } from '../../../src/log.ts';
import { openKillTrial } from '../observations-kill.ts';

const [, , data = '', folder = ''] = process.argv;
const { services, config, rules } = await openKillTrial(data, folder);
services.jobs.work(observationHandlers(services, config, rules), {
  concurrency: 2,
  log: createLog(config.log),
});
process.stdout.write('ready\n');
