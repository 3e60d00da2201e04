import { type Jobs, maintenanceKind } from '@contrails/platform/jobs';
import { createJobs } from '@contrails/platform/jobs/create';
import { createEmbeddedEngine } from '@contrails/platform/jobs/embedded/engine';
import { FinalJobError } from '@contrails/platform/jobs/outcome';
import { createLog } from '@contrails/platform/log';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { until } from '../../../../../test/support/until.ts';
import {
  type HistoricalTasks,
  hasHistoricalJob,
  historicalJob,
} from '../../../src/families/forecast/historical.ts';
import { openDatabase } from '../../../src/migrations.ts';

const OWNER = 'client';
const GRID_URL = '/v0/grid/cocip?time=2024-06-12T03';
const PARTS: HistoricalTasks = [
  {
    source: 'trial',
    weather: 'first',
    referenceTimeMs: null,
    validTimeMs: Date.UTC(2024, 5, 12, 3),
    type: 'B738',
    flightLevels: [330, 370],
    cellsPerDegree: 1,
    humidityScaling: 'none',
    bbox: { minLon: -60, minLat: 30, maxLon: 10, maxLat: 70, crossesAntimeridian: false },
    evenIfOld: true,
  },
];

async function openJobs(): Promise<Jobs> {
  const database = await openDatabase({ database: 'embedded', directory: await temporaryDirectory() });
  const jobs = createJobs(database, createEmbeddedEngine(database, { pollMs: 20, upkeepMs: 50 }));
  onTestFinished(async () => {
    await jobs.close();
    await database.close();
  });
  return jobs;
}

/** Runs the jobs that are queued to their end. */
async function work(jobs: Jobs, run: () => Promise<unknown>): Promise<void> {
  const kind = { ...maintenanceKind, name: 'grid.cocip', payload: {} };
  const worker = jobs.work([{ kind, run }], {
    concurrency: 1,
    log: createLog({ level: 'error', format: 'json' }),
  });
  await until('no job is left', async () => {
    const { queued, running } = await jobs.counts();
    return queued + running === 0;
  });
  await worker.stop();
}

const request = (jobs: Jobs, again = false) => historicalJob(jobs, PARTS, GRID_URL, { owner: OWNER, again });
const succeed = async () => ({ url: GRID_URL });
const fail = async () => {
  throw new FinalJobError('no');
};

test('every request that meets a finished job without its product gets a new job', async () => {
  const jobs = await openJobs();
  const ids = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const [one, other] = await Promise.all([request(jobs), request(jobs)]);
    expect(other.id).toBe(one.id);
    expect(one.state).toBe('queued');
    ids.add(one.id);
    expect(await hasHistoricalJob(jobs, PARTS, OWNER)).toBe(true);
    await work(jobs, succeed);
    expect(await hasHistoricalJob(jobs, PARTS, OWNER)).toBe(false);
  }
  expect(ids.size).toBe(4);
});

test('a failed job that followed a finished one is reported, and tried again when the client asks for it', async () => {
  const jobs = await openJobs();
  await request(jobs);
  await work(jobs, succeed);
  const { id } = await request(jobs);
  await work(jobs, fail);
  expect(await request(jobs)).toMatchObject({ id, state: 'failed' });
  const [one, other] = await Promise.all([request(jobs, true), request(jobs, true)]);
  expect([one, other]).toMatchObject([
    { id, state: 'queued' },
    { id, state: 'queued' },
  ]);
  await work(jobs, succeed);
  expect(await jobs.get(id)).toMatchObject({ state: 'done' });
});
