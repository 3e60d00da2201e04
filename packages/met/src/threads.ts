import { Worker } from 'node:worker_threads';
import { MetError } from './errors.ts';
import type { ThreadAnswer } from './thread.ts';

/** How long a thread without work is kept; its memory for unpacking never shrinks otherwise. */
const IDLE_MS = 10_000;

interface Task<Request, Result> {
  readonly request: Request;
  /** Tasks that stand and fall together. */
  readonly group: object;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Threads that read or make weather, started when there is work and ended when there is none; the module they run calls
 * `answerRequests`. What is given up ends its threads, because a read that stalls cannot be interrupted otherwise.
 */
export class Threads<Request, Result> {
  readonly #module: URL;
  readonly #limit: number;
  readonly #queue: Task<Request, Result>[] = [];
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Task<Request, Result>>();
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(module: URL, limit: number) {
    this.#module = module;
    this.#limit = limit;
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
    const workers = [...this.#idle.splice(0), ...this.#busy.keys()];
    this.#drop(() => true, closedError());
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #enqueue(request: Request, group: object): Promise<Result> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, group, resolve, reject });
      this.#dispatch();
    });
  }

  #dispatch(): void {
    clearTimeout(this.#idleTimer);
    while (this.#queue.length > 0 && this.#busy.size < this.#limit) {
      const worker = this.#idle.pop() ?? this.#start();
      const task = this.#queue.shift() as Task<Request, Result>;
      this.#busy.set(worker, task);
      worker.ref();
      worker.postMessage(task.request);
    }
    if (this.#busy.size > 0 || this.#idle.length === 0) return;
    this.#idleTimer = setTimeout(() => {
      for (const worker of this.#idle.splice(0)) void worker.terminate();
    }, IDLE_MS).unref();
  }

  #start(): Worker {
    const worker = new Worker(this.#module, { execArgv: [] });
    worker.on('message', (answer: ThreadAnswer<Result>) => {
      const task = this.#busy.get(worker);
      if (task === undefined) return;
      this.#busy.delete(worker);
      this.#idle.push(worker);
      worker.unref();
      settle(task, answer);
      this.#dispatch();
    });
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', () => this.#lost(worker, new Error('the thread ended')));
    return worker;
  }

  /** A thread that died (out of memory, say) fails its task and no other. */
  #lost(worker: Worker, cause: Error): void {
    const idle = this.#idle.indexOf(worker);
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

function settle<Result>(task: Task<unknown, Result>, answer: ThreadAnswer<Result>): void {
  if (!('error' in answer)) task.resolve(answer.result);
  else if (answer.error.kind === undefined) task.reject(new Error(answer.error.message));
  else task.reject(new MetError(answer.error.kind, answer.error.message, { ...answer.error.facts }));
}
