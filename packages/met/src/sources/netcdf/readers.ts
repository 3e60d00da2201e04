import { Worker } from 'node:worker_threads';
import { MetError } from '../../errors.ts';
import type { FileHeader, FileStamp } from './file.ts';
import type { FillJob, ReaderAnswer, ReaderRequest } from './reader-messages.ts';

/** How long a thread without work is kept; its memory for unpacking never shrinks otherwise. */
const IDLE_MS = 10_000;

interface Task {
  readonly request: ReaderRequest;
  /** Tasks that stand and fall together. */
  readonly group: object;
  readonly resolve: (result: FileHeader | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Threads that read files, started when there is work and ended when there is none. What is given up ends its
 * threads, because a read that stalls cannot be interrupted otherwise.
 */
export class Readers {
  readonly #limit: number;
  readonly #queue: Task[] = [];
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Task>();
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async inspect(file: FileStamp): Promise<FileHeader> {
    return (await this.#run({ kind: 'inspect', file }, {})) as FileHeader;
  }

  /** Fills pieces of a field. The first failure, or the signal, gives up the rest. */
  async fill(jobs: readonly FillJob[], signal: AbortSignal | undefined): Promise<void> {
    const group = {};
    const giveUp = () => this.#drop((task) => task.group === group, signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', giveUp);
    try {
      await Promise.all(jobs.map((job) => this.#run({ kind: 'fill', job }, group)));
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

  #run(request: ReaderRequest, group: object): Promise<FileHeader | undefined> {
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
      const task = this.#queue.shift() as Task;
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
    const worker = new Worker(new URL('./reader.ts', import.meta.url), { execArgv: [] });
    worker.on('message', (answer: ReaderAnswer) => {
      const task = this.#busy.get(worker);
      if (task === undefined) return;
      this.#busy.delete(worker);
      this.#idle.push(worker);
      worker.unref();
      settle(task, answer);
      this.#dispatch();
    });
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', () => this.#lost(worker, new Error('the reading thread ended')));
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

  #drop(belongs: (task: Task) => boolean, reason: unknown): void {
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

function settle(task: Task, { error, result }: ReaderAnswer): void {
  if (error === undefined) task.resolve(result);
  else if (error.kind === undefined) task.reject(new Error(error.message));
  else task.reject(new MetError(error.kind, error.message, { ...error.facts }));
}
