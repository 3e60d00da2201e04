import { NotFoundError, ValidationError } from '@contrails/runtime/errors';
import { Type } from 'typebox';
import { describe, expect } from 'vitest';
import { defineJob, requestJob } from '../../../src/jobs/define.ts';
import { type JobsTest, numbered, UNKNOWN } from '../fixture.ts';

export function describeEnqueuing(test: JobsTest): void {
  describe('what may be enqueued', () => {
    test('a payload that its kind does not allow is refused by the name of its fault', async ({ queue }) => {
      const wrong = queue.jobs.enqueue(numbered, { n: 1.5 });
      await expect(wrong).rejects.toThrow(ValidationError);
      await expect(wrong).rejects.toThrow(/test\.numbered.*\bn\b/);
      expect((await queue.jobs.list()).jobs).toEqual([]);
    });

    test('text that not every database can store is refused', async ({ queue }) => {
      const texts = defineJob({ name: 'test.text', payload: Type.String() });
      await expect(queue.jobs.enqueue(texts, 'a\0b')).rejects.toThrow(ValidationError);
      await expect(queue.jobs.enqueue(texts, 'half \ud800')).rejects.toThrow(ValidationError);
      const { id } = await queue.jobs.enqueue(texts, 'a backslash \\u0000 and a whole 😀 \\ud800');
      expect((await queue.jobs.get(id))?.payload).toBe('a backslash \\u0000 and a whole 😀 \\ud800');
    });

    test.for([{ priority: 1001 }, { priority: 0.5 }, { runAtMs: Number.NaN }, { key: '' }])(
      '%j is refused',
      async (options, { queue }) => {
        await expect(queue.jobs.enqueue(numbered, { n: 1 }, options)).rejects.toThrow(ValidationError);
      },
    );

    test('all requests of a call are made, or none', async ({ queue }) => {
      const requests = [requestJob(numbered, { n: 1 }), requestJob(numbered, { n: 2 }, { after: [UNKNOWN] })];
      await expect(queue.jobs.enqueueAll(requests)).rejects.toThrow(NotFoundError);
      expect((await queue.jobs.list()).jobs).toEqual([]);
    });

    test('no requests make no jobs', async ({ queue }) => {
      expect(await queue.jobs.enqueueAll([])).toEqual([]);
    });
  });
}
