import { Worker } from 'node:worker_threads';
import { MetError } from '../errors.ts';
import type { ThreadAnswer } from './thread.ts';

/** How long a thread without work is kept; its memory for unpacking never shrinks otherwise. */
const IDLE_MS = 10_000;

/** A watch looks so often within the time that a thread has: a process that was stopped for a while sees one look, not all. */
const LOOKS = 8;
const LATE = 1.1;

/** A thread that was ended because reading a file did not get on. */
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
  /** How long a thread may take from one `reportReading` to the next [ms]; for ever unless given. */
  readonly stallMs?: number;
}

const memoryOf = new Map<Worker, number>();

/** Memory of all threads of this process that read or make weather, as they last reported it [bytes]. */
export function weatherThreadBytes(): number {
  return memoryOf.values().reduce((sum, bytes) => sum + bytes, 0);
}

interface Task<Request, Result> {
  readonly request: Request;
  /** Tasks that stand and fall together. */
  readonly group: object;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** The file that is being read, and looks of the watch since the thread last got on. */
  reading?: string;
  looks: number;
}

/**
 * Threads that read or make weather, started when there is work and ended when there is none; the module they run calls
 * `answerRequests`. What is given up ends its threads, because a read that stalls cannot be interrupted otherwise.
 */
export class Threads<Request, Result> {
  readonly #module: URL;
  readonly #limit: number;
  readonly #stallMs: number;
  readonly #queue: Task<Request, Result>[] = [];
  /** The one that was used last comes last, and is used next. */
  readonly #idle: { readonly worker: Worker; readonly sinceMs: number }[] = [];
  readonly #busy = new Map<Worker, Task<Request, Result>>();
  #idleTimer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(module: URL, limit: number, { stallMs = 0 }: ThreadsOptions = {}) {
    this.#module = module;
    this.#limit = limit;
    this.#stallMs = stallMs;
  }

  /** Does pieces of one work. The first failure, or the signal, gives up the rest. */
  async run(requests: readonly Request[], signal?: AbortSignal): Promise<Result[]> {
    const group = {};
    const giveUp = () => this.#drop((task) => task.group === group, signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', giveUp);
    try {
      return await Promise.all(requests.map((request) => this.#enqueue(request, group)));
    } catch (error) {
      this.#drop((task) => task.group === group, error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    clearInterval(this.#watch);
    const workers = [...this.#idle.splice(0).map(({ worker }) => worker), ...this.#busy.keys()];
    this.#drop(() => true, closedError());
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #enqueue(request: Request, group: object): Promise<Result> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, group, resolve, reject, looks: 0 });
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#busy.size < this.#limit) {
      const worker = this.#idle.pop()?.worker ?? this.#start();
      const task = this.#queue.shift() as Task<Request, Result>;
      this.#busy.set(worker, task);
      worker.ref();
      worker.postMessage(task.request);
    }
    this.#watchBusy();
    this.#endIdle();
  }

  /** One by one: work that never pauses leaves the threads alone that it needs. */
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
      clearInterval(this.#watch);
      this.#watch = undefined;
      return;
    }
    const everyMs = this.#stallMs / LOOKS;
    let lastMs = performance.now();
    this.#watch ??= setInterval(() => {
      const nowMs = performance.now();
      // Where the watch itself comes late, the machine is busy, and so may the reader be waiting for its turn.
      const weight = nowMs - lastMs > LATE * everyMs ? 0.25 : 1;
      lastMs = nowMs;
      for (const [worker, task] of this.#busy) {
        task.looks += weight;
        // Starting a thread takes as long as it takes, and is no fault of a file.
        if (task.reading === undefined) task.looks = 0;
        else if (task.looks > LOOKS) this.#endStalled(worker, task, task.reading);
      }
    }, everyMs).unref();
  }

  #endStalled(worker: Worker, task: Task<Request, Result>, path: string): void {
    this.#busy.delete(worker);
    void worker.terminate();
    task.reject(new ReadStalled(path, this.#stallMs / 1000));
    this.#dispatch();
  }

  #start(): Worker {
    const worker = new Worker(this.#module, { execArgv: [] });
    worker.on('message', (answer: ThreadAnswer<Result>) => {
      const task = this.#busy.get(worker);
      if (task === undefined) return;
      if ('reading' in answer) {
        task.reading = answer.reading;
        task.looks = 0;
        return;
      }
      if ('memoryBytes' in answer) {
        memoryOf.set(worker, answer.memoryBytes);
        return;
      }
      this.#busy.delete(worker);
      // A library that failed on a damaged file may still have it open, and would take its replacement for the same.
      if ('error' in answer && answer.error.kind === 'unreadable') void worker.terminate();
      else this.#idle.push({ worker, sinceMs: performance.now() });
      worker.unref();
      settle(task, answer);
      this.#dispatch();
    });
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', () => {
      memoryOf.delete(worker);
      this.#lost(worker, new Error('the thread ended'));
    });
    return worker;
  }

  /** A thread that died (out of memory, say) fails its task and no other. */
  #lost(worker: Worker, cause: Error): void {
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

function settle<Result>(
  task: Task<unknown, Result>,
  answer: Exclude<ThreadAnswer<Result>, { reading: string } | { memoryBytes: number }>,
): void {
  if (!('error' in answer)) task.resolve(answer.result);
  else if (answer.error.kind === undefined) task.reject(new Error(answer.error.message));
  else task.reject(new MetError(answer.error.kind, answer.error.message, { ...answer.error.facts }));
}
