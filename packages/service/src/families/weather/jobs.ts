/** Weather that workers keep up to date: a job for each source looks for a new run, and brings it. */
import { SyncError } from '@contrails/met/sync';
import { defineJob, handleJob, type JobHandler, type Jobs, MAX_PRIORITY } from '@contrails/platform/jobs';
import { MINUTE_MS } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import type { CoreConfig } from '../../config/core.ts';
import type { MetSyncSettings } from '../../config/met-sync.ts';
import { planKind } from '../../forecast-products/jobs.ts';
import type { Services } from '../../services.ts';
import { syncWeather } from '../../weather/sync.ts';
import { recordSync, syncStates } from '../../weather/sync-state.ts';

export const syncKind = defineJob({
  name: 'met.sync',
  payload: Type.Object({ source: Type.String() }),
  attempts: 2,
  priority: MAX_PRIORITY,
  subject: ({ source }) => source,
});

/** How much of the first run of a source is brought before the rest [h]. */
const FIRST_HOURS = 12;

/** Brings a source up to date. What fails is tried at the next look; runs that are there stay. */
export function syncHandler(services: Pick<Services, 'database' | 'jobs'>, config: CoreConfig): JobHandler {
  return handleJob(syncKind, async ({ source }, context) => {
    const settings = config.met.sync.sources.find((one) => one.source === source);
    if (settings === undefined) return { state: 'not configured' };
    const choices = { ...choicesOf(settings), signal: context.signal };
    let total = 0;
    const bring = async (narrowed: Parameters<typeof syncWeather>[2]) => {
      const [result] = await syncWeather(config, source, {
        ...choices,
        ...narrowed,
        onPlan: ({ bytes }) => {
          total = bytes;
        },
        onProgress: (bytes) => context.progress(total === 0 ? 0 : Math.min(bytes / total, 1), source),
        onNotice: (text) => context.log.info({ source }, text),
      });
      if (result === undefined) return { state: 'nothing' };
      const { runMs, missing, bytesFetched, state } = result;
      await recordSync(services.database, source, { runMs, missing, bytes: bytesFetched }, Date.now());
      if (state === 'synced') {
        context.log.info({ source, run: new Date(runMs).toISOString() }, 'a weather run is there');
        await services.jobs.enqueue(planKind, {}, { key: `sync/${source}/${runMs}/${Date.now()}` });
      }
      return { state, run: new Date(runMs).toISOString() };
    };
    try {
      const states = await syncStates(services.database);
      const hasRun = states.some((one) => one.source === source && one.runMs !== null);
      if (!hasRun) {
        // There is nothing to show yet: the forecast begins with the first hours of the run that will follow whole.
        const [found] = await syncWeather(config, source, { ...choices, dryRun: true });
        if (found?.type === 'forecast' && (found.steps.at(-1) ?? 0) > FIRST_HOURS) {
          await bring({ runMs: found.runMs, hours: FIRST_HOURS });
        }
      }
      return await bring({});
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof SyncError) && !(error instanceof UsageError)) throw error;
      // Another process is at it: a command, or the job before this one.
      if (error instanceof SyncError && error.kind === 'locked') return { state: 'busy' };
      context.log.warn({ source }, `weather was not brought up to date: ${error.message}`);
      await recordSync(services.database, source, { error: error.message }, Date.now());
      return { state: 'failed', error: error.message };
    }
  });
}

function choicesOf(settings: MetSyncSettings['sources'][number]): Parameters<typeof syncWeather>[2] {
  const { hours, levels, bbox, members, radiation_from, roots } = settings;
  const [west = 0, south = 0, east = 0, north = 0] = bbox ?? [];
  return {
    ...(hours === undefined ? {} : { hours }),
    ...(levels === undefined ? {} : { levels }),
    ...(bbox === undefined ? {} : { bbox: [west, south, east, north] as const }),
    ...(members === undefined ? {} : { members }),
    ...(radiation_from === undefined ? {} : { radiationFrom: radiation_from }),
    ...(roots === undefined ? {} : { roots }),
  };
}

const nameOf = (source: string) => `met.sync ${source}`;

/** Looks on the configured schedule, and once now; workers that start together share one look. */
export async function scheduleSync(jobs: Jobs, { met }: CoreConfig, nowMs: number): Promise<void> {
  const { sources, every_minutes } = met.sync;
  for (const { source } of sources) {
    const cron = every_minutes === 60 ? '0 * * * *' : `*/${every_minutes} * * * *`;
    await jobs.schedule(nameOf(source), cron, syncKind, { source });
    await jobs.enqueue(syncKind, { source }, { key: `start/${source}/${Math.floor(nowMs / MINUTE_MS)}` });
  }
}
