import fc from 'fast-check';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineJob } from '../../src/jobs/define.ts';
import { isJobId, jobId } from '../../src/jobs/identity.ts';
import { MAX_RETRY_SECONDS, retryDelaySeconds } from '../../src/jobs/retry-delay.ts';

const payload = Type.Object({});

test.each(['', 'Upper', '1st', 'with blank', 'a/b', 'x'.repeat(65)])('the kind %j is refused', (name) => {
  expect(() => defineJob({ name, payload })).toThrow(TypeError);
});

test.each([
  { attempts: 0 },
  { attempts: 1.5 },
  { backoffSeconds: -1 },
  { leaseSeconds: 0 },
  { timeLimitSeconds: 24 * 3600 },
  { timeLimitSeconds: Number.NaN },
])('%j is refused', (settings) => {
  expect(() => defineJob({ name: 'test', payload, ...settings })).toThrow(RangeError);
});

test('the wait doubles from attempt to attempt, with up to as much again by chance, and has a limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3600 }), fc.integer({ min: 1, max: 1000 }), (backoff, attempt) => {
      const least = Math.min(MAX_RETRY_SECONDS, backoff * 2 ** Math.min(16, attempt - 1));
      const delay = retryDelaySeconds(backoff, attempt);
      expect(delay).toBeGreaterThanOrEqual(least);
      expect(delay).toBeLessThanOrEqual(Math.min(MAX_RETRY_SECONDS, 2 * least));
    }),
  );
});

test('ids are those of a UUID, and differ whenever kind, owner or key do', () => {
  const parts = fc.tuple(fc.string(), fc.option(fc.string()), fc.string());
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      expect(isJobId(jobId(...a))).toBe(true);
      expect(jobId(...a) === jobId(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
});
