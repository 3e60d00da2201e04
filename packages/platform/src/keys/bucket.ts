/**
 * A token bucket in whole numbers, so no rounding ever grants a request too many. Credit is counted in
 * 1/60000 of a request: a rate of r requests per minute earns r of it in every millisecond.
 */
export interface Bucket {
  readonly credit: number;
  /** Until when credit was earned. */
  readonly updatedMs: number;
}

const CREDIT_PER_REQUEST = 60_000;
/** A bucket updated further in the future than this was written by a machine whose clock is wrong. */
const TOLERATED_SKEW_MS = 5_000;

/** It holds the requests of one minute. */
export function fullBucket(ratePerMinute: number, nowMs: number): Bucket {
  return { credit: ratePerMinute * CREDIT_PER_REQUEST, updatedMs: nowMs };
}

/** The bucket at this time. Its own time never runs back, whichever of several clocks is asked. */
export function refill(bucket: Bucket, ratePerMinute: number, nowMs: number): Bucket {
  const capacity = ratePerMinute * CREDIT_PER_REQUEST;
  if (bucket.updatedMs > nowMs + TOLERATED_SKEW_MS) {
    return { credit: Math.min(bucket.credit, capacity), updatedMs: nowMs };
  }
  const elapsedMs = Math.max(0, nowMs - bucket.updatedMs);
  return {
    credit: Math.min(capacity, bucket.credit + elapsedMs * ratePerMinute),
    updatedMs: bucket.updatedMs + elapsedMs,
  };
}

/** Whole requests in the bucket. */
export function requestsIn(bucket: Bucket): number {
  return Math.floor(bucket.credit / CREDIT_PER_REQUEST);
}

/** Takes requests out, or puts them back when negative. */
export function take(bucket: Bucket, requests: number): Bucket {
  return { ...bucket, credit: bucket.credit - requests * CREDIT_PER_REQUEST };
}

/** Time until the bucket holds this many requests. */
export function millisecondsUntil(bucket: Bucket, ratePerMinute: number, requests: number): number {
  return Math.max(0, Math.ceil((requests * CREDIT_PER_REQUEST - bucket.credit) / ratePerMinute));
}
