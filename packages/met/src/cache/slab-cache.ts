import { MetError } from '../errors.ts';

/** A cached value of known size. */
export interface Slab {
  readonly byteLength: number;
}

/** Slabs that lie beside each other and are read together, for instance consecutive hours of a window. */
export interface SlabGroup<S extends Slab> {
  /** Names of the slabs, in their order. */
  readonly keys: readonly string[];
  /** Size of one slab; an estimate is enough [bytes]. */
  readonly bytesEach: number;
  /** Reads neighbouring slabs; the signal aborts when no request waits for them any more. */
  readonly read: (first: number, count: number, signal: AbortSignal) => Promise<readonly S[]>;
}

/** Slabs in use; they stay in memory until they are released. */
export interface Lease<S extends Slab> {
  /** One list for each requested group. */
  readonly slabs: readonly (readonly S[])[];
  release(): void;
}

export interface CacheStatistics {
  readonly budgetBytes: number;
  readonly usedBytes: number;
  /** Used bytes that cannot be evicted. */
  readonly leasedBytes: number;
  readonly slabs: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly failures: number;
  /** Requests that wait for memory. */
  readonly waiting: number;
}

interface Entry<S extends Slab> {
  readonly key: string;
  readonly slab: Promise<S>;
  readonly batch: Batch;
  bytes: number;
  leases: number;
  /** Set once it is read. */
  value: S | undefined;
}

/** One read, of one or more slabs. */
interface Batch {
  readonly controller: AbortController;
  readonly keys: readonly string[];
}

interface Waiter<S extends Slab> {
  readonly groups: readonly SlabGroup<S>[];
  readonly serve: (leased: Leased<S>) => void;
}

type Leased<S extends Slab> = readonly (readonly Entry<S>[])[];

/** The limit of one read [bytes], because its data are in memory twice for a moment. */
const BATCH_BYTES = 256 * 2 ** 20;

/**
 * Slabs of weather within a memory budget. Slabs in use stay; of the others the least recently used is evicted first. A
 * request that needs more than is free waits until others release memory, in the order of arrival; a slab that several
 * requests need is read once; a failed read is not cached.
 */
export class SlabCache<S extends Slab> {
  readonly #budgetBytes: number;
  readonly #batchBytes: number;
  readonly #recycle: (slab: S) => void;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry<S>>();
  readonly #waiting: Waiter<S>[] = [];
  #usedBytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;
  #failures = 0;

  /** `recycle` receives evicted slabs once no request uses them. */
  constructor(budgetBytes: number, recycle: (slab: S) => void = () => {}, batchBytes = BATCH_BYTES) {
    this.#budgetBytes = budgetBytes;
    this.#recycle = recycle;
    this.#batchBytes = batchBytes;
  }

  /** Whether a slab is in memory, or on its way there. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /**
   * All slabs of some groups. They are requested at once, not one after the other: two requests that each hold some and
   * wait for more would wait for each other.
   */
  async acquire(groups: readonly SlabGroup<S>[], signal?: AbortSignal): Promise<Lease<S>> {
    signal?.throwIfAborted();
    const wholeBytes = groups.reduce((sum, { keys, bytesEach }) => sum + keys.length * bytesEach, 0);
    if (wholeBytes > this.#budgetBytes) throw tooLarge(wholeBytes, this.#budgetBytes);
    const mayPass = this.#waiting.length === 0 || this.#missingBytes(groups) === 0;
    const leased = (mayPass ? this.#lease(groups) : undefined) ?? (await this.#queue(groups, signal));
    const release = once(() => this.#release(leased.flat()));
    try {
      const all = Promise.all(leased.map((entries) => Promise.all(entries.map(({ slab }) => slab))));
      return { slabs: await unlessAborted(all, signal), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Forgets unused slabs. */
  forget(matches: (key: string) => boolean): void {
    for (const entry of [...this.#entries.values()]) {
      if (entry.leases === 0 && matches(entry.key)) this.#remove(entry);
    }
  }

  statistics(): CacheStatistics {
    const leased = [...this.#entries.values()].filter(({ leases }) => leases > 0);
    return {
      budgetBytes: this.#budgetBytes,
      usedBytes: this.#usedBytes,
      leasedBytes: leased.reduce((sum, { bytes }) => sum + bytes, 0),
      slabs: this.#entries.size,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      failures: this.#failures,
      waiting: this.#waiting.length,
    };
  }

  #queue(groups: readonly SlabGroup<S>[], signal: AbortSignal | undefined): Promise<Leased<S>> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter<S> = {
        groups,
        serve: (leased) => {
          signal?.removeEventListener('abort', leave);
          resolve(leased);
        },
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal?.reason);
        this.#serveWaiting();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const leased = this.#lease(next.groups);
      if (leased === undefined) return;
      this.#waiting.shift();
      next.serve(leased);
    }
  }

  /** Takes the slabs in memory, makes room for the rest and starts to read it; undefined when there is no room. */
  #lease(groups: readonly SlabGroup<S>[]): Leased<S> | undefined {
    if (!this.#makeRoom(groups)) return undefined;
    return groups.map((group) => {
      const missing = group.keys.map((key) => !this.#entries.has(key));
      this.#hits += missing.filter((is) => !is).length;
      for (const [first, count] of batches(missing, Math.floor(this.#batchBytes / group.bytesEach))) {
        this.#read(group, first, count);
      }
      return group.keys.map((key) => {
        const entry = this.#entries.get(key) as Entry<S>;
        entry.leases++;
        // Moves to the end of the order of use.
        this.#entries.delete(key);
        this.#entries.set(key, entry);
        return entry;
      });
    });
  }

  #missingBytes(groups: readonly SlabGroup<S>[]): number {
    return groups.reduce(
      (sum, { keys, bytesEach }) => sum + bytesEach * keys.filter((key) => !this.#entries.has(key)).length,
      0,
    );
  }

  /** Evicts the longest unused slabs that are not wanted here, until the missing ones fit. */
  #makeRoom(groups: readonly SlabGroup<S>[]): boolean {
    const wanted = new Set(groups.flatMap(({ keys }) => keys));
    const missing = this.#missingBytes(groups);
    const free = () => this.#budgetBytes - this.#usedBytes;
    const entries = [...this.#entries.values()];
    const idle = entries.filter(({ key, leases }) => leases === 0 && !wanted.has(key));
    const idleBytes = idle.reduce((sum, { bytes }) => sum + bytes, 0);
    // Sizes are estimates until a slab is read: they never refuse a request that is alone.
    const alone = entries.every(({ leases }) => leases === 0);
    if (missing > free() + idleBytes && !alone) return false;
    for (const entry of idle) {
      if (free() >= missing) break;
      this.#remove(entry);
      this.#evictions++;
    }
    return true;
  }

  #read(group: SlabGroup<S>, first: number, count: number): void {
    const keys = group.keys.slice(first, first + count);
    const batch: Batch = { controller: new AbortController(), keys };
    const reading = group.read(first, count, batch.controller.signal);
    this.#misses += count;
    const entries = keys.map((key, i): Entry<S> => {
      const slab = reading.then((slabs) => slabs[i] as S);
      return { key, slab, batch, bytes: group.bytesEach, leases: 0, value: undefined };
    });
    for (const entry of entries) {
      this.#entries.set(entry.key, entry);
      this.#usedBytes += entry.bytes;
      entry.slab.then(
        (slab) => this.#arrived(entry, slab),
        () => this.#failed(entry),
      );
    }
  }

  #arrived(entry: Entry<S>, slab: S): void {
    if (this.#entries.get(entry.key) !== entry) return;
    entry.value = slab;
    this.#usedBytes += slab.byteLength - entry.bytes;
    entry.bytes = slab.byteLength;
    if (entry.leases === 0) this.#serveWaiting();
  }

  #failed(entry: Entry<S>): void {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#failures++;
    this.#remove(entry);
    this.#serveWaiting();
  }

  #release(entries: readonly Entry<S>[]): void {
    for (const entry of entries) entry.leases--;
    for (const { value, batch } of entries) {
      if (value === undefined) this.#giveUpUnwanted(batch);
    }
    this.#serveWaiting();
  }

  /** A read that no request waits for ends, and the next request for the same starts another. */
  #giveUpUnwanted(batch: Batch): void {
    const entries = batch.keys
      .flatMap((key) => this.#entries.get(key) ?? [])
      .filter((one) => one.batch === batch);
    if (entries.length === 0 || entries.some(({ leases }) => leases > 0)) return;
    for (const entry of entries) this.#remove(entry);
    batch.controller.abort();
  }

  #remove(entry: Entry<S>): void {
    this.#entries.delete(entry.key);
    this.#usedBytes -= entry.bytes;
    if (entry.value !== undefined) this.#recycle(entry.value);
  }
}

/** Runs of missing neighbours, none longer than the limit. */
function* batches(missing: readonly boolean[], limit: number): Generator<[first: number, count: number]> {
  for (let i = 0; i < missing.length; ) {
    let count = 0;
    while (missing[i + count] === true && count < Math.max(limit, 1)) count++;
    if (count > 0) yield [i, count];
    i += Math.max(count, 1);
  }
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function tooLarge(bytes: number, budgetBytes: number): MetError {
  const mebibytes = (value: number) => Math.ceil(value / 2 ** 20);
  return new MetError(
    'too-large',
    `the request needs ${mebibytes(bytes)} MiB of weather, and the service has ${mebibytes(budgetBytes)} MiB for it; ` +
      'ask for a smaller area or a shorter time',
    { bytes, budgetBytes },
  );
}
