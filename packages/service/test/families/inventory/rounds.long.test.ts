import { createLog } from '@contrails/platform/log';
import type { Store } from '@contrails/platform/store/store';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usePostgres } from '../../../../../test/support/shared-server.ts';
import { until } from '../../../../../test/support/until.ts';
import { inventoryHandlers, planDate } from '../../../src/families/inventory/run/plan.ts';
import { failUnit, findDate, unitsOf } from '../../../src/families/inventory/run/state.ts';
import { type RunManifest, readRunManifest } from '../../../src/inventory-store/manifest.ts';
import { forgetComputed, importLines, openInventory, type TrialInventory, trafficLines } from './support.ts';

const DATE = '2024-02-29';
const START_MS = Date.parse(DATE);
const log = createLog({ level: 'error', format: 'json' });

describe.each(['SQLite', 'PostgreSQL'])('units that are retried, on %s', (database) => {
  let trial: TrialInventory;
  let whole: RunManifest;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    if (database === 'PostgreSQL') {
      const postgres = await usePostgres();
      closing.push(() => postgres.close());
      trial = await openInventory({ database: await postgres.createDatabase() });
    } else trial = await openInventory();
    closing.unshift(() => trial.close());
    await importLines(trial, trafficLines(START_MS, START_MS + 2 * HOUR_MS, 70));
    await planDate(trial.services, trial.config, DATE, true);
    await trial.work();
    whole = await served();
  }, 300_000);
  afterAll(async () => {
    for (const close of closing) await close();
  });

  async function served(): Promise<RunManifest> {
    const manifest = await readRunManifest(trial.services.store, DATE);
    if (manifest === undefined) throw new Error('no run is published');
    return manifest;
  }

  async function dayKeyOfDate(): Promise<string> {
    return (await findDate(trial.services.database, DATE))?.dayKey ?? '';
  }

  const units = async () => unitsOf(trial.services.database, await dayKeyOfDate());

  /** What a run has, without what names it. */
  const contentOf = ({ summary, legs, completeness: { legs: counts, totals, parked } }: RunManifest) => ({
    flights: summary.rows,
    legs: legs.rows,
    counts,
    totals,
    parked,
  });

  /** Runs a job without the queue, as a worker does that has lost its lease and does not know it yet. */
  async function run(kind: 'flights' | 'model' | 'publish', shard = 0): Promise<unknown> {
    const handlers = inventoryHandlers(trial.services, trial.config);
    const handler = handlers.find((one) => one.kind.name === `inventory.${kind}`);
    const dayKey = await dayKeyOfDate();
    const payload = kind === 'publish' ? { date: DATE, dayKey, previousDayKey: null } : { dayKey, shard };
    return handler?.run(payload, {
      id: 'beside',
      owner: null,
      attempt: 1,
      signal: new AbortController().signal,
      log,
      progress: () => {},
      enqueueAll: async () => [],
    });
  }

  /** Computes the day, of which one share of the flights is parked. */
  async function computeParked(): Promise<void> {
    await forgetComputed(trial);
    await planDate(trial.services, trial.config, DATE, true);
    await run('flights', 0);
    const unit = { dayKey: await dayKeyOfDate(), stage: 'flights', shard: 1 } as const;
    expect(await failUnit(trial.services.database, unit, 0, 'made to fail', 1, Date.now())).toBe(true);
    for (const shard of [0, 1]) await run('model', shard);
    await run('publish');
    const incomplete = await served();
    expect(incomplete.completeness.parked).toMatchObject([{ stage: 'flights', shard: 1 }]);
    expect(incomplete.summary.rows).toBeLessThan(whole.summary.rows);
  }

  /** Replaces what storing a unit's file does until `restore`. */
  function replacePut(put: (key: string, store: () => ReturnType<Store['put']>) => ReturnType<Store['put']>) {
    const { store } = trial.services;
    const original = store.put;
    Object.assign(store, {
      put: (...given: Parameters<Store['put']>) => put(given[0], () => original.apply(store, given)),
    });
    return { restore: () => void Object.assign(store, { put: original }) };
  }

  test('have all flights although models that began before end after the retry', async () => {
    await computeParked();
    await trial.services.database.execute(
      `UPDATE inventory_units SET state = 'pending' WHERE stage = 'model' AND shard = 0`,
    );
    const computed = Promise.withResolvers<void>();
    const retried = Promise.withResolvers<void>();
    const { restore } = replacePut(async (_, put) => {
      computed.resolve();
      await retried.promise;
      return put();
    });
    const late = run('model', 0);
    await computed.promise;
    restore();
    await planDate(trial.services, trial.config, DATE, true);
    retried.resolve();
    expect(await late).toMatchObject({ skipped: expect.stringMatching(/built again/) });
    expect((await units()).map(({ state }) => state)).toEqual(['done', 'pending', 'pending', 'pending']);
    await trial.work();
    expect(contentOf(await served())).toEqual(contentOf(whole));
  });

  test('have all flights although models begin while parked flights are built', async () => {
    await computeParked();
    await planDate(trial.services, trial.config, DATE, true);
    expect(await run('model', 0)).toMatchObject({ skipped: expect.stringMatching(/built again/) });
    await trial.work();
    expect(contentOf(await served())).toEqual(contentOf(whole));
  });

  test('have all flights when the job of parked flights is retried', async () => {
    await computeParked();
    await run('flights', 1);
    await trial.work();
    expect(contentOf(await served())).toEqual(contentOf(whole));
  });

  test('are not published with models of an earlier round', async () => {
    await computeParked();
    const incomplete = await served();
    await trial.services.database.execute('UPDATE inventory_days SET round = round + 1');
    expect(await run('publish')).toEqual({ skipped: expect.stringMatching(/being done again/) });
    expect((await served()).run_id).toBe(incomplete.run_id);
    await planDate(trial.services, trial.config, DATE, true);
    await trial.work();
    expect(contentOf(await served())).toEqual(contentOf(whole));
  });

  test('stay done when other runs of them fail later', async () => {
    await forgetComputed(trial);
    await planDate(trial.services, trial.config, DATE, true);
    const runs = 3;
    let begun = 0;
    const failure = Promise.withResolvers<never>();
    const { restore } = replacePut(() => {
      begun++;
      return failure.promise;
    });
    const late = Array.from({ length: runs }, () => run('flights', 0).catch((error: unknown) => error));
    await until('all runs have flights to store', async () => begun === runs);
    restore();
    await run('flights', 0);
    failure.reject(new TypeError('made to fail'));
    for (const one of late) expect(await one).toBeInstanceOf(TypeError);
    expect((await units())[0]).toMatchObject({ stage: 'flights', shard: 0, state: 'done' });
    await trial.work();
    expect(contentOf(await served())).toEqual(contentOf(whole));
  });
});
