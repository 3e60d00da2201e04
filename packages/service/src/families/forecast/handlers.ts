import type { Met } from '@contrails/met';
import { handleJob, type JobHandler } from '@contrails/platform/jobs';
import { DAY_MS, isoSecond } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import type { ForecastConfig } from '../../forecast-products/config.ts';
import { planKind, taskKind } from '../../forecast-products/jobs.ts';
import { lostJobs } from '../../forecast-products/replan.ts';
import type { Services } from '../../services.ts';
import { whileRunStays } from '../../weather/sync.ts';
import { adoptPlan, type ForecastPlan, makePlan, type PlanRequest } from './plan/plan.ts';
import { runTask } from './run-task.ts';

type ForecastServices = Pick<Services, 'database' | 'store' | 'met' | 'compute' | 'jobs'>;

const JOBS_PER_CALL = 500;

/** Runs the jobs of the forecast. */
export function forecastHandlers(services: ForecastServices, config: ForecastConfig): JobHandler[] {
  const { database, jobs } = services;
  return [
    handleJob(planKind, async (request) => {
      if (config.met.sources.length === 0) return { parts: 0 };
      const plan = await planOrReason(await services.met.open(), config, request);
      if (plan === undefined || 'skipped' in plan) return { parts: 0, ...plan };
      const requests = await adoptPlan(database, plan, Date.now());
      let created = 0;
      for (let at = 0; at < requests.length; at += JOBS_PER_CALL) {
        const made = await jobs.enqueueAll(requests.slice(at, at + JOBS_PER_CALL));
        created += made.filter((job) => job.created).length;
      }
      const prunedBeforeMs = Date.now() - config.forecast.keep_days * DAY_MS;
      const again = await lostJobs(services, requests, prunedBeforeMs);
      created += (await jobs.enqueueAll(again)).filter((job) => job.created).length;
      return { run: isoSecond(plan.referenceTimeMs), parts: requests.length, new: created };
    }),
    handleJob(taskKind, (task, context) =>
      whileRunStays(config, task.source, task.referenceTimeMs, () => runTask(services, task, context)),
    ),
  ];
}

/** A run whose weather is gone cannot be planned again; that is not a failure, and a retry would not help. */
async function planOrReason(
  met: Met,
  config: ForecastConfig,
  request: PlanRequest,
): Promise<ForecastPlan | { readonly skipped: string } | undefined> {
  try {
    return await makePlan(met, config, request, Date.now());
  } catch (error) {
    if (error instanceof UsageError) return { skipped: error.message };
    throw error;
  }
}
