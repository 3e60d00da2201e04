import { reviveError, startWorker, type WorkerHandle } from '@contrails/runtime/threads';
import { MetError } from '../errors.ts';
import type { ThreadMessage, ThreadSetup } from './thread.ts';

/** How long a thread without work is kept [ms]; its memory for unpacking never shrinks otherwise. */
const IDLE_MS = 10_000;

/** Checks of the watchdog within the time limit of a thread: a process that was stopped for a while misses one, not all. */
const CHECKS = 8;
/** A check later than this many intervals counts as late. */
const LATE = 1.1;

/** Work on a field of so many points takes milliseconds, and a thread takes a hundred of them to start. */
export const MAX_POINTS_HERE = 50_000;

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
  /**
   * How long a thread without work is kept [ms]; ten seconds unless given. To start one and to compile what it runs takes
   * half a second of a processor.
   */
  readonly idleMs?: number;
}

const memoryOf = new Map<Thread, number>();

/** Memory of all threads of this process that read or compute weather, as last reported [bytes]. */
export function weatherThreadBytes(): number {
  return memoryOf.values().reduce((sum, bytes) => sum + bytes, 0);
}

const ending = new Set<Promise<void>>();

/** Settles when the threads that were ended so far are gone: only then nothing writes to the memory of their work. */
export async function endedThreads(): Promise<void> {
  await Promise.all(ending);
}

/** Requests for what is stored go before both; threads whose work no client waits for get a sixth of the time of the others. */
const NICENESS = { clients: 4, jobs: 12 } as const;

/** For whom work is done. */
export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether no client waits for it: then it has its own threads, which the system runs after the others. */
  readonly isForJob?: boolean | undefined;
}

interface ThreadUser {
  onMessage(thread: Thread, message: ThreadMessage<unknown>): void;
  onExit(thread: Thread, cause: Error): void;
}

class Thread {
  readonly handle: WorkerHandle<unknown>;
  user: ThreadUser;
  idleSinceMs = 0;

  constructor(module: URL, isForJobs: boolean, user: ThreadUser) {
    this.user = user;
    this.handle = startWorker<unknown, ThreadMessage<unknown>>(
      module,
      {
        execArgv: [],
        workerData: { niceness: isForJobs ? NICENESS.jobs : NICENESS.clients } satisfies ThreadSetup,
      },
      {
        onMessage: (message) => this.user.onMessage(this, message),
        onExit: (_, uncaught) => {
          memoryOf.delete(this);
          this.user.onExit(this, uncaught ?? new Error('the thread ended'));
        },
      },
    );
  }

  /** Ends the thread in the middle of its work. */
  end(): void {
    const ended = this.handle.terminate().finally(() => ending.delete(ended));
    ending.add(ended);
  }
}

/** Threads without work that run the same module at the same priority: sources of a kind share them. */
class IdleThreads {
  static readonly #byModule = new Map<string, IdleThreads>();
  readonly #threads: Thread[] = [];
  readonly #keptMs: number;
  #users = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  static join({ href }: URL, isForJobs: boolean, keptMs: number): IdleThreads {
    const key = `${isForJobs} ${keptMs} ${href}`;
    const idle = IdleThreads.#byModule.get(key) ?? new IdleThreads(keptMs);
    IdleThreads.#byModule.set(key, idle);
    idle.#users += 1;
    return idle;
  }

  /** The last one to leave ends the threads. */
  async leave(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    clearTimeout(this.#timer);
    await Promise.all(this.#threads.splice(0).map(({ handle }) => handle.terminate()));
  }

  /** The one that was used last. */
  take(): Thread | undefined {
    return this.#threads.pop();
  }

  put(thread: Thread): void {
    thread.idleSinceMs = performance.now();
    this.#threads.push(thread);
    this.#endOld();
  }

  remove(thread: Thread): void {
    const at = this.#threads.indexOf(thread);
    if (at >= 0) this.#threads.splice(at, 1);
  }

  /** One by one, so continuous work keeps the threads that it needs. */
  #endOld(): void {
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    while (this.#threads[0] !== undefined && nowMs - this.#threads[0].idleSinceMs >= this.#keptMs) {
      void this.#threads.shift()?.handle.terminate();
    }
    const [longest] = this.#threads;
    if (longest === undefined) return;
    this.#timer = setTimeout(() => this.#endOld(), longest.idleSinceMs + this.#keptMs - nowMs + 1).unref();
  }
}

interface Task<Request, Result> {
  readonly request: Request;
  /** Tasks that fail together. */
  readonly group: object;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** The file that is being read, and checks of the watchdog since the last progress. */
  reading: string | undefined;
  checks: number;
}

/**
 * Threads that read or compute weather, started when there is work and ended when there is none; the module they run calls
 * `serveRequests`. Clients and jobs have separate threads, up to the limit each. Idle ones serve every source of the kind.
 * Cancelled work ends its threads and does not wait for them, because a read that blocks in the system cannot be interrupted
 * otherwise.
 */
export class Threads<Request, Result> {
  readonly #ofClients: Pool<Request, Result>;
  readonly #ofJobs: Pool<Request, Result>;

  constructor(module: URL, limit: number, options: ThreadsOptions = {}) {
    this.#ofClients = new Pool(module, limit, false, options);
    this.#ofJobs = new Pool(module, limit, true, options);
  }

  /** Runs the requests of one piece of work. The first failure, or the signal, cancels the rest. */
  run(requests: readonly Request[], { signal, isForJob = false }: RunOptions = {}): Promise<Result[]> {
    return (isForJob ? this.#ofJobs : this.#ofClients).run(requests, signal);
  }

  /** Does small work in this thread (`MAX_POINTS_HERE`). */
  async runHere(
    requests: readonly Request[],
    perform: (request: Request) => Result,
    signal?: AbortSignal,
  ): Promise<Result[]> {
    signal?.throwIfAborted();
    this.#ofClients.requireOpen();
    return requests.map(perform);
  }

  async close(): Promise<void> {
    await Promise.all([this.#ofClients.close(), this.#ofJobs.close()]);
  }
}

/** Threads of one priority. */
class Pool<Request, Result> implements ThreadUser {
  readonly #module: URL;
  readonly #isForJobs: boolean;
  readonly #limit: number;
  readonly #stallMs: number;
  /** Tasks that wait, by their group; the group that was served last comes last: small work passes large work. */
  readonly #queue = new Map<object, Task<Request, Result>[]>();
  readonly #idle: IdleThreads;
  readonly #busy = new Map<Thread, Task<Request, Result>>();
  #watchdog: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    module: URL,
    limit: number,
    isForJobs: boolean,
    { stallMs = 0, idleMs = IDLE_MS }: ThreadsOptions,
  ) {
    this.#module = module;
    this.#isForJobs = isForJobs;
    this.#limit = limit;
    this.#stallMs = stallMs;
    this.#idle = IdleThreads.join(module, isForJobs, idleMs);
  }

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

  requireOpen(): void {
    if (this.#closed) throw closedError();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#watchdog);
    const busy = [...this.#busy.keys()];
    this.#drop(() => true, closedError());
    await Promise.all([this.#idle.leave(), ...busy.map(({ handle }) => handle.terminate())]);
  }

  #enqueue(request: Request, group: object): Promise<Result> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const task = { request, group, resolve, reject, reading: undefined, checks: 0 };
      const waiting = this.#queue.get(group);
      if (waiting === undefined) this.#queue.set(group, [task]);
      else waiting.push(task);
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#busy.size < this.#limit) {
      const task = this.#next();
      if (task === undefined) break;
      const thread = this.#idle.take() ?? new Thread(this.#module, this.#isForJobs, this);
      thread.user = this;
      this.#busy.set(thread, task);
      thread.handle.setBusy(true);
      thread.handle.post(task.request);
    }
    this.#watchBusy();
  }

  /** The first task of the group whose turn it is. */
  #next(): Task<Request, Result> | undefined {
    for (const [group, waiting] of this.#queue) {
      this.#queue.delete(group);
      const task = waiting.shift();
      if (waiting.length > 0) this.#queue.set(group, waiting);
      if (task !== undefined) return task;
    }
    return undefined;
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
      for (const [thread, task] of this.#busy) {
        task.checks += weight;
        // The time to start a thread does not count against a file.
        if (task.reading === undefined) task.checks = 0;
        else if (task.checks > CHECKS) this.#endStalled(thread, task, task.reading);
      }
    }, everyMs).unref();
  }

  #endStalled(thread: Thread, task: Task<Request, Result>, path: string): void {
    this.#busy.delete(thread);
    thread.end();
    task.reject(new ReadStalled(path, this.#stallMs / 1000));
    this.#dispatch();
  }

  onMessage(thread: Thread, message: ThreadMessage<unknown>): void {
    const task = this.#busy.get(thread);
    if (task === undefined) return;
    if ('reading' in message) {
      task.reading = message.reading;
      task.checks = 0;
      return;
    }
    if ('memoryBytes' in message) {
      memoryOf.set(thread, message.memoryBytes);
      return;
    }
    this.#busy.delete(thread);
    thread.handle.setBusy(false);
    const error =
      'error' in message ? ofFile(reviveError(message.error, [MetError]), task.reading) : undefined;
    if ('error' in message && message.isSpent) void thread.handle.terminate();
    else this.#idle.put(thread);
    if ('result' in message) task.resolve(message.result as Result);
    else task.reject(error);
    this.#dispatch();
  }

  /** A thread that died (out of memory, say) fails its task and no other. */
  onExit(thread: Thread, cause: Error): void {
    this.#idle.remove(thread);
    const task = this.#busy.get(thread);
    if (task === undefined) return;
    this.#busy.delete(thread);
    task.reject(new MetError('unavailable', `reading weather failed: ${cause.message}`, {}, { cause }));
    this.#dispatch();
  }

  #drop(belongs: (task: Task<Request, Result>) => boolean, reason: unknown): void {
    for (const [group, waiting] of this.#queue) {
      const dropped = waiting.filter(belongs);
      const kept = waiting.filter((task) => !dropped.includes(task));
      if (kept.length === 0) this.#queue.delete(group);
      else this.#queue.set(group, kept);
      for (const task of dropped) task.reject(reason);
    }
    for (const [thread, task] of this.#busy) {
      if (!belongs(task)) continue;
      this.#busy.delete(thread);
      thread.end();
      task.reject(reason);
    }
    if (!this.#closed) this.#dispatch();
  }
}

/** What a library or a decoder throws while it reads a file is an error of the file. */
function ofFile(error: unknown, path: string | undefined): unknown {
  if (error instanceof MetError || path === undefined) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new MetError('unreadable', `${path} cannot be read: ${message}`, { path }, { cause: error });
}

function closedError(): MetError {
  return new MetError('unavailable', 'the source was closed');
}
