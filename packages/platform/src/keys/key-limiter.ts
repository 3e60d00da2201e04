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

/** How often held slots are renewed: several renewals may fail before the lease ends. */
const RENEW_MS = 3_000;
/** How long a caller waits for a slot that another request or another server gives back. */
const SLOT_WAIT_MS = 250;
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

/** The share of one key's limits that this server holds. */
export class KeyLimiter {
  readonly #keyId: string;
  readonly #leases: Leases;
  readonly #now: () => number;
  readonly #queue: Waiter[] = [];
  #limits: KeyLimits;
  #tokens = 0;
  #slotsHeld = 0;
  #slotsInUse = 0;
  #leaseEndMs = 0;
  #renewedMs = 0;
  /** What the database counts for this server; undefined after an exchange whose outcome is unknown. */
  #slotsStored: number | undefined = 0;
  #commonBucket: Bucket;
  #droughtEndMs = 0;
  #peakSinceRenewal = 0;
  #grantsSinceRenewal = 0;
  /** An exchange with the common stock is under way: what is held changes in one place at a time. */
  #busy = false;

  constructor(keyId: string, limits: KeyLimits, leases: Leases, now: () => number) {
    this.#keyId = keyId;
    this.#limits = limits;
    this.#leases = leases;
    this.#now = now;
    this.#commonBucket = fullBucket(limits.ratePerMinute, now());
  }

  /** Decides at once where it can. */
  acquire(newLimits: KeyLimits): Decision | Promise<Decision> {
    this.#limits = newLimits;
    if (this.#queue.length === 0 && this.#canGrant()) return this.#grant();
    if (this.#tokens === 0 && this.#now() < this.#droughtEndMs) return this.#refuse('rate');
    // When others wait for a slot already, asking for one more would not bring it sooner.
    const slotsAreShort = this.#queue.some((other) => other.phase !== 'new');
    if (slotsAreShort && this.#queue.length >= this.#limits.concurrency)
      return Promise.resolve(this.#refuse('concurrency'));
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject, due: true, phase: 'new', settled: false };
      this.#queue.push(waiter);
      if (slotsAreShort) this.#waitForSlot(waiter);
      else void this.#settleQueue();
    });
  }

  /** Call it every 100 ms or so: it hands back what was idle since the last call and renews what is held. */
  async renew(): Promise<void> {
    const slotsKept = Math.min(this.#peakSinceRenewal, this.#slotsHeld);
    const tokensBack = this.#grantsSinceRenewal === 0 ? this.#tokens : 0;
    const renewalDue = this.#slotsHeld > 0 && this.#now() >= this.#renewedMs + RENEW_MS;
    this.#peakSinceRenewal = this.#slotsInUse;
    this.#grantsSinceRenewal = 0;
    if (this.#queue.length > 0) return;
    if (tokensBack > 0 || slotsKept !== this.#slotsStored || renewalDue)
      await this.#giveBack(tokensBack, slotsKept);
  }

  /** Hands back everything that is not in use, once an exchange under way has ended. */
  async handBack(): Promise<void> {
    while (this.#busy) await sleep(5);
    if (this.#tokens > 0 || this.#slotsStored !== this.#slotsInUse)
      await this.#giveBack(this.#tokens, this.#slotsInUse);
  }

  /** True when nothing would be lost by forgetting this limiter. */
  isEmpty(): boolean {
    return (
      this.#tokens === 0 &&
      this.#slotsStored === 0 &&
      this.#queue.length === 0 &&
      !this.#busy &&
      this.#now() >= this.#droughtEndMs
    );
  }

  /** Gives back the slot of a request that has ended. */
  releaseSlot(): void {
    this.#slotsInUse -= 1;
    if (this.#queue.length > 0) this.#slotFreed();
  }

  #canGrant(): boolean {
    return this.#tokens > 0 && this.#slotsInUse < this.#slotsHeld && this.#now() < this.#leaseEndMs;
  }

  #grant(): Decision {
    this.#tokens -= 1;
    this.#slotsInUse += 1;
    this.#grantsSinceRenewal += 1;
    this.#peakSinceRenewal = Math.max(this.#peakSinceRenewal, this.#slotsInUse);
    return new Grant(this);
  }

  #refuse(reason: 'rate' | 'concurrency'): Decision {
    const { ratePerMinute } = this.#limits;
    const waitMs =
      reason === 'rate'
        ? millisecondsUntil(refill(this.#commonBucket, ratePerMinute, this.#now()), ratePerMinute, 1)
        : SLOT_WAIT_MS;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return { granted: false, reason, retryAfterSeconds, headers: this.headers() };
  }

  /** What other servers took since the last exchange is not known here. */
  headers(): RateLimitHeaders {
    const { ratePerMinute } = this.#limits;
    const bucket = take(refill(this.#commonBucket, ratePerMinute, this.#now()), -this.#tokens);
    return {
      'ratelimit-limit': String(ratePerMinute),
      'ratelimit-remaining': String(Math.min(ratePerMinute, requestsIn(bucket))),
      'ratelimit-reset': String(Math.ceil(millisecondsUntil(bucket, ratePerMinute, ratePerMinute) / 1000)),
    };
  }

  #slotFreed(): void {
    this.#serveQueue();
    const [first] = this.#queue;
    if (first === undefined || this.#tokens > 0) return;
    first.due = true;
    void this.#settleQueue();
  }

  #serveQueue(): void {
    for (let first = this.#queue[0]; first !== undefined && this.#canGrant(); first = this.#queue[0])
      this.#settle(first, this.#grant());
  }

  #settle(waiter: Waiter, decision: Decision): void {
    this.#queue.splice(this.#queue.indexOf(waiter), 1);
    waiter.settled = true;
    waiter.resolve(decision);
  }

  /** Asks the common stock until no caller is left whom it could help. */
  async #settleQueue(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      this.#serveQueue();
      while (this.#queue.some((waiter) => waiter.due)) {
        const asking = [...this.#queue];
        await this.#exchange(0, this.#slotsHeld, asking.length);
        this.#serveQueue();
        for (const waiter of asking.filter(({ settled }) => !settled)) this.#settleUnserved(waiter);
      }
    } catch (error) {
      for (const waiter of this.#queue.splice(0)) {
        waiter.settled = true;
        waiter.reject(error);
      }
    } finally {
      this.#busy = false;
    }
  }

  #settleUnserved(waiter: Waiter): void {
    waiter.due = false;
    if (this.#tokens === 0) this.#settle(waiter, this.#refuse('rate'));
    else if (waiter.phase === 'final') this.#settle(waiter, this.#refuse('concurrency'));
    else if (waiter.phase === 'new') this.#waitForSlot(waiter);
  }

  #waitForSlot(waiter: Waiter): void {
    waiter.due = false;
    waiter.phase = 'waiting';
    setTimeout(() => {
      if (waiter.settled) return;
      waiter.phase = 'final';
      waiter.due = true;
      void this.#settleQueue();
    }, SLOT_WAIT_MS);
  }

  async #exchange(tokensBack: number, slotsKept: number, callers: number): Promise<void> {
    const startMs = this.#now();
    // Until the outcome is known nothing may be used that was offered back, also when the exchange fails.
    this.#tokens -= tokensBack;
    this.#slotsHeld = slotsKept;
    this.#slotsStored = undefined;
    const request = {
      callers,
      tokensBack,
      tokensKept: this.#tokens,
      slotsKept,
      slotsInUse: this.#slotsInUse,
    };
    const holding = await this.#leases.exchange(this.#keyId, this.#limits, request, startMs);
    // Tokens may have been used meanwhile.
    this.#tokens += holding.tokens - request.tokensKept;
    this.#slotsHeld = holding.slots;
    this.#slotsStored = holding.slots;
    this.#renewedMs = startMs;
    this.#leaseEndMs = startMs + LEASE_MS;
    this.#commonBucket = holding.bucket;
    if (holding.tokens < callers) {
      const nextTokenMs = millisecondsUntil(holding.bucket, this.#limits.ratePerMinute, 1);
      this.#droughtEndMs = startMs + Math.min(MAX_DROUGHT_MS, Math.max(MIN_DROUGHT_MS, nextTokenMs));
    }
  }

  async #giveBack(tokensBack: number, slotsKept: number): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await this.#exchange(tokensBack, slotsKept, 0);
    } finally {
      this.#busy = false;
      await this.#settleQueue();
    }
  }
}

/** A class, since one is made for every request. */
class Grant {
  readonly granted = true;
  readonly #limiter: KeyLimiter;
  #isReleased = false;

  constructor(limiter: KeyLimiter) {
    this.#limiter = limiter;
  }

  get headers(): RateLimitHeaders {
    return this.#limiter.headers();
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#limiter.releaseSlot();
  }
}
