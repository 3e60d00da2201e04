/** Days on demand: planned and computed by this process, alongside any workers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { requireWeather } from '@contrails/engine/weather/errors';
import type { Log } from '@contrails/platform/log';
import { DAY_MS, isoDate } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import type { InventoryConfig } from '../../inventory-store/config.ts';
import type { Services } from '../../services.ts';
import { inventoryHandlers, planDate } from './run/plan.ts';
import { type DateRecord, findDate, unitsOf } from './run/state.ts';

export interface RunHooks {
  readonly signal: AbortSignal;
  /** Units of a date that have ended, of all of them. */
  readonly onProgress: (date: string, done: number, total: number) => void;
}

export interface RunOutcome extends DateRecord {
  /** Units that failed too often. */
  readonly parked: readonly { readonly unit: string; readonly error: string }[];
}

const LOOK_MS = 500;
/** Checks of an empty queue after which no more work is expected. */
const IDLE_LOOKS = 6;
const KINDS = ['inventory.flights', 'inventory.model', 'inventory.publish'];

/** Dates from the first to the last, both included. */
export function datesBetween(first: string, last: string): string[] {
  const [from, to] = [Date.parse(first), Date.parse(last)];
  if (!(from <= to)) throw new UsageError(`--to ${last} is before --date ${first}; give a later date`);
  return Array.from({ length: (to - from) / DAY_MS + 1 }, (_, k) => isoDate(from + k * DAY_MS));
}

/** Goes on where an earlier run stopped; what was computed before stays. */
export async function runDates(
  services: Services,
  config: InventoryConfig,
  log: Log,
  dates: readonly string[],
  { signal, onProgress }: RunHooks,
): Promise<RunOutcome[]> {
  requireWeather(config);
  for (const date of dates) await planDate(services, config, date, true);
  const worker = services.jobs.work(inventoryHandlers(services, config), {
    concurrency: config.workers.jobs,
    log,
  });
  let idle = 0;
  while (!signal.aborted && idle < IDLE_LOOKS) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    let isDone = true;
    for (const date of dates) {
      const record = await findDate(services.database, date);
      if (record?.state === 'computing') isDone = false;
      const units = await unitsFor(services, record);
      const ended = units.filter(({ state }) => state !== 'pending').length;
      onProgress(date, ended, units.length);
    }
    if (isDone) break;
    idle = (await isIdle(services)) ? idle + 1 : 0;
  }
  await worker.stop({ graceSeconds: 0 });
  return Promise.all(dates.map((date) => outcomeOf(services, date)));
}

async function unitsFor({ database }: Pick<Services, 'database'>, record: DateRecord | undefined) {
  const keys = [record?.dayKey, record?.previousDayKey].filter((key) => key != null);
  return (await Promise.all(keys.map((key) => unitsOf(database, key)))).flat();
}

async function isIdle({ jobs }: Pick<Services, 'jobs'>): Promise<boolean> {
  for (const kind of KINDS) {
    for (const state of ['queued', 'running', 'waiting'] as const) {
      if ((await jobs.list({ kind, state, limit: 1 })).jobs.length > 0) return false;
    }
  }
  return true;
}

async function outcomeOf(services: Pick<Services, 'database'>, date: string): Promise<RunOutcome> {
  const record = await findDate(services.database, date);
  if (record === undefined) throw new Error(`the state of ${date} was not stored`);
  const parked = (await unitsFor(services, record)).filter(({ state }) => state === 'parked');
  return {
    ...record,
    parked: parked.map(({ stage, shard, error }) => ({
      unit: `${stage} ${shard}`,
      error: error ?? 'failed',
    })),
  };
}
