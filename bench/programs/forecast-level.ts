/**
 * Computes and publishes flight levels of a forecast hour at a quarter of a degree into a data directory, as many in a job
 * as a worker takes; prints one line of JSON. Arguments: directory, levels, degrees of the weather's grid.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '@contrails/platform/log';
import { loadConfig } from '../../packages/service/src/configuration.ts';
import { withDemoWeather } from '../../packages/service/src/demo.ts';
import { forecastHandlers } from '../../packages/service/src/families/forecast/handlers.ts';
import { makePlan } from '../../packages/service/src/families/forecast/plan/plan.ts';
import { taskKind } from '../../packages/service/src/forecast-products/jobs.ts';
import { editionOf } from '../../packages/service/src/forecast-products/task.ts';
import { openServices } from '../../packages/service/src/open.ts';

type Made = Record<'seconds' | 'bytes' | 'contrails' | 'plumeSteps', number>;

const [data = '', levels = '350', weatherDeg = '1'] = process.argv.slice(2);
const loaded = withDemoWeather(loadConfig({ environment: { CONTRAILS_DATA: data }, directory: data }));
const weather = { name: 'demo', kind: 'synthetic', resolution: Number(weatherDeg), seed: 1 } as const;
const config = { ...loaded, met: { ...loaded.met, sources: [weather] } };
const log = createLog({ ...config.log, level: 'error' });
const services = await openServices(config, log);
const worker = services.jobs.work(forecastHandlers(services, config), { concurrency: 1, log });
const plan = await makePlan(
  await services.met.open(),
  config,
  { leadHours: [1, 1], classes: ['default'] },
  Date.now(),
);
const [planned] = plan?.tasks ?? [];
if (planned === undefined) throw new Error('there is no weather run');
const make = async (cellsPerDegree: number, flightLevels: readonly number[]) => {
  const task = { ...planned.task, flightLevels: [...flightLevels], cellsPerDegree, evenIfOld: true };
  const { id } = await services.jobs.enqueue(taskKind, task);
  for (;;) {
    const job = await services.jobs.get(id);
    if (job?.state === 'done') return job.result as Made;
    if (job?.state === 'failed') throw new Error(String(job.error));
    await sleep(20);
  }
};
const wanted = levels.split(',').map(Number);
const { levels_per_job: atOnce } = config.forecast;
// Reads the weather and warms the code.
await make(0.25, wanted.slice(0, atOnce));
const cpu = process.cpuUsage();
const sum: Made = { seconds: 0, bytes: 0, contrails: 0, plumeSteps: 0 };
for (let at = 0; at < wanted.length; at += atOnce) {
  const made = await make(4, wanted.slice(at, at + atOnce));
  for (const name of Object.keys(sum) as (keyof Made)[]) sum[name] += made[name];
}
const { user, system } = process.cpuUsage(cpu);
let cocipBytes = 0;
for await (const { key, size } of services.store.list('forecast/')) {
  const isOfHour = key.includes(`.${editionOf({ ...planned.task, cellsPerDegree: 4 })}.`);
  if (isOfHour && key.includes('/cocip.')) cocipBytes += size;
}
console.log(
  JSON.stringify({
    ...sum,
    cocipBytes,
    cpuSeconds: (user + system) / 1e6,
    threads: services.compute.threads,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    weatherBytes: (await services.met.open()).statistics().usedBytes,
    time: new Date(planned.task.validTimeMs).toISOString(),
  }),
);
await worker.stop();
await services.close();
