/** The units of a day as background jobs: flights of a share of the airframes, then the models over a part of the day. */

import { exclusionsOf } from '@contrails/engine/inventory/leg-record';
import { inventoryOptions } from '@contrails/engine/inventory/settings';
import { defineJob, handleJob, type JobHandler, type Jobs } from '@contrails/platform/jobs';
import type { JobContext } from '@contrails/platform/jobs/jobs';
import { FinalJobError } from '@contrails/platform/jobs/outcome';
import type { Store } from '@contrails/platform/store/store';
import { localCopies, readPieces, withWorkspace } from '@contrails/platform/workspace';
import { CancelledError, UnavailableError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import { loadAirframes } from '../../../inventory-store/airframes.ts';
import type { InventoryConfig } from '../../../inventory-store/config.ts';
import { readRunManifest } from '../../../inventory-store/manifest.ts';
import type { Services } from '../../../services.ts';
import { buildShard } from '../flights/build-shard.ts';
import { runSlot, type SlotFiles } from '../model/run-slot.ts';
import { type DayInputs, weatherIdentity } from './inputs.ts';
import { publishWhenReady } from './publish.ts';
import {
  type DayRecord,
  datesOfDay,
  earlierDays,
  failUnit,
  findDay,
  findUnit,
  finishUnit,
  type Stage,
  type UnitRecord,
  unitsOf,
} from './state.ts';

export type InventoryServices = Pick<Services, 'database' | 'store' | 'jobs' | 'met' | 'compute'>;

const payload = Type.Object({ dayKey: Type.String(), shard: Type.Integer() });

/** A worker that is killed spends an attempt; what counts against a unit are its own failures. */
const unitKind = (stage: Stage) =>
  defineJob({
    name: `inventory.${stage}`,
    payload,
    attempts: 50,
    // The units of a day take minutes together, so the forecast can wait for them.
    priority: 850,
    subject: ({ dayKey, shard }) => `${dayKey} ${shard}`,
  });
export const KINDS = { flights: unitKind('flights'), model: unitKind('model') } as const;

const BUILT_AGAIN = 'flights of the day are built again; the models run when they are complete';

/** A unit that has failed so often is parked. */
const MAX_FAILURES = 3;

/** Queues the units of a day that can be done now, and the publication of dates that have all of theirs. */
export async function advanceDay(
  services: InventoryServices,
  dayKey: string,
  isAgain = false,
): Promise<void> {
  const day = await findDay(services.database, dayKey);
  if (day === undefined) return;
  const units = await unitsOf(services.database, dayKey);
  const pending = (stage: Stage) => units.filter((one) => one.stage === stage && one.state === 'pending');
  const stage: Stage = pending('flights').length > 0 ? 'flights' : 'model';
  const wantedMs = Math.min(
    ...(await datesOfDay(services.database, dayKey)).map(({ updatedMs }) => updatedMs),
  );
  for (const { shard } of pending(stage))
    await enqueueUnit(services.jobs, day, stage, shard, { wantedMs, isAgain });
  if (units.every(({ state }) => state !== 'pending')) await publishWhenReady(services, dayKey);
}

/**
 * `isAgain` takes up jobs that failed or were cancelled. A job that is done although its unit is not was skipped when the
 * day was not wanted; it is wanted again, since `wantedMs`.
 */
async function enqueueUnit(
  jobs: Jobs,
  { dayKey, round }: DayRecord,
  stage: Stage,
  shard: number,
  { wantedMs, isAgain }: { readonly wantedMs: number; readonly isAgain: boolean },
): Promise<void> {
  const key = `${dayKey}/${shard}/${round}`;
  for (const one of [key, `${key}@${wantedMs}`]) {
    const { id, created } = await jobs.enqueue(KINDS[stage], { dayKey, shard }, { key: one });
    if (created) return;
    const job = await jobs.get(id);
    if (job?.state === 'done') continue;
    if (isAgain && (job?.state === 'failed' || job?.state === 'cancelled')) await jobs.retry(id);
    return;
  }
}

export function unitHandlers(services: InventoryServices, config: InventoryConfig): JobHandler[] {
  return [
    handleJob(KINDS.flights, ({ dayKey, shard }, context) =>
      runUnit(services, { dayKey, shard, stage: 'flights' }, context, (day) =>
        makeFlights(services, config, day, shard, context),
      ),
    ),
    handleJob(KINDS.model, ({ dayKey, shard }, context) =>
      runUnit(services, { dayKey, shard, stage: 'model' }, context, (day) =>
        runModels(services, config, day, shard, context),
      ),
    ),
  ];
}

interface UnitResult {
  readonly files: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** Why a unit has nothing to do. */
interface Skipped {
  readonly skipped: string;
}

/**
 * Runs a unit once per round, then advances what depends on it. The day is read before its units: a result counts
 * only if the day is in the same round at the end.
 */
async function runUnit(
  services: InventoryServices,
  unit: Pick<UnitRecord, 'dayKey' | 'stage' | 'shard'>,
  { signal }: Pick<JobContext, 'signal'>,
  work: (day: DayRecord) => Promise<UnitResult | Skipped>,
): Promise<Record<string, unknown>> {
  const { database } = services;
  const { dayKey, stage, shard } = unit;
  const day = await findDay(database, dayKey);
  const known = await findUnit(database, dayKey, stage, shard);
  if (day === undefined || known === undefined) return { skipped: 'the day is no longer wanted' };
  if ((await datesOfDay(database, dayKey)).length === 0)
    return { skipped: 'telemetry, weather or settings changed since; the date is computed from those' };
  if (known.state === 'done') {
    await advanceDay(services, dayKey);
    return { skipped: 'done before' };
  }
  let result: UnitResult | Skipped;
  try {
    result = await work(day);
  } catch (error) {
    // What the unit depends on may be there again: the queue tries it once more.
    if (signal.aborted || error instanceof CancelledError || error instanceof UnavailableError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const isParked = await failUnit(database, unit, day.round, message, MAX_FAILURES, Date.now());
    if (!isParked) throw error;
    await advanceDay(services, dayKey);
    throw new FinalJobError(`parked after ${MAX_FAILURES} failures: ${message}`, { cause: error });
  }
  if ('skipped' in result) return { ...result };
  const isFinished = await finishUnit(database, unit, day.round, result.files, Date.now());
  await advanceDay(services, dayKey);
  if (!isFinished) return { skipped: BUILT_AGAIN };
  return { date: day.date, ...result.counts };
}

async function makeFlights(
  services: InventoryServices,
  { inventory }: InventoryConfig,
  { dayKey, date, inputs, shards }: DayRecord,
  shard: number,
  { signal }: Pick<JobContext, 'signal'>,
): Promise<UnitResult> {
  return withWorkspace({ memoryMiB: inventory.memory_mib, threads: 1 }, async (workspace) => {
    const built = await buildShard(
      services,
      workspace,
      {
        date,
        shard,
        shards,
        isStrict: inventory.validate === 'strict',
        allowsForecast: inventory.met === 'forecast',
        policy: {
          ...exclusionsOf(inventory),
          completeUntilMs: inputs.completeUntilMs ?? Number.POSITIVE_INFINITY,
        },
        published: await publishedLegs(services.store, inputs, workspace.directory),
        memoryMiB: inventory.memory_mib,
      },
      signal,
    );
    requireGenerations(inputs.telemetry, built.generations, date);
    const prefix = `inventory/work/day=${dayKey}/flights-${shard}`;
    const files = await putFiles(
      services.store,
      prefix,
      { legs: built.legs, minutes: built.minutes },
      signal,
    );
    return { files, counts: built.counts };
  });
}

/** A run that was pruned since gives no ids. */
async function publishedLegs(store: Store, { idsFrom }: DayInputs, directory: string): Promise<string[]> {
  const keys: string[] = [];
  for (const [date, runId] of Object.entries(idsFrom)) {
    const manifest = await readRunManifest(store, date, runId);
    if (manifest !== undefined) keys.push(manifest.legs.key);
  }
  return localCopies(store, keys, directory);
}

/** Hours changed since the day was planned make it another day, which the next check of the date plans. */
function requireGenerations(
  planned: Readonly<Record<string, number>>,
  read: Readonly<Record<string, number>>,
  date: string,
): void {
  const changed = [...new Set([...Object.keys(planned), ...Object.keys(read)])].filter(
    (hour) => planned[hour] !== read[hour],
  );
  if (changed.length === 0) return;
  throw new FinalJobError(
    `telemetry of ${changed.slice(0, 3).join(', ')} changed while ${date} was computed; the date is planned again`,
  );
}

async function runModels(
  services: InventoryServices,
  { inventory, met, accf }: InventoryConfig,
  day: DayRecord,
  shard: number,
  { signal, progress }: Pick<JobContext, 'signal' | 'progress'>,
): Promise<UnitResult | Skipped> {
  const { database, store } = services;
  const built = (await unitsOf(database, day.dayKey)).filter(({ stage }) => stage === 'flights');
  if (built.some(({ state }) => state === 'pending')) return { skipped: BUILT_AGAIN };
  const done = built.filter(({ state }) => state === 'done');
  return withWorkspace({ memoryMiB: inventory.memory_mib, threads: 1 }, async (workspace) => {
    const { directory } = workspace;
    const paths = (name: string) =>
      localCopies(
        store,
        done.flatMap(({ files }) => files[name] ?? []),
        directory,
      );
    const flights = { legs: await paths('legs'), minutes: await paths('minutes') };
    if (flights.legs.length === 0) {
      throw new FinalJobError(`no unit of the flights of ${day.date} is done; retry the parked units`);
    }
    const slot = await runSlot(
      services,
      workspace,
      {
        slot: shard,
        flights,
        earlier: await earlierSlot(services, day, shard, directory),
        airframes: await loadAirframes(database),
        weather: weatherIdentity(day.inputs),
        settings: {
          options: inventoryOptions(
            met.humidity_scaling,
            {
              maxAgeHours: inventory.max_age_hours,
              dtIntegrationMinutes: inventory.dt_integration_minutes,
            },
            accf,
          ),
          allowsForecast: inventory.met === 'forecast',
          co2eSet: inventory.co2e_set,
        },
      },
      { signal, onProgress: (fraction) => progress(fraction, day.date) },
    );
    const { legs, summary, segments, counts } = slot;
    const prefix = `inventory/work/day=${day.dayKey}/round-${day.round}/model-${shard}`;
    return { files: await putFiles(store, prefix, { legs, summary, segments }, signal), counts };
  });
}

/** The same unit of the newest day that was computed with the same models. */
async function earlierSlot(
  { database, store }: InventoryServices,
  day: DayRecord,
  shard: number,
  directory: string,
): Promise<SlotFiles | undefined> {
  for (const earlier of await earlierDays(database, day)) {
    const unit = await findUnit(database, earlier.dayKey, 'model', shard);
    const { legs, summary, segments } = unit?.files ?? {};
    if (unit?.state !== 'done' || legs === undefined || summary === undefined || segments === undefined)
      continue;
    const heads = await Promise.all([legs, summary, segments].map((key) => store.head(key)));
    if (heads.includes(undefined)) continue;
    const [legsPath = '', summaryPath = '', segmentsPath = ''] = await localCopies(
      store,
      [legs, summary, segments],
      directory,
    );
    return { legs: legsPath, summary: summaryPath, segments: segmentsPath };
  }
  return undefined;
}

async function putFiles(
  store: Pick<Store, 'put'>,
  prefix: string,
  paths: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const [name, path] of Object.entries(paths)) {
    const key = `${prefix}-${name}.parquet`;
    await store.put(key, await readPieces(path), { signal });
    files[name] = key;
  }
  return files;
}
