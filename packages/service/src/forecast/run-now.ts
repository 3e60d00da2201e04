/** A forecast that somebody waits for: planned and computed by this process, beside whatever workers there are. */
import type { Config } from '../config/load.ts';
import { createCatalogue } from '../database/catalogue.ts';
import { UsageError } from '../errors.ts';
import { jobId } from '../jobs/identity.ts';
import type { JobRecord, JobRequest, Jobs } from '../jobs/index.ts';
import type { Log } from '../log.ts';
import { openParts, type Parts } from '../parts.ts';
import { requireWeather } from '../weather/faults.ts';
import { forecastHandlers } from './handlers.ts';
import { partKind } from './jobs.ts';
import { adoptPlan, type ForecastPlan, makePlan, type PlanRequest } from './make-plan.ts';
import { cocipKind, type ForecastPart, partName, productKey } from './part.ts';

export interface ForecastOutcome {
  readonly plan: ForecastPlan;
  /** Parts that were published before. */
  readonly publishedBefore: number;
  /** How the jobs of the others ended. */
  readonly jobs: readonly JobRecord[];
}

/** Follows jobs until they have ended. */
type WatchJobs = (jobs: Jobs, chosen: readonly JobRecord[]) => Promise<readonly JobRecord[]>;

export async function runForecast(
  config: Config,
  log: Log,
  request: PlanRequest,
  watch: WatchJobs,
): Promise<ForecastOutcome> {
  requireWeather(config);
  const parts = await openParts(config, log);
  try {
    const plan = await makePlan(await parts.met.open(), config, request, Date.now());
    if (plan === undefined) {
      throw new UsageError(
        'no weather source has a forecast; "contrails met list" shows what they have, and re-analysis has no runs to compute',
      );
    }
    const missing = await missingParts(parts, plan);
    const requests = await adoptPlan(parts.database, { ...plan, parts: missing }, Date.now());
    const chosen = await Promise.all(requests.map((one) => startJob(parts.jobs, one)));
    const worker = parts.jobs.work(forecastHandlers(parts, config), {
      concurrency: config.workers.jobs,
      log,
    });
    const ended = await watch(parts.jobs, chosen);
    await worker.stop({ graceSeconds: 0 });
    return { plan, publishedBefore: plan.parts.length - missing.length, jobs: ended };
  } finally {
    await parts.close();
  }
}

async function missingParts({ database }: Pick<Parts, 'database'>, { parts }: ForecastPlan) {
  const catalogue = createCatalogue(database);
  const known = await Promise.all(parts.map(({ part }) => catalogue.get(cocipKey(part))));
  return parts.filter((_, k) => known[k] === undefined);
}

function cocipKey(part: ForecastPart): string {
  return productKey(part, cocipKind(part), 'nc');
}

/** The job of a part: the one that stands already, taken up again, or a new one where its product is gone. */
async function startJob(jobs: Jobs, request: JobRequest): Promise<JobRecord> {
  const { key, priority } = request.options;
  const part = request.payload as ForecastPart;
  const options = { ...(priority === undefined ? {} : { priority }) };
  const known = await jobs.get(jobId(partKind.name, null, key));
  if (known?.state === 'failed' || known?.state === 'cancelled') await jobs.retry(known.id);
  const again = known?.state === 'done' ? `${partName(part)}@${Date.now()}` : partName(part);
  const { id } = await jobs.enqueue(partKind, part, { ...options, key: again });
  const record = await jobs.get(id);
  if (record === undefined) throw new Error(`the job ${id} is gone`);
  return record;
}
