import { reviveError, startWorker, type WorkerHandle } from '@contrails/runtime/threads';
import { MetError } from '../errors.ts';
import type { ThreadMessage } from './thread.ts';

/** How long a thread without work is kept [ms]; its memory for unpacking never shrinks otherwise. */
const IDLE_MS = 10_000;

/** Checks of the watchdog within the time limit of a thread: a process that was stopped for a while misses one, not all. */
const CHECKS = 8;
/** A check later than this many intervals counts as late. */
const LATE = 1.1;

/** A thread was ended because reading a file made no progress. */
export class ReadStalled extends MetError {
  readonly path: string;

  constructor(path: string, seconds: number) {
    super(
      'unreadable',
      `reading ${path} made no progress for ${seconds} s and was ended; the file is damaged or its disk does not respond: fetch it again`,
      { path, seconds },
    );
    this.path = path;
  }
}

export interface ThreadsOptions {
  /** How long a thread may take from one `reportReading` to the next [ms]; without a limit unless given. */
  readonly stallMs?: number;
}

const memoryOf = new Map<object, number>();

/** Memory of all threads of this process that read or compute weather, as last reported [bytes]. */
export function weatherThreadBytes(): number {
  return memoryOf.values().reduce((sum, bytes) => sum + bytes, 0);
}

interface Task<Request, Result> {
  readonly request: Request;
  /** Tasks that fail together. */
  readonly group: object;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** The file that is being read, and checks of the watchdog since the last progress. */
  reading?: string;
  checks: number;
}

/**
 * Threads that read or compute weather, started when there is work and ended when there is none; the module they run calls
 * `serveRequests`. Cancelled work ends its threads and does not wait for them, because a read that blocks in the system
 * cannot be interrupted otherwise.
 */
export class Threads<Request, Result> {
  readonly #module: URL;
  readonly #limit: number;
  readonly #stallMs: number;
  readonly #queue: Task<Request, Result>[] = [];
  /** The thread that was used last comes last, and is used next. */
  readonly #idle: { readonly worker: WorkerHandle<Request>; readonly sinceMs: number }[] = [];
  readonly #busy = new Map<WorkerHandle<Request>, Task<Request, Result>>();
  #idleTimer: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(module: URL, limit: number, { stallMs = 0 }: ThreadsOptions = {}) {
    this.#module = module;
    this.#limit = limit;
    this.#stallMs = stallMs;
  }

  /** Runs the requests of one piece of work. The first failure, or the signal, cancels the rest. */
  async run(requests: readonly Request[], signal?: AbortSignal): Promise<Result[]> {
    const group = {};
    const cancel = () => this.#drop((task) => task.group === group, signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', cancel);
    try {
      return await Promise.all(requests.map((request) => this.#enqueue(request, group)));
    } catch (error) {
      this.#drop((task) => task.group === group, error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    clearInterval(this.#watchdog);
    const workers = [...this.#idle.splice(0).map(({ worker }) => worker), ...this.#busy.keys()];
    this.#drop(() => true, closedError());
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #enqueue(request: Request, group: object): Promise<Result> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, group, resolve, reject, checks: 0 });
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#busy.size < this.#limit) {
      const worker = this.#idle.pop()?.worker ?? this.#start();
      const task = this.#queue.shift() as Task<Request, Result>;
      this.#busy.set(worker, task);
      worker.setBusy(true);
      worker.post(task.request);
    }
    this.#watchBusy();
    this.#endIdle();
  }

  /** One by one, so that continuous work keeps the threads that it needs. */
  #endIdle(): void {
    clearTimeout(this.#idleTimer);
    const nowMs = performance.now();
    while (this.#idle[0] !== undefined && nowMs - this.#idle[0].sinceMs >= IDLE_MS) {
      void this.#idle.shift()?.worker.terminate();
    }
    const [longest] = this.#idle;
    if (longest === undefined) return;
    this.#idleTimer = setTimeout(() => this.#endIdle(), longest.sinceMs + IDLE_MS - nowMs + 1).unref();
  }

  #watchBusy(): void {
    if (this.#busy.size === 0 || this.#stallMs === 0) {
      clearInterval(this.#watchdog);
      this.#watchdog = undefined;
      return;
    }
    const everyMs = this.#stallMs / CHECKS;
    let lastMs = performance.now();
    this.#watchdog ??= setInterval(() => {
      const nowMs = performance.now();
      // When the watchdog itself is late, the machine is busy, and the reader may be waiting for a core.
      const weight = nowMs - lastMs > LATE * everyMs ? 0.25 : 1;
      lastMs = nowMs;
      for (const [worker, task] of this.#busy) {
        task.checks += weight;
        // The time to start a thread does not count against a file.
        if (task.reading === undefined) task.checks = 0;
        else if (task.checks > CHECKS) this.#endStalled(worker, task, task.reading);
      }
    }, everyMs).unref();
  }

  #endStalled(worker: WorkerHandle<Request>, task: Task<Request, Result>, path: string): void {
    this.#busy.delete(worker);
    void worker.terminate();
    task.reject(new ReadStalled(path, this.#stallMs / 1000));
    this.#dispatch();
  }

  #start(): WorkerHandle<Request> {
    const worker = startWorker<Request, ThreadMessage<Result>>(
      this.#module,
      { execArgv: [] },
      {
        onMessage: (message) => this.#onMessage(worker, message),
        onExit: (_, uncaught) => {
          memoryOf.delete(worker);
          this.#lost(worker, uncaught ?? new Error('the thread ended'));
        },
      },
    );
    return worker;
  }

  #onMessage(worker: WorkerHandle<Request>, message: ThreadMessage<Result>): void {
    const task = this.#busy.get(worker);
    if (task === undefined) return;
    if ('reading' in message) {
      task.reading = message.reading;
      task.checks = 0;
      return;
    }
    if ('memoryBytes' in message) {
      memoryOf.set(worker, message.memoryBytes);
      return;
    }
    this.#busy.delete(worker);
    const error = 'error' in message ? reviveError(message.error, [MetError]) : undefined;
    // A library that failed on a damaged file may still have it open, and would take its replacement for the same.
    if (error instanceof MetError && error.kind === 'unreadable') void worker.terminate();
    else this.#idle.push({ worker, sinceMs: performance.now() });
    worker.setBusy(false);
    if ('result' in message) task.resolve(message.result);
    else task.reject(error);
    this.#dispatch();
  }

  /** A thread that died (out of memory, say) fails its task and no other. */
  #lost(worker: WorkerHandle<Request>, cause: Error): void {
    const idle = this.#idle.findIndex((one) => one.worker === worker);
    if (idle >= 0) this.#idle.splice(idle, 1);
    const task = this.#busy.get(worker);
    if (task === undefined) return;
    this.#busy.delete(worker);
    task.reject(new MetError('unavailable', `reading weather failed: ${cause.message}`, {}, { cause }));
    this.#dispatch();
  }

  #drop(belongs: (task: Task<Request, Result>) => boolean, reason: unknown): void {
    for (const task of this.#queue.splice(0)) {
      if (belongs(task)) task.reject(reason);
      else this.#queue.push(task);
    }
    for (const [worker, task] of this.#busy) {
      if (!belongs(task)) continue;
      this.#busy.delete(worker);
      task.reject(reason);
      void worker.terminate();
    }
    if (!this.#closed) this.#dispatch();
  }
}

function closedError(): MetError {
  return new MetError('unavailable', 'the source was closed');
}
