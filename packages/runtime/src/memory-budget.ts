import { CancelledError, UnavailableError } from './errors.ts';
import type { WaitLimit } from './wait-limit.ts';

/** Memory that is counted until it is released. */
export interface MemoryLease {
  readonly bytes: number;
  /** Counts `bytes` more for memory whose size shows as it fills; refuses as `take` does, and then changes nothing. */
  grow(bytes: number): void;
  release(): void;
}

/** Memory with its own limit, such as cached weather: it takes part in the sum and never asks. */
export interface FixedMemory {
  /** What it holds in memory now [bytes]. */
  usedBytes(): number;
  /** What it may hold [bytes]. */
  limitBytes(): number;
}

export interface MemoryBudgetOptions {
  /** Resident memory that the process may reach [bytes]. */
  readonly limitBytes: number;
  /** Resident memory of the process [bytes]; undefined when the system does not say. */
  readonly residentBytes?: () => number | undefined;
  /**
   * Called when work of an owner is refused or has to wait, or memory is beyond the limit, at most once a second for each:
   * lets go of what can be made again.
   */
  readonly onShortage?: (owner?: string) => void;
}

export interface ReserveOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for room before the work is refused; without it, until there is some. */
  readonly waitLimit?: WaitLimit | undefined;
}

/**
 * Takes memory for a piece of work before it starts. Jobs wait until there is room; requests wait for a moment, and are
 * refused then.
 */
export type Reserve = (owner: string, bytes: number, signal?: AbortSignal) => Promise<MemoryLease>;

interface Waiter {
  readonly owner: string;
  readonly bytes: number;
  readonly serve: (lease: MemoryLease) => void;
}

const SAMPLE_MS = 100;
const SHORTAGE_MS = 1000;
const RETRY_MS = 100;

/**
 * The memory of a process, by owner. Work asks for memory before it starts. Beyond the limit it waits or is refused with
 * `UnavailableError`; the only work of an owner always starts, so a process whose memory is held by something else still
 * makes progress.
 *
 * What counts is the larger of two sums: what was asked for, and what is resident. The first knows memory that is not
 * filled yet, the second what is not counted by anyone.
 */
export class MemoryBudget {
  readonly limitBytes: number;
  readonly #residentBytes: () => number | undefined;
  readonly #onShortage: (owner?: string) => void;
  /** Resident memory at the start: code, and what the runtime takes. */
  readonly #baseBytes: number;
  readonly #fixed = new Map<string, FixedMemory>();
  readonly #leased = new Map<string, { bytes: number; leases: number }>();
  readonly #waiting: Waiter[] = [];
  #leasedBytes = 0;
  #refusals = 0;
  #sample: { readonly atMs: number; readonly bytes: number };
  /** Asked for since the last sample, and perhaps not resident yet. */
  #sinceSample = 0;
  /** When each owner was last reported [ms]. */
  readonly #shortageMs = new Map<string | undefined, number>();
  #retry: NodeJS.Timeout | undefined;

  constructor({
    limitBytes,
    residentBytes = residentBytesOfProcess,
    onShortage = () => {},
  }: MemoryBudgetOptions) {
    this.limitBytes = limitBytes;
    this.#residentBytes = residentBytes;
    this.#onShortage = onShortage;
    this.#baseBytes = residentBytes() ?? 0;
    this.#sample = { atMs: performance.now(), bytes: this.#baseBytes };
  }

  /** Adds memory that has its own limit. */
  addFixed(owner: string, memory: FixedMemory): void {
    this.#fixed.set(owner, memory);
  }

  /** Takes memory now, or throws an `UnavailableError` with the time after which to try again. */
  take(owner: string, bytes: number): MemoryLease {
    if (this.#mayPass(owner) && this.#hasRoom(owner, bytes)) return this.#lease(owner, bytes);
    throw this.#refusal(owner, bytes);
  }

  /** Takes memory, after a wait where there is none: work that came earlier is served first. */
  async reserve(
    owner: string,
    bytes: number,
    { signal, waitLimit }: ReserveOptions = {},
  ): Promise<MemoryLease> {
    if (signal?.aborted) throw cancelled(signal);
    if (waitLimit?.leftMs === 0 || bytes > this.limitBytes) return this.take(owner, bytes);
    if (this.#mayPass(owner) && this.#hasRoom(owner, bytes)) return this.#lease(owner, bytes);
    return new Promise((resolve, reject) => {
      const end = () => {
        endWait?.();
        signal?.removeEventListener('abort', abort);
      };
      const leave = (reason: Error) => {
        end();
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
        this.#serveWaiting();
      };
      const abort = () => leave(cancelled(signal));
      const endWait = waitLimit?.wait(() => leave(this.#refusal(owner, bytes)));
      const waiter: Waiter = {
        owner,
        bytes,
        serve: (lease) => {
          end();
          resolve(lease);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiter);
      this.#shortage(owner);
      this.#retryLater();
    });
  }

  /** Memory by owner [bytes]. */
  usage(): Record<string, number> {
    const fixed = [...this.#fixed].map(([owner, memory]) => [owner, memory.usedBytes()] as const);
    const leased = [...this.#leased].map(([owner, { bytes }]) => [owner, bytes] as const);
    return Object.fromEntries([...fixed, ...leased]);
  }

  /** Work that waits for memory, and that was refused since the start. */
  statistics(): { readonly waiting: number; readonly refusals: number } {
    return { waiting: this.#waiting.length, refusals: this.#refusals };
  }

  /** Lets go of what can be made again when resident memory is beyond the limit; to be called now and then. */
  check(): void {
    if (this.#resident() > this.limitBytes) this.#shortage();
  }

  /** Memory that is taken or promised [bytes]. */
  usedBytes(): number {
    let fixedLimit = 0;
    let unfilled = 0;
    for (const memory of this.#fixed.values()) {
      fixedLimit += memory.limitBytes();
      unfilled += Math.max(0, memory.limitBytes() - memory.usedBytes());
    }
    const asked = this.#baseBytes + this.#leasedBytes + fixedLimit;
    return Math.max(asked, this.#resident() + this.#sinceSample + unfilled);
  }

  /** Work does not overtake what waits, unless it is of an owner that has none. */
  #mayPass(owner: string): boolean {
    return this.#waiting.length === 0 || this.#heldBy(owner).leases === 0;
  }

  #hasRoom(owner: string, bytes: number): boolean {
    if (bytes > this.limitBytes) return false;
    return this.#heldBy(owner).leases === 0 || this.usedBytes() + bytes <= this.limitBytes;
  }

  #heldBy(owner: string): { bytes: number; leases: number } {
    const held = this.#leased.get(owner) ?? { bytes: 0, leases: 0 };
    this.#leased.set(owner, held);
    return held;
  }

  #lease(owner: string, bytes: number): MemoryLease {
    const ofOwner = this.#heldBy(owner);
    let held = 0;
    let isReleased = false;
    const count = (more: number) => {
      held += more;
      ofOwner.bytes += more;
      this.#leasedBytes += more;
      this.#sinceSample = Math.max(0, this.#sinceSample + more);
    };
    ofOwner.leases += 1;
    count(bytes);
    return {
      get bytes() {
        return held;
      },
      grow: (more) => {
        const isAlone = ofOwner.leases === 1 && held + more <= this.limitBytes;
        if (!isAlone && this.usedBytes() + more > this.limitBytes) throw this.#refusal(owner, more);
        count(more);
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        ofOwner.leases -= 1;
        count(-held);
        this.#serveWaiting();
      },
    };
  }

  #serveWaiting(): void {
    for (const waiter of [...this.#waiting]) {
      const isFirst = this.#waiting[0] === waiter;
      if (!(isFirst || this.#mayPass(waiter.owner)) || !this.#hasRoom(waiter.owner, waiter.bytes)) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.serve(this.#lease(waiter.owner, waiter.bytes));
    }
  }

  /** Resident memory falls without a word when something is collected. */
  #retryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#serveWaiting();
      if (this.#waiting.length > 0) this.#retryLater();
    }, RETRY_MS).unref();
  }

  #resident(): number {
    const nowMs = performance.now();
    if (nowMs - this.#sample.atMs < SAMPLE_MS) return this.#sample.bytes;
    this.#sample = { atMs: nowMs, bytes: this.#residentBytes() ?? this.#sample.bytes };
    this.#sinceSample = 0;
    return this.#sample.bytes;
  }

  #shortage(owner?: string): void {
    const nowMs = performance.now();
    if (nowMs - (this.#shortageMs.get(owner) ?? Number.NEGATIVE_INFINITY) < SHORTAGE_MS) return;
    this.#shortageMs.set(owner, nowMs);
    this.#onShortage(owner);
  }

  #refusal(owner: string, bytes: number): UnavailableError {
    this.#refusals += 1;
    this.#shortage(owner);
    const mebibytes = (value: number) => Math.ceil(value / 2 ** 20);
    return new UnavailableError(
      `the service has no memory left for this: it needs ${mebibytes(bytes)} MiB beside the ` +
        `${mebibytes(this.usedBytes())} MiB in use, of ${mebibytes(this.limitBytes)} MiB (server.memory_mib); try again later`,
      { retryAfterSeconds: 5, facts: { owner, bytes, limitBytes: this.limitBytes } },
    );
  }
}

function cancelled(signal: AbortSignal | undefined): CancelledError {
  return new CancelledError('the work was cancelled', { cause: signal?.reason });
}

/** The system may refuse to say, for instance when the process has no file descriptor left. */
function residentBytesOfProcess(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
