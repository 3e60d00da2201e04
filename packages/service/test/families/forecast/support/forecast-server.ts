import { createLog } from '@contrails/platform/log';
import { afterAll } from 'vitest';
import { temporaryDirectory } from '../../../../../../test/support/temporary.ts';
import { until } from '../../../../../../test/support/until.ts';
import { type Config, loadConfig } from '../../../../src/configuration.ts';
import { forecastHandlers } from '../../../../src/families/forecast/handlers.ts';
import { historicalHandler } from '../../../../src/families/forecast/historical.ts';
import {
  adoptPlan,
  type ForecastPlan,
  makePlan,
  type PlanRequest,
} from '../../../../src/families/forecast/plan/plan.ts';
import { familyRoutes } from '../../../../src/families/index.ts';
import type { Services } from '../../../../src/services.ts';
import { type Answer, type Server, startServer } from '../../../support/server.ts';
import { openWarmServices } from '../../../support/warm-services.ts';

export interface ForecastServer {
  readonly server: Server;
  readonly services: Services;
  readonly config: Config;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Plans without computing. */
  plan(request?: PlanRequest): Promise<ForecastPlan>;
  /** Plans, computes and publishes: everything, or only the tasks that compute a flight level. */
  publish(request?: PlanRequest, flightLevel?: number): Promise<ForecastPlan>;
  /** At the end of the test file without. */
  close(): Promise<void>;
}

/** Synthetic weather every 10° and grids every 4°: an hour of one aircraft takes a second. */
export const COARSE = {
  CONTRAILS_MET__SOURCES: JSON.stringify([{ name: 'trial', kind: 'synthetic', resolution: 10 }]),
  CONTRAILS_FORECAST__CELLS_PER_DEGREE: '0.25',
  CONTRAILS_FORECAST__AIRCRAFT_TYPES: 'B738,A320',
  CONTRAILS_FORECAST__HOURS: '2',
};

export async function startForecastServer(more: Record<string, string> = {}): Promise<ForecastServer> {
  const data = await temporaryDirectory();
  const environment = { ...COARSE, CONTRAILS_DATA: data, CONTRAILS_LOG__LEVEL: 'error', ...more };
  const config = loadConfig({ environment, directory: data });
  const log = createLog(config.log);
  const services = await openWarmServices(config, log);
  const handlers = [...forecastHandlers(services, config), historicalHandler(services)];
  const worker = services.jobs.work(handlers, { concurrency: 2, log });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= worker.stop({ graceSeconds: 0 }).then(() => services.close());
    return closing;
  };
  afterAll(close);
  const server = await startServer({ families: familyRoutes(services, config) });
  const plan = async (request: PlanRequest = {}) => {
    const made = await makePlan(await services.met.open(), config, request, Date.now());
    if (made === undefined) throw new Error('there is nothing to plan');
    return made;
  };
  return {
    server,
    services,
    config,
    get: (path, headers = {}) => server.send({ url: path, headers: { 'x-api-key': server.key, ...headers } }),
    plan,
    close,
    async publish(request, flightLevel) {
      const made = tasksOf(await plan(request), flightLevel);
      const jobs = await services.jobs.enqueueAll(await adoptPlan(services.database, made, Date.now()));
      for (const { id } of jobs) await untilDone(services, id);
      return made;
    },
  };
}

/** The tasks of a plan that compute a flight level. */
export function tasksOf(plan: ForecastPlan, flightLevel: number | undefined): ForecastPlan {
  if (flightLevel === undefined) return plan;
  return { ...plan, tasks: plan.tasks.filter(({ task }) => task.flightLevels.includes(flightLevel)) };
}

async function untilDone({ jobs }: Services, id: string): Promise<void> {
  const isDone = async () => {
    const job = await jobs.get(id);
    if (job?.state === 'failed') throw new Error(`the job failed: ${job.error}`);
    return job?.state === 'done';
  };
  await until(`job ${id} is done`, isDone, { seconds: 170 });
}
