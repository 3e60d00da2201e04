import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { type RunManifest, readRunManifest } from '../../../src/families/inventory/run/manifest.ts';
import { planDate } from '../../../src/families/inventory/run/plan.ts';
import { findDate } from '../../../src/families/inventory/run/state.ts';
import { importTraffic, openInventory, type TrialInventory } from './support.ts';

const DATE = '2024-02-29';
const DAY_MS = 86_400_000;
const START_MS = Date.parse(DATE);

async function manifestOf({ services }: TrialInventory): Promise<RunManifest> {
  const manifest = await readRunManifest(services.store, DATE);
  if (manifest === undefined) throw new Error('no run is published');
  return manifest;
}

describe('a day of the inventory', async () => {
  const trial = await openInventory();
  afterAll(() => trial.close());
  await importTraffic(trial, START_MS - DAY_MS, START_MS + 2 * DAY_MS);

  test('is computed from telemetry to tables, and its minutes add up', async () => {
    const planned = await planDate(trial.services, trial.config, DATE);
    expect(planned.state).toBe('computing');
    await trial.work();
    const manifest = await manifestOf(trial);
    const { legs, minutes, flights } = manifest.completeness;
    expect(flights.computed).toBeGreaterThan(20);
    expect(manifest.summary.rows).toBe(flights.computed);
    expect(legs.total).toBe(manifest.legs.rows);
    const rejected = Object.values(minutes.rejected).reduce((a, b) => a + b, 0);
    expect(minutes.in_telemetry + minutes.added_at_airports).toBe(
      minutes.computed + minutes.imputed + rejected,
    );
    console.log(JSON.stringify(manifest.completeness, null, 1));
    expect(await findDate(trial.services.database, DATE)).toMatchObject({
      state: 'published',
      runId: manifest.run_id,
    });
  });
});

test('a day without telemetry says what is missing and what happens next', async () => {
  const trial = await openInventory();
  try {
    expect(await planDate(trial.services, trial.config, DATE)).toMatchObject({
      state: 'waiting',
      message: expect.stringMatching(/no telemetry of 2024-02-29; import it/),
    });
  } finally {
    await trial.close();
  }
});

export { buffer };
