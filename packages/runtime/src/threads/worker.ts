import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type WorkerOptions as NodeWorkerOptions, Worker } from 'node:worker_threads';

export interface WorkerOptions extends Pick<NodeWorkerOptions, 'name' | 'workerData' | 'execArgv'> {
  /** That of the process unless given. */
  readonly env?: NodeJS.ProcessEnv;
  /** JavaScript heap [MB]; the runtime's default unless given. */
  readonly heapMb?: number;
}

export interface WorkerEvents<FromWorker> {
  onMessage(message: FromWorker): void;
  /** Called once, however the thread ends. `uncaught` is what it threw uncaught. */
  onExit(exitCode: number, uncaught: Error | undefined): void;
}

/** The pool's end of one thread. */
export interface WorkerHandle<ToWorker> {
  /** Messages wait until the thread is up. */
  post(message: ToWorker): void;
  /** A busy thread keeps the process alive, an idle one does not. */
  setBusy(busy: boolean): void;
  /** Ends the thread wherever it is; `onExit` follows. */
  terminate(): Promise<void>;
}

/** Young generation of a thread's heap [MB]. The default of 192 soon fills with unused arrays. */
const YOUNG_MB = 24;

/** Starts a thread that runs a module. */
export function startWorker<ToWorker, FromWorker>(
  module: URL,
  { heapMb, env = process.env, ...options }: WorkerOptions,
  events: WorkerEvents<FromWorker>,
): WorkerHandle<ToWorker> {
  // The setting of the process, which is for its main thread, takes precedence over that of a thread.
  setFlagsFromString('--max-semi-space-size=0');
  const worker = new Worker(module, {
    ...options,
    env: { ...env, ...compileCache() },
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
    },
  });
  let uncaught: Error | undefined;
  worker.on('message', events.onMessage);
  worker.on('error', (thrown: unknown) => {
    uncaught = thrown instanceof Error ? thrown : new Error(String(thrown));
  });
  worker.on('messageerror', (thrown: Error) => {
    uncaught = thrown;
    void worker.terminate();
  });
  worker.on('exit', (exitCode) => events.onExit(exitCode, uncaught));
  return {
    post: (message) => worker.postMessage(message),
    setBusy: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: async () => {
      await worker.terminate();
    },
  };
}

/**
 * A thread does not inherit the cache, and without it strips and compiles every module again. The directory is given as it
 * was configured: the runtime appends the folder of its version itself.
 */
function compileCache(): NodeJS.ProcessEnv {
  const inUse = getCompileCacheDir();
  return inUse === undefined ? {} : { NODE_COMPILE_CACHE: dirname(inUse) };
}
