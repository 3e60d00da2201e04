import { HOUR_MS, MINUTE_MS } from '@contrails/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullBucket, millisecondsUntil, refill, requestsIn, take } from '../../src/keys/bucket.ts';

const START_MS = 1_767_225_600_000;
const rate = fc.integer({ min: 1, max: 1_000_000 });

test('whoever asks, however often, gets the capacity and what was earned, and not one more', () => {
  const steps = fc.array(fc.record({ waitMs: fc.nat(5_000), wanted: fc.nat(2_000) }), { maxLength: 60 });
  fc.assert(
    fc.property(rate, steps, (ratePerMinute, schedule) => {
      let bucket = fullBucket(ratePerMinute, START_MS);
      let nowMs = START_MS;
      let granted = 0;
      for (const { waitMs, wanted } of schedule) {
        nowMs += waitMs;
        bucket = refill(bucket, ratePerMinute, nowMs);
        const taken = Math.min(wanted, requestsIn(bucket));
        bucket = take(bucket, taken);
        granted += taken;
        expect(granted * MINUTE_MS).toBeLessThanOrEqual(ratePerMinute * (60_000 + nowMs - START_MS));
      }
    }),
  );
});

test('refilling in many steps earns exactly what one step earns', () => {
  fc.assert(
    fc.property(rate, fc.array(fc.nat(1_000), { maxLength: 50 }), (ratePerMinute, pauses) => {
      const empty = take(fullBucket(ratePerMinute, START_MS), ratePerMinute);
      let nowMs = START_MS;
      let stepped = empty;
      for (const pauseMs of pauses) {
        nowMs += pauseMs;
        stepped = refill(stepped, ratePerMinute, nowMs);
      }
      expect(stepped).toEqual(refill(empty, ratePerMinute, nowMs));
    }),
  );
});

test('servers whose clocks differ a little earn no more than the fastest clock alone', () => {
  const asks = fc.array(fc.record({ waitMs: fc.nat(500), skewMs: fc.integer({ min: -2_000, max: 2_000 }) }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(rate, asks, (ratePerMinute, schedule) => {
      let bucket = take(fullBucket(ratePerMinute, START_MS), ratePerMinute);
      let nowMs = START_MS;
      let latestMs = START_MS;
      for (const { waitMs, skewMs } of schedule) {
        nowMs += waitMs;
        latestMs = Math.max(latestMs, nowMs + skewMs);
        bucket = refill(bucket, ratePerMinute, nowMs + skewMs);
      }
      expect(bucket.credit).toBeLessThanOrEqual(ratePerMinute * (latestMs - START_MS));
    }),
  );
});

test('one server with a clock far ahead does not stop the others once it is gone', () => {
  const ahead = take(refill(fullBucket(60, START_MS), 60, START_MS + HOUR_MS), 60);
  const corrected = refill(ahead, 60, START_MS);
  expect(requestsIn(refill(corrected, 60, START_MS + 5_000))).toBe(5);
});

test('the time until a request is the first time at which there is one', () => {
  fc.assert(
    fc.property(rate, fc.nat(59_999), (ratePerMinute, credit) => {
      const bucket = { credit, updatedMs: START_MS };
      const waitMs = millisecondsUntil(bucket, ratePerMinute, 1);
      expect(requestsIn(refill(bucket, ratePerMinute, START_MS + waitMs))).toBeGreaterThanOrEqual(1);
      expect(requestsIn(refill(bucket, ratePerMinute, START_MS + waitMs - 1))).toBe(0);
    }),
  );
});

test('a lowered rate shrinks what the bucket holds', () => {
  expect(requestsIn(refill(fullBucket(600, START_MS), 10, START_MS))).toBe(10);
});
