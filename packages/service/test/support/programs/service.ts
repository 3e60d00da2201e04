/**
 * `contrails serve --no-workers` or `contrails worker` with the endpoints and jobs of the trial; settings come from the
 * environment. Ends with the test that started it.
 */

import { createLog } from '@contrails/platform/log';
import { loadConfig } from '../../../src/configuration.ts';
import { serve } from '../../../src/serve.ts';
import { runWorker } from '../../../src/worker.ts';
import { trialFamily } from '../trial/family.ts';
import { trialJobs } from '../trial/jobs.ts';

const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();

const config = loadConfig({ environment: process.env, directory: process.cwd() });
const log = createLog(config.log);
const announce = (line: string) => void process.stdout.write(`${line}\n`);
const role = process.argv[2];

if (role === 'worker') await runWorker(config, log, announce, trialJobs);
else {
  const families = (services: Parameters<typeof trialFamily>[0]) => [trialFamily(services)];
  await serve(config, log, {
    demo: false,
    workers: role === 'both',
    announce,
    families,
    handlers: trialJobs,
  });
}
