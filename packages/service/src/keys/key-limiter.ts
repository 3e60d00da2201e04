import { setTimeout as sleep } from 'node:timers/promises';
import { type Bucket, fullBucket, millisecondsUntil, refill, requestsIn, take } from './bucket.ts';
import { type KeyLimits, LEASE_MS, type Leases } from './leases.ts';

export type Decision =
  | { readonly granted: true; release(): void; readonly headers: RateLimitHeaders }
  | {
      readonly granted: false;
      readonly reason: 'rate' | 'concurrency';
      readonly retryAfterSeconds: number;
      readonly headers: RateLimitHeaders;
    };

export type RateLimitHeaders = Readonly<
  Record<'ratelimit-limit' | 'ratelimit-remaining' | 'ratelimit-reset', string>
>;

/** The part of one key's limits that this server holds. */
export interface KeyLimiter {
  /** Decides at once where it can. */
  acquire(limits: KeyLimits): Decision | Promise<Decision>;
  /** To be called every 100 ms or so: hands back what was idle since the last call and renews what is held. */
  renew(): Promise<void>;
  /** Hands back everything that is not in use, once an exchange under way has ended. */
  handBack(): Promise<void>;
  /** True when nothing would be lost by forgetting this limiter. */
  isEmpty(): boolean;
}

/** How often held slots are renewed: several renewals may fail before the lease ends. */
const RENEW_MS = 3_000;
/** How long a caller waits for a slot that another request or another server gives back. */
const PATIENCE_MS = 250;
/** An empty bucket is asked again after the time of the next token, but neither sooner nor later than these. */
const MIN_DROUGHT_MS = 20;
const MAX_DROUGHT_MS = 1_000;

interface Waiter {
  resolve(decision: Decision): void;
  reject(error: unknown): void;
  /** The common stock should be asked for it. */
  due: boolean;
  /** A new caller may wait once for a slot; after that the next answer is final. */
  phase: 'new' | 'waiting' | 'final';
  settled: boolean;
}

export function createKeyLimiter(
  keyId: string,
  firstLimits: KeyLimits,
  leases: Leases,
  now: () => number,
): KeyLimiter {
  let limits = firstLimits;
  let tokens = 0;
  let slotsHeld = 0;
  let slotsInUse = 0;
  let leaseEndMs = 0;
  let renewedMs = 0;
  /** What the database counts for this server; undefined after an exchange whose outcome is unknown. */
  let slotsStored: number | undefined = 0;
  let commonBucket: Bucket = fullBucket(limits.ratePerMinute, now());
  let droughtEndMs = 0;
  let peakSinceTending = 0;
  let grantsSinceTending = 0;
  /** Someone exchanges with the common stock: what is held changes in one place at a time. */
  let busy = false;
  const queue: Waiter[] = [];

  const canGrant = () => tokens > 0 && slotsInUse < slotsHeld && now() < leaseEndMs;

  function grant(): Decision {
    tokens -= 1;
    slotsInUse += 1;
    grantsSinceTending += 1;
    peakSinceTending = Math.max(peakSinceTending, slotsInUse);
    return new Grant();
  }

  /** A class, since one is made for every request. */
  class Grant {
    readonly granted = true;
    #isReleased = false;

    get headers(): RateLimitHeaders {
      return headers();
    }

    release(): void {
      if (this.#isReleased) return;
      this.#isReleased = true;
      slotsInUse -= 1;
      if (queue.length > 0) slotFreed();
    }
  }

  function refuse(reason: 'rate' | 'concurrency'): Decision {
    const { ratePerMinute } = limits;
    const waitMs =
      reason === 'rate'
        ? millisecondsUntil(refill(commonBucket, ratePerMinute, now()), ratePerMinute, 1)
        : PATIENCE_MS;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return { granted: false, reason, retryAfterSeconds, headers: headers() };
  }

  /** What other servers took since the last exchange is not known here. */
  function headers(): RateLimitHeaders {
    const { ratePerMinute } = limits;
    const bucket = take(refill(commonBucket, ratePerMinute, now()), -tokens);
    return {
      'ratelimit-limit': String(ratePerMinute),
      'ratelimit-remaining': String(Math.min(ratePerMinute, requestsIn(bucket))),
      'ratelimit-reset': String(Math.ceil(millisecondsUntil(bucket, ratePerMinute, ratePerMinute) / 1000)),
    };
  }

  function slotFreed(): void {
    serveQueue();
    const [first] = queue;
    if (first === undefined || tokens > 0) return;
    first.due = true;
    void settleQueue();
  }

  function serveQueue(): void {
    for (let first = queue[0]; first !== undefined && canGrant(); first = queue[0]) settle(first, grant());
  }

  function settle(waiter: Waiter, decision: Decision): void {
    queue.splice(queue.indexOf(waiter), 1);
    waiter.settled = true;
    waiter.resolve(decision);
  }

  /** Asks the common stock until no caller is left whom it could help. */
  async function settleQueue(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      serveQueue();
      while (queue.some((waiter) => waiter.due)) {
        const asking = [...queue];
        await exchange(0, slotsHeld, asking.length);
        serveQueue();
        for (const waiter of asking.filter(({ settled }) => !settled)) settleUnserved(waiter);
      }
    } catch (error) {
      for (const waiter of queue.splice(0)) {
        waiter.settled = true;
        waiter.reject(error);
      }
    } finally {
      busy = false;
    }
  }

  function settleUnserved(waiter: Waiter): void {
    waiter.due = false;
    if (tokens === 0) settle(waiter, refuse('rate'));
    else if (waiter.phase === 'final') settle(waiter, refuse('concurrency'));
    else if (waiter.phase === 'new') waitForSlot(waiter);
  }

  function waitForSlot(waiter: Waiter): void {
    waiter.due = false;
    waiter.phase = 'waiting';
    setTimeout(() => {
      if (waiter.settled) return;
      waiter.phase = 'final';
      waiter.due = true;
      void settleQueue();
    }, PATIENCE_MS);
  }

  async function exchange(tokensBack: number, slotsKept: number, callers: number): Promise<void> {
    const startMs = now();
    // Until the outcome is known nothing may be used that was offered back, also when the exchange fails.
    tokens -= tokensBack;
    slotsHeld = slotsKept;
    slotsStored = undefined;
    const request = { callers, tokensBack, tokensKept: tokens, slotsKept, slotsInUse };
    const holding = await leases.exchange(keyId, limits, request, startMs);
    // Tokens may have been used meanwhile.
    tokens += holding.tokens - request.tokensKept;
    slotsHeld = holding.slots;
    slotsStored = holding.slots;
    renewedMs = startMs;
    leaseEndMs = startMs + LEASE_MS;
    commonBucket = holding.bucket;
    if (holding.tokens < callers) {
      const nextTokenMs = millisecondsUntil(holding.bucket, limits.ratePerMinute, 1);
      droughtEndMs = startMs + Math.min(MAX_DROUGHT_MS, Math.max(MIN_DROUGHT_MS, nextTokenMs));
    }
  }

  async function giveBack(tokensBack: number, slotsKept: number): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      await exchange(tokensBack, slotsKept, 0);
    } finally {
      busy = false;
      await settleQueue();
    }
  }

  return {
    acquire(newLimits) {
      limits = newLimits;
      if (queue.length === 0 && canGrant()) return grant();
      if (tokens === 0 && now() < droughtEndMs) return refuse('rate');
      // When others wait for a slot already, asking for one more would not bring it sooner.
      const slotsAreShort = queue.some((other) => other.phase !== 'new');
      if (slotsAreShort && queue.length >= limits.concurrency) return Promise.resolve(refuse('concurrency'));
      return new Promise((resolve, reject) => {
        const waiter: Waiter = { resolve, reject, due: true, phase: 'new', settled: false };
        queue.push(waiter);
        if (slotsAreShort) waitForSlot(waiter);
        else void settleQueue();
      });
    },
    async renew() {
      const slotsKept = Math.min(peakSinceTending, slotsHeld);
      const tokensBack = grantsSinceTending === 0 ? tokens : 0;
      const renewalDue = slotsHeld > 0 && now() >= renewedMs + RENEW_MS;
      peakSinceTending = slotsInUse;
      grantsSinceTending = 0;
      if (queue.length > 0) return;
      if (tokensBack > 0 || slotsKept !== slotsStored || renewalDue) await giveBack(tokensBack, slotsKept);
    },
    async handBack() {
      while (busy) await sleep(5);
      if (tokens > 0 || slotsStored !== slotsInUse) await giveBack(tokens, slotsInUse);
    },
    isEmpty: () => tokens === 0 && slotsStored === 0 && queue.length === 0 && !busy && now() >= droughtEndMs,
  };
}
