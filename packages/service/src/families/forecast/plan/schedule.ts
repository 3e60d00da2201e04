import type { Jobs } from '../../../jobs/index.ts';
import type { ForecastConfig } from '../config.ts';
import { planKind } from './jobs.ts';

const NAME = 'forecast';
/** Before all parts: it is short, and they may be of a run that is outdated. */
const PRIORITY = 1000;
const START_INTERVAL_MS = 60_000;

/** Looks for new weather runs as the configuration says, and once now; any number of workers make one look of it. */
export async function scheduleForecast(
  jobs: Jobs,
  { forecast, met }: ForecastConfig,
  nowMs: number,
): Promise<void> {
  if (met.sources.length === 0) return;
  if (forecast.schedule === 'off') {
    await jobs.unschedule(NAME);
    return;
  }
  await jobs.schedule(NAME, forecast.schedule, planKind, {}, { priority: PRIORITY });
  const key = `start/${Math.floor(nowMs / START_INTERVAL_MS)}`;
  await jobs.enqueue(planKind, {}, { key, priority: PRIORITY });
}
