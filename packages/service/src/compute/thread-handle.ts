import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FromThread, ThreadSetup, ToThread } from './protocol.ts';
import { sharedWord } from './task.ts';

/** The pool's end of one compute thread. */
export interface ThreadHandle {
  post(message: ToThread): void;
  /** Asks it to leave the task it works on. */
  askToStop(): void;
  /** A busy thread keeps the process alive, an idle one does not. */
  setBusy(busy: boolean): void;
  /** Ends the thread wherever it is; `onExit` follows. */
  terminate(): Promise<void>;
}

export interface ThreadEvents {
  onMessage(message: FromThread): void;
  /** Called once. `fault` is what the thread threw uncaught. */
  onExit(exitCode: number, fault: Error | undefined): void;
}

/** The thread takes messages at once; they wait until it is up. */
export function startThread(
  setup: Omit<ThreadSetup, 'stop' | 'compileCache'>,
  heapMb: number,
  events: ThreadEvents,
): ThreadHandle {
  const stop = sharedWord();
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    name: 'compute',
    workerData: { ...setup, stop, compileCache: compileCache() } satisfies ThreadSetup,
    // Kernels are given what they need; secrets in the environment are none of their business.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let fault: Error | undefined;
  worker.on('message', events.onMessage);
  worker.on('error', (thrown: unknown) => {
    fault = thrown instanceof Error ? thrown : new Error(String(thrown));
  });
  worker.on('messageerror', (thrown: Error) => {
    fault = thrown;
    void worker.terminate();
  });
  worker.on('exit', (exitCode) => events.onExit(exitCode, fault));
  return {
    post: (message) => {
      if (message.type === 'slice') Atomics.store(stop, 0, 0);
      worker.postMessage(message);
    },
    askToStop: () => void Atomics.store(stop, 0, 1),
    setBusy: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: async () => {
      await worker.terminate();
    },
  };
}

/** The directory as it was given: the runtime adds the folder of its version by itself. */
function compileCache(): string | undefined {
  const inUse = getCompileCacheDir();
  return inUse === undefined ? undefined : dirname(inUse);
}
