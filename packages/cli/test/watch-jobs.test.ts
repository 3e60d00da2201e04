import type { JobRecord } from '@contrails/platform/jobs/jobs';
import { expect, test } from 'vitest';
import { watchJobs } from '../src/watch-jobs.ts';

type Look = Pick<JobRecord, 'state' | 'progress'>;

/** Jobs that go through these looks, the same for all; what is tracked is written down. */
async function watch(count: number, looks: readonly Look[]) {
  const record = (id: string, look: Look) => ({ id, kind: 'test.work', payload: {}, ...look }) as JobRecord;
  const asked = new Map<string, number>();
  const written: string[] = [];
  const jobs = {
    async get(id: string) {
      const look = (asked.get(id) ?? 0) + 1;
      asked.set(id, look);
      return record(id, looks[look] as Look);
    },
  };
  const progress = {
    track: (label: string, total: number, unit: string) => ({
      to: (done: number) => void written.push(`${label}: ${done}/${total} ${unit}`),
      end: () => {},
    }),
    close: () => {},
  };
  const chosen = Array.from({ length: count }, (_, i) => record(`id-${i}`, looks[0] as Look));
  const ended = await watchJobs(jobs, chosen, progress, 0);
  return { written, ended };
}

const LOOKS: readonly Look[] = [
  { state: 'queued', progress: 0 },
  { state: 'running', progress: 0.5 },
  { state: 'done', progress: 1 },
];

test('a few jobs are followed one by one', async () => {
  const { written } = await watch(2, LOOKS);
  expect(written).toEqual([
    'test.work id-0: 50/100 %',
    'test.work id-1: 50/100 %',
    'test.work id-0: 100/100 %',
    'test.work id-1: 100/100 %',
  ]);
});

test('many jobs are followed together, by how many are done', async () => {
  const { written, ended } = await watch(400, LOOKS);
  expect(written).toEqual(['test.work: 0/400 jobs', 'test.work: 200/400 jobs', 'test.work: 400/400 jobs']);
  expect(ended).toHaveLength(400);
});
