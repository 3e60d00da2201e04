import { SYNC_SOURCES } from '@contrails/met/sync-sources';
import type { Family } from '../../family.ts';
import { syncMigrations, syncStates } from '../../weather/sync-state.ts';

/** Weather that workers fetch; sources themselves are read by everybody. */
export const weatherFamily = {
  name: 'weather',
  migrations: syncMigrations,
  async jobKinds() {
    return [(await import('./jobs.ts')).syncKind];
  },
  async jobs(services, config) {
    return [(await import('./jobs.ts')).syncHandler(services, config)];
  },
  async schedules({ jobs }, config) {
    const synced = new Set<string>(config.met.sync.sources.map(({ source }) => source));
    for (const source of SYNC_SOURCES) if (!synced.has(source)) await jobs.unschedule(`met.sync ${source}`);
    await (await import('./jobs.ts')).scheduleSync(jobs, config, Date.now());
  },
  metrics: ({ database }) => {
    const each = async (of: (state: Awaited<ReturnType<typeof syncStates>>[number]) => number) =>
      Object.fromEntries((await syncStates(database)).map((state) => [state.source, of(state)]));
    return [
      {
        name: 'contrails_met_sync_run_time_seconds',
        help: 'Start of the newest weather run that was fetched, in seconds since 1970.',
        label: 'source',
        read: () => each(({ runMs }) => (runMs ?? 0) / 1000),
      },
      {
        name: 'contrails_met_sync_bytes_total',
        help: 'Bytes of weather that were received.',
        label: 'source',
        read: () => each(({ bytesTotal }) => bytesTotal),
      },
      {
        name: 'contrails_met_sync_errors_total',
        help: 'Looks for a weather run that failed.',
        label: 'source',
        read: () => each(({ errorsTotal }) => errorsTotal),
      },
      {
        name: 'contrails_met_sync_last_success_seconds',
        help: 'Last look for a weather run that did not fail, in seconds since 1970.',
        label: 'source',
        read: () => each(({ successMs }) => (successMs ?? 0) / 1000),
      },
    ];
  },
} as const satisfies Family;
