/** Decides what has to be computed of a date, and looks for dates whose telemetry or weather has come or changed. */
import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '@contrails/platform/database/database';
import { defineJob, handleJob, type JobHandler, type Jobs, MAX_PRIORITY } from '@contrails/platform/jobs';
import { DAY_MS, isoDate } from '@contrails/runtime';
import { Type } from 'typebox';
import type { InventoryConfig } from '../../../inventory-store/config.ts';
import { hoursClosedSince, listHours } from '../../../telemetry-store/table.ts';
import { telemetryWindow } from '../flights/build-shard.ts';
import { type DayInputs, dayKeyOf, inputsOf, modelKeyOf } from './inputs.ts';
import { dayBefore, publishHandler, publishKind } from './publish.ts';
import {
  addDay,
  type DateRecord,
  daysOfDate,
  findDate,
  listDates,
  provisionalDates,
  setDate,
  unitsOf,
  unparkUnits,
} from './state.ts';
import { advanceDay, type InventoryServices, KINDS, unitHandlers } from './units.ts';

const lookKind = defineJob({
  name: 'inventory.look',
  payload: Type.Object({}),
  attempts: 3,
  priority: MAX_PRIORITY,
});
export const inventoryKinds = [lookKind, ...Object.values(KINDS), publishKind];

const SCHEDULE = 'inventory';

/** Returns what is planned or missing. `isAgain` takes up units that are parked, or whose jobs failed or were cancelled. */
export async function planDate(
  services: InventoryServices,
  config: InventoryConfig,
  date: string,
  isAgain = false,
): Promise<DateRecord> {
  const { database } = services;
  const nowMs = Date.now();
  const context = { database, met: await services.met.open() };
  const inputs = await inputsOf(context, config, date, nowMs);
  const known = await findDate(database, date);
  if ('missing' in inputs) {
    const { message } = inputs;
    await setDate(database, { date, state: 'waiting', message, dayKey: null, previousDayKey: null }, nowMs);
    return requireDate(services, date);
  }
  const before = await inputsOf(context, config, dayBefore(date), nowMs);
  const wanted = await dayOf(services, config, date, inputs);
  const previous = 'missing' in before ? null : await dayOf(services, config, dayBefore(date), before);
  const [dayKey, previousDayKey] = [wanted.dayKey, previous?.dayKey ?? null];
  const isSame = known?.dayKey === dayKey && known.previousDayKey === previousDayKey;
  // What it was made of may be pruned; a run that is complete needs it no more.
  if (isSame && known.state === 'published' && (await unitsOf(database, dayKey)).length === 0) return known;
  for (const day of [wanted, previous]) if (day !== null) await addDay(database, day, nowMs);
  const keys = [dayKey, ...(previousDayKey === null ? [] : [previousDayKey])];
  if (isAgain) for (const key of keys) await unparkUnits(database, key, nowMs);
  const units = (await Promise.all(keys.map((key) => unitsOf(database, key)))).flat();
  const isServed = isSame && known.state === 'published' && units.every(({ state }) => state !== 'pending');
  if (!isSame || (known.state === 'published' && !isServed)) {
    const message = 'flights are computed; the date is served when all units are done';
    await setDate(database, { date, state: 'computing', message, dayKey, previousDayKey }, nowMs);
  }
  if (!isServed) for (const key of keys) await advanceDay(services, key, isAgain);
  return requireDate(services, date);
}

type PlannedDay = Parameters<typeof addDay>[1];

/**
 * Flights keep the ids that they were published with. Which runs these are from belongs to the inputs of a day, so a day with
 * otherwise equal inputs takes them from the same runs as the first one.
 */
async function dayOf(
  { database }: InventoryServices,
  { inventory: { shards } }: InventoryConfig,
  date: string,
  inputs: Omit<DayInputs, 'idsFrom'>,
): Promise<PlannedDay> {
  const known = (await daysOfDate(database, date)).find(
    (day) =>
      day.shards === shards && isDeepStrictEqual({ ...day.inputs, idsFrom: {} }, { ...inputs, idsFrom: {} }),
  );
  const whole = { ...inputs, idsFrom: known?.inputs.idsFrom ?? (await publishedRuns(database, date)) };
  return {
    dayKey: dayKeyOf(date, whole, shards),
    date,
    modelKey: modelKeyOf(whole, shards),
    inputs: whole,
    shards,
  };
}

/** With earlier reports a flight may begin on the day before. */
async function publishedRuns(database: Queryable, date: string): Promise<Record<string, string>> {
  const runs: Record<string, string> = {};
  for (const one of [date, dayAfter(date)]) {
    const runId = (await findDate(database, one))?.runId;
    if (runId != null) runs[one] = runId;
  }
  return runs;
}

function dayAfter(date: string): string {
  return isoDate(Date.parse(date) + DAY_MS);
}

async function requireDate({ database }: InventoryServices, date: string): Promise<DateRecord> {
  const record = await findDate(database, date);
  if (record === undefined) throw new Error(`the state of ${date} was not stored`);
  return record;
}

export async function scheduleInventory(jobs: Jobs, { inventory }: InventoryConfig): Promise<void> {
  if (inventory.schedule === 'off') await jobs.unschedule(SCHEDULE);
  else await jobs.schedule(SCHEDULE, inventory.schedule, lookKind, {});
}

export function inventoryHandlers(services: InventoryServices, config: InventoryConfig): JobHandler[] {
  return [
    handleJob(lookKind, () => lookForDates(services, config, Date.now())) as JobHandler,
    ...unitHandlers(services, config),
    publishHandler(services, config),
  ];
}

/**
 * Plans every date with recent telemetry, those that wait, and those that become final, the latest first; one whose inputs
 * have not changed stays as it is. A date is left alone while its own hours are still being built: each of them would make it another day.
 */
export async function lookForDates(
  services: InventoryServices,
  config: InventoryConfig,
  nowMs: number,
): Promise<Record<string, string>> {
  if (config.met.sources.length === 0) return {};
  const { database } = services;
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const fromMs = todayMs - config.inventory.days_back * DAY_MS;
  const hours = await listHours(database, fromMs, nowMs);
  const found = hours
    .filter(({ generation, rows, pending }) => pending > 0 || (generation > 0 && rows > 0))
    .map(({ hourMs }) => isoDate(hourMs));
  const waiting = (await listDates(database))
    .filter(({ state }) => state !== 'published')
    .map(({ date }) => date);
  const closed = await closedSincePublished(database);
  const states: Record<string, string> = {};
  for (const date of [...new Set([...found, ...waiting, ...closed])].sort().reverse()) {
    const dayMs = Date.parse(date);
    // A day is computed when it is over, not after its first hours.
    if (dayMs >= todayMs) continue;
    const unpublished = (await listHours(database, dayMs, dayMs + DAY_MS)).filter(
      ({ pending, generation }) => pending > 0 && generation === 0,
    );
    if (unpublished.length > 0) {
      const message = `${unpublished.length} hours of telemetry of ${date} are not published yet; the day is computed when they are`;
      states[date] = await waitFor(services, date, message, nowMs);
      continue;
    }
    states[date] = (await planDate(services, config, date)).state;
  }
  return states;
}

/**
 * Provisional dates of which an hour was closed since they were published. Hours are closed some days after they were
 * published: a day that is imported late may be older than those that the schedule checks.
 */
async function closedSincePublished(database: Queryable): Promise<string[]> {
  const dates = await provisionalDates(database);
  const sinceMs = Math.min(...dates.map(({ updatedMs }) => updatedMs));
  if (!Number.isFinite(sinceMs)) return [];
  const closed = await hoursClosedSince(database, sinceMs);
  return dates
    .filter(({ date, updatedMs }) => {
      const { fromMs, toMs } = telemetryWindow(Date.parse(date));
      // The segments of a date have flights of the day before.
      return closed.some(
        ({ hourMs, closedMs }) => closedMs >= updatedMs && hourMs >= fromMs - DAY_MS && hourMs < toMs,
      );
    })
    .map(({ date }) => date);
}

/** Notes what a date waits for; one that is served or computed already stays that. */
async function waitFor(
  { database }: InventoryServices,
  date: string,
  message: string,
  nowMs: number,
): Promise<DateRecord['state']> {
  const known = await findDate(database, date);
  if (known !== undefined && known.state !== 'waiting') return known.state;
  await setDate(database, { date, state: 'waiting', message, dayKey: null, previousDayKey: null }, nowMs);
  return 'waiting';
}
