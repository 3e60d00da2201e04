import { DAY_MS, isoDate } from '@contrails/runtime';
import { afterAll, expect, test } from 'vitest';
import { pruneRuns, pruneWork } from '../../../src/families/inventory/run/prune.ts';
import { addDay, finishRun, setDate, startRun } from '../../../src/families/inventory/run/state.ts';
import { openInventory } from './support.ts';

const START_MS = Date.UTC(2025, 0, 1);
/** Days from one date to the next, which is enough to see tables grow. */
const EVERY = 5;
const trial = await openInventory();
afterAll(() => trial.close());
const { services, config } = trial;
const { database } = services;

/** A date that is computed from other inputs, as after late reports. */
async function compute(day: number, version: number): Promise<void> {
  const nowMs = START_MS + (day + 1 + version / 10) * DAY_MS;
  const date = isoDate(START_MS + day * DAY_MS);
  const [dayKey, previousDayKey] = [`${day}/${version}`, `${day - EVERY}/${version}`];
  const inputs = {
    telemetry: {},
    completeUntilMs: null,
    isTelemetryClosed: true,
    imports: '',
    weather: {},
    configHash: '',
    modelingVersion: '',
    airframes: '',
    idsFrom: {},
  };
  await addDay(database, { dayKey, date, modelKey: '', inputs, shards: 2 }, nowMs);
  await setDate(database, { date, state: 'computing', message: '', dayKey, previousDayKey }, nowMs);
  const run = await startRun(database, { runId: `r${dayKey}`, date, dayKey, previousDayKey }, nowMs);
  await finishRun(database, run, { status: 'final', message: '', isCurrent: true }, nowMs);
}

test('a year of dates leaves a day and the kept runs of each, and no units but of recent dates', async () => {
  const { signal } = new AbortController();
  const [versions, keptRuns, dates] = [3, 2, 365 / EVERY];
  const settings = { ...config, inventory: { ...config.inventory, keep_runs: keptRuns } };
  for (let day = 0; day < 365; day += EVERY) {
    for (let version = 0; version < versions; version++) await compute(day, version);
    const nowMs = START_MS + (day + 3) * DAY_MS;
    await pruneRuns(services, settings, nowMs, signal);
    await pruneWork(services, settings, nowMs, signal);
  }
  const count = async (table: string) => {
    const [row] = await database.query<{ n: number }>(`SELECT COUNT(*) AS n FROM inventory_${table}`);
    return Number(row?.n);
  };
  expect(await count('dates')).toBe(dates);
  expect(await count('days')).toBe(dates);
  expect(await count('runs')).toBe(keptRuns * dates);
  const [stages, shards] = [2, 2];
  expect(await count('units')).toBeLessThanOrEqual(
    stages * shards * Math.ceil((config.inventory.days_back + 2) / EVERY),
  );
});
