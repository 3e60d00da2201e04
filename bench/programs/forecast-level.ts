/**
 * Computes and publishes one flight level of a forecast at a quarter of a degree into a data directory; prints one line of
 * JSON. Arguments: directory.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../packages/service/src/config/load.ts';
import { withDemoWeather } from '../../packages/service/src/demo.ts';
import { forecastHandlers } from '../../packages/service/src/forecast/handlers.ts';
import { partKind } from '../../packages/service/src/forecast/jobs.ts';
import { makePlan } from '../../packages/service/src/forecast/make-plan.ts';
import { createLog } from '../../packages/service/src/log.ts';
import { openParts } from '../../packages/service/src/parts.ts';

const [data = ''] = process.argv.slice(2);
const config = withDemoWeather(loadConfig({ environment: { CONTRAILS_DATA: data }, directory: data }));
const log = createLog({ ...config.log, level: 'error' });
const parts = await openParts(config, log);
const worker = parts.jobs.work(forecastHandlers(parts, config), { concurrency: 1, log });
const plan = await makePlan(
  await parts.met.open(),
  config,
  { leadHours: [1, 1], classes: ['default'] },
  Date.now(),
);
const [planned] = plan?.parts ?? [];
if (planned === undefined) throw new Error('there is no weather run');
const make = async (cellsPerDegree: number, validTimeMs: number) => {
  const part = { ...planned.part, validTimeMs, flightLevels: [350], cellsPerDegree, evenIfOld: true };
  const { id } = await parts.jobs.enqueue(partKind, part);
  for (;;) {
    const job = await parts.jobs.get(id);
    if (job?.state === 'done') return job.result as Record<string, number>;
    if (job?.state === 'failed') throw new Error(String(job.error));
    await sleep(20);
  }
};
const { validTimeMs } = planned.part;
// Reads the weather and warms the code.
await make(0.25, validTimeMs);
const cpu = process.cpuUsage();
const result = await make(4, validTimeMs);
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    ...result,
    cpuSeconds: (user + system) / 1e6,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    time: new Date(validTimeMs).toISOString(),
  }),
);
await worker.stop();
await parts.close();
