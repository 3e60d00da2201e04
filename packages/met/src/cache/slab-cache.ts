import type { WaitLimit } from '@contrails/runtime';
import { MetError } from '../errors.ts';
import type { Arena, Block } from './arena.ts';

/** Gives memory to what is read. */
export interface SlabMemory {
  /** Whether no client waits for what is read, by now. */
  readonly isForJob: boolean;
  /** Resolved when a client comes to need what is read for a job. */
  readonly wantedByClient: Promise<void>;
  /** Numbers of one slab of a read, by its index; uninitialised. */
  floats(index: number, length: number): Float32Array<SharedArrayBuffer>;
  /** Called when the read has waited for its turn and begins. */
  begin(): void;
}

/** Adjacent slabs that are read together, for instance consecutive hours of a window. */
export interface SlabGroup<S> {
  /** Names of the slabs, in their order. */
  readonly keys: readonly string[];
  /** Size of one slab; an estimate is enough [bytes]. */
  readonly bytesEach: number;
  /**
   * Reads neighbouring slabs into memory; the signal aborts when no request waits for them any more. Once the promise is
   * settled, nothing writes to the memory any more.
   */
  readonly read: (
    first: number,
    count: number,
    signal: AbortSignal,
    memory: SlabMemory,
  ) => Promise<readonly S[]>;
}

export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * How long a client waits for memory and for the turn of reads. Without it no client waits: the caller is a job, which
   * waits as long as it takes, after the requests of clients.
   */
  readonly waitLimit?: WaitLimit | undefined;
  /** Whether the caller can ask for less: a job gets `too-large` for more than jobs may hold together. */
  readonly isDivisible?: boolean | undefined;
}

/** Slabs in use; they stay in memory until they are released. */
export interface Lease<S> {
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

interface Entry<S> {
  readonly key: string;
  readonly slab: Promise<S>;
  readonly batch: Batch;
  block: Block;
  leases: number;
  /** How many of the leases are of jobs. */
  jobLeases: number;
  /** Whether it is being read: then its memory is in use, also when no request wants it any more. */
  isReading: boolean;
}

/** One read, of one or more slabs. */
interface Batch {
  readonly controller: AbortController;
  readonly keys: readonly string[];
  /** Resolved when the read begins. */
  readonly begun: Promise<void>;
  /** Called when a client needs what is read. */
  promote(): void;
}

interface Waiter<S> {
  readonly groups: readonly SlabGroup<S>[];
  readonly isJob: boolean;
  readonly serve: (leased: Leased<S>) => void;
}

type Leased<S> = readonly (readonly Entry<S>[])[];

/** The limit of one read [bytes], because its data are in memory twice for a moment. */
const BATCH_BYTES = 256 * 2 ** 20;
/** What jobs may hold of the memory together; one that needs more by itself holds it alone. */
const JOB_SHARE = 3 / 4;

/**
 * Slabs of weather in an arena. Slabs in use stay; of the others the least recently used is evicted first. A
 * request that needs more than is free waits until others release memory, in the order of arrival. Jobs leave a share of
 * the memory to requests and come after them. A slab that several callers need is read once; a failed read is not cached.
 */
export class SlabCache<S> {
  readonly #arena: Arena;
  readonly #batchBytes: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry<S>>();
  readonly #waiting: Waiter<S>[] = [];
  #hits = 0;
  #misses = 0;
  #evictions = 0;
  #failures = 0;

  constructor(arena: Arena, batchBytes = BATCH_BYTES) {
    this.#arena = arena;
    this.#batchBytes = batchBytes;
  }

  /** Whether a slab is in memory, or on its way there. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /**
   * All slabs of some groups. They are requested at once, not in turn: two requests that each hold some and
   * wait for more would wait for each other.
   */
  async acquire(groups: readonly SlabGroup<S>[], options: AcquireOptions = {}): Promise<Lease<S>> {
    const { signal, waitLimit, isDivisible = false } = options;
    signal?.throwIfAborted();
    const isJob = waitLimit === undefined;
    const wholeBytes = groups.reduce((sum, { keys, bytesEach }) => sum + keys.length * bytesEach, 0);
    const room = this.#arena.roomFor(Math.max(0, ...groups.map(({ bytesEach }) => bytesEach)));
    const limitBytes = isJob && isDivisible ? Math.min(room, this.#jobLimitBytes) : room;
    if (wholeBytes > limitBytes) throw tooLarge(wholeBytes, limitBytes);
    const leased =
      (this.#mayPass(groups, isJob) ? this.#lease(groups, isJob) : undefined) ??
      (await this.#queue(groups, options));
    const release = once(() => this.#release(leased.flat(), isJob));
    const overdue = new AbortController();
    const endWait = waitLimit?.wait(() => overdue.abort(notReadYet()));
    try {
      const reads = leased.flat().flatMap(({ isReading, batch }) => (isReading ? [batch.begun] : []));
      void Promise.all(reads).then(endWait);
      const all = Promise.all(leased.map((entries) => Promise.all(entries.map(({ slab }) => slab))));
      const signals = signal === undefined ? [overdue.signal] : [signal, overdue.signal];
      return { slabs: await unlessAborted(all, AbortSignal.any(signals)), release };
    } catch (error) {
      release();
      throw error;
    } finally {
      endWait?.();
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
      budgetBytes: this.#arena.limitBytes,
      usedBytes: this.#arena.usedBytes,
      leasedBytes: leased.reduce((sum, { block }) => sum + block.byteLength, 0),
      slabs: this.#entries.size,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      failures: this.#failures,
      waiting: this.#waiting.length,
    };
  }

  get #jobLimitBytes(): number {
    return this.#arena.limitBytes * JOB_SHARE;
  }

  /** Requests pass jobs that wait, and who needs nothing new passes its equals. */
  #mayPass(groups: readonly SlabGroup<S>[], isJob: boolean): boolean {
    const [first] = this.#waiting;
    if (first === undefined || (first.isJob && !isJob)) return true;
    return first.isJob === isJob && this.#missing(groups).length === 0;
  }

  #queue(groups: readonly SlabGroup<S>[], { signal, waitLimit }: AcquireOptions): Promise<Leased<S>> {
    return new Promise((resolve, reject) => {
      const end = () => {
        endWait?.();
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter<S> = {
        groups,
        isJob: waitLimit === undefined,
        serve: (leased) => {
          end();
          resolve(leased);
        },
      };
      const leave = (reason: unknown) => {
        end();
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
        this.#serveWaiting();
      };
      const abort = () => leave(signal?.reason);
      const endWait = waitLimit?.wait(() => leave(allInUse(this.#arena.limitBytes)));
      signal?.addEventListener('abort', abort, { once: true });
      const firstJob = waiter.isJob ? -1 : this.#waiting.findIndex(({ isJob }) => isJob);
      this.#waiting.splice(firstJob < 0 ? this.#waiting.length : firstJob, 0, waiter);
    });
  }

  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const leased = this.#lease(next.groups, next.isJob);
      if (leased === undefined) return;
      this.#waiting.shift();
      next.serve(leased);
    }
  }

  /** Takes the slabs in memory, makes room for the rest and starts to read it; undefined when there is no room. */
  #lease(groups: readonly SlabGroup<S>[], isJob: boolean): Leased<S> | undefined {
    if (isJob && !this.#leavesShare(groups)) return undefined;
    const blocks = this.#makeRoom(groups);
    if (blocks === undefined) return undefined;
    return groups.map((group) => {
      const missing = group.keys.map((key) => !this.#entries.has(key));
      this.#hits += missing.filter((is) => !is).length;
      for (const [first, count] of batches(missing, Math.floor(this.#batchBytes / group.bytesEach))) {
        this.#read(group, first, blocks.splice(0, count), isJob);
      }
      return group.keys.map((key) => {
        const entry = this.#entries.get(key) as Entry<S>;
        entry.leases++;
        if (isJob) entry.jobLeases++;
        else entry.batch.promote();
        // Moves to the end of the order of use.
        this.#entries.delete(key);
        this.#entries.set(key, entry);
        return entry;
      });
    });
  }

  /** Whether jobs would leave the share of requests free, or this one is alone. */
  #leavesShare(groups: readonly SlabGroup<S>[]): boolean {
    const held = this.#entries.values().filter(({ jobLeases }) => jobLeases > 0);
    const heldBytes = held.reduce((sum, { block }) => sum + block.byteLength, 0);
    const wanted = new Map(groups.flatMap(({ keys, bytesEach }) => keys.map((key) => [key, bytesEach])));
    const newBytes = [...wanted].reduce((sum, [key, bytesEach]) => {
      const entry = this.#entries.get(key);
      return sum + (entry === undefined ? bytesEach : entry.jobLeases > 0 ? 0 : entry.block.byteLength);
    }, 0);
    return heldBytes === 0 || newBytes === 0 || heldBytes + newBytes <= this.#jobLimitBytes;
  }

  /** Sizes of what is not in memory, in the order in which it is read. */
  #missing(groups: readonly SlabGroup<S>[]): number[] {
    const sizes = new Map<string, number>();
    for (const { keys, bytesEach } of groups) {
      for (const key of keys) if (!this.#entries.has(key) && !sizes.has(key)) sizes.set(key, bytesEach);
    }
    return [...sizes.values()];
  }

  /** Memory for all that is missing, or for none of it: evicts the longest unused slabs until it fits. */
  #makeRoom(groups: readonly SlabGroup<S>[]): Block[] | undefined {
    const wanted = new Set(groups.flatMap(({ keys }) => keys));
    const isIdle = ({ leases, isReading }: Entry<S>) => leases === 0 && !isReading;
    const idle = [...this.#entries.values()].filter((entry) => isIdle(entry) && !wanted.has(entry.key));
    const blocks = this.#allocateAll(this.#missing(groups), idle);
    if (blocks !== undefined || !this.#entries.values().every(isIdle)) return blocks;
    // Nothing else is in memory, and the wanted slabs are scattered: read them again.
    this.forget(() => true);
    return this.#allocateAll(this.#missing(groups), []);
  }

  #allocateAll(sizes: readonly number[], idle: Entry<S>[]): Block[] | undefined {
    const wantedBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
    const idleBytes = idle.reduce((sum, { block }) => sum + block.byteLength, 0);
    if (wantedBytes > this.#arena.limitBytes - this.#arena.usedBytes + idleBytes) return undefined;
    const blocks: Block[] = [];
    for (const bytes of sizes) {
      const block = this.#allocate(bytes, idle);
      if (block === undefined) {
        for (const taken of blocks) this.#arena.free(taken);
        return undefined;
      }
      blocks.push(block);
    }
    return blocks;
  }

  /** Evicts what is idle, longest unused first, until the arena has a free stretch of this size. */
  #allocate(bytes: number, idle: Entry<S>[]): Block | undefined {
    for (;;) {
      const block = this.#arena.allocate(bytes);
      if (block !== undefined) return block;
      const oldest = idle.shift();
      if (oldest === undefined) return undefined;
      this.#remove(oldest);
      this.#evictions++;
    }
  }

  #read(group: SlabGroup<S>, first: number, blocks: readonly Block[], isForJob: boolean): void {
    const keys = group.keys.slice(first, first + blocks.length);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: wantedByClient, resolve: wanted } = Promise.withResolvers<void>();
    let isOfJob = isForJob;
    const promote = () => {
      isOfJob = false;
      wanted();
    };
    const batch: Batch = { controller: new AbortController(), keys, begun, promote };
    const memory: SlabMemory = {
      get isForJob() {
        return isOfJob;
      },
      wantedByClient,
      floats: (index, length) => this.#floats(entries[index] as Entry<S>, length),
      begin,
    };
    // Memory is asked for after the entries are there.
    const reading = Promise.resolve().then(() =>
      group.read(first, blocks.length, batch.controller.signal, memory),
    );
    this.#misses += blocks.length;
    const entries = blocks.map((block, i): Entry<S> => {
      const slab = reading.then((slabs) => slabs[i] as S);
      return { key: keys[i] as string, slab, batch, block, leases: 0, jobLeases: 0, isReading: true };
    });
    for (const entry of entries) {
      this.#entries.set(entry.key, entry);
      entry.slab.then(
        () => this.#arrived(entry),
        () => this.#failed(entry),
      );
    }
  }

  /** A slab that is larger than was thought moves to a block of its size. */
  #floats(entry: Entry<S>, length: number): Float32Array<SharedArrayBuffer> {
    const bytes = length * Float32Array.BYTES_PER_ELEMENT;
    if (bytes > entry.block.byteLength) {
      const room = this.#arena.roomFor(bytes);
      if (bytes > room) throw tooLarge(bytes, room);
      const idle = this.#entries.values().filter(({ leases, isReading }) => leases === 0 && !isReading);
      const block = this.#allocate(bytes, [...idle]);
      if (block === undefined) throw allInUse(this.#arena.limitBytes);
      this.#arena.free(entry.block);
      entry.block = block;
    }
    return this.#arena.floats(entry.block, length);
  }

  #arrived(entry: Entry<S>): void {
    entry.isReading = false;
    if (this.#entries.get(entry.key) !== entry) this.#arena.free(entry.block);
    if (entry.leases === 0) this.#serveWaiting();
  }

  #failed(entry: Entry<S>): void {
    entry.isReading = false;
    if (this.#entries.get(entry.key) === entry) {
      this.#failures++;
      this.#entries.delete(entry.key);
    }
    this.#arena.free(entry.block);
    this.#serveWaiting();
  }

  #release(entries: readonly Entry<S>[], isJob: boolean): void {
    for (const entry of entries) {
      entry.leases--;
      if (isJob) entry.jobLeases--;
    }
    for (const { isReading, batch } of entries) {
      if (isReading) this.#giveUpUnwanted(batch);
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

  /** Memory that is still being written to is freed when that has ended. */
  #remove(entry: Entry<S>): void {
    this.#entries.delete(entry.key);
    if (!entry.isReading) this.#arena.free(entry.block);
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

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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

function allInUse(budgetBytes: number): MetError {
  return new MetError(
    'unavailable',
    `all of the ${Math.ceil(budgetBytes / 2 ** 20)} MiB for weather (met.memory_mib) are in use; try again later`,
    { budgetBytes },
  );
}

function notReadYet(): MetError {
  return new MetError(
    'unavailable',
    'the weather is not read yet, because other weather comes first; try again later',
    {},
  );
}

function tooLarge(bytes: number, budgetBytes: number): MetError {
  const mebibytes = (value: number) => Math.ceil(value / 2 ** 20);
  return new MetError(
    'too-large',
    `the request needs ${mebibytes(bytes)} MiB of weather, and the service has ${mebibytes(budgetBytes)} MiB for it (met.memory_mib); ` +
      'ask for a smaller area or a shorter time',
    { bytes, budgetBytes },
  );
}
